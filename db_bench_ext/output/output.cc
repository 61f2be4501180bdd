#include "db_bench_ext/output/output.h"

#include <fstream>
#include <iostream>
#include <stdexcept>

namespace bloomline::bench {

void Output::Print(const std::string& text) {
  std::cout << text << std::flush;
  text_ += text;
}

std::string Output::Elapsed() const {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  return "Elapsed: " + std::to_string(seconds) + " s.\n";
}

void WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace bloomline::bench
