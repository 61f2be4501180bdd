#include "src/engines/preload/database_watch.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "src/engines/preload/database_rewrite.h"
#include "src/engines/preload/rewrite_request.h"
#include "src/engines/preload/settings.h"
#include "src/engines/rocksdb/policy.h"
#include "src/support/out_of_memory.h"

namespace bloomline::preload {
namespace {

constexpr std::chrono::seconds kBetweenLooks(1);

thread_local bool is_own_thread = false;

std::string TimeText() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  char text[32] = "";
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

class DatabaseWatch {
 public:
  explicit DatabaseWatch(rocksdb::DB* db)
      : db_(db), request_(std::filesystem::absolute(db->GetName()).string()) {
    // The program's signals are for its own threads, but a crash in this one is for its handlers.
    sigset_t others;
    sigset_t before;
    sigfillset(&others);
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&others, crash);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    thread_ =
        support::OrIfOutOfMemory(std::thread(), [this] { return std::thread([this] { Run(); }); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!thread_.joinable()) Say("no thread is left to look for " + request_.path());
  }

  ~DatabaseWatch() { End(false); }

  // Cancels a rewrite; true if there was one. The thread ends soon. Does not wait for it.
  bool Cancel() {
    bool is_rewriting = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      must_end_ = true;
      cancel_ = true;
      is_rewriting = is_rewriting_;
    }
    changed_.notify_all();
    return is_rewriting;
  }

  // Cancels a rewrite. The thread has ended when this returns, also in a second caller.
  // `is_closing`: the program is about to close the database. Otherwise it may still use it.
  void End(bool is_closing) {
    const bool is_rewriting = Cancel();
    const std::lock_guard<std::mutex> lock(joining_);
    if (!thread_.joinable()) return;
    if (is_rewriting && is_closing) HurryUp();
    thread_.join();
  }

 private:
  // A request that was carried out, but has no report yet.
  struct Served {
    std::string text;
    std::string begin;
    DatabaseReport report;
  };

  // One line on stderr and, unless out of memory, in the LOG.
  void Say(const std::string& text) const {
    std::fprintf(stderr, "bloomline: %s\n", text.c_str());
    support::OrIfOutOfMemory(false, [&] {
      rocksdb::Info(db_->GetDBOptions().info_log, "bloomline: %s", text.c_str());
      return true;
    });
  }

  // RocksDB then ends a compaction within a file, as it does when it closes. It refuses to close
  // while snapshots are held; then the database must not be harmed. Out of memory, the compaction
  // goes on to its end.
  void HurryUp() const {
    support::OrIfOutOfMemory(false, [this] {
      uint64_t snapshots = 0;
      if (db_->GetIntProperty(rocksdb::DB::Properties::kNumSnapshots, &snapshots) &&
          snapshots == 0) {
        rocksdb::CancelAllBackgroundWork(db_, /*wait=*/false);
      }
      return true;
    });
  }

  void Run() {
    is_own_thread = true;
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        if (changed_.wait_for(lock, kBetweenLooks, [this] { return must_end_; })) return;
      }
      // A request must not be lost for lack of memory.
      if (!support::OrIfOutOfMemory(false, [this] { return Look(); })) request_.LookAgain();
    }
  }

  bool Look() {
    std::string error;
    if (served_.has_value()) {
      Report();
    } else if (request_.Take(&error)) {
      Serve();
    } else if (error != said_) {
      said_ = error;
      if (!error.empty()) Say(error);
    }
    return true;
  }

  void Serve() {
    Served served;
    served.begin = TimeText();
    RewriteOptions options;
    std::string error;
    if (!request_.Read(&options, &served.text, &error)) {
      Finish(false, "Refused: " + error + "\n", error);
      return;
    }
    const std::string begun = "rewriting filters as " + request_.running_path() +
                              " says: " + (served.text.empty() ? "the defaults" : served.text);
    // While is_rewriting_ is set, nothing throws.
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (must_end_) return;
      is_rewriting_ = true;
      cancel_ = false;
    }
    Say(begun);
    served.report = support::OrIfOutOfMemory(DatabaseReport{false, "out of memory\n"},
                                             [&] { return Rewrite(options); });
    bool is_closed = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_rewriting_ = false;
      is_closed = must_end_ && !served.report.is_complete;
    }
    if (is_closed) {
      Say("closed while filters were rewritten; " + request_.running_path() +
          " goes on when the database is opened again");
      return;
    }
    served_ = std::move(served);
    Report();
  }

  // Out of memory, the next look tries again.
  void Report() {
    const DatabaseReport& report = served_->report;
    Finish(report.is_complete,
           "Request: " + served_->text + "\nBegun " + served_->begin + ", ended " + TimeText() +
               "\n" + report.text,
           report.is_complete ? "the rewrite is complete" : "the rewrite is not complete");
    served_.reset();
  }

  // The rewrite has a thread, so that this one sees who removes the request in a long pause.
  DatabaseReport Rewrite(RewriteOptions options) {
    options.cancel = &cancel_;
    const auto show = [this](const std::string& line) { request_.ShowProgress(line); };
    std::future<DatabaseReport> result = std::async(std::launch::async, [&] {
      is_own_thread = true;
      return RewriteDatabase(db_, options, show);
    });
    while (result.wait_for(kBetweenLooks) != std::future_status::ready) {
      if (!request_.IsWanted()) cancel_ = true;
    }
    return result.get();
  }

  void Finish(bool is_complete, const std::string& report, const std::string& verdict) {
    std::string error;
    const bool is_written = request_.Finish(
        std::string(is_complete ? "Complete: yes\n" : "Complete: no\n") + report, &error);
    Say(verdict + (is_written ? "; see " + request_.done_path() : "; no report: " + error));
    for (size_t begin = 0; begin < report.size();) {  // the LOG has the report, too
      const size_t end = std::min(report.find('\n', begin), report.size());
      rocksdb::Info(db_->GetDBOptions().info_log, "bloomline: %s",
                    report.substr(begin, end - begin).c_str());
      begin = end + 1;
    }
    rocksdb::LogFlush(db_->GetDBOptions().info_log);
  }

  rocksdb::DB* const db_;
  RewriteRequest request_;
  std::optional<Served> served_;
  std::string said_;
  std::mutex joining_;
  std::mutex mutex_;  // of the members up to is_rewriting_
  std::condition_variable changed_;
  bool must_end_ = false;
  bool is_rewriting_ = false;
  std::atomic<bool> cancel_{false};
  std::thread thread_;
};

struct Watches {
  std::mutex mutex;
  bool is_exiting = false;
  std::map<void*, std::shared_ptr<DatabaseWatch>> of_database;
};

// In a child of fork() null: it has no thread of its parent, and a lock may be held there for ever.
std::atomic<Watches*> watches{nullptr};

// The thread pool of RocksDB must not go while a database is compacted.
void EndAll() {
  Watches* const all = watches;
  if (all == nullptr || is_own_thread) return;
  {
    const std::lock_guard<std::mutex> lock(all->mutex);
    all->is_exiting = true;
    for (const auto& [db, watch] : all->of_database) watch->Cancel();
  }
  // Others may close databases meanwhile. A copy of the map would need memory.
  void* last = nullptr;
  for (;;) {
    std::shared_ptr<DatabaseWatch> watch;
    {
      const std::lock_guard<std::mutex> lock(all->mutex);
      const auto next = all->of_database.upper_bound(last);
      if (next == all->of_database.end()) return;
      last = next->first;
      watch = next->second;
    }
    watch->End(false);
  }
}

Watches* AllWatches() {
  static const bool is_prepared =
      std::atexit(EndAll) == 0 && pthread_atfork(nullptr, nullptr, [] { watches = nullptr; }) == 0;
  if (!is_prepared) return nullptr;
  Watches* none = nullptr;
  auto made = std::make_unique<Watches>();
  if (watches.compare_exchange_strong(none, made.get())) made.release();
  return watches;
}

bool Watch(void* db, const Environment* environment) {
  if (!RocksDBVersionMismatch().empty()) return false;
  Settings settings;
  const std::string error = Settings::Parse(*environment, Engine::kRocksDB, &settings);
  if (!error.empty()) SayOnceThatOwnFiltersStay("RocksDB", error.c_str());
  if (!error.empty() || !settings.rewrite) return false;
  Watches* const all = AllWatches();
  if (all == nullptr) return false;
  auto watch = std::make_shared<DatabaseWatch>(static_cast<rocksdb::DB*>(db));
  const std::lock_guard<std::mutex> lock(all->mutex);
  // An earlier watch of this address goes when the lock is free.
  if (!all->is_exiting) all->of_database[db].swap(watch);
  return true;
}

void Unwatch(void* db) {
  Watches* const all = watches;
  if (all == nullptr) return;
  std::shared_ptr<DatabaseWatch> watch;
  {
    const std::lock_guard<std::mutex> lock(all->mutex);
    const auto found = all->of_database.find(db);
    if (found == all->of_database.end()) return;
    watch = found->second;
  }
  watch->End(true);
  // Only now: a second thread that closes the database must find the watch, and wait, too. Then the
  // address may be that of another database.
  const std::lock_guard<std::mutex> lock(all->mutex);
  const auto found = all->of_database.find(db);
  if (found != all->of_database.end() && found->second == watch) all->of_database.erase(found);
}

}  // namespace
}  // namespace bloomline::preload

extern "C" void bloomline_preload_watch(void* db,
                                        const bloomline::preload::Environment* environment) {
  bloomline::support::OrIfOutOfMemory(false,
                                      [&] { return bloomline::preload::Watch(db, environment); });
}

extern "C" void bloomline_preload_unwatch(void* db) { bloomline::preload::Unwatch(db); }
