// Makes every system call of saving and loading fail once, in every possible way. The old file
// stays, no other file is left, and the error names the file and the reason. A process that is
// killed at any of these calls leaves the old file or the whole new one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "tests/support/temp_dir.h"

namespace {

enum class Fault { kError, kOneByte, kNothing, kKill, kKillAfterOneByte };

// The system calls of the code under test. One of them fails.
struct Calls {
  bool counting = false;
  int fail_at = -1;
  Fault fault = Fault::kError;
  int code = 0;
  std::vector<std::string> names;
  bool wide_open = false;  // data was written to a file that others may open
} calls;

// True if this call must fail; errno is then set.
bool Fails(const char* name) {
  if (!calls.counting) return false;
  calls.names.push_back(name);
  if (static_cast<int>(calls.names.size()) - 1 != calls.fail_at) return false;
  if (calls.fault == Fault::kKill) std::raise(SIGKILL);
  errno = calls.code;
  return true;
}

}  // namespace

// With --wrap, the linker directs the library's calls here.
extern "C" {
#define WRAP(result, failed, name, parameters, arguments) \
  result __real_##name parameters;                        \
  result __wrap_##name parameters;                        \
  result __wrap_##name parameters { return Fails(#name) ? (failed) : __real_##name arguments; }

WRAP(int, -1, stat, (const char* path, struct stat* status), (path, status))
WRAP(int, -1, fstat, (int file, struct stat* status), (file, status))
WRAP(int, -1, fchmod, (int file, mode_t mode), (file, mode))
WRAP(int, -1, fsync, (int file), (file))
WRAP(int, -1, unlink, (const char* path), (path))
WRAP(int, -1, rename, (const char* from, const char* to), (from, to))
WRAP(void*, MAP_FAILED, mmap, (void* at, size_t n, int prot, int flags, int file, off_t offset),
     (at, n, prot, flags, file, offset))
#undef WRAP

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return Fails("open") ? -1 : __real_open(path, flags, mode);
}

// A failed close closes the file, too.
int __real_close(int file);
int __wrap_close(int file);
int __wrap_close(int file) {
  const int result = __real_close(file);
  return Fails("close") ? -1 : result;
}

ssize_t __real_pread(int file, void* bytes, size_t n, off_t offset);
ssize_t __wrap_pread(int file, void* bytes, size_t n, off_t offset);
ssize_t __wrap_pread(int file, void* bytes, size_t n, off_t offset) {
  if (!Fails("pread")) return __real_pread(file, bytes, n, offset);
  if (calls.fault == Fault::kError) return -1;
  return calls.fault == Fault::kNothing ? 0 : __real_pread(file, bytes, 1, offset);
}

ssize_t __real_pwrite(int file, const void* bytes, size_t n, off_t offset);
ssize_t __wrap_pwrite(int file, const void* bytes, size_t n, off_t offset);
ssize_t __wrap_pwrite(int file, const void* bytes, size_t n, off_t offset) {
  struct stat status;
  if (calls.counting && __real_fstat(file, &status) == 0 && (status.st_mode & 077) != 0) {
    calls.wide_open = true;
  }
  if (!Fails("pwrite")) return __real_pwrite(file, bytes, n, offset);
  if (calls.fault == Fault::kError) return -1;
  if (calls.fault == Fault::kNothing) return 0;
  const ssize_t written = __real_pwrite(file, bytes, 1, offset);
  if (calls.fault == Fault::kKillAfterOneByte) std::raise(SIGKILL);
  return written;
}
}  // extern "C"

namespace bloomline {
namespace {

namespace fs = std::filesystem;
using Verify = MappedBloomFilter::Verify;
using Action = std::function<bool(const std::string& path, std::string* error)>;

size_t NumFiles(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

std::unique_ptr<BloomFilter> NewBloom() {
  BloomFilterOptions options;
  options.capacity = 300;
  auto filter = BloomFilter::Create(options, nullptr);
  for (int i = 0; i < 300; ++i) filter->AddKey(std::to_string(i));
  return filter;
}

// Runs the action with one call failing.
bool RunWith(const Action& action, int fail_at, Fault fault, int code, const std::string& path,
             std::string* error) {
  calls = {};
  calls.fail_at = fail_at;
  calls.fault = fault;
  calls.code = code;
  calls.counting = true;
  const bool done = action(path, error);
  calls.counting = false;
  return done;
}

bool Transfers(const std::string& call) { return call == "pread" || call == "pwrite"; }

bool CanBeInterrupted(const std::string& call) {
  return Transfers(call) || call == "open" || call == "fsync" || call == "close";
}

struct Case {
  Fault fault;
  int code;
};

std::vector<Case> CasesOf(const std::string& call) {
  std::vector<Case> cases = {{Fault::kError, EIO}, {Fault::kError, ENOSPC}};
  if (CanBeInterrupted(call)) cases.push_back({Fault::kError, EINTR});
  if (Transfers(call)) {
    cases.push_back({Fault::kOneByte, 0});
    cases.push_back({Fault::kNothing, 0});
  }
  return cases;
}

bool MustSucceed(const Case& fault) {
  return fault.code == EINTR || fault.fault == Fault::kOneByte;
}

class FileFaultsTest : public testing::Test {
 protected:
  // Counts the calls of an action without faults.
  std::vector<std::string> CallsOf(const Action& action) {
    std::string error;
    EXPECT_TRUE(RunWith(action, -1, Fault::kError, 0, path_, &error)) << error;
    return calls.names;
  }

  // What *error must contain after a failed call.
  void ExpectReason(const Case& fault, const std::string& error) {
    EXPECT_NE(error.find(folder_), std::string::npos) << error;
    const int code = fault.fault == Fault::kNothing ? ENOSPC : fault.code;
    if (fault.fault == Fault::kNothing && error.find("the file ends after") != std::string::npos)
      return;
    EXPECT_NE(error.find(std::generic_category().message(code)), std::string::npos) << error;
  }

  // The file that exists before, if one does, is private.
  void Prepare(bool exists) {
    fs::remove(path_);
    if (!exists) return;
    std::ofstream(path_) << kOldBytes;
    fs::permissions(path_, fs::perms{0600});
  }

  void TestSaving(bool exists) {
    ASSERT_TRUE(save_(path_, nullptr));
    const std::string new_bytes = tests::ReadFile(path_);
    Prepare(exists);
    const std::vector<std::string> names = CallsOf(save_);
    ASSERT_GE(names.size(), 8u);
    if (exists) {
      EXPECT_FALSE(calls.wide_open);
    }
    Prepare(exists);
    const size_t num_files = NumFiles(folder_);
    const size_t num_open = NumFiles("/proc/self/fd");
    int failures = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      for (const Case& fault : CasesOf(names[i])) {
        SCOPED_TRACE("call " + std::to_string(i) + ", " + names[i] + ", code " +
                     std::to_string(fault.code));
        Prepare(exists);
        std::string error;
        const bool saved =
            RunWith(save_, static_cast<int>(i), fault.fault, fault.code, path_, &error);
        if (saved) {
          const auto call = names.begin() + static_cast<std::ptrdiff_t>(i);
          const bool after_last_sync = std::find(call, names.end(), "fsync") == names.end();
          // Only the close of a written file can lose data, and it happens before the rename.
          const bool only_read = !after_last_sync && *call == "close" && *(call + 1) != "rename";
          EXPECT_TRUE(MustSucceed(fault) || after_last_sync || only_read);
          EXPECT_EQ(tests::ReadFile(path_), new_bytes);
          EXPECT_EQ(error, "");
        } else {
          EXPECT_FALSE(MustSucceed(fault)) << error;
          ExpectReason(fault, error);
          const bool replaced = error.find("has been replaced") != std::string::npos;
          if (replaced) {
            EXPECT_EQ(names[i], "fsync");
          }
          EXPECT_EQ(tests::ReadFile(path_), replaced ? new_bytes : exists ? kOldBytes : "");
          EXPECT_EQ(fs::exists(path_), exists || replaced);
          ++failures;
        }
        EXPECT_EQ(NumFiles(folder_), num_files + (!exists && fs::exists(path_) ? 1 : 0));
        EXPECT_EQ(NumFiles("/proc/self/fd"), num_open);
        if (fault.code != EIO) continue;
        EXPECT_TRUE(save_(path_, &error)) << error;
        EXPECT_EQ(tests::ReadFile(path_), new_bytes);
      }
    }
    EXPECT_GE(failures, 20);
    TestKills(names, new_bytes, exists);
  }

  // Kills a process of its own at each call. The saved file is the old one or the whole new one, at
  // most one other is left, and the next save is not disturbed.
  void TestKills(const std::vector<std::string>& names, const std::string& new_bytes, bool exists) {
    const auto renamed = std::find(names.begin(), names.end(), "rename") - names.begin();
    for (size_t i = 0; i < names.size(); ++i) {
      for (const Fault fault : {Fault::kKill, Fault::kKillAfterOneByte}) {
        if (fault == Fault::kKillAfterOneByte && names[i] != "pwrite") continue;
        SCOPED_TRACE("killed at call " + std::to_string(i) + ", " + names[i]);
        Prepare(exists);
        const std::string before = tests::ReadFile(path_);
        const size_t num_files = NumFiles(folder_);
        const pid_t child = fork();
        if (child == 0) {
          RunWith(save_, static_cast<int>(i), fault, 0, path_, nullptr);
          _exit(0);
        }
        int status;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        EXPECT_EQ(tests::ReadFile(path_), static_cast<int>(i) > renamed ? new_bytes : before);
        EXPECT_LE(NumFiles(folder_), num_files + 1);
        std::string error;
        EXPECT_TRUE(save_(path_, &error)) << error;
        EXPECT_EQ(tests::ReadFile(path_), new_bytes);
        for (const auto& entry : fs::directory_iterator(folder_)) {
          if (entry.path() != path_) fs::remove(entry);
        }
      }
    }
  }

  void TestLoading(const Action& load) {
    const std::vector<std::string> names = CallsOf(load);
    ASSERT_GE(names.size(), 4u);
    const size_t num_open = NumFiles("/proc/self/fd");
    for (size_t i = 0; i < names.size(); ++i) {
      for (const Case& fault : CasesOf(names[i])) {
        SCOPED_TRACE("call " + std::to_string(i) + ", " + names[i] + ", code " +
                     std::to_string(fault.code));
        std::string error;
        if (RunWith(load, static_cast<int>(i), fault.fault, fault.code, path_, &error)) {
          EXPECT_TRUE(MustSucceed(fault) || names[i] == "close");
          EXPECT_EQ(error, "");
        } else {
          EXPECT_FALSE(MustSucceed(fault)) << error;
          ExpectReason(fault, error);
        }
        EXPECT_EQ(NumFiles("/proc/self/fd"), num_open);
      }
    }
  }

  static constexpr char kOldBytes[] = "old";
  const tests::TempDir dir_;
  const std::string folder_ = dir_.Path("");
  const std::string path_ = dir_.Path("filter");
  const std::unique_ptr<BloomFilter> filter_ = NewBloom();
  const Action save_ = [this](const auto& path, auto* error) { return filter_->Save(path, error); };
};

TEST_F(FileFaultsTest, AnOldFileIsReplacedOrStays) { TestSaving(true); }

TEST_F(FileFaultsTest, ANewFileIsWholeOrMissing) { TestSaving(false); }

TEST_F(FileFaultsTest, WhatIsLoadedIsWhole) {
  ASSERT_TRUE(save_(path_, nullptr));
  TestLoading([&](const auto& path, auto* error) {
    const auto loaded = BloomFilter::Load(path, error);
    return loaded != nullptr && *loaded == *filter_;
  });
  for (const Verify verify : {Verify::kHeader, Verify::kPayload}) {
    TestLoading([&](const auto& path, auto* error) {
      const auto mapped = MappedBloomFilter::Open(path, verify, error);
      return mapped != nullptr && *mapped == *filter_;
    });
  }
}

// The last step of Save. Without it, a power failure may bring back the old file. Some file systems
// cannot sync folders, which is no failure.
TEST_F(FileFaultsTest, TheFolderIsSyncedAfterTheRename) {
  ASSERT_TRUE(save_(path_, nullptr));
  const std::vector<std::string> names = CallsOf(save_);
  const auto rename = std::find(names.begin(), names.end(), "rename");
  ASSERT_NE(rename, names.end());
  EXPECT_EQ(std::count(names.begin(), rename, "fsync"), 1);
  EXPECT_EQ(std::count(rename, names.end(), "fsync"), 1);
  const auto last_sync = std::find(rename, names.end(), "fsync") - names.begin();
  std::string error;
  for (const int code : {EINVAL, ENOTSUP}) {
    EXPECT_TRUE(RunWith(save_, static_cast<int>(last_sync), Fault::kError, code, path_, &error))
        << error;
  }
}

}  // namespace
}  // namespace bloomline
