// A line on stderr that says how far the work is, and how long the rest will take.
#ifndef BLOOMLINE_TOOL_DB_PROGRESS_H_
#define BLOOMLINE_TOOL_DB_PROGRESS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace bloomline::tool::db {

// Thread-safe. Writes at most four times a second, and nothing if it is not `shown`.
class Progress {
 public:
  Progress(std::string name, bool shown, uint64_t num_files, uint64_t num_bytes);
  ~Progress();  // removes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void AddBytes(uint64_t bytes);
  void AddFile();

 private:
  void Show(bool now);

  const std::string name_;
  const bool shown_;
  const uint64_t num_files_;
  const uint64_t num_bytes_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<uint64_t> files_done_{0};
  std::atomic<uint64_t> bytes_done_{0};
  std::atomic<int64_t> next_show_ms_{0};
  std::mutex line_;
};

// "1:05", "2:03:04"
std::string DurationText(double seconds);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_PROGRESS_H_
