// Kills processes that rewrite filters, at file operations of all kinds, and looks for lost keys
// and other shapes of the levels.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "tests/engines/rewrite_database.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

// ---- This process is killed at a chosen file operation, whichever code makes it: the program's
// own open, write, rename and so on replace libc's.

enum class FileOperation { kOpen, kWrite, kSync, kClose, kRename, kUnlink };
constexpr int kNumFileOperations = 6;

enum class FileKind { kTable, kManifest, kOther };

enum class KillTime {
  kBefore,
  kMiddle,  // half of a write has reached the file; for other operations: kBefore
  kAfter,
};
constexpr int kNumKillTimes = 3;

struct KillPoint {
  FileOperation operation = FileOperation::kWrite;
  FileKind kind = FileKind::kTable;
  uint64_t nth = 1;  // number of the operation among these, from 1
  KillTime time = KillTime::kBefore;
};

constexpr int kMaxDescriptors = 4096;
std::atomic<uint8_t> kinds[kMaxDescriptors];  // FileKind of each open descriptor

KillPoint armed;
std::atomic<uint64_t> countdown{0};  // 0: not armed
std::atomic<bool> skip_syncs{false};

FileKind KindOf(std::string_view path) {
  const auto ends_with = [&](std::string_view end) {
    return path.size() >= end.size() && path.substr(path.size() - end.size()) == end;
  };
  if (ends_with(".sst")) return FileKind::kTable;
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

[[noreturn]] void KillThisProcess() {
  for (;;) syscall(SYS_kill, getpid(), SIGKILL);
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

// Kills at the n-th operation from now on. Reads, and opening to read, are not counted.
void ArmKillPoint(const KillPoint& point) {
  armed = point;
  countdown = point.nth;
}

// Makes fsync and the like do nothing: written data outlives a killed process without them, and no
// test here cuts the power.
void SkipSyncs() { skip_syncs = true; }

}  // namespace
}  // namespace bloomline::tests

using bloomline::tests::FileKind;
using bloomline::tests::FileOperation;
using bloomline::tests::KindOf;
using bloomline::tests::kinds;
using bloomline::tests::kMaxDescriptors;
using bloomline::tests::Operate;
using bloomline::tests::Part;
using bloomline::tests::Sync;

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
    if (descriptor >= 0 && descriptor < kMaxDescriptors) {
      kinds[descriptor] = static_cast<uint8_t>(kind);
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

int fsync(int descriptor) { return Sync(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return Sync(descriptor, SYS_fdatasync); }

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

namespace bloomline::tests {
namespace {

// Runs f in a process of its own, which is killed after at_most. Returns its status as waitpid
// does.
template <typename F>
int InChild(std::chrono::microseconds at_most, F f) {
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(2);
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    f();
    _exit(0);
  }
  const auto end = std::chrono::steady_clock::now() + at_most;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    const auto now = std::chrono::steady_clock::now();
    if (now >= end) break;
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(std::chrono::milliseconds(1), end - now));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

bool WasKilled(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

constexpr uint64_t kKeys = 6000;
constexpr std::chrono::microseconds kAtMost{60000000};

std::string Value(uint64_t i) { return std::to_string(i) + std::string(80, 'v'); }

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(uint64_t cycle) {
  return NewRocksDBFilterPolicy(FilterOptions{cycle % 2 == 0 ? Format::kRibbon : Format::kBlocked});
}

RewriteDatabase NewDatabase(const std::string& path, bool has_compactions) {
  rocksdb::Options options = RewriteDatabase::SmallFiles();
  options.disable_auto_compactions = !has_compactions;
  return RewriteDatabase(options, path);
}

void Write(const std::string& path) {
  SkipSyncs();
  RewriteDatabase db = NewDatabase(path, true);
  db.OpenWithStockFilters();
  for (uint64_t i = 0; i < kKeys; ++i) {
    const uint64_t key = i * 7919 % kKeys;
    if (!db->Put({}, RewriteKey(key), Value(key)).ok()) _exit(3);
  }
  db.FlushAndWait();
}

void Rewrite(const std::string& path, uint64_t cycle, const KillPoint* point) {
  SkipSyncs();
  RewriteDatabase db = NewDatabase(path, false);
  db.Open(PolicyOf(cycle));
  RewriteOptions options;
  options.include_level0 = true;
  if (point != nullptr) ArmKillPoint(*point);
  RewriteReport report;
  std::string error;
  if (RewriteFilters(db.get(), db->DefaultColumnFamily(), options, &report, &error) &&
      report.IsComplete()) {
    return;
  }
  std::fprintf(stderr, "%s\n%s\n", error.c_str(), report.ToString().c_str());
  _exit(3);
}

// Exits with 4 or 5 if keys or files are not as they were. The first time, it notes the files.
void Verify(const std::string& path, uint64_t cycle, const std::string& shape_path, bool is_first) {
  SkipSyncs();
  RewriteDatabase db = NewDatabase(path, false);
  db.Open(PolicyOf(cycle));
  std::string value;
  for (uint64_t i = 0; i < kKeys; ++i) {
    const bool found = db->Get({}, RewriteKey(i), &value).ok() && value == Value(i);
    const bool is_missing = db->Get({}, RewriteKey(i) + "x", &value).IsNotFound();
    if (found && is_missing) continue;
    std::fprintf(stderr, "key %" PRIu64 " is wrong\n", i);
    _exit(4);
  }
  std::string shape;
  for (const auto& [level, first, last, folder, temperature] : db.GetShape()) {
    shape += std::to_string(level) + " " + first + " " + last + " " + folder + "\n";
  }
  if (is_first) {
    std::FILE* const file = std::fopen(shape_path.c_str(), "w");
    std::fputs(shape.c_str(), file);
    std::fclose(file);
  } else if (ReadFile(shape_path) != shape) {
    std::fprintf(stderr, "another shape\n");
    _exit(5);
  }
}

int Run(uint64_t cycles, uint64_t seed) {
  const TempDir dir;
  const std::string path = dir.Path("db");
  const std::string shape_path = dir.Path("shape");
  std::mt19937_64 random(seed);
  uint64_t killed = 0;
  const auto is_done = [](const char* what, uint64_t cycle, int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    std::printf("cycle %" PRIu64 ": %s failed with status %d\n", cycle, what, status);
    return false;
  };
  if (!is_done("writing", 0, InChild(kAtMost, [&] { Write(path); }))) return 1;
  if (!is_done("reading", 0, InChild(kAtMost, [&] { Verify(path, 0, shape_path, true); })))
    return 1;
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    KillPoint point;
    point.operation = static_cast<FileOperation>(random() % kNumFileOperations);
    constexpr FileKind kKinds[] = {FileKind::kTable, FileKind::kManifest};
    point.kind = kKinds[random() % 2];
    point.time = static_cast<KillTime>(random() % kNumKillTimes);
    point.nth = 1 + random() % 30;
    const int status = InChild(kAtMost, [&] { Rewrite(path, cycle, &point); });
    if (WasKilled(status)) {
      ++killed;
    } else if (!is_done("rewriting", cycle, status)) {
      return 1;
    }
    if (!is_done("reading", cycle,
                 InChild(kAtMost, [&] { Verify(path, cycle, shape_path, false); }))) {
      return 1;
    }
    if (cycle % 4 == 3 &&  // so that files of both policies are there most of the time
        !is_done("going on", cycle, InChild(kAtMost, [&] { Rewrite(path, cycle, nullptr); }))) {
      return 1;
    }
  }
  std::printf("%" PRIu64 " rewrites, %" PRIu64 " killed: all keys and all files in their place\n",
              cycles, killed);
  return cycles < 20 || killed * 4 >= cycles ? 0 : 1;  // else most moments never come
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  const uint64_t cycles = argc > 1 ? std::stoull(argv[1]) : 20;
  const uint64_t seed = argc > 2 ? std::stoull(argv[2]) : 1;
  if (argc > 3 || cycles == 0) {
    std::fputs("Usage: rewrite [CYCLES [SEED]]\n", stderr);
    return 2;
  }
  return bloomline::tests::Run(cycles, seed);
}
