#include "src/support/file_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace bloomline::support {
namespace {

static_assert(sizeof(off_t) == 8,
              "filters may be larger than 2 GiB; compile with -D_FILE_OFFSET_BITS=64");

size_t Limited(size_t bytes) {
  constexpr size_t kMaxTransfer = size_t{1} << 30;  // some systems move at most 2 GiB at a time
  return std::min(bytes, kMaxTransfer);
}

FileStatus StatusIn(const struct stat& found) {
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
  *status = StatusIn(found);
  return true;
}

bool Examine(int descriptor, FileStatus* status) {
  struct stat found;
  if (fstat(descriptor, &found) != 0) return false;
  *status = StatusIn(found);
  return true;
}

int64_t ReadSome(int descriptor, size_t at_most, char* dst) {
  return read(descriptor, dst, Limited(at_most));
}

int64_t PositionOf(int descriptor) { return lseek(descriptor, 0, SEEK_CUR); }

void WillRead([[maybe_unused]] int descriptor, [[maybe_unused]] uint64_t offset,
              [[maybe_unused]] uint64_t bytes) {
#ifdef POSIX_FADV_WILLNEED
  posix_fadvise(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                POSIX_FADV_WILLNEED);
#endif
}

}  // namespace bloomline::support
