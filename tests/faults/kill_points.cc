#include "tests/faults/kill_points.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstring>
#include <string_view>

namespace bloomline::tests {
namespace {

constexpr int kMaxDescriptors = 4096;
std::atomic<uint8_t> kinds[kMaxDescriptors];  // FileKind of each open descriptor

KillPoint armed;
std::atomic<uint64_t> countdown{0};  // 0: not armed
std::atomic<bool> skip_syncs{false};

FileKind KindOf(std::string_view path) {
  const auto ends_with = [&](std::string_view end) {
    return path.size() >= end.size() && path.substr(path.size() - end.size()) == end;
  };
  if (ends_with(".ldb") || ends_with(".sst")) return FileKind::kTable;
  if (ends_with(".log")) return FileKind::kLog;
  if (path.find("MANIFEST") != path.npos || path.find("CURRENT") != path.npos ||
      ends_with(".dbtmp")) {
    return FileKind::kManifest;
  }
  return FileKind::kOther;
}

FileKind KindOf(int descriptor) {
  const bool known = descriptor >= 0 && descriptor < kMaxDescriptors;
  return known ? static_cast<FileKind>(kinds[descriptor].load()) : FileKind::kOther;
}

// One operation: calls `call(share)`, where a share of 0.5 does half of a write.
template <typename Call>
auto Operate(FileOperation operation, FileKind kind, Call call) {
  bool here = false;
  if (countdown.load() != 0 && operation == armed.operation && kind == armed.kind) {
    here = countdown.fetch_sub(1) == 1;
  }
  if (!here) return call(1.0);
  if (armed.time != KillTime::kBefore) {
    const bool half = armed.time == KillTime::kMiddle;
    if (!half || operation == FileOperation::kWrite) call(half ? 0.5 : 1.0);
  }
  KillThisProcess();
}

size_t Part(size_t n, double share) { return static_cast<size_t>(static_cast<double>(n) * share); }

int Sync(int descriptor, long number) {
  return Operate(FileOperation::kSync, KindOf(descriptor), [&](double) {
    return skip_syncs.load() ? 0 : static_cast<int>(syscall(number, descriptor));
  });
}

}  // namespace

void ArmKillPoint(const KillPoint& point) {
  armed = point;
  countdown = point.nth;
}

void SkipSyncs() { skip_syncs = true; }

void KillThisProcess() {
  for (;;) syscall(SYS_kill, getpid(), SIGKILL);
}

}  // namespace bloomline::tests

using bloomline::tests::FileKind;
using bloomline::tests::FileOperation;
using bloomline::tests::KindOf;
using bloomline::tests::Operate;
using bloomline::tests::Part;

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  const FileKind kind = KindOf(std::string_view(path));
  const auto call = [&](double) {
    const int descriptor = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
    if (descriptor >= 0 && descriptor < bloomline::tests::kMaxDescriptors) {
      bloomline::tests::kinds[descriptor] = static_cast<uint8_t>(kind);
    }
    return descriptor;
  };
  if ((flags & O_ACCMODE) == O_RDONLY) return call(1.0);
  return Operate(FileOperation::kOpen, kind, call);
}

ssize_t write(int descriptor, const void* data, size_t n) {
  return Operate(FileOperation::kWrite, KindOf(descriptor), [&](double share) -> ssize_t {
    return syscall(SYS_write, descriptor, data, Part(n, share));
  });
}

ssize_t pwrite(int descriptor, const void* data, size_t n, off_t offset) {
  return Operate(FileOperation::kWrite, KindOf(descriptor), [&](double share) -> ssize_t {
    return syscall(SYS_pwrite64, descriptor, data, Part(n, share), offset);
  });
}

int fsync(int descriptor) { return bloomline::tests::Sync(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return bloomline::tests::Sync(descriptor, SYS_fdatasync); }

int close(int descriptor) {
  return Operate(FileOperation::kClose, KindOf(descriptor),
                 [&](double) { return static_cast<int>(syscall(SYS_close, descriptor)); });
}

int rename(const char* from, const char* to) noexcept {
  return Operate(FileOperation::kRename, KindOf(std::string_view(to)), [&](double) {
    return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
  });
}

int unlink(const char* path) noexcept {
  return Operate(FileOperation::kUnlink, KindOf(std::string_view(path)), [&](double) {
    return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
  });
}

}  // extern "C"
