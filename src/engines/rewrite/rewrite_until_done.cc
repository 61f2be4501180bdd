#include "src/engines/rewrite/rewrite_until_done.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace bloomline::rewrite {
namespace {

using ROCKSDB_NAMESPACE::DB;

// Whether another call can do what this call left to RocksDB's own compactions. With all_files, a
// call could not tell whether these compactions gave their files new filters.
bool IsLeftToCompactions(const RewriteOptions& options, const RewriteReport& report) {
  const auto is_busy = [](const RewriteReport::Skipped& file) {
    return file.reason == RewriteSkip::kBusy;
  };
  return !options.dry_run && report.ended_by.empty() &&
         (!options.all_files || report.skipped.empty()) &&
         std::all_of(report.skipped.begin(), report.skipped.end(), is_busy);
}

// Waits for the compactions that began when the database was opened. Closing it would end them, so
// that each run would find the same files taken.
void AwaitCompactions(DB* db, const std::atomic<bool>* cancel) {
  bool is_first = true;
  uint64_t num_running = 0;
  while (db->GetIntProperty(DB::Properties::kNumRunningCompactions, &num_running) &&
         num_running > 0 && (cancel == nullptr || !*cancel)) {
    if (is_first) std::puts("Waiting for RocksDB's own compactions");
    std::fflush(stdout);
    is_first = false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

bool RewriteUntilDone(DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* family, RewriteOptions options,
                      RewriteReport* report, std::string* error) {
  constexpr int kMaxCalls = 4;
  bool was_complete = false;  // by the report printed last
  for (int call = 1;; ++call) {
    const bool is_ok = RewriteFilters(db, family, options, report, error);
    const bool is_complete = is_ok && report->IsComplete();
    const bool is_last_look = call > 1 && is_complete && report->files_to_rewrite == 0;
    if (!is_last_look || !was_complete) std::fputs(report->ToString().c_str(), stdout);
    std::fflush(stdout);
    const bool can_go_on = is_ok && IsLeftToCompactions(options, *report);
    if (is_last_look || !can_go_on || call == kMaxCalls) return is_ok;
    was_complete = is_complete;
    AwaitCompactions(db, options.cancel);
    options.all_files = false;  // the first call has rewritten them
  }
}

}  // namespace bloomline::rewrite
