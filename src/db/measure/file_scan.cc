#include "src/db/measure/file_scan.h"

#include <algorithm>
#include <memory>

#include "src/filter/ranges/range_field.h"

namespace bloomline::db {
namespace {

bool Ended(const sstable::Table::KeyReader& reader, std::string* error) {
  *error = reader.error();
  return error->empty();
}

}  // namespace

void SetReaches(std::vector<Range>* ranges) {
  std::string_view reach;
  for (Range& range : *ranges) {
    reach = range.reach = std::max(reach, std::string_view(range.end));
  }
}

bool FileScan::Run(const directory::TableFile& file, const std::vector<Range>& ranges,
                   std::vector<RangeAnswer>* answers, std::string* error) {
  const bool has_filter =
      other_ != nullptr || (table_.filter_kind() != sstable::FilterKind::kNone &&
                            table_.properties().prefix_extractor == filter::kRangeExtractorName);
  if (has_filter && other_ == nullptr && !filters_.Init(table_, error)) return false;
  const auto reader = table_.NewKeyReader(error);
  if (reader == nullptr) return false;
  if (!reader->Next()) return Ended(*reader, error);
  const std::string first(keys_.Key(reader->user_key()));
  const std::string_view last = keys_.Key(file.largest_key);  // empty: unknown
  auto range = std::partition_point(ranges.begin(), ranges.end(),
                                    [&](const Range& r) { return r.reach <= first; });
  for (; range != ranges.end() && (last.empty() || range->begin <= last); ++range) {
    if (range->end <= first) continue;
    if (keys_.Key(reader->user_key()) < range->begin) {
      Seek(range->begin);
      reader->SkipTo(target_);
      do {
        if (!reader->Next()) return Ended(*reader, error);
      } while (keys_.Key(reader->user_key()) < range->begin);
    }
    bool is_rejected = false;
    if (has_filter && !IsRejected(*range, &is_rejected, error)) return false;
    const bool has_key = keys_.Key(reader->user_key()) < range->end;
    answers->push_back({static_cast<size_t>(range - ranges.begin()), has_key, is_rejected});
  }
  return true;
}

void FileScan::Seek(std::string_view key) {
  target_.assign(key);
  target_.append(keys_.order().timestamp_bytes, '\xff');
}

// As RocksDB asks: the filter, or the partition where `begin` would be.
bool FileScan::IsRejected(const Range& range, bool* is_rejected, std::string* error) {
  if (std::max(range.begin.size(), range.end.size()) > filter::kMaxBoundBytes) return true;
  const engine_filters::EngineFilter* filter = other_;
  if (filter == nullptr) {
    Seek(range.begin);
    const uint64_t index =
        filters_.FilterOf(target_, sstable::Table::FilterReader::kMaxSequence, 0);
    if (index >= filters_.num_filters()) return true;  // it asks none
    filter = filters_.At(index, error);
    if (filter == nullptr) return false;
  }
  *is_rejected = !filter->RangeMayMatch(range.begin, range.end);
  return true;
}

}  // namespace bloomline::db
