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

bool ReadExactly(int descriptor, const std::string& path, uint64_t offset, uint64_t n, char* dst,
                 std::string* error) {
  uint64_t done;
  const bool readable = MoveAll(n, &done, [&](uint64_t so_far, uint64_t at_most) {
    return pread(descriptor, dst + so_far, at_most, static_cast<off_t>(offset + so_far));
  });
  if (!readable) return Fail(path, At("cannot read", n, offset), error);
  if (done == n) return true;
  *error = path + ": " + At("cannot read", n, offset) + ": the file ends after " +
           std::to_string(done) + " of them";
  return false;
}

bool WriteExactly(int descriptor, const std::string& path, uint64_t offset, uint64_t n,
                  const char* data, std::string* error) {
  uint64_t done;
  const bool writable = MoveAll(n, &done, [&](uint64_t so_far, uint64_t at_most) {
    return pwrite(descriptor, data + so_far, at_most, static_cast<off_t>(offset + so_far));
  });
  if (writable && done == n) return true;
  if (writable) errno = ENOSPC;  // a call that wrote nothing says no more
  return Fail(path, At("cannot write", n, offset), error);
}

// A new file `stem`, a number that no file has, with `flags`. Its descriptor, or -1, with *error.
int CreateNumbered(const std::string& stem, int flags, mode_t mode, std::string* path,
                   std::string* error) {
  static std::atomic<uint64_t> counter{0};
  int descriptor;
  do {
    *path = stem + std::to_string(getpid()) + "." + std::to_string(counter.fetch_add(1));
    descriptor = open(path->c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0) Fail(*path, "cannot be created", error);
  return descriptor;
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
  return ReadExactly(descriptor_, path_, offset, n, dst, error);
}

ReplacementFile::~ReplacementFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

bool ReplacementFile::Open(const std::string& path, std::string* error) {
  path_ = path;
  // Not mkstemp, whose files nobody else may read whatever the umask says.
  descriptor_ = CreateNumbered(path + ".tmp", O_WRONLY, 0666, &temporary_path_, error);
  if (descriptor_ < 0) temporary_path_.clear();
  return descriptor_ >= 0;
}

bool ReplacementFile::Append(const char* data, uint64_t n, std::string* error) {
  if (!WriteAt(size_, data, n, error)) return false;
  size_ += n;
  return true;
}

bool ReplacementFile::WriteAt(uint64_t offset, const char* data, uint64_t n,
                              std::string* error) const {
  return WriteExactly(descriptor_, temporary_path_, offset, n, data, error);
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

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ScratchFile::Open(const std::string& directory, std::string* error) {
  descriptor_ = CreateNumbered(directory + "/bloomline.tmp", O_RDWR, 0600, &path_, error);
  if (descriptor_ < 0) return false;
  return unlink(path_.c_str()) == 0 || Fail(path_, "cannot be unlinked", error);
}

bool ScratchFile::Append(const char* data, uint64_t n, std::string* error) {
  if (!WriteExactly(descriptor_, path_, size_, n, data, error)) return false;
  size_ += n;
  return true;
}

bool ScratchFile::ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const {
  return ReadExactly(descriptor_, path_, offset, n, dst, error);
}

bool ScratchFile::Truncate(std::string* error) {
  if (ftruncate(descriptor_, 0) != 0) return Fail(path_, "cannot be truncated", error);
  size_ = 0;
  return true;
}

}  // namespace bloomline::filters
