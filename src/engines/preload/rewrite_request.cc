#include "src/engines/preload/rewrite_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "src/engines/rocksdb/rewrite/option_text.h"
#include "src/support/file_io.h"
#include "src/support/system_error.h"

namespace bloomline::preload {
namespace {

constexpr char kName[] = "bloomline_rewrite";
constexpr char kProgress[] = "\n# progress: ";
constexpr uint64_t kMaxBytes = 1 << 16;

// The system's own calls, because those of std::filesystem need memory.
bool IsFile(const std::string& path, struct stat* status) {
  return lstat(path.c_str(), status) == 0 && S_ISREG(status->st_mode);
}

// "a=1;b=2" of lines, spaces and comments.
std::string OptionsIn(const std::string& text) {
  std::string options;
  bool is_comment = false;
  for (const char c : text) {
    if (c == '#') is_comment = true;
    if (c == '\n') is_comment = false;
    if (is_comment) continue;
    const bool is_end = c == ';' || c == '\n' || c == '\r' || c == ' ' || c == '\t';
    if (!is_end) options += c;
    if (is_end && !options.empty() && options.back() != ';') options += ';';
  }
  if (!options.empty() && options.back() == ';') options.pop_back();
  return options;
}

}  // namespace

RewriteRequest::RewriteRequest(const std::string& directory)
    : path_(directory + "/" + kName),
      running_path_(path_ + ".running"),
      done_path_(path_ + ".done") {}

bool RewriteRequest::Take(std::string* error) {
  const bool must_go_on = looks_for_running_ && IsWanted();
  looks_for_running_ = false;
  if (must_go_on) return true;
  struct stat status;
  if (!IsFile(path_, &status)) return false;
  const Looks now(status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  if (now != last_look_) {
    last_look_ = now;
    return false;
  }
  if (std::rename(path_.c_str(), running_path_.c_str()) != 0) {
    return support::SystemFailure(path_, "cannot be renamed", error);
  }
  last_look_ = kNone;
  unlink(done_path_.c_str());
  return true;
}

bool RewriteRequest::Read(RewriteOptions* options, std::string* text, std::string* error) {
  support::InputFile file;
  if (!file.Open(running_path_, error)) return false;
  if (file.size() > kMaxBytes) {
    *error = running_path_ + " has " + std::to_string(file.size()) + " bytes; allowed: up to " +
             std::to_string(kMaxBytes);
    return false;
  }
  std::string bytes(file.size(), '\0');
  if (!file.ReadAt(0, bytes.size(), bytes.data(), error)) return false;
  bytes.resize(std::min(bytes.size(), bytes.find(kProgress)));
  text_bytes_ = bytes.size();
  *text = OptionsIn(bytes);
  return ParseRewriteOptions(*text, options, error);
}

bool RewriteRequest::IsWanted() const noexcept {
  struct stat status;
  return IsFile(running_path_, &status);
}

void RewriteRequest::ShowProgress(const std::string& line) const {
  // Without O_CREAT: a request that was removed stays so.
  const int file = open(running_path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return;
  const std::string text = kProgress + line + "\n";
  const auto begin = static_cast<off_t>(text_bytes_);
  const ssize_t written =
      support::Uninterrupted([&] { return pwrite(file, text.data(), text.size(), begin); });
  if (written >= 0 && ftruncate(file, begin + written) != 0) errno = 0;  // a longer line stays
  close(file);
}

bool RewriteRequest::Finish(const std::string& report, std::string* error) {
  support::ReplacementFile file;
  const bool is_written = file.Open(done_path_, error) &&
                          file.Append(report.data(), report.size(), error) && file.Commit(error);
  unlink(running_path_.c_str());
  return is_written;
}

}  // namespace bloomline::preload
