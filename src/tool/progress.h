// One line on stderr that says how far a long command is and when it will be done. Nothing if
// stderr is no terminal.
#ifndef BLOOMLINE_TOOL_PROGRESS_H_
#define BLOOMLINE_TOOL_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace bloomline::tool {

class Progress {
 public:
  Progress();  // shown if stderr is a terminal
  explicit Progress(bool shown);
  ~Progress() { Clear(); }  // other output then begins on an empty line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Whether it is time to show something: a few times a second.
  bool IsDue();

  // "TEXT, 34 %, 12 s left"; `done` of `total` counts the time. total 0: unknown.
  void Show(const std::string& text, uint64_t done, uint64_t total);

  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  const bool is_shown_at_all_;
  const Clock::time_point start_;
  Clock::time_point next_;
  bool is_shown_ = false;
};

// "12 s", "3 min", "2 h 5 min"
std::string DurationText(double seconds);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_PROGRESS_H_
