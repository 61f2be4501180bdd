// The progress of several threads over many files.
#ifndef BLOOMLINE_TOOL_DB_PROGRESS_H_
#define BLOOMLINE_TOOL_DB_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "src/tool/progress.h"

namespace bloomline::tool::db {

// Thread-safe.
class FileProgress {
 public:
  FileProgress(std::string name, bool shown, uint64_t num_files, uint64_t num_bytes);

  void AddBytes(uint64_t bytes);
  void AddFile();

 private:
  void Show(bool now);

  const std::string name_;
  const bool shown_;
  const uint64_t num_files_;
  const uint64_t num_bytes_;
  std::atomic<uint64_t> files_done_{0};
  std::atomic<uint64_t> bytes_done_{0};
  std::mutex line_mutex_;
  Progress line_;
};

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_PROGRESS_H_
