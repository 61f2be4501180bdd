#include "src/engines/preload/metrics_file.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "bloomline/metrics.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/support/file_io.h"

namespace bloomline::preload {
namespace {

class MetricsFile {
 public:
  MetricsFile(std::string path, int seconds) : path_(std::move(path)), seconds_(seconds) {}

  // Called for each policy and for each file that is built. If the process has reached its limit of
  // threads, a later call tries again.
  void Start() {
    if (is_started_.exchange(true)) return;
    // Only the program's threads get its signals.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { Run(); }).detach();
    } catch (const std::system_error&) {
      SayOnce("no thread is left");
      is_started_ = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  // Makes the thread write the file for the last time. Waits at most a second, even for a slow
  // disk, because the process must end.
  void End() {
    if (!is_started_ || is_parents_) return;
    constexpr std::chrono::seconds kMaxWait(1);
    std::unique_lock<std::mutex> lock(mutex_);
    must_end_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kMaxWait, [this] { return has_ended_; });
  }

  // Called in a child of fork(). If the thread runs, it belongs to the parent, and so does the
  // file.
  void LeaveToParent() { is_parents_ = is_started_.load(); }

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
    if (!Write(is_last, &error)) SayOnce(error.c_str());
  }

  // Does not sync: each sync would make the file system write to the database's disk.
  bool Write(bool is_last, std::string* error) const {
    // A user who may write to the folder could otherwise have any file of this user replaced.
    support::FileStatus status;
    if (support::ExamineLink(path_, &status) && status.kind == support::FileKind::kLink) {
      *error = path_ + ": is a symbolic link; allowed: a regular file, or none yet";
      return false;
    }
    const std::string text = is_last ? filter::MetricsTextAtEnd() : MetricsText();
    support::ReplacementFile file;
    return file.Open(path_, error) && file.Append(text.data(), text.size(), error) &&
           file.Commit(error, support::DiskSync::kNotNow);
  }

  void SayOnce(const char* reason) {
    if (is_said_.test_and_set()) return;
    std::fprintf(stderr, "bloomline: BLOOMLINE_METRICS is not written to %s: %s; tries go on\n",
                 path_.c_str(), reason);
  }

  const std::string path_;
  const int seconds_;
  std::atomic<bool> is_started_{false};
  std::atomic<bool> is_parents_{false};
  std::atomic_flag is_said_ = ATOMIC_FLAG_INIT;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool must_end_ = false;
  bool has_ended_ = false;
};

std::atomic<MetricsFile*> metrics_file{nullptr};

__attribute__((destructor)) void AtEnd() {
  if (MetricsFile* const file = metrics_file.load()) file->End();
}

// A program may change its folder, as daemons change to "/". A path stays as it is if the folder is
// unknown.
std::string AbsolutePath(const std::string& path) {
  char folder[PATH_MAX];
  if (path[0] == '/' || getcwd(folder, sizeof(folder)) == nullptr) return path;
  return std::string(folder) + "/" + path;
}

}  // namespace

void PrepareMetricsFile(const Settings& settings) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (settings.metrics.empty() || metrics_file.load() != nullptr) return;
  // Never destroyed: the process may end in any thread.
  metrics_file = new MetricsFile(AbsolutePath(settings.metrics), settings.metrics_seconds);
  pthread_atfork(nullptr, nullptr, [] { metrics_file.load()->LeaveToParent(); });
}

void StartMetricsFile() {
  if (MetricsFile* const file = metrics_file.load()) file->Start();
}

}  // namespace bloomline::preload
