#include "src/engines/rocksdb/rewrite/rewrite_job.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/budget/file_seed.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::CompactionOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::Temperature;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Options that only late versions have: the first since 10.8, both in 11.9.
template <typename Options>
auto SetTemperature(Temperature temperature, Options* options, int)
    -> decltype(void(options->output_temperature_override)) {
  options->output_temperature_override = temperature;
}
template <typename Options>
void SetTemperature(Temperature, Options*, long) {}
template <typename Options>
auto SetCancel(std::atomic<bool>* cancel, Options* options, int)
    -> decltype(void(options->canceled)) {
  options->canceled = cancel;
}
template <typename Options>
void SetCancel(std::atomic<bool>*, Options*, long) {}

}  // namespace

RewriteJob::RewriteJob(ROCKSDB_NAMESPACE::DB* db,
                       ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family,
                       const RewriteOptions& options, RewriteReport* report)
    : db_(db),
      column_family_(column_family),
      options_(options),
      report_(*report),
      db_options_(db->GetOptions(column_family)) {}

bool RewriteJob::Run(std::string* error) {
  const Clock::time_point begin = Clock::now();
  report_.column_family = column_family_->GetName();
  report_.is_dry_run = options_.dry_run;
  probe_ = TableProbe::New(db_options_, error);
  if (probe_ == nullptr) return false;
  // RocksDB does not report the beginning of DB::CompactFiles, before which files would be counted.
  // The LOG names files that the account cannot read, and the report calls them damaged.
  FilterAccount* const account = AccountAmong(db_options_);
  if (account != nullptr) account->CountFiles(db_);
  std::vector<uint64_t> numbers = FindFiles();
  if (options_.dry_run) {
    for (const auto& [number, bytes] : unfinished_)
      report_.estimated_seconds += LeastSeconds(bytes);
  }
  const bool is_done = options_.dry_run || RewriteAll(std::move(numbers), error);
  if (IsCancelled()) report_.ended_by = "cancelled";
  for (const auto& [number, bytes] : unfinished_) {
    report_.skipped.push_back({scanned_[number].path, bytes, RewriteSkip::kLeft, ""});
  }
  report_.seconds = SecondsSince(begin);
  return is_done;
}

bool RewriteJob::RewriteAll(std::vector<uint64_t> numbers, std::string* error) {
  constexpr double kRetrySeconds = 0.1;
  constexpr double kMaxWaitSeconds = 60;
  Clock::time_point waiting_since;
  bool is_waiting = false;
  while (!numbers.empty()) {
    std::vector<uint64_t> busy;
    for (const uint64_t number : numbers) {
      if (IsCancelled()) return true;
      switch (RewriteOne(number, error)) {
        case Outcome::kDone:
          break;
        case Outcome::kBusy:
          busy.push_back(number);
          break;
        case Outcome::kEnd:
          return true;
        case Outcome::kFailed:
          report_.ended_by = *error;
          return false;
      }
    }
    if (busy.size() < numbers.size()) is_waiting = false;
    if (busy.empty()) break;
    if (!is_waiting) waiting_since = Clock::now();
    is_waiting = true;
    if (SecondsSince(waiting_since) >= kMaxWaitSeconds) {
      for (const uint64_t number : busy) {
        Skip(LiveFiles(db_, column_family_).UnitOf(number), RewriteSkip::kBusy, "");
      }
      break;
    }
    Sleep(kRetrySeconds);
    numbers = std::move(busy);
  }
  ShowProgress(0);
  return true;
}

RewriteJob::Outcome RewriteJob::RewriteOne(uint64_t number, std::string* error) {
  if (unfinished_.count(number) == 0) return Outcome::kDone;  // with a neighbour, or skipped
  const Clock::time_point begin = Clock::now();
  const LiveFiles::Unit unit = LiveFiles(db_, column_family_).UnitOf(number);
  if (unit.files.empty()) {
    NoteGone(number);
    return Outcome::kDone;
  }
  if (unit.is_being_compacted()) return Outcome::kBusy;
  ShowProgress(number);
  if (!IsFit(unit)) return Outcome::kDone;
  if (IsCancelled()) return Outcome::kEnd;  // IsFit reads whole files
  std::vector<std::string> outputs;
  CompactionJobInfo info;
  const Status status = Compact(unit, &outputs, &info);
  if (!status.ok()) return Judge(status, number, unit, error);
  report_.bytes_read += unit.bytes();
  report_.bytes_written += info.stats.total_output_bytes;
  NoteRewritten(unit, outputs);
  // RocksDB does not report it (7.8 to 11.9), and an iterator may keep the inputs for long.
  if (FilterAccount* const account = AccountAmong(db_options_)) {
    account->OnCompactionCompleted(db_, info);
  }
  if (!unfinished_.empty()) Sleep(LeastSeconds(unit.bytes()) - SecondsSince(begin));
  return Outcome::kDone;
}

double RewriteJob::LeastSeconds(uint64_t bytes) const {
  if (options_.bytes_per_second == 0) return 0;
  return static_cast<double>(bytes) / static_cast<double>(options_.bytes_per_second);
}

bool RewriteJob::IsFit(const LiveFiles::Unit& unit) {
  constexpr uint64_t kFreeBytes = uint64_t{256} << 20;
  uint64_t free_bytes = 0;
  const LiveFiles::File& first = unit.files.front();
  if (db_options_.env->GetFreeSpace(first.db_path, &free_bytes).ok() &&
      free_bytes < unit.bytes() + kFreeBytes) {
    Skip(unit, RewriteSkip::kNoSpace,
         std::to_string(free_bytes) + " bytes are free; needed: " + std::to_string(unit.bytes()) +
             ", and " + std::to_string(kFreeBytes) + " that stay free");
    return false;
  }
  for (const LiveFiles::File& file : unit.files) {
    if (IsCancelled()) return true;
    const Status status = probe_->Verify(FilePath(file));
    if (status.ok()) continue;
    if (LiveFiles(db_, column_family_).UnitOf(FileNumber(file.name)).files.empty()) {
      NoteGone(FileNumber(file.name));
      return unfinished_.count(FileNumber(first.name)) != 0;  // CompactFiles judges the others
    }
    Skip(unit, RewriteSkip::kDamaged, status.ToString());
    return false;
  }
  return true;
}

Status RewriteJob::Compact(const LiveFiles::Unit& unit, std::vector<std::string>* outputs,
                           CompactionJobInfo* info) const {
  CompactionOptions options;
  // Before 9.2 the default is Snappy, also if the column family has another one.
  options.compression = ROCKSDB_NAMESPACE::kDisableCompressionOption;
  options.max_subcompactions = 1;
  uint64_t largest = 0;
  std::vector<std::string> names;
  for (const LiveFiles::File& file : unit.files) {
    names.push_back(file.name);
    largest = std::max(largest, file.size);
  }
  // One file becomes one file. Several stay about as large as they were.
  if (unit.files.size() > 1) options.output_file_size_limit = largest;
  SetTemperature(unit.files.front().temperature, &options, 0);
  SetCancel(options_.cancel, &options, 0);
  const auto& paths = db_options_.cf_paths;
  int path_id = -1;  // RocksDB finds it if there is only one
  for (size_t i = 0; paths.size() > 1 && i < paths.size(); ++i) {
    if (paths[i].path == unit.files.front().db_path) path_id = static_cast<int>(i);
  }
  return db_->CompactFiles(options, column_family_, names, unit.level, path_id, outputs, info);
}

RewriteJob::Outcome RewriteJob::Judge(const Status& status, uint64_t number,
                                      const LiveFiles::Unit& unit, std::string* error) {
  if (status.IsAborted()) return Outcome::kBusy;
  if (status.IsColumnFamilyDropped()) {
    report_.is_dropped = true;
    while (!unfinished_.empty()) NoteGone(unfinished_.begin()->first);
    report_.after.clear();
    return Outcome::kEnd;
  }
  if (status.IsCompactionTooLarge()) {
    Skip(unit, RewriteSkip::kNoSpace, status.ToString());
    return Outcome::kDone;
  }
  if (status.IsInvalidArgument()) {  // a file of the unit has been replaced
    const LiveFiles::Unit now = LiveFiles(db_, column_family_).UnitOf(number);
    if (now.files.empty()) NoteGone(number);
    const auto has_number = [&](const LiveFiles::File& file) {
      return std::any_of(now.files.begin(), now.files.end(), [&](const LiveFiles::File& other) {
        return FileNumber(other.name) == FileNumber(file.name);
      });
    };
    const bool is_same = now.level == unit.level && now.files.size() == unit.files.size() &&
                         std::all_of(unit.files.begin(), unit.files.end(), has_number);
    if (!is_same) return now.files.empty() ? Outcome::kDone : Outcome::kBusy;
  }
  if (status.IsIncomplete() && IsCancelled()) return Outcome::kEnd;
  *error = "RocksDB does not rewrite " + FilePath(unit.files.front()) + ": " + status.ToString();
  if (status.IsIncomplete()) {
    *error += "; allowed: manual compactions (DB::EnableManualCompaction)";
  } else if (status.IsCorruption() || status.IsIOError()) {
    *error +=
        "; RocksDB may refuse writes until DB::Resume succeeds or the database is opened "
        "again";
  }
  return Outcome::kFailed;
}

void RewriteJob::Skip(const LiveFiles::Unit& unit, RewriteSkip reason, const std::string& text) {
  for (const LiveFiles::File& file : unit.files) {
    report_.skipped.push_back({FilePath(file), file.size, reason, text});
    Finish(FileNumber(file.name));
  }
}

void RewriteJob::Finish(uint64_t number) {
  const auto found = unfinished_.find(number);
  if (found == unfinished_.end()) return;
  unfinished_bytes_ -= found->second;
  unfinished_.erase(found);
}

void RewriteJob::NoteGone(uint64_t number) {
  ++report_.files_gone;
  Forget(number);
  Finish(number);
}

void RewriteJob::ShowProgress(uint64_t next) {
  if (options_.progress == nullptr) return;
  RewriteProgress progress;
  progress.files_to_rewrite = report_.files_to_rewrite;
  progress.files_done = report_.files_to_rewrite - unfinished_.size();
  progress.bytes_to_rewrite = report_.bytes_to_rewrite;
  progress.bytes_done = report_.bytes_to_rewrite - unfinished_bytes_;
  const auto found = scanned_.find(next);
  if (found != scanned_.end()) progress.next_path = found->second.path;
  options_.progress(progress);
}

bool RewriteJob::IsCancelled() const {
  return options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed);
}

void RewriteJob::Sleep(double seconds) const {
  constexpr double kStep = 0.05;  // soon enough for a user who cancels
  const Clock::time_point begin = Clock::now();
  for (;;) {
    const double left = seconds - SecondsSince(begin);
    if (left <= 0 || IsCancelled()) return;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kStep)));
  }
}

bool RewriteFilters(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family,
                    const RewriteOptions& options, RewriteReport* report, std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    *reason = RocksDBVersionMismatch();
    if (reason->empty() && db == nullptr) *reason = "db is null; allowed: an open database";
    if (reason->empty() && column_family == nullptr) {
      *reason = "column_family is null; allowed: a handle, such as DB::DefaultColumnFamily()";
    }
    RewriteReport unwanted;
    if (report == nullptr) report = &unwanted;
    *report = {};
    return reason->empty() && RewriteJob(db, column_family, options, report).Run(reason);
  });
}

}  // namespace bloomline
