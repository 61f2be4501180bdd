#include "src/tool/progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "src/support/file_io.h"
#include "src/support/process.h"
#include "src/tool/quantity.h"

namespace bloomline::tool {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(200);
constexpr char kEraseLine[] = "\r\x1b[K";

// "12 s", "3 min", "2 h 5 min"
std::string DurationText(double seconds) {
  constexpr double kTooLong = 1e9;
  const auto whole = static_cast<uint64_t>(std::min(std::max(seconds, 0.0), kTooLong) + 0.5);
  if (whole < 100) return std::to_string(whole) + " s";
  const uint64_t minutes = (whole + 30) / 60;
  if (minutes < 100) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

}  // namespace

Progress::Progress() : Progress(support::IsTerminal(support::kStandardError)) {}

Progress::Progress(bool shown)
    : is_shown_at_all_(shown), start_(Clock::now()), next_(start_ + kInterval) {}

bool Progress::IsDue() { return is_shown_at_all_ && Clock::now() >= next_; }

void Progress::Show(const std::string& text, uint64_t done, uint64_t total) {
  if (!is_shown_at_all_) return;
  const Clock::time_point now = Clock::now();
  next_ = now + kInterval;
  std::string line = text;
  if (total != 0 && done != 0) {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    line += ", " + std::to_string(static_cast<int>(100 * part)) + " %, " +
            DurationText(elapsed * (1 - part) / part) + " left";
  }
  std::fprintf(stderr, "%s%s", kEraseLine, line.c_str());
  std::fflush(stderr);
  is_shown_ = true;
}

void Progress::Clear() {
  if (is_shown_) std::fputs(kEraseLine, stderr);
  is_shown_ = false;
}

FileProgress::FileProgress(std::string name, bool shown, uint64_t num_files, uint64_t num_bytes)
    : name_(std::move(name)), num_files_(num_files), num_bytes_(num_bytes), line_(shown) {}

void FileProgress::Add(uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++files_done_;
  bytes_done_ += bytes;
  if (!line_.IsDue() && files_done_ != num_files_) return;
  line_.Show(name_ + ": " + CountText(files_done_) + " of " + CountText(num_files_) + " files, " +
                 BytesText(bytes_done_) + " of " + BytesText(num_bytes_),
             bytes_done_, num_bytes_);
}

}  // namespace bloomline::tool
