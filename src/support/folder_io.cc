#include "src/support/folder_io.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>  // FICLONE
#endif

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

}  // namespace

bool CloneBytes([[maybe_unused]] const std::string& from, [[maybe_unused]] int descriptor) {
#ifdef FICLONE
  const int source = Uninterrupted([&] { return OpenFile(from, NoWriter::kGoOn); });
  const bool is_cloned = source >= 0 && ioctl(descriptor, FICLONE, source) == 0;
  if (source >= 0) CloseFile(source);
  return is_cloned;
#else
  return false;
#endif
}

bool CanClone([[maybe_unused]] const std::string& from,
              [[maybe_unused]] const std::string& folder) {
#ifdef O_TMPFILE  // no other program sees the file
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  const bool is_cloned = file >= 0 && CloneBytes(from, file);
  if (file >= 0) CloseFile(file);
  return is_cloned;
#else
  return false;
#endif
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
