// What a bench prints and the files that it writes, and its orderly end.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_OUTPUT_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_OUTPUT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace bloomline::bench {

// Prints to stdout and keeps the text for a file.
class Output {
 public:
  void Print(const std::string& text);
  const std::string& text() const { return text_; }

  // A line with the seconds since this Output was made.
  std::string Elapsed() const;
  // The last line: whether there were wrong answers, and Elapsed. Returns the exit status.
  int PrintVerdict(uint64_t wrong_answers);

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string text_;
};

// Replaces the file. Throws std::runtime_error if it cannot be written.
void WriteFile(const std::filesystem::path& path, const std::string& text);

// A folder, removed with all that is in it. The constructor throws std::runtime_error.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// This machine lacks what the bench needs: exit status 77.
struct NotHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// From now on SIGINT and SIGTERM make the next CheckInterrupted throw, and the end of who reads the
// output is no signal, so that destructors remove temporary files.
void CatchInterrupts();
void CheckInterrupted();

// How often the run will call Begin. db_bench_ext/run shows the steps.
void ExpectSteps(size_t all);
// Says what runs now: on a terminal, and with the steps until now if their number is known. Also
// checks for an interrupt.
void Begin(const std::string& what);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_OUTPUT_H_
