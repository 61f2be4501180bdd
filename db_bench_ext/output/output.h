// What a bench prints and the files that it writes.
#ifndef BLOOMLINE_DB_BENCH_EXT_OUTPUT_OUTPUT_H_
#define BLOOMLINE_DB_BENCH_EXT_OUTPUT_OUTPUT_H_

#include <filesystem>
#include <string>

namespace bloomline::bench {

// Prints to stdout and keeps the text for the report file.
class Output {
 public:
  void Print(const std::string& text);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Replaces the file. Throws std::runtime_error if it cannot be written.
void WriteFile(const std::filesystem::path& path, const std::string& text);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_OUTPUT_OUTPUT_H_
