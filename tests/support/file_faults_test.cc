// Makes every system call of saving and loading fail once, or be interrupted. The old file stays,
// no other file is left, and the error names the file and the reason. A process that is killed at
// any of these calls leaves the old file or the whole new one.
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

enum class Fault { kError, kOneByte, kNothing, kKill };

// The system calls of the code under test. One of them fails.
struct Calls {
  bool counting = false;
  int fail_at = -1;
  Fault fault = Fault::kError;
  int code = 0;
  std::vector<std::string> names;
  bool wide_open = false;  // data was written to a file that others may open

  // A call that is interrupted or cut short is made again.
  bool MustSucceed() const { return code == EINTR || fault == Fault::kOneByte; }
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
  return calls.fault == Fault::kError ? -1 : __real_pread(file, bytes, 1, offset);
}

ssize_t __real_pwrite(int file, const void* bytes, size_t n, off_t offset);
ssize_t __wrap_pwrite(int file, const void* bytes, size_t n, off_t offset);
ssize_t __wrap_pwrite(int file, const void* bytes, size_t n, off_t offset) {
  struct stat status;
  calls.wide_open |= __real_fstat(file, &status) == 0 && (status.st_mode & 077) != 0;
  if (!Fails("pwrite")) return __real_pwrite(file, bytes, n, offset);
  if (calls.fault == Fault::kNothing) {
    errno = 0;
    return 0;
  }
  return calls.fault == Fault::kError ? -1 : __real_pwrite(file, bytes, 1, offset);
}
}  // extern "C"

namespace bloomline {
namespace {

namespace fs = std::filesystem;
using Verify = MappedBloomFilter::Verify;
using Action = std::function<bool(const std::string& path, std::string* error)>;

constexpr char kOldBytes[] = "old";

size_t NumFiles(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

class FileFaultsTest : public testing::Test {
 protected:
  FileFaultsTest() : filter_(BloomFilter::Create({300}, nullptr)) {
    for (int i = 0; i < 300; ++i) filter_->AddKey(std::to_string(i));
  }

  bool Save(std::string* error) const { return filter_->Save(path_, error); }

  // Runs the action with call `fail_at` failing; -1: none.
  bool RunWith(const Action& action, int fail_at, Fault fault, int code, std::string* error) {
    calls = {};
    calls.fail_at = fail_at;
    calls.fault = fault;
    calls.code = code;
    calls.counting = true;
    const bool done = action(path_, error);
    calls.counting = false;
    return done;
  }

  std::vector<std::string> CallsOf(const Action& action) {
    std::string error;
    EXPECT_TRUE(RunWith(action, -1, Fault::kError, 0, &error)) << error;
    return calls.names;
  }

  // Runs the action with each call failing, and with each that can be interrupted or cut short. The
  // action must succeed then. check(call, done) sees what it left.
  template <typename Prepare, typename Check>
  void FailEach(const Action& action, Prepare prepare, Check check) {
    const std::vector<std::string> names = CallsOf(action);
    ASSERT_GE(names.size(), 4u);
    const size_t num_open = NumFiles("/proc/self/fd");
    for (size_t i = 0; i < names.size(); ++i) {
      const bool transfers = names[i] == "pread" || names[i] == "pwrite";
      const bool waits =
          transfers || names[i] == "open" || names[i] == "fsync" || names[i] == "close";
      for (const auto& [fault, code] : {std::pair(Fault::kError, EIO),
                                        {Fault::kError, ENOSPC},
                                        {Fault::kError, EINTR},
                                        {Fault::kOneByte, 0},
                                        {Fault::kNothing, ENOSPC}}) {
        if ((code == EINTR && !waits) || (fault == Fault::kOneByte && !transfers) ||
            (fault == Fault::kNothing && names[i] != "pwrite")) {
          continue;
        }
        SCOPED_TRACE(names[i] + ", call " + std::to_string(i) + ", code " + std::to_string(code));
        prepare();
        std::string error;
        const bool done = RunWith(action, static_cast<int>(i), fault, code, &error);
        EXPECT_TRUE(done || !calls.MustSucceed()) << error;
        EXPECT_EQ(error.empty(), done);
        if (!done) {
          EXPECT_NE(error.find(folder_), std::string::npos) << error;
          EXPECT_NE(error.find(std::generic_category().message(code)), std::string::npos) << error;
        }
        check(names, i, done, error);
        EXPECT_EQ(NumFiles("/proc/self/fd"), num_open);
      }
    }
  }

  void Prepare(bool exists) {
    fs::remove(path_);
    if (exists) std::ofstream(path_) << kOldBytes;
  }

  void TestSaving(bool exists) {
    ASSERT_TRUE(Save(nullptr));
    const std::string new_bytes = tests::ReadFile(path_);
    const auto prepare = [&] { Prepare(exists); };
    prepare();
    FailEach(save_, prepare, [&](const auto& names, size_t i, bool done, const auto& error) {
      const bool replaced = error.find("has been replaced") != std::string::npos;
      // Of a close, only that of the written file matters: it happens right before the rename.
      const bool may_fail =
          i + 1 == names.size() || (names[i] == "close" && names[i + 1] != "rename");
      EXPECT_TRUE(!done || calls.MustSucceed() || may_fail);
      EXPECT_TRUE(!replaced || names[i] == "fsync");
      EXPECT_EQ(tests::ReadFile(path_), done || replaced ? new_bytes : exists ? kOldBytes : "");
      EXPECT_EQ(NumFiles(folder_), fs::exists(path_) ? 1u : 0u);
      EXPECT_FALSE(exists && calls.wide_open);  // the old file may be private
    });
  }

  void TestLoading(const Action& load) {
    FailEach(
        load, [] {},
        [&](const auto& names, size_t i, bool done, const auto&) {
          EXPECT_TRUE(!done || calls.MustSucceed() || names[i] == "close");
        });
  }

  const tests::TempDir dir_;
  const std::string folder_ = dir_.Path("");
  const std::string path_ = dir_.Path("filter");
  std::unique_ptr<BloomFilter> filter_;
  const Action save_ = [this](const auto&, auto* error) { return Save(error); };
};

TEST_F(FileFaultsTest, AnOldFileIsReplacedOrStays) { TestSaving(true); }

TEST_F(FileFaultsTest, ANewFileIsWholeOrMissing) { TestSaving(false); }

TEST_F(FileFaultsTest, AKilledProcessLeavesTheOldFileOrTheNewOne) {
  ASSERT_TRUE(Save(nullptr));
  const std::string new_bytes = tests::ReadFile(path_);
  for (const bool exists : {true, false}) {
    Prepare(exists);
    const std::vector<std::string> names = CallsOf(save_);
    const auto renamed = std::find(names.begin(), names.end(), "rename") - names.begin();
    for (int i = 0; i < static_cast<int>(names.size()); ++i) {
      SCOPED_TRACE(names[i] + ", call " + std::to_string(i));
      Prepare(exists);
      const pid_t child = fork();
      if (child == 0) {
        RunWith(save_, i, Fault::kKill, 0, nullptr);
        _exit(0);
      }
      int status;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
      EXPECT_EQ(tests::ReadFile(path_), i > renamed ? new_bytes : exists ? kOldBytes : "");
      EXPECT_EQ(fs::exists(path_), exists || i > renamed);
      EXPECT_TRUE(Save(nullptr));
      EXPECT_LE(NumFiles(folder_), 2u);  // the temporary file of the killed process
      for (const auto& file : fs::directory_iterator(folder_)) fs::remove(file);
    }
  }
}

TEST_F(FileFaultsTest, WhatIsLoadedIsWhole) {
  ASSERT_TRUE(Save(nullptr));
  TestLoading([&](const auto& path, auto* error) {
    const auto loaded = BloomFilter::Load(path, error);
    return loaded != nullptr && *loaded == *filter_;
  });
  TestLoading([&](const auto& path, auto* error) {
    const auto mapped = MappedBloomFilter::Open(path, Verify::kPayload, error);
    return mapped != nullptr && *mapped == *filter_;
  });
}

// The last step of Save. Without it, a power failure may bring back the old file. Some file systems
// cannot sync folders, which is no failure.
TEST_F(FileFaultsTest, TheFolderIsSyncedAfterTheRename) {
  ASSERT_TRUE(Save(nullptr));
  const std::vector<std::string> names = CallsOf(save_);
  const auto rename = std::find(names.begin(), names.end(), "rename");
  ASSERT_NE(rename, names.end());
  EXPECT_EQ(std::count(names.begin(), rename, "fsync"), 1);
  EXPECT_EQ(std::count(rename, names.end(), "fsync"), 1);
  const auto last_sync = std::find(rename, names.end(), "fsync") - names.begin();
  std::string error;
  EXPECT_TRUE(RunWith(save_, static_cast<int>(last_sync), Fault::kError, EINVAL, &error)) << error;
}

}  // namespace
}  // namespace bloomline
