#include "src/engines/preload/metrics_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "bloomline/metrics.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/metrics/metrics_text.h"
#include "src/support/c_error.h"
#include "src/support/file_io.h"
#include "src/support/set_error.h"
#include "src/support/system_error.h"

namespace bloomline::preload {
namespace {

// A child of fork() says nothing: mostly its parent has the file.
std::atomic_flag is_said = ATOMIC_FLAG_INIT;

void SayOnce(const char* path, const char* reason) {
  if (is_said.test_and_set()) return;
  std::fprintf(stderr, "bloomline: BLOOMLINE_METRICS is not written to %s: %s; tries go on\n", path,
               reason);
}

// Which file it is: device and number. What the system remembers is enough, because a disk that
// does not answer must not hold up a child of fork(). Some sandboxes refuse statx.
using FileIdentity = std::pair<uint64_t, uint64_t>;
bool Identify(int descriptor, FileIdentity* identity) {
  struct statx known;
  if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &known) == 0) {
    *identity = {uint64_t{known.stx_dev_major} << 32 | known.stx_dev_minor, known.stx_ino};
    return true;
  }
  struct stat status;
  if (fstat(descriptor, &status) != 0) return false;
  *identity = {status.st_dev, status.st_ino};
  return true;
}

class MetricsFile {
 public:
  MetricsFile(const std::string& path, int seconds) : path_(path), seconds_(seconds) {}

  // Starts the thread, unless it runs. If no thread is left, a later call tries again.
  void Start() {
    if (is_started_.exchange(true)) return;
    // The program's signals are for its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = support::OrIfItThrows(false, [this] {
      std::thread([this] { Run(); }).detach();
      return true;
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (is_started) return;
    SayOnce(path_.c_str(), "no thread is left");
    is_started_ = false;
  }

  // Has the thread write the file for the last time. Waits at most a second, whatever the disk
  // does: the process must end.
  void End() {
    if (!is_started_) return;
    constexpr std::chrono::seconds kMaxWait(1);
    std::unique_lock<std::mutex> lock(mutex_);
    must_end_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kMaxWait, [this] { return has_ended_; });
  }

  // In a child of fork(), which must not keep the lock of its parent.
  void CloseLock() const {
    if (HasLock()) close(lock_);
  }

 private:
  void Run() {
    bool is_last = false;
    WriteNow(is_last);
    std::unique_lock<std::mutex> lock(mutex_);
    while (!is_last) {
      is_last =
          changed_.wait_for(lock, std::chrono::seconds(seconds_), [this] { return must_end_; });
      lock.unlock();
      WriteNow(is_last);
      lock.lock();
    }
    has_ended_ = true;
    changed_.notify_all();
  }

  void WriteNow(bool is_last) {
    std::string error;
    const bool is_written = support::OrError(
        &error, [=](std::string* reason) { return Lock(reason) && Write(is_last, reason); });
    if (!is_written) SayOnce(path_.c_str(), error.c_str());
  }

  // The program may have closed the lock's descriptor among others, as daemons do when they start.
  // Then another file of the program may have its number.
  bool HasLock() const {
    const int descriptor = lock_;
    FileIdentity now;
    return descriptor >= 0 && Identify(descriptor, &now) && now == lock_file_;
  }

  // Two processes with the same variable would take turns with their files.
  bool Lock(std::string* error) {
    if (HasLock()) return true;
    lock_ = -1;
    const std::string name = path_ + ".lock";
    const int descriptor = support::Uninterrupted(
        [&] { return open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666); });
    if (descriptor < 0) return support::SystemFailure(name, "cannot be opened", error);
    if (!Identify(descriptor, &lock_file_)) {
      support::SystemFailure(name, "cannot be examined", error);
      close(descriptor);
      return false;
    }
    lock_ = descriptor;  // before it is locked: a child of fork() must close it
    const std::string number = std::to_string(getpid());
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      lock_ = -1;
      char writer[32] = "";
      if (pread(descriptor, writer, sizeof(writer) - 1, 0) < 0) writer[0] = '\0';
      close(descriptor);
      *error = name + ": process " + writer + " writes the file";
      if (number == writer) {
        *error +=
            ", which is the number of this one: its preload library for another engine does, or a "
            "process of another container";
      }
      return false;
    }
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, number.data(), number.size(), 0) !=
                                             static_cast<ssize_t>(number.size())) {
      // The disk is full. The lock holds without the number.
    }
    return true;
  }

  // Whoever may write to the folder could otherwise have any file of this user replaced.
  bool IsNoLink(std::string* error) const {
    std::error_code code;
    if (!std::filesystem::is_symlink(path_, code)) return true;
    *error = path_ + ": is a symbolic link; allowed: a regular file, or none yet";
    return false;
  }

  // Without a sync, which every time would have the file system write for the database's disk, too.
  bool Write(bool is_last, std::string* error) const {
    if (!IsNoLink(error)) return false;
    const std::string text = is_last ? filter::MetricsTextAtEnd() : MetricsText();
    support::ReplacementFile file;
    return !text.empty() && file.Open(path_, error) &&
           file.Append(text.data(), text.size(), error) &&
           file.Commit(error, support::DiskSync::kNotNow);
  }

  const std::string path_;
  const int seconds_;
  std::atomic<bool> is_started_{false};
  std::atomic<int> lock_{-1};  // a descriptor; -1: not locked
  FileIdentity lock_file_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool must_end_ = false;
  bool has_ended_ = false;
};

std::string* wanted_path = nullptr;
int wanted_seconds = 0;
// Null: not started, or in a child of fork(), which has no thread of its parent.
std::atomic<MetricsFile*> metrics_file{nullptr};

void InChild() {
  is_said.test_and_set();
  if (const MetricsFile* const parents = metrics_file.exchange(nullptr)) parents->CloseLock();
}

// Called for each policy and for each file that is built.
void StartOnce() {
  if (metrics_file.load() == nullptr) {
    support::OrIfItThrows(false, [] {
      MetricsFile* none = nullptr;
      auto made = std::make_unique<MetricsFile>(*wanted_path, wanted_seconds);
      if (!metrics_file.compare_exchange_strong(none, made.get())) return false;
      made.release();  // for ever: the process may end in any thread
      return true;
    });
  }
  if (MetricsFile* const file = metrics_file.load()) file->Start();
}

__attribute__((destructor)) void AtEnd() {
  if (MetricsFile* const file = metrics_file.load()) file->End();
}

}  // namespace

void StartMetricsFile(const Settings& settings) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (settings.metrics.empty() || wanted_path != nullptr) return;
  wanted_seconds = settings.metrics_seconds;
  // A program may go to another folder, as daemons go to "/".
  std::error_code code;
  const std::string path = std::filesystem::absolute(settings.metrics, code).string();
  wanted_path = new std::string(code ? settings.metrics : path);
  pthread_atfork(nullptr, nullptr, InChild);
  filter::SetMetricsStart(StartOnce);
}

}  // namespace bloomline::preload
