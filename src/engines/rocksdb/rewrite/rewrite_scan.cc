// The files that RewriteFilters rewrites.
#include <cmath>
#include <string_view>

#include "src/engines/rocksdb/budget/file_seed.h"
#include "src/engines/rocksdb/rewrite/rewrite_job.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::Options;

// RocksDB before 7.5 does not have it.
template <typename O>
auto KeepsHotData(const O& options, int) -> decltype(options.preclude_last_level_data_seconds > 0) {
  return options.preclude_last_level_data_seconds > 0;
}
template <typename O>
bool KeepsHotData(const O&, long) {
  return false;
}

// RocksDB since 10.6 has the option for one family, too.
template <typename O>
auto IngestsBehind(const O& options, int) -> decltype(options.cf_allow_ingest_behind) {
  return options.allow_ingest_behind || options.cf_allow_ingest_behind;
}
template <typename O>
bool IngestsBehind(const O& options, long) {
  return options.allow_ingest_behind;
}

// Compactions into the last level are refused, or would move data out of it.
bool MustLeaveLastLevel(const Options& options) {
  return IngestsBehind(options, 0) ||
         (options.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal &&
          KeepsHotData(options, 0));
}

void CountFilter(uint64_t file_bytes, const FileFilter& filter,
                 std::map<std::string, RewriteReport::Filters>* filters) {
  RewriteReport::Filters& sum = (*filters)[filter.kind];
  ++sum.files;
  sum.file_bytes += file_bytes;
  sum.filter_bytes += filter.bytes;
}

// "bloomline blocked, 10.2 bits per key"
std::string TextOf(const FileFilter& filter) {
  const double bits = std::round(10 * filter.bits_per_key) / 10;
  return filter.kind + ", " + support::DoubleText(bits) + " bits per key";
}

}  // namespace

void RewriteJob::Look(const LiveFiles& live, int level, size_t index, const LiveFiles::File& file,
                      std::vector<uint64_t>* numbers) {
  if (IsCancelled()) return;
  if (level == 0 && !options_.include_level0) {
    ++report_.level0_files_left;
    return;
  }
  if (level == db_options_.num_levels - 1 && level > 0 && MustLeaveLastLevel(db_options_)) {
    ++report_.last_level_files_left;
    return;
  }
  ScannedFile scanned;
  scanned.path = FilePath(file);
  scanned.bytes = file.size;
  const uint64_t number = FileNumber(file.name);
  TableFacts facts;
  const ROCKSDB_NAMESPACE::Status status = probe_->Read(scanned.path, &facts);
  if (!status.ok()) {
    LiveFiles::Unit unit = LiveFiles(db_, column_family_).UnitOf(number);
    if (unit.files.empty()) return NoteGone(number);
    unit.files = {file};
    return Skip(unit, RewriteSkip::kDamaged, status.ToString());
  }
  scanned.is_bottommost = live.IsBottommost(level, index);
  scanned.filter = facts.filter;
  const FileFilter wanted =
      probe_->Wanted(report_.column_family, level, scanned.is_bottommost, facts);
  ++report_.files;
  CountFilter(scanned.bytes, scanned.filter, &report_.before);
  if (options_.all_files || HasOtherFilter(scanned.filter, wanted, probe_->rounding())) {
    numbers->push_back(number);
    unfinished_[number] = scanned.bytes;
    unfinished_bytes_ += scanned.bytes;
  }
  scanned_.emplace(number, std::move(scanned));
}

std::vector<uint64_t> RewriteJob::FindFiles() {
  const LiveFiles live(db_, column_family_);
  live.ForEach([&](int level, size_t index, const LiveFiles::File&) {
    probe_->TellPolicy(report_.column_family, level, live.IsBottommost(level, index));
  });
  std::vector<uint64_t> numbers;
  live.ForEach([&](int level, size_t index, const LiveFiles::File& file) {
    Look(live, level, index, file, &numbers);
  });
  report_.after = report_.before;
  report_.files_to_rewrite = numbers.size();
  report_.bytes_to_rewrite = unfinished_bytes_;
  return numbers;
}

void RewriteJob::Forget(uint64_t number) {
  const auto found = scanned_.find(number);
  if (found == scanned_.end()) return;
  const ScannedFile& file = found->second;
  RewriteReport::Filters& sum = report_.after[file.filter.kind];
  --sum.files;
  sum.file_bytes -= file.bytes;
  sum.filter_bytes -= file.filter.bytes;
  if (sum.files == 0) report_.after.erase(file.filter.kind);
  scanned_.erase(found);
}

void RewriteJob::NoteRewritten(const LiveFiles::Unit& unit,
                               const std::vector<std::string>& outputs) {
  bool is_bottommost = false;
  for (const LiveFiles::File& file : unit.files) {
    const uint64_t number = FileNumber(file.name);
    const auto found = scanned_.find(number);
    if (found != scanned_.end()) is_bottommost = found->second.is_bottommost;
    Forget(number);
    Finish(number);
  }
  report_.files_rewritten += unit.files.size();
  if (unit.files.size() > 1) report_.chained_files += unit.files.size();
  for (const std::string& path : outputs) {
    constexpr std::string_view kTable = ".sst";
    if (path.size() < kTable.size() || path.substr(path.size() - kTable.size()) != kTable) continue;
    TableFacts facts;
    if (!probe_->Read(path, &facts).ok()) continue;  // another compaction may have replaced it
    const FileFilter wanted =
        probe_->Wanted(report_.column_family, unit.level, is_bottommost, facts);
    uint64_t bytes = 0;
    db_options_.env->GetFileSize(path, &bytes).PermitUncheckedError();
    CountFilter(bytes, facts.filter, &report_.after);
    if (HasOtherFilter(facts.filter, wanted, probe_->rounding())) {
      report_.skipped.push_back({path, bytes, RewriteSkip::kSame,
                                 TextOf(facts.filter) + " instead of " + TextOf(wanted)});
    }
  }
}

}  // namespace bloomline
