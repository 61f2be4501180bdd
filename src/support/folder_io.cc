#include "src/support/folder_io.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>  // FICLONE
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "src/support/file_io.h"
#include "src/support/set_error.h"

namespace bloomline::support {
namespace {

volatile std::sig_atomic_t ending_signal = 0;

void NoteSignal(int signal) { ending_signal = signal; }

bool Sync(int descriptor, const std::string& path, std::string* error) {
  if (Uninterrupted([&] { return fsync(descriptor); }) == 0) return true;
  if (errno == EINVAL || errno == ENOTSUP) return true;  // this file system cannot sync folders
  return SystemFailure(path, "cannot be synced", error);
}

}  // namespace

NewFile::~NewFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool NewFile::Create(const std::string& path, std::string* error) {
  path_ = path;
  descriptor_ = Uninterrupted(
      [&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600); });
  return descriptor_ >= 0 || SystemFailure(path, "cannot be created", error);
}

bool NewFile::Append(const char* data, uint64_t n, std::string* error) {
  constexpr uint64_t kMost = uint64_t{1} << 30;  // of one call
  while (n > 0) {
    const auto at_most = static_cast<size_t>(std::min(n, kMost));
    const ssize_t written = Uninterrupted([&] { return write(descriptor_, data, at_most); });
    if (written == 0) errno = ENOSPC;  // the call set no errno
    if (written <= 0) return SystemFailure(path_, "cannot be written", error);
    data += written;
    n -= static_cast<uint64_t>(written);
  }
  return true;
}

bool NewFile::Clone([[maybe_unused]] const std::string& from) const {
#ifdef FICLONE
  const int source = Uninterrupted([&] { return OpenFile(from, NoWriter::kGoOn); });
  const bool is_cloned = source >= 0 && ioctl(descriptor_, FICLONE, source) == 0;
  if (source >= 0) close(source);
  return is_cloned;
#else
  return false;
#endif
}

bool NewFile::Finish(const std::string& like, std::string* error) {
  if (!TakeOwnerAndMode(path_, like, error) || !Sync(descriptor_, path_, error)) return false;
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) == 0 || errno == EINTR) return true;  // with EINTR it is closed
  return SystemFailure(path_, "cannot be closed", error);
}

bool TakeOwnerAndMode(const std::string& path, const std::string& like, std::string* error) {
  struct stat old;
  struct stat now;
  if (stat(like.c_str(), &old) != 0) return SystemFailure(like, "cannot be examined", error);
  if (stat(path.c_str(), &now) != 0) return SystemFailure(path, "cannot be examined", error);
  const bool is_others = now.st_uid != old.st_uid || now.st_gid != old.st_gid;
  if (is_others && chown(path.c_str(), old.st_uid, old.st_gid) != 0) {
    return SystemFailure(path, "cannot be given to the owner of " + like, error);
  }
  // The mode comes last, because a change of the owner clears some of its bits.
  if (chmod(path.c_str(), old.st_mode & 07777) == 0) return true;
  return SystemFailure(path, "cannot take the mode of " + like, error);
}

bool SyncFolder(const std::string& path, std::string* error) {
  const int folder = Uninterrupted([&] { return OpenFile(path, NoWriter::kGoOn); });
  if (folder < 0) return SystemFailure(path, "cannot be opened", error);
  const bool is_synced = Sync(folder, path, error);
  close(folder);
  return is_synced;
}

bool RenameNew(const std::string& from, const std::string& to, std::string* error) {
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  const bool is_known = errno != ENOSYS && errno != EINVAL;  // to kernel and file system
  if (is_known) return SystemFailure(to, "cannot be the new name of " + from, error);
#endif
  struct stat found;
  if (lstat(to.c_str(), &found) == 0) {
    errno = EEXIST;
  } else if (rename(from.c_str(), to.c_str()) == 0) {
    return true;
  }
  return SystemFailure(to, "cannot be the new name of " + from, error);
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FileLock::Take(const std::string& path, std::string* error) {
  if (descriptor_ < 0) {
    descriptor_ = Uninterrupted([&] { return open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY); });
  }
  if (descriptor_ < 0 && errno == ENOENT) return true;
  if (descriptor_ < 0) {
    return SystemFailure(path, "cannot be opened for writing, and so not be locked", error);
  }
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(descriptor_, F_SETLK, &lock) == 0) return true;
  if (errno != EACCES && errno != EAGAIN) return SystemFailure(path, "cannot be locked", error);
  *error = path + ": is locked: a program has the database open; allowed: closed databases";
  return false;
}

void AwaitEndingSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, NoteSignal) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

int EndingSignal() { return ending_signal; }

void EndBySignal(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();  // only if the signal is blocked
}

}  // namespace bloomline::support
