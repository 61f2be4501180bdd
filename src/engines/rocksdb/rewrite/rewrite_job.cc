// RewriteFilters: finds the files of a column family that need a new filter, and rewrites each.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "src/engines/rocksdb/budget/account_listener.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"
#include "src/engines/rocksdb/rewrite/filter_facts.h"
#include "src/support/set_error.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::CompactionOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Temperature;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Options that not all versions of RocksDB have. A missing option compiles only in a template,
// in a branch that `if constexpr` drops.
template <typename O, typename = void>
constexpr bool kHasTemperature = false;  // since 10.8
template <typename O>
constexpr bool kHasTemperature<O, std::void_t<decltype(O::output_temperature_override)>> = true;
template <typename O, typename = void>
constexpr bool kHasCanceled = false;  // in 11.9
template <typename O>
constexpr bool kHasCanceled<O, std::void_t<decltype(O::canceled)>> = true;
template <typename O, typename = void>
constexpr bool kHasHotData = false;  // since 7.5
template <typename O>
constexpr bool kHasHotData<O, std::void_t<decltype(O::preclude_last_level_data_seconds)>> = true;
template <typename O, typename = void>
constexpr bool kHasFamilyIngest = false;  // since 10.6, column families have the option, too
template <typename O>
constexpr bool kHasFamilyIngest<O, std::void_t<decltype(O::cf_allow_ingest_behind)>> = true;

template <typename O>
void SetLateOptions(Temperature temperature, std::atomic<bool>* cancel, O* options) {
  if constexpr (kHasTemperature<O>) options->output_temperature_override = temperature;
  if constexpr (kHasCanceled<O>) options->canceled = cancel;
}

// Whether RocksDB refuses compactions into the last level, or would move data out of it.
template <typename O>
bool MustLeaveLastLevel(const O& options) {
  bool ingests_behind = options.allow_ingest_behind;
  if constexpr (kHasFamilyIngest<O>)
    ingests_behind = ingests_behind || options.cf_allow_ingest_behind;
  bool keeps_hot_data = false;
  if constexpr (kHasHotData<O>) keeps_hot_data = options.preclude_last_level_data_seconds > 0;
  return ingests_behind ||
         (options.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal &&
          keeps_hot_data);
}

// The table files of a column family, as DB::GetColumnFamilyMetaData lists them.
class FamilyFiles {
 public:
  using File = ROCKSDB_NAMESPACE::SstFileMetaData;
  // Files of one level that one compaction must take together.
  struct Unit {
    int level = 0;
    std::vector<File> files;

    uint64_t bytes() const {
      uint64_t sum = 0;
      for (const File& file : files) sum += file.size;
      return sum;
    }
  };

  FamilyFiles(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family)
      : comparator_(column_family->GetComparator()) {
    db->GetColumnFamilyMetaData(column_family, &metadata_);
  }

  // Calls f(level, index, file) for each file, from the bottom up.
  template <typename F>
  void ForEach(F f) const {
    for (auto level = metadata_.levels.rbegin(); level != metadata_.levels.rend(); ++level) {
      for (size_t i = 0; i < level->files.size(); ++i) f(level->level, i, level->files[i]);
    }
  }

  // Whether no older data lies below the file, by the rule of RocksDB's compactions.
  bool IsBottommost(int level, size_t index) const;

  // Returns the file of this number with all files that share a user key with it at their ends,
  // directly or through others. The unit is empty if the database no longer has the file.
  Unit FindUnit(uint64_t number) const;

 private:
  const std::vector<File>& Files(int level) const {
    return metadata_.levels[static_cast<size_t>(level)].files;
  }
  // Whether the last key of `a` is not before the first key of `b`.
  bool Touch(const File& a, const File& b) const {
    return comparator_->CompareWithoutTimestamp(a.largestkey, b.smallestkey) >= 0;
  }

  const ROCKSDB_NAMESPACE::Comparator* const comparator_;
  ROCKSDB_NAMESPACE::ColumnFamilyMetaData metadata_;
};

bool FamilyFiles::IsBottommost(int level, size_t index) const {
  // Compaction::IsBottommostLevel and VersionStorageInfo::RangeMightExistAfterSortedRun.
  const File& file = Files(level)[index];
  if (level == 0 && index + 1 != Files(0).size()) return false;
  for (size_t below = static_cast<size_t>(level) + 1; below < metadata_.levels.size(); ++below) {
    for (const File& other : metadata_.levels[below].files) {
      if (level == 0 || (Touch(file, other) && Touch(other, file))) return false;
    }
  }
  return true;
}

FamilyFiles::Unit FamilyFiles::FindUnit(uint64_t number) const {
  Unit unit;
  for (const auto& level : metadata_.levels) {
    const std::vector<File>& files = level.files;
    const auto found = std::find_if(files.begin(), files.end(), [&](const File& file) {
      return FileNumber(file.name) == number;
    });
    if (found == files.end()) continue;
    auto first = found;
    auto last = found;
    if (level.level > 0) {
      while (first != files.begin() && Touch(*(first - 1), *first)) --first;
      while (last + 1 != files.end() && Touch(*last, *(last + 1))) ++last;
    }
    unit.level = level.level;
    unit.files.assign(first, last + 1);
  }
  return unit;
}

// One call of RewriteFilters.
class RewriteJob {
 public:
  RewriteJob(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family,
             const RewriteOptions& options, RewriteReport* report)
      : db_(db),
        column_family_(column_family),
        options_(options),
        report_(*report),
        db_options_(db->GetOptions(column_family)) {}

  // Rewrites the files. Returns false, with *error, if RocksDB refuses one.
  bool Run(std::string* error);

 private:
  struct File {
    std::string path;
    uint64_t bytes = 0;
  };
  enum class Result { kDone, kEnd, kFailed };

  // Looks at all files, and returns those to rewrite.
  std::vector<uint64_t> FindFiles();
  void Look(const FamilyFiles& live, int level, size_t index, const FamilyFiles::File& file,
            std::vector<uint64_t>* numbers);

  Result RewriteOne(uint64_t number, std::string* error);
  // Returns false if a file of the unit cannot be rewritten now; the report has the reason. Checks
  // no more files once the call is cancelled.
  bool IsFit(const FamilyFiles::Unit& unit);
  Status Compact(const FamilyFiles::Unit& unit, CompactionJobInfo* info) const;
  Result Judge(const Status& status, const FamilyFiles::Unit& unit, std::string* error);

  void Skip(const FamilyFiles::Unit& unit, RewriteSkip reason, const std::string& text);
  void NoteGone(uint64_t number);
  void Finish(uint64_t number);  // removes the file from unfinished_
  void ShowProgress();
  bool IsCancelled() const;
  void Sleep(double seconds) const;

  ROCKSDB_NAMESPACE::DB* const db_;
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* const column_family_;
  const RewriteOptions& options_;
  RewriteReport& report_;
  const Options db_options_;
  std::unique_ptr<TableProbe> probe_;
  std::map<uint64_t, File> unfinished_;  // the files to rewrite, by number
  uint64_t unfinished_bytes_ = 0;
};

bool RewriteJob::Run(std::string* error) {
  const Clock::time_point begin = Clock::now();
  report_.column_family = column_family_->GetName();
  report_.is_dry_run = options_.dry_run;
  probe_ = TableProbe::New(db_options_, error);
  if (probe_ == nullptr) return false;
  // The account counts files at the beginning of a compaction, but RocksDB does not report that for
  // DB::CompactFiles. The LOG names files that the account cannot read; the report says "damaged".
  FilterAccount* const account = AccountAmong(db_options_);
  if (account != nullptr) account->CountFiles(db_);
  const std::vector<uint64_t> numbers = FindFiles();
  Result result = Result::kDone;
  for (size_t i = 0; !options_.dry_run && result == Result::kDone && i < numbers.size(); ++i) {
    result = IsCancelled() ? Result::kEnd : RewriteOne(numbers[i], error);
  }
  if (!options_.dry_run && result == Result::kDone) ShowProgress();
  if (result == Result::kFailed) report_.ended_by = *error;
  if (IsCancelled()) report_.ended_by = "cancelled";
  for (const auto& [number, file] : unfinished_) {
    report_.skipped.push_back({file.path, file.bytes, RewriteSkip::kLeft, ""});
  }
  report_.seconds = SecondsSince(begin);
  return result != Result::kFailed;
}

std::vector<uint64_t> RewriteJob::FindFiles() {
  const FamilyFiles live(db_, column_family_);
  live.ForEach([&](int level, size_t index, const FamilyFiles::File&) {
    probe_->TellPolicy(report_.column_family, level, live.IsBottommost(level, index));
  });
  std::vector<uint64_t> numbers;
  live.ForEach([&](int level, size_t index, const FamilyFiles::File& file) {
    Look(live, level, index, file, &numbers);
  });
  report_.files_to_rewrite = numbers.size();
  report_.bytes_to_rewrite = unfinished_bytes_;
  return numbers;
}

void RewriteJob::Look(const FamilyFiles& live, int level, size_t index,
                      const FamilyFiles::File& file, std::vector<uint64_t>* numbers) {
  if (IsCancelled()) return;
  if (level == 0 && !options_.include_level0) {
    ++report_.level0_files_left;
    return;
  }
  if (level == db_options_.num_levels - 1 && level > 0 && MustLeaveLastLevel(db_options_)) {
    ++report_.last_level_files_left;
    return;
  }
  const uint64_t number = FileNumber(file.name);
  TableFacts facts;
  const Status status = probe_->Read(FilePath(file), &facts);
  if (!status.ok()) {
    FamilyFiles::Unit unit = FamilyFiles(db_, column_family_).FindUnit(number);
    if (unit.files.empty()) {
      ++report_.files_gone;
      return;
    }
    unit.files = {file};
    return Skip(unit, RewriteSkip::kDamaged, status.ToString());
  }
  const FileFilter wanted =
      probe_->Wanted(report_.column_family, level, live.IsBottommost(level, index), facts);
  ++report_.files;
  RewriteReport::Filters& sum = report_.before[facts.filter.kind];
  ++sum.files;
  sum.file_bytes += file.size;
  sum.filter_bytes += facts.filter.bytes;
  if (options_.all_files || HasOtherFilter(facts.filter, wanted, probe_->rounding())) {
    numbers->push_back(number);
    unfinished_[number] = {FilePath(file), file.size};
    unfinished_bytes_ += file.size;
  }
}

RewriteJob::Result RewriteJob::RewriteOne(uint64_t number, std::string* error) {
  if (unfinished_.count(number) == 0) return Result::kDone;  // done with a neighbour, or skipped
  const Clock::time_point begin = Clock::now();
  const FamilyFiles::Unit unit = FamilyFiles(db_, column_family_).FindUnit(number);
  if (unit.files.empty()) {
    NoteGone(number);
    return Result::kDone;
  }
  ShowProgress();
  const auto is_busy = [](const FamilyFiles::File& file) { return file.being_compacted; };
  if (std::any_of(unit.files.begin(), unit.files.end(), is_busy)) {
    Skip(unit, RewriteSkip::kBusy, "");
    return Result::kDone;
  }
  if (!IsFit(unit)) return Result::kDone;
  if (IsCancelled()) return Result::kEnd;  // IsFit reads whole files
  CompactionJobInfo info;
  const Status status = Compact(unit, &info);
  if (!status.ok()) return Judge(status, unit, error);
  report_.bytes_read += unit.bytes();
  report_.bytes_written += info.stats.total_output_bytes;
  report_.files_rewritten += unit.files.size();
  if (unit.files.size() > 1) report_.chained_files += unit.files.size();
  for (const FamilyFiles::File& file : unit.files) Finish(FileNumber(file.name));
  // RocksDB (7.8 to 11.9) does not report this, and an iterator may keep the input files for long.
  if (FilterAccount* const account = AccountAmong(db_options_)) {
    account->OnCompactionCompleted(db_, info);
  }
  if (options_.bytes_per_second != 0 && !unfinished_.empty()) {
    const double least_seconds =
        static_cast<double>(unit.bytes()) / static_cast<double>(options_.bytes_per_second);
    Sleep(least_seconds - SecondsSince(begin));
  }
  return Result::kDone;
}

bool RewriteJob::IsFit(const FamilyFiles::Unit& unit) {
  constexpr uint64_t kFreeBytes = uint64_t{256} << 20;
  uint64_t free_bytes = 0;
  const FamilyFiles::File& first = unit.files.front();
  if (db_options_.env->GetFreeSpace(first.db_path, &free_bytes).ok() &&
      free_bytes < unit.bytes() + kFreeBytes) {
    Skip(unit, RewriteSkip::kNoSpace,
         std::to_string(free_bytes) + " bytes are free; needed: " + std::to_string(unit.bytes()) +
             ", and " + std::to_string(kFreeBytes) + " that stay free");
    return false;
  }
  for (const FamilyFiles::File& file : unit.files) {
    if (IsCancelled()) return true;
    const Status status = probe_->Verify(FilePath(file));
    if (status.ok()) continue;
    if (FamilyFiles(db_, column_family_).FindUnit(FileNumber(file.name)).files.empty()) {
      NoteGone(FileNumber(file.name));
      return unfinished_.count(FileNumber(first.name)) != 0;  // CompactFiles judges the others
    }
    Skip(unit, RewriteSkip::kDamaged, status.ToString());
    return false;
  }
  return true;
}

Status RewriteJob::Compact(const FamilyFiles::Unit& unit, CompactionJobInfo* info) const {
  CompactionOptions options;
  // Before 9.2 the default is Snappy, even if the column family has another compression.
  options.compression = ROCKSDB_NAMESPACE::kDisableCompressionOption;
  options.max_subcompactions = 1;
  uint64_t largest = 0;
  std::vector<std::string> names;
  for (const FamilyFiles::File& file : unit.files) {
    names.push_back(file.name);
    largest = std::max(largest, file.size);
  }
  // One file becomes one file. Several files keep about their sizes.
  if (unit.files.size() > 1) options.output_file_size_limit = largest;
  SetLateOptions(unit.files.front().temperature, options_.cancel, &options);
  const auto& paths = db_options_.cf_paths;
  int path_id = -1;  // RocksDB finds it if there is only one
  for (size_t i = 0; paths.size() > 1 && i < paths.size(); ++i) {
    if (paths[i].path == unit.files.front().db_path) path_id = static_cast<int>(i);
  }
  return db_->CompactFiles(options, column_family_, names, unit.level, path_id, nullptr, info);
}

RewriteJob::Result RewriteJob::Judge(const Status& status, const FamilyFiles::Unit& unit,
                                     std::string* error) {
  if (status.IsColumnFamilyDropped()) {  // all its files are gone, so nothing is left to do
    while (!unfinished_.empty()) NoteGone(unfinished_.begin()->first);
    return Result::kEnd;
  }
  if (status.IsAborted() || status.IsInvalidArgument()) {
    // Another compaction has, or had, a file of the unit.
    const FamilyFiles now(db_, column_family_);
    bool is_taken = status.IsAborted();
    for (const FamilyFiles::File& file : unit.files) {
      const FamilyFiles::Unit found = now.FindUnit(FileNumber(file.name));
      if (found.files.empty()) NoteGone(FileNumber(file.name));
      is_taken = is_taken || found.files.empty() || found.level != unit.level;
    }
    if (is_taken) {
      Skip(unit, RewriteSkip::kBusy, "");
      return Result::kDone;
    }
  }
  if (status.IsCompactionTooLarge()) {
    Skip(unit, RewriteSkip::kNoSpace, status.ToString());
    return Result::kDone;
  }
  if (status.IsIncomplete() && IsCancelled()) return Result::kEnd;
  *error = "RocksDB does not rewrite " + FilePath(unit.files.front()) + ": " + status.ToString();
  if (status.IsIncomplete()) {
    *error += "; allowed: manual compactions (DB::EnableManualCompaction)";
  } else if (status.IsCorruption() || status.IsIOError()) {
    *error +=
        "; RocksDB may refuse writes until DB::Resume succeeds or the database is opened "
        "again";
  }
  return Result::kFailed;
}

void RewriteJob::Skip(const FamilyFiles::Unit& unit, RewriteSkip reason, const std::string& text) {
  for (const FamilyFiles::File& file : unit.files) {
    const uint64_t number = FileNumber(file.name);
    if (reason == RewriteSkip::kBusy && unfinished_.count(number) == 0) continue;
    report_.skipped.push_back({FilePath(file), file.size, reason, text});
    Finish(number);
  }
}

void RewriteJob::NoteGone(uint64_t number) {
  report_.files_gone += unfinished_.count(number);
  Finish(number);
}

void RewriteJob::Finish(uint64_t number) {
  const auto found = unfinished_.find(number);
  if (found == unfinished_.end()) return;
  unfinished_bytes_ -= found->second.bytes;
  unfinished_.erase(found);
}

void RewriteJob::ShowProgress() {
  if (options_.progress == nullptr) return;
  RewriteProgress progress;
  progress.files_to_rewrite = report_.files_to_rewrite;
  progress.files_done = report_.files_to_rewrite - unfinished_.size();
  progress.bytes_to_rewrite = report_.bytes_to_rewrite;
  progress.bytes_done = report_.bytes_to_rewrite - unfinished_bytes_;
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

}  // namespace
}  // namespace bloomline::engine

namespace bloomline {

bool RewriteFilters(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* column_family,
                    const RewriteOptions& options, RewriteReport* report, std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    *reason = engine::RocksDBMismatch();
    if (reason->empty() && db == nullptr) *reason = "db is null; allowed: an open database";
    if (reason->empty() && column_family == nullptr) {
      *reason = "column_family is null; allowed: a handle, such as DB::DefaultColumnFamily()";
    }
    RewriteReport unwanted;
    if (report == nullptr) report = &unwanted;
    *report = {};
    return reason->empty() && engine::RewriteJob(db, column_family, options, report).Run(reason);
  });
}

}  // namespace bloomline
