#include "src/tool/db/progress.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "src/tool/quantity.h"

namespace bloomline::tool::db {

Progress::Progress(std::string name, bool shown, uint64_t num_files, uint64_t num_bytes)
    : name_(std::move(name)), shown_(shown), num_files_(num_files), num_bytes_(num_bytes) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::AddBytes(uint64_t bytes) {
  bytes_done_.fetch_add(bytes, std::memory_order_relaxed);
  if (shown_) Show(false);
}

void Progress::AddFile() {
  const bool last = files_done_.fetch_add(1, std::memory_order_relaxed) + 1 == num_files_;
  if (shown_) Show(last);
}

void Progress::Show(bool now) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  const int64_t elapsed_ms =
      duration_cast<milliseconds>(std::chrono::steady_clock::now() - start_).count();
  int64_t due = next_show_ms_.load(std::memory_order_relaxed);
  if (!now && elapsed_ms < due) return;
  if (!next_show_ms_.compare_exchange_strong(due, elapsed_ms + 250)) return;  // another thread does
  const std::lock_guard<std::mutex> lock(line_);
  const uint64_t bytes = bytes_done_.load(std::memory_order_relaxed);
  std::string text = name_ + ": " + CountText(files_done_.load(std::memory_order_relaxed)) +
                     " of " + CountText(num_files_) + " files, " + BytesText(bytes) + " of " +
                     BytesText(num_bytes_);
  // The first second says little about the rest.
  if (bytes != 0 && bytes < num_bytes_ && elapsed_ms > 1000) {
    const double per_byte = static_cast<double>(elapsed_ms) / 1000 / static_cast<double>(bytes);
    text += ", " + DurationText(per_byte * static_cast<double>(num_bytes_ - bytes)) + " left";
  }
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
}

std::string DurationText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::llround(std::fmax(0, seconds)));
  const auto two = [](uint64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const uint64_t hours = whole / 3600;
  const uint64_t minutes = whole / 60 % 60;
  if (hours != 0) return std::to_string(hours) + ":" + two(minutes) + ":" + two(whole % 60);
  return std::to_string(minutes) + ":" + two(whole % 60);
}

}  // namespace bloomline::tool::db
