// Which files RewriteFilters rewrites, and in which order.
#include <algorithm>
#include <cmath>
#include <string_view>

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

void Count(const RewriteCandidate& file, std::map<std::string, RewriteReport::Filters>* filters) {
  RewriteReport::Filters& sum = (*filters)[file.filter.kind];
  ++sum.files;
  sum.file_bytes += file.bytes;
  sum.filter_bytes += file.filter.bytes;
}

// "bloomline blocked, 10.2 bits per key"
std::string TextOf(const FileFilter& filter) {
  const double bits = std::round(10 * filter.bits_per_key) / 10;
  return filter.kind + ", " + support::DoubleText(bits) + " bits per key";
}

}  // namespace

bool HasOtherFilter(const RewriteCandidate& file, bool fits_allocations, bool sizes_are_rounded) {
  if (file.filter.kind != file.wanted.kind) return true;
  const double bits = file.filter.bits_per_key;
  const double wanted = file.wanted.bits_per_key;
  if (bits <= 0 || wanted <= 0) return (bits > 0) != (wanted > 0);
  const double keys = 8 * static_cast<double>(file.filter.bytes) / bits;
  // Sizes are rounded up to whole blocks.
  constexpr double kBlockBits = 512;
  const auto partitions = static_cast<double>(file.filter.num_partitions);
  const double block_bits = kBlockBits * partitions / keys;
  const bool has_ranges = file.filter.kind.find(kRangesKind) != std::string::npos;
  double tolerated = std::max(0.02 * wanted, block_bits);
  // How many keys each partition has, and how many entries for ranges there would be, is not known.
  if (partitions > 1 || fits_allocations) tolerated = 0.02 * wanted + 2 * block_bits;
  if (has_ranges) tolerated = 0.1 * wanted + 2 * block_bits;
  constexpr uint64_t kPageRounded = 64
                                    << 10;  // glibc rounds to pages from 128 KiB on, others earlier
  constexpr double kPageBits = 8 * 4096;
  if (fits_allocations && file.filter.bytes >= kPageRounded * file.filter.num_partitions) {
    tolerated += kPageBits * partitions / keys;
  }
  if (sizes_are_rounded) tolerated += 0.25 * wanted;
  return bits < wanted - tolerated || (bits > wanted + tolerated && !has_ranges);
}

bool RewriteJob::NeedsRewrite(const RewriteCandidate& file) const {
  return options_.needs_rewrite != nullptr
             ? options_.needs_rewrite(file)
             : HasOtherFilter(file, probe_->fits_allocations(), probe_->sizes_are_rounded());
}

void RewriteJob::Look(const LiveFiles& live, int level, size_t index, const LiveFiles::File& file) {
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
  RewriteCandidate& candidate = scanned.file;
  candidate.path = PathOf(file);
  candidate.number = NumberOf(file);
  candidate.level = level;
  candidate.bytes = file.size;
  TableFacts facts;
  const ROCKSDB_NAMESPACE::Status status = probe_->Read(candidate.path, &facts);
  if (!status.ok()) {
    LiveFiles::Unit unit = LiveFiles(db_, column_family_).UnitOf(candidate.number);
    if (unit.files.empty()) return NoteGone(candidate.number);
    unit.files = {file};
    return Skip(unit, RewriteSkip::kDamaged, status.ToString());
  }
  scanned.is_bottommost = live.IsBottommost(level, index);
  candidate.num_entries = facts.num_entries;
  candidate.filter = facts.filter;
  candidate.wanted = probe_->Wanted(report_.column_family, level, scanned.is_bottommost, facts);
  ++report_.files;
  Count(candidate, &report_.before);
  scanned_.emplace(candidate.number, std::move(scanned));
}

std::vector<uint64_t> RewriteJob::FindFiles() {
  const LiveFiles live(db_, column_family_);
  live.ForEach([&](int level, size_t index, const LiveFiles::File&) {
    probe_->TellPolicy(report_.column_family, level, live.IsBottommost(level, index));
  });
  live.ForEach([&](int level, size_t index, const LiveFiles::File& file) {
    Look(live, level, index, file);
  });
  report_.after = report_.before;

  // The files of a level other than 0 are one sorted run, of which a Get queries one file.
  std::map<int, double> entries_of_level;
  for (const auto& [number, scanned] : scanned_) {
    entries_of_level[scanned.file.level] += static_cast<double>(scanned.file.num_entries);
  }
  std::vector<uint64_t> numbers;
  for (auto& [number, scanned] : scanned_) {
    const RewriteCandidate& file = scanned.file;
    if (!NeedsRewrite(file)) continue;
    const double entries = entries_of_level[file.level];
    const double queried =
        file.level == 0 || entries == 0 ? 1 : static_cast<double>(file.num_entries) / entries;
    scanned.reads_saved = queried *
                          (file.filter.false_positive_rate - file.wanted.false_positive_rate) /
                          static_cast<double>(std::max<uint64_t>(file.bytes, 1));
    numbers.push_back(number);
    unfinished_[number] = file.bytes;
    unfinished_bytes_ += file.bytes;
  }
  report_.files_to_rewrite = numbers.size();
  report_.bytes_to_rewrite = unfinished_bytes_;
  std::stable_sort(numbers.begin(), numbers.end(), [&](uint64_t a, uint64_t b) {
    return scanned_[a].reads_saved > scanned_[b].reads_saved;
  });
  return numbers;
}

void RewriteJob::Forget(uint64_t number) {
  const auto found = scanned_.find(number);
  if (found == scanned_.end()) return;
  const RewriteCandidate& file = found->second.file;
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
    const uint64_t number = NumberOf(file);
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
    RewriteCandidate file;
    file.path = path;
    file.filter = facts.filter;
    file.wanted = probe_->Wanted(report_.column_family, unit.level, is_bottommost, facts);
    db_options_.env->GetFileSize(path, &file.bytes).PermitUncheckedError();
    Count(file, &report_.after);
    if (options_.needs_rewrite == nullptr && NeedsRewrite(file)) {
      report_.skipped.push_back({path, file.bytes, RewriteSkip::kSame,
                                 TextOf(file.filter) + " instead of " + TextOf(file.wanted)});
    }
  }
}

}  // namespace bloomline
