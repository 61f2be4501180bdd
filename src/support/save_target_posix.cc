#ifndef _WIN32
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "src/support/save_target.h"
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "src/support/file_calls.h"
#include "src/support/system_error.h"

namespace bloomline::support {
namespace {

constexpr int kMaxLinks = 40;  // as Linux itself follows

// What is left of `mode` for a file of another group: the group gets no more than everybody has.
constexpr mode_t ForAnotherGroup(mode_t mode) { return mode & (0707 | (mode & 07) << 3); }

// Gives `to` the access control list of the file `from`. If that has none, a list that `to`
// inherited from its folder is removed: fchmod would give it effect.
bool CopyAccessControlList([[maybe_unused]] const std::string& from, [[maybe_unused]] int to) {
#ifdef __linux__
  constexpr char kName[] = "system.posix_acl_access";
  char list[8192];  // at 8 bytes an entry, more than ext4 and XFS can keep
  const ssize_t size = lgetxattr(from.c_str(), kName, list, sizeof(list));
  if (size > 0) return fsetxattr(to, kName, list, static_cast<size_t>(size), 0) == 0;
  const auto has_none = [] { return errno == ENODATA || errno == ENOTSUP; };
  if (size < 0 && !has_none()) return false;
  return fremovexattr(to, kName) == 0 || has_none();
#else
  return true;
#endif
}

}  // namespace

SaveTarget::~SaveTarget() {
  if (folder_ >= 0) close(folder_);
}

bool SaveTarget::OpenFolder(const std::string& path, std::string* error) {
  const size_t slash = path.rfind('/');
  folder_path_ = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  name_ = slash == std::string::npos ? path : path.substr(slash + 1);
  if (folder_ >= 0) close(folder_);
  const char* const folder = folder_path_.empty() ? "." : folder_path_.c_str();
  folder_ = Uninterrupted([&] { return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  return folder_ >= 0 || SystemFailure(path, "its folder cannot be opened", error);
}

bool SaveTarget::Open(const std::string& path, std::string* error) {
  if (IsNoPath(path, error)) return false;
  // The system resolves the path first: it has rules about who may follow which link, and it knows
  // what links such as /dev/stdout lead to.
  struct stat status;
  exists_ = stat(path.c_str(), &status) == 0;
  if (!exists_ && errno != ENOENT) return SystemFailure(path, "cannot be examined", error);
  if (exists_ && !S_ISREG(status.st_mode)) return NotRegular(path, error);
  std::string next = path;
  for (int links = 0; links <= kMaxLinks; ++links) {
    if (!OpenFolder(next, error)) return false;
    char link[PATH_MAX];
    const ssize_t length = readlinkat(folder_, name_.c_str(), link, sizeof(link));
    const bool is_no_link = length < 0 && (errno == EINVAL || errno == ENOENT);
    if (is_no_link && !name_.empty()) return true;
    if (length < 0) return SystemFailure(next, "cannot be examined", error);
    const std::string target(link, static_cast<size_t>(length));
    next = target[0] == '/' ? target : folder_path_ + target;
  }
  errno = ELOOP;
  return SystemFailure(path, "cannot be examined", error);
}

bool SaveTarget::CopyAttributesTo(int descriptor, std::string* error) const {
  const auto fail = [&](const char* what) { return SystemFailure(path(), what, error); };
  struct stat target;
  struct stat file;
  if (fstatat(folder_, name_.c_str(), &target, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT || fail("cannot be examined");
  }
  if (!S_ISREG(target.st_mode)) return NotRegular(path(), error);
  if (fstat(descriptor, &file) != 0) return fail("its replacement cannot be examined");
  mode_t mode = target.st_mode & 0777;
  if (file.st_uid != target.st_uid || file.st_gid != target.st_gid) {
    // EINVAL: an owner that this user namespace does not know.
    const auto refused = [] { return errno == EPERM || errno == EINVAL; };
    constexpr uid_t kAsIs = static_cast<uid_t>(-1);
    if (fchown(descriptor, target.st_uid, target.st_gid) != 0) {
      if (!refused()) return fail("its owner cannot be kept");
      if (fchown(descriptor, kAsIs, target.st_gid) != 0) {
        if (!refused()) return fail("its group cannot be kept");
        mode = ForAnotherGroup(mode);
      }
    }
  }
  if (!CopyAccessControlList(path(), descriptor)) {
    return fail("its access control list cannot be kept");
  }
  return fchmod(descriptor, mode) == 0 || fail("its mode cannot be kept");
}

int SaveTarget::CreateBeside(const std::string& name, NewFile new_file) {
  const mode_t mode = exists_ || new_file == NewFile::kPrivate ? 0600 : 0666;
  return openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

void SaveTarget::RemoveBeside(const std::string& name) const { unlinkat(folder_, name.c_str(), 0); }

bool SaveTarget::ReplaceBy(const std::string& name, std::string* error) const {
  if (renameat(folder_, name.c_str(), folder_, name_.c_str()) != 0) {
    return SystemFailure(folder_path_ + name, "cannot be renamed to " + path(), error);
  }
  return true;
}

bool SaveTarget::Sync(std::string* error) const {
  if (Uninterrupted([&] { return SyncFile(folder_); }) == 0) return true;
  // A file system that knows no such thing.
  if (errno == EINVAL || errno == ENOTSUP) return true;
  return SystemFailure(path(), "has been replaced, but its folder cannot be synced", error);
}

}  // namespace bloomline::support
#endif  // !_WIN32
