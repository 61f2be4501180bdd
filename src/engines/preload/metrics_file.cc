#include "src/engines/preload/metrics_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bloomline/metrics.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/support/file_io.h"
#include "src/support/out_of_memory.h"
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

class MetricsFile {
 public:
  MetricsFile(const std::string& path, int seconds) : path_(path), seconds_(seconds) {}

  // False: no thread is left.
  bool Start() {
    // The program's signals are for its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = support::OrIfOutOfMemory(false, [this] {
      std::thread([this] { Run(); }).detach();
      return true;
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return is_started;
  }

  // Writes the file for the last time, unless the disk takes longer than a second to end the write
  // before: the process must end.
  void End() {
    constexpr std::chrono::seconds kMaxWait(1);
    if (!writing_.try_lock_for(kMaxWait)) return;
    WriteNow();  // stays locked, so that the thread writes no more
  }

  // In a child of fork(), which must not keep the lock of its parent.
  void CloseLock() const {
    if (lock_ >= 0) close(lock_);
  }

  const std::string& path() const { return path_; }

 private:
  void Run() {
    for (;;) {
      {
        const std::lock_guard<std::timed_mutex> lock(writing_);
        WriteNow();
      }
      std::this_thread::sleep_for(std::chrono::seconds(seconds_));
    }
  }

  void WriteNow() {
    std::string error;
    const bool is_written = support::OrError(
        &error, [this](std::string* reason) { return Lock(reason) && Write(reason); });
    if (!is_written) SayOnce(path_.c_str(), error.c_str());
  }

  // Two processes with the same variable would take turns with their files.
  bool Lock(std::string* error) {
    if (lock_ >= 0) return true;
    const std::string name = path_ + ".lock";
    const int descriptor = support::Uninterrupted(
        [&] { return open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); });
    if (descriptor < 0) return support::SystemFailure(name, "cannot be opened", error);
    lock_ = descriptor;  // before it is locked: a child of fork() must close it
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      lock_ = -1;
      char writer[32] = "";
      if (pread(descriptor, writer, sizeof(writer) - 1, 0) < 0) writer[0] = '\0';
      *error = name + ": process " + writer + " writes the file";
      close(descriptor);
      return false;
    }
    const std::string number = std::to_string(getpid());
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, number.data(), number.size(), 0) !=
                                             static_cast<ssize_t>(number.size())) {
      // The disk is full. The lock holds without the number.
    }
    return true;
  }

  bool Write(std::string* error) {
    const std::string text = MetricsText();
    support::ReplacementFile file;
    return !text.empty() && file.Open(path_, error) &&
           file.Append(text.data(), text.size(), error) && file.Commit(error);
  }

  const std::string path_;
  const int seconds_;
  std::atomic<int> lock_{-1};  // a descriptor; -1: not locked
  std::timed_mutex writing_;
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
  if (metrics_file.load() != nullptr) return;
  support::OrIfOutOfMemory(false, [] {
    MetricsFile* none = nullptr;
    auto made = std::make_unique<MetricsFile>(*wanted_path, wanted_seconds);
    if (!metrics_file.compare_exchange_strong(none, made.get())) return false;
    if (!made->Start()) SayOnce(made->path().c_str(), "no thread is left");
    made.release();  // for ever: the process may end in any thread
    return true;
  });
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
  wanted_path = new std::string(settings.metrics);
  pthread_atfork(nullptr, nullptr, InChild);
  filter::SetMetricsStart(StartOnce);
}

}  // namespace bloomline::preload
