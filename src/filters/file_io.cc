#include "src/filters/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace bloomline::filters {
namespace {

// Some systems move at most 2 GiB at a time.
constexpr uint64_t kMaxTransfer = uint64_t{1} << 30;

bool Fail(const std::string& path, const std::string& what, std::string* error) {
  const int code = errno;
  *error = path + ": " + what + ": " + std::generic_category().message(code);
  return false;
}

std::string At(const char* what, uint64_t n, uint64_t offset) {
  return std::string(what) + " " + std::to_string(n) + " bytes at offset " + std::to_string(offset);
}

// Moves n bytes by calls of transfer(done, at_most), which return as read and write do. False, with
// errno, on an error; *done is how many were moved, fewer than n if a call moved none.
template <typename Transfer>
bool MoveAll(uint64_t n, uint64_t* done, Transfer transfer) {
  for (*done = 0; *done < n;) {
    const ssize_t moved = transfer(*done, std::min(n - *done, kMaxTransfer));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return false;
    if (moved == 0) return true;
    *done += static_cast<uint64_t>(moved);
  }
  return true;
}

}  // namespace

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool InputFile::Open(const std::string& path, std::string* error) {
  path_ = path;
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) return Fail(path_, "cannot be opened", error);
  struct stat status;
  if (fstat(descriptor_, &status) != 0) return Fail(path_, "cannot be examined", error);
  if (!S_ISREG(status.st_mode)) {
    *error = path_ + ": is not a regular file";
    return false;
  }
  size_ = static_cast<uint64_t>(status.st_size);
  return true;
}

bool InputFile::ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const {
  uint64_t done;
  const bool readable = MoveAll(n, &done, [&](uint64_t so_far, uint64_t at_most) {
    return pread(descriptor_, dst + so_far, at_most, static_cast<off_t>(offset + so_far));
  });
  if (!readable) return Fail(path_, At("cannot read", n, offset), error);
  if (done == n) return true;
  *error = path_ + ": " + At("cannot read", n, offset) + ": the file ends after " +
           std::to_string(done) + " of them";
  return false;
}

ReplacementFile::~ReplacementFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

bool ReplacementFile::Open(const std::string& path, std::string* error) {
  static std::atomic<uint64_t> counter{0};
  path_ = path;
  // Not mkstemp, whose files nobody else may read whatever the umask says.
  do {
    temporary_path_ =
        path + ".tmp" + std::to_string(getpid()) + "." + std::to_string(counter.fetch_add(1));
    descriptor_ = open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ >= 0) return true;
  Fail(temporary_path_, "cannot be created", error);
  temporary_path_.clear();
  return false;
}

bool ReplacementFile::Append(const char* data, uint64_t n, std::string* error) {
  uint64_t done;
  const bool writable = MoveAll(n, &done, [&](uint64_t so_far, uint64_t at_most) {
    return write(descriptor_, data + so_far, at_most);
  });
  if (!writable || done != n) return Fail(temporary_path_, At("cannot write", n, size_), error);
  size_ += n;
  return true;
}

bool ReplacementFile::Commit(std::string* error) {
  if (fsync(descriptor_) != 0) return Fail(temporary_path_, "cannot be synced", error);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0) return Fail(temporary_path_, "cannot be closed", error);
  if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    return Fail(temporary_path_, "cannot be renamed to " + path_, error);
  }
  temporary_path_.clear();
  return true;
}

}  // namespace bloomline::filters
