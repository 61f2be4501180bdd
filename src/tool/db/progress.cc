#include "src/tool/db/progress.h"

#include <utility>

#include "src/tool/quantity.h"

namespace bloomline::tool::db {

FileProgress::FileProgress(std::string name, bool shown, uint64_t num_files, uint64_t num_bytes)
    : name_(std::move(name)),
      shown_(shown),
      num_files_(num_files),
      num_bytes_(num_bytes),
      line_(shown) {}

void FileProgress::AddBytes(uint64_t bytes) {
  bytes_done_.fetch_add(bytes, std::memory_order_relaxed);
  if (shown_) Show(false);
}

void FileProgress::AddFile() {
  const bool last = files_done_.fetch_add(1, std::memory_order_relaxed) + 1 == num_files_;
  if (shown_) Show(last);
}

void FileProgress::Show(bool now) {
  const std::unique_lock<std::mutex> lock(line_mutex_, std::try_to_lock);
  if (!lock || (!now && !line_.IsDue())) return;  // another thread shows it
  const uint64_t bytes = bytes_done_.load(std::memory_order_relaxed);
  line_.Show(name_ + ": " + CountText(files_done_.load(std::memory_order_relaxed)) + " of " +
                 CountText(num_files_) + " files, " + BytesText(bytes) + " of " +
                 BytesText(num_bytes_),
             bytes, num_bytes_);
}

}  // namespace bloomline::tool::db
