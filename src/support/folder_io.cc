#include "src/support/folder_io.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>  // FICLONE
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "src/support/file_io.h"
#include "src/support/set_error.h"

namespace bloomline::support {
namespace {

volatile std::sig_atomic_t ending_signal = 0;

void NoteSignal(int signal) { ending_signal = signal; }

// Whether the file is on a disk of this host, or on another file system that sees all its locks.
bool HasLocalLocks(int descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) != 0) return false;
#ifdef __linux__
  const auto type = static_cast<uint32_t>(system.f_type);
  const auto is_one_of = [&](std::initializer_list<uint32_t> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  // OCFS2 and GFS2, which hosts share; FUSE, whose fuseblk has a block device; overlayfs
  if (is_one_of({0x7461636f, 0x01161970, 0x65735546, 0x794c7630})) return false;
  struct stat status;
  if (fstat(descriptor, &status) != 0) return false;
  if (major(status.st_dev) != 0) return true;  // a block device
  // Btrfs, ZFS, bcachefs, tmpfs, ramfs
  return is_one_of({0x9123683e, 0x2fc12fc1, 0xca451a4e, 0x01021994, 0x858458f6});
#else
  return (system.f_flags & MNT_LOCAL) != 0;
#endif
}

std::string NotGivenTo(const std::string& like) {
  return "cannot be given to the owner of " + like + " (allowed: that user, or root)";
}

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

bool CanTakeOwners([[maybe_unused]] const std::string& folder,
                   [[maybe_unused]] const std::vector<std::string>& likes,
                   [[maybe_unused]] std::string* error) {
  bool can_take = true;
#ifdef O_TMPFILE
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  struct stat old;
  for (const std::string& like : likes) {
    can_take = file < 0 || stat(like.c_str(), &old) != 0 ||
               fchown(file, old.st_uid, old.st_gid) == 0 ||
               SystemFailure(folder + ": a new file", NotGivenTo(like), error);
    if (!can_take) break;
  }
  if (file >= 0) CloseFile(file);
#endif
  return can_take;
}

bool TakeOwnerAndMode(const std::string& path, const std::string& like, std::string* error) {
  struct stat old;
  struct stat now;
  if (stat(like.c_str(), &old) != 0) return SystemFailure(like, "cannot be examined", error);
  if (stat(path.c_str(), &now) != 0) return SystemFailure(path, "cannot be examined", error);
  const bool is_others = now.st_uid != old.st_uid || now.st_gid != old.st_gid;
  if (is_others && chown(path.c_str(), old.st_uid, old.st_gid) != 0) {
    return SystemFailure(path, NotGivenTo(like), error);
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

bool IsReadOnly(const std::string& path) {
  struct statvfs system;
  return statvfs(path.c_str(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FileLock::Take(const std::string& path, std::string* error) {
  const auto open_for = [&](int access) {
    return Uninterrupted([&] { return open(path.c_str(), access | O_CLOEXEC | O_NOCTTY); });
  };
  if (descriptor_ < 0) {
    descriptor_ = open_for(O_RDWR);
    // EPERM: it is immutable.
    is_shared_ = descriptor_ < 0 && (errno == EROFS || errno == EACCES || errno == EPERM);
    if (is_shared_) descriptor_ = open_for(O_RDONLY);
    is_doubtful_ = is_shared_ && descriptor_ >= 0 && !HasLocalLocks(descriptor_);
  }
  if (descriptor_ < 0 && errno == ENOENT) return true;
  if (descriptor_ < 0) {
    std::string what =
        "cannot be opened, and so it is not known whether a program has the database open";
    const bool is_denied = errno == EACCES || errno == EPERM;
    if (is_denied) what += "; allowed: the user of its programs, or root";
    return SystemFailure(path, what, error);
  }
  struct flock lock = {};
  lock.l_type = is_shared_ ? F_RDLCK : F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(descriptor_, F_SETLK, &lock) == 0) return true;
  if (errno != EACCES && errno != EAGAIN) {
    return is_doubtful_ || SystemFailure(path, "cannot be locked", error);
  }
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
