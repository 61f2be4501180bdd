// What a bench prints and the files that it writes.
#ifndef BLOOMLINE_DB_BENCH_EXT_OUTPUT_OUTPUT_H_
#define BLOOMLINE_DB_BENCH_EXT_OUTPUT_OUTPUT_H_

#include <chrono>
#include <filesystem>
#include <string>

namespace bloomline::bench {

// Prints to stdout and keeps the text for a file.
class Output {
 public:
  void Print(const std::string& text);
  const std::string& text() const { return text_; }

  // A line with the seconds since this Output was made.
  std::string Elapsed() const;

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string text_;
};

// Replaces the file. Throws std::runtime_error if it cannot be written.
void WriteFile(const std::filesystem::path& path, const std::string& text);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_OUTPUT_OUTPUT_H_
