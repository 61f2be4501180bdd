#include "src/support/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "src/support/process.h"
#include "src/support/set_error.h"

namespace bloomline::support {
namespace {

static_assert(sizeof(off_t) == 8,
              "filters may be larger than 2 GiB; compile with -D_FILE_OFFSET_BITS=64");

FileStatus StatusIn(const struct stat& found) {
  FileStatus status;
  status.size = static_cast<uint64_t>(found.st_size);
  status.device = static_cast<uint64_t>(found.st_dev);
  status.number = static_cast<uint64_t>(found.st_ino);
#ifdef __APPLE__
  const struct timespec& changed = found.st_mtimespec;
#else
  const struct timespec& changed = found.st_mtim;
#endif
  status.changed_ns = int64_t{changed.tv_sec} * 1000000000 + changed.tv_nsec;
  if (S_ISREG(found.st_mode)) {
    status.kind = FileKind::kRegular;
  } else if (S_ISDIR(found.st_mode)) {
    status.kind = FileKind::kFolder;
  } else if (S_ISLNK(found.st_mode)) {
    status.kind = FileKind::kLink;
  } else if (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode)) {
    status.kind = FileKind::kPipe;
  }
  return status;
}

std::string At(const char* what, uint64_t n, uint64_t offset) {
  return std::string(what) + " " + std::to_string(n) + " bytes at offset " + std::to_string(offset);
}

// Some systems move at most 2 GiB at a time.
size_t OneTransfer(size_t bytes) { return std::min(bytes, size_t{1} << 30); }

// Moves n bytes by calls of transfer(done, at_most), which returns what read and write return.
// Returns false, with errno, on an error. *done is how many were moved: fewer than n if a call
// moved none.
template <typename Transfer>
bool MoveAll(uint64_t n, uint64_t* done, Transfer transfer) {
  for (*done = 0; *done < n;) {
    const int64_t moved = transfer(*done, OneTransfer(static_cast<size_t>(n - *done)));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return false;
    if (moved == 0) return true;
    *done += static_cast<uint64_t>(moved);
  }
  return true;
}

// The folder of an absolute path, or of one relative to the working directory.
std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Finds the file that `path` names through links, as an absolute path. Returns false, with *error,
// if it is not a regular file, or if its folder does not exist. std::filesystem is not used: policy
// libraries must run with the C++ library of GCC 8, which lacks it.
bool FindTarget(const std::string& path, std::string* target, bool* exists, std::string* error) {
  if (IsNoPath(path, error)) return false;
  FileStatus status;
  *exists = Examine(path, &status);
  if (!*exists && errno != ENOENT) return SystemFailure(path, "cannot be examined", error);
  if (*exists && status.kind != FileKind::kRegular) return NotRegular(path, error);
  const std::string name = *exists ? "" : path.substr(path.rfind('/') + 1);
  if (*exists || !name.empty()) {
    const std::unique_ptr<char, decltype(&std::free)> found(
        realpath((*exists ? path : FolderOf(path)).c_str(), nullptr), &std::free);
    if (found != nullptr) {
      *target = found.get();
      if (!*exists) *target += (*target == "/" ? "" : "/") + name;
      return true;
    }
  }
  return SystemFailure(path, "its folder cannot be opened", error);
}

// Copies the mode, but no owner and no access control list.
int CopyMode(const std::string& path, int descriptor) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return errno == ENOENT ? 0 : -1;
  return fchmod(descriptor, found.st_mode & 0777);
}

int SyncFile(int descriptor) {
#ifdef __APPLE__  // fsync leaves the bytes in the disk's own cache; not all file systems know more
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
  return Uninterrupted([&] { return fsync(descriptor); });
}

bool SyncOpenFolder(int folder) {
  return SyncFile(folder) == 0 || errno == EINVAL || errno == ENOTSUP;  // it cannot be synced
}

}  // namespace

int OpenFile(const std::string& path, NoWriter no_writer) {
  const int wait = no_writer == NoWriter::kGoOn ? O_NONBLOCK : 0;
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait);
}

int CloseFile(int descriptor) { return close(descriptor); }

bool Examine(const std::string& path, FileStatus* status) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return false;
  *status = StatusIn(found);
  return true;
}

bool Examine(int descriptor, FileStatus* status) {
  struct stat found;
  if (fstat(descriptor, &found) != 0) return false;
  *status = StatusIn(found);
  return true;
}

bool ExamineLink(const std::string& path, FileStatus* status) {
  struct stat found;
  if (lstat(path.c_str(), &found) != 0) return false;
  *status = StatusIn(found);
  return true;
}

int64_t ReadSome(int descriptor, size_t at_most, char* dst) {
  return read(descriptor, dst, OneTransfer(at_most));
}

int64_t PositionOf(int descriptor) { return lseek(descriptor, 0, SEEK_CUR); }
bool IsLocked(int descriptor) { return lockf(descriptor, F_TEST, 0) != 0; }

void WillRead([[maybe_unused]] int descriptor, [[maybe_unused]] uint64_t offset,
              [[maybe_unused]] uint64_t bytes) {
#ifdef POSIX_FADV_WILLNEED
  posix_fadvise(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                POSIX_FADV_WILLNEED);
#endif
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool InputFile::Open(const std::string& path, std::string* error) {
  if (IsNoPath(path, error)) return false;
  path_ = path;
  // Opening a pipe must not block: only an open file shows whether it is a pipe.
  descriptor_ = Uninterrupted([&] { return OpenFile(path, NoWriter::kGoOn); });
  if (descriptor_ < 0) return SystemFailure(path_, "cannot be opened", error);
  FileStatus status;
  if (!Examine(descriptor_, &status)) return SystemFailure(path_, "cannot be examined", error);
  if (status.kind != FileKind::kRegular) return NotRegular(path_, error);
  size_ = status.size;
  return true;
}

bool InputFile::ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const {
  uint64_t done;
  const bool readable = MoveAll(n, &done, [&](uint64_t so_far, size_t at_most) {
    return pread(descriptor_, dst + so_far, at_most, static_cast<off_t>(offset + so_far));
  });
  if (!readable) return SystemFailure(path_, At("cannot read", n, offset), error);
  if (done == n) return true;
  *error = path_ + ": " + At("cannot read", n, offset) + ": the file ends after " +
           std::to_string(done) + " of them";
  return false;
}

bool ReadSmallFile(const std::string& path, uint64_t max_bytes, std::string* text,
                   std::string* error) {
  InputFile file;
  if (!file.Open(path, error)) return false;
  if (file.size() > max_bytes) {
    *error = path + ": has " + std::to_string(file.size()) + " bytes; allowed: up to " +
             std::to_string(max_bytes);
    return false;
  }
  text->resize(static_cast<size_t>(file.size()));
  return file.ReadAt(0, file.size(), text->data(), error);
}

bool AppendPart(const ByteSource& from, uint64_t begin, uint64_t end, ByteSink* out,
                std::string* error) {
  constexpr uint64_t kAtOnce = 1 << 20;
  std::string piece;
  for (; begin < end; begin += piece.size()) {
    piece.resize(static_cast<size_t>(std::min(end - begin, kAtOnce)));
    if (!from.ReadAt(begin, piece.size(), piece.data(), error) ||
        !out->Append(piece.data(), piece.size(), error)) {
      return false;
    }
  }
  return true;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool OutputFile::Create(const std::string& path, bool is_private, std::string* error) {
  const mode_t mode = is_private ? 0600 : 0666;
  path_ = path;
  descriptor_ = Uninterrupted(
      [&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); });
  return descriptor_ >= 0 || SystemFailure(path, "cannot be created", error);
}

bool OutputFile::Append(const char* data, uint64_t n, std::string* error) {
  uint64_t done;
  const bool writable = MoveAll(n, &done, [&](uint64_t so_far, size_t at_most) {
    return pwrite(descriptor_, data + so_far, at_most, static_cast<off_t>(size_ + so_far));
  });
  if (writable && done == n) {
    size_ += n;
    return true;
  }
  if (writable) errno = ENOSPC;  // a call wrote nothing and set no errno
  return SystemFailure(path_, At("cannot write", n, size_), error);
}

bool OutputFile::Close(DiskSync sync, std::string* error) {
  if (sync == DiskSync::kDone && SyncFile(descriptor_) != 0) {
    return SystemFailure(path_, "cannot be synced", error);
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (close(descriptor) == 0 || errno == EINTR) return true;  // with EINTR it is closed
  return SystemFailure(path_, "cannot be closed", error);
}

ReplacementFile::~ReplacementFile() {
  if (is_written_) unlink(file_.path().c_str());
  if (folder_ >= 0) close(folder_);
}

bool ReplacementFile::Open(const std::string& path, std::string* error) {
  bool exists;
  if (!FindTarget(path, &target_, &exists, error)) return false;
  // The folder is opened now, because after the renaming it is too late to fail.
  const std::string folder = FolderOf(target_);
  folder_ = Uninterrupted([&] { return OpenFile(folder, NoWriter::kGoOn); });
  if (folder_ < 0) return SystemFailure(path, "its folder cannot be opened", error);
  static std::atomic<uint64_t> counter{0};
  std::string why;
  do {
    const std::string temporary = target_ + ".tmp" + std::to_string(ProcessNumber()) + "." +
                                  std::to_string(counter.fetch_add(1));
    // Users who may not read the old file may not read the new one while it is written.
    is_written_ = file_.Create(temporary, /*is_private=*/exists, &why);
  } while (!is_written_ && errno == EEXIST);
  if (!is_written_) *error = why;
  return is_written_;
}

bool ReplacementFile::Commit(std::string* error, DiskSync sync) {
  // Open does not do this: a long file takes minutes to write, and permissions may have changed.
  if (CopyMode(target_, file_.descriptor()) != 0) {
    return SystemFailure(target_, "its permissions cannot be kept", error);
  }
  if (!file_.Close(sync, error)) return false;
  if (std::rename(file_.path().c_str(), target_.c_str()) != 0) {
    return SystemFailure(file_.path(), "cannot be renamed to " + target_, error);
  }
  is_written_ = false;
  return sync == DiskSync::kNotNow || SyncOpenFolder(folder_) ||
         SystemFailure(target_, "has been replaced, but its folder cannot be synced", error);
}

bool SyncFolder(const std::string& path, std::string* error) {
  const int folder = Uninterrupted([&] { return OpenFile(path, NoWriter::kGoOn); });
  const bool is_synced = folder >= 0 && SyncOpenFolder(folder);
  if (!is_synced) SystemFailure(path, "cannot be synced", error);
  if (folder >= 0) close(folder);
  return is_synced;
}

}  // namespace bloomline::support
