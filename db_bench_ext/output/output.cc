#include "db_bench_ext/output/output.h"

#include <fstream>
#include <iostream>
#include <stdexcept>

namespace bloomline::bench {

void Output::Print(const std::string& text) {
  std::cout << text << std::flush;
  text_ += text;
}

void WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace bloomline::bench
