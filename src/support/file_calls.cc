#include "src/support/file_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace bloomline::support {
namespace {

static_assert(sizeof(off_t) == 8,
              "filters may be larger than 2 GiB; compile with -D_FILE_OFFSET_BITS=64");

size_t Limited(size_t bytes) {
  constexpr size_t kMaxTransfer = size_t{1} << 30;  // some systems move at most 2 GiB at a time
  return std::min(bytes, kMaxTransfer);
}

FileStatus StatusOf(const struct stat& found) {
  FileStatus status;
  status.size = static_cast<uint64_t>(found.st_size);
  status.device = static_cast<uint64_t>(found.st_dev);
  status.number = static_cast<uint64_t>(found.st_ino);
  if (S_ISREG(found.st_mode)) {
    status.kind = FileKind::kRegular;
  } else if (S_ISDIR(found.st_mode)) {
    status.kind = FileKind::kFolder;
  } else if (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode)) {
    status.kind = FileKind::kPipe;
  }
  return status;
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
  *status = StatusOf(found);
  return true;
}

bool Examine(int descriptor, FileStatus* status) {
  struct stat found;
  if (fstat(descriptor, &found) != 0) return false;
  *status = StatusOf(found);
  return true;
}

int64_t ReadSome(int descriptor, size_t at_most, char* dst) {
  return read(descriptor, dst, Limited(at_most));
}

int64_t ReadSomeAt(int descriptor, uint64_t offset, size_t at_most, char* dst) {
  return pread(descriptor, dst, Limited(at_most), static_cast<off_t>(offset));
}

int64_t WriteSome(int descriptor, size_t at_most, const char* data) {
  return write(descriptor, data, Limited(at_most));
}

int64_t WriteSomeAt(int descriptor, uint64_t offset, size_t at_most, const char* data) {
  return pwrite(descriptor, data, Limited(at_most), static_cast<off_t>(offset));
}

int64_t PositionOf(int descriptor) { return lseek(descriptor, 0, SEEK_CUR); }

int SyncFile(int descriptor) {
#ifdef __APPLE__  // fsync leaves the bytes in the disk's own cache; not all file systems know more
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
  return fsync(descriptor);
}

int CreateFile(const std::string& path, bool is_private) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_private ? 0600 : 0666);
}

int CopyMode(const std::string& path, int descriptor) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return errno == ENOENT ? 0 : -1;
  return fchmod(descriptor, found.st_mode & 0777);
}

int RenameFile(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str());
}

int RemoveFile(const std::string& path) { return unlink(path.c_str()); }

void WillRead([[maybe_unused]] int descriptor, [[maybe_unused]] uint64_t offset,
              [[maybe_unused]] uint64_t bytes) {
#ifdef POSIX_FADV_WILLNEED
  posix_fadvise(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                POSIX_FADV_WILLNEED);
#endif
}

}  // namespace bloomline::support
