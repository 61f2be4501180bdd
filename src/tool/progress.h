// Shows one line on stderr that says how far a long command is and when it will be done, if stderr
// is a terminal.
#ifndef BLOOMLINE_TOOL_PROGRESS_H_
#define BLOOMLINE_TOOL_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace bloomline::tool {

class Progress {
 public:
  Progress();  // shown if stderr is a terminal
  explicit Progress(bool shown);
  ~Progress() { Clear(); }  // so that later output begins on an empty line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Whether it is time to show something: a few times a second.
  bool IsDue();

  // Shows "TEXT, 34 %, 12 s left", estimated from `done` of `total`. total 0: unknown.
  void Show(const std::string& text, uint64_t done, uint64_t total);

  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  const bool is_shown_at_all_;
  const Clock::time_point start_;
  Clock::time_point next_;
  bool is_shown_ = false;
};

// The progress of several threads over many files. Thread-safe.
class FileProgress {
 public:
  FileProgress(std::string name, bool shown, uint64_t num_files, uint64_t num_bytes);

  // Counts a file that is done.
  void Add(uint64_t bytes);

 private:
  const std::string name_;
  const uint64_t num_files_;
  const uint64_t num_bytes_;
  std::mutex mutex_;
  uint64_t files_done_ = 0;
  uint64_t bytes_done_ = 0;
  Progress line_;
};

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_PROGRESS_H_
