// What one table says of itself and of its filters (inspection.h).
#include <algorithm>
#include <cmath>
#include <vector>

#include "src/db/inspect/inspection.h"
#include "src/db/table_filters.h"

namespace bloomline::db {
namespace {

using engine_filters::EngineFilter;
using engine_filters::Kind;
using sstable::Engine;
using sstable::FilterKind;
using sstable::kUnknownCount;
using sstable::Table;

// How many keys the filters by offset hold for each byte of theirs.
struct KeysPerByte {
  double ratio = 0;  // 0: unknown
  bool whole_file = false;
  uint64_t keys = 0;  // counted
};

// Counts the keys of the table's first filters: LevelDB adds each entry. 16 filters of 36 keys make
// the ratio good to 1 %: sizes are rounded to bytes, of 46 on average.
bool CountFirstKeys(const Table& table, TableFilters* filters, KeysPerByte* keys_per_byte,
                    std::string* error) {
  constexpr int kFilters = 16;
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  uint64_t block = ~uint64_t{0};
  uint64_t filter = ~uint64_t{0};
  uint64_t keys = 0;
  uint64_t counted_keys = 0;
  uint64_t counted_bytes = 0;
  int num_counted = 0;
  const auto close_filter = [&] {
    if (keys == 0 || filter >= filters->num_filters()) return true;
    const EngineFilter* opened = filters->At(filter, error);
    if (opened == nullptr) return false;
    counted_keys += keys;
    counted_bytes += opened->payload_bytes();
    ++num_counted;
    return true;
  };
  bool more = reader->Next();
  for (; more && num_counted < kFilters; more = reader->Next()) {
    if (reader->block_offset() != block) {
      block = reader->block_offset();
      const uint64_t its_filter = filters->FilterOf(reader->user_key(), reader->sequence(), block);
      if (its_filter != filter) {
        if (!close_filter()) return false;
        filter = its_filter;
        keys = 0;
      }
    }
    ++keys;
  }
  // Damage in a data block is for verify to find; the filters are whole.
  if (!more && reader->error().empty()) {
    if (!close_filter()) return false;
    keys_per_byte->whole_file = true;
    keys_per_byte->keys = counted_keys;
  }
  if (counted_bytes != 0) {
    keys_per_byte->ratio = static_cast<double>(counted_keys) / static_cast<double>(counted_bytes);
  }
  return true;
}

// A LevelDB table without filter: its keys from those of its first blocks and the file's size.
bool EstimateKeys(const Table& table, FileFacts* facts, std::string* error) {
  constexpr int kBlocks = 16;
  constexpr int kFilterBaseLog = 11;
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  uint64_t block = ~uint64_t{0};
  uint64_t keys = 0;
  uint64_t filters = 0;  // LevelDB writes one for the data blocks that begin in the same 2 KiB
  int blocks = 0;
  bool more;
  while ((more = reader->Next())) {
    const uint64_t offset = reader->block_offset();
    if (offset != block) {
      if (blocks++ == kBlocks) break;
      if (keys == 0 || offset >> kFilterBaseLog != block >> kFilterBaseLog) ++filters;
      block = offset;
    }
    ++keys;
  }
  facts->keys_per_missing_filter = keys / std::max<uint64_t>(1, filters);
  const uint64_t bytes = more ? reader->block_offset() : table.file_bytes();
  facts->keys_estimated = more || !reader->error().empty();
  facts->num_keys = static_cast<uint64_t>(
      std::llround(static_cast<double>(keys) * static_cast<double>(table.file_bytes()) /
                   static_cast<double>(std::max<uint64_t>(1, bytes))));
  return true;
}

void CountKind(const EngineFilter& filter, uint64_t bytes, FileFacts* facts) {
  KindCount& count = facts->kinds[filter.kind()];
  ++count.filters;
  count.bytes += bytes;
  ++facts->num_filters;
  facts->filter_bytes += bytes;
  if (filter.kind() == Kind::kUnknown) facts->why_unknown = filter.why();
  if (filter.ranges() == nullptr) return;
  RangeFacts& ranges = facts->ranges;
  ranges.files = 1;
  ranges.kinds.Add(filter.ranges()->kinds);
  ranges.entry_bytes += filter.entry_bytes();
  ranges.filter_bytes += bytes;
}

bool InspectByOffset(const Table& table, TableFilters* filters, FileFacts* facts,
                     std::string* error) {
  KeysPerByte keys_per_byte;
  if (!CountFirstKeys(table, filters, &keys_per_byte, error)) return false;
  double keys = 0;
  double matches = 0;
  for (uint64_t i = 0; i < filters->num_filters(); ++i) {
    const EngineFilter* filter = filters->At(i, error);
    if (filter == nullptr) return false;
    if (filters->bytes() == 0) continue;  // no data block begins in its 2 KiB
    CountKind(*filter, filters->bytes(), facts);
    const double its_keys = std::max(
        1.0, std::round(keys_per_byte.ratio * static_cast<double>(filter->payload_bytes())));
    keys += its_keys;
    matches += its_keys * filter->ExpectedRate(static_cast<uint64_t>(its_keys));
  }
  facts->keys_estimated = !keys_per_byte.whole_file;
  facts->num_keys =
      keys_per_byte.whole_file ? keys_per_byte.keys : static_cast<uint64_t>(std::llround(keys));
  if (keys_per_byte.ratio > 0) facts->expected_rate = matches / keys;
  return true;
}

bool InspectPartitions(TableFilters* filters, FileFacts* facts, std::string* error) {
  double bytes = 0;
  double matches = 0;
  std::vector<uint64_t> without_rate;
  for (uint64_t i = 0; i < filters->num_filters(); ++i) {
    const EngineFilter* filter = filters->At(i, error);
    if (filter == nullptr) return false;
    CountKind(*filter, filters->bytes(), facts);
    // Partitions have the same bits per key, so bytes stand for keys.
    const auto weight = static_cast<double>(filters->bytes() - filter->entry_bytes());
    bytes += weight;
    const double rate = filter->RateFromBits();
    if (std::isnan(rate)) {
      without_rate.push_back(i);
    } else {
      matches += weight * rate;
    }
  }
  // The bits of compact filters do not show their rate; the number of keys does.
  const double keys_per_byte = bytes > 0 ? static_cast<double>(facts->num_keys) / bytes : 0;
  for (const uint64_t i : without_rate) {
    const EngineFilter* filter = filters->At(i, error);
    if (filter == nullptr) return false;
    const auto weight = static_cast<double>(filters->bytes() - filter->entry_bytes());
    const double keys = std::round(keys_per_byte * weight);
    matches += weight * filter->ExpectedRate(static_cast<uint64_t>(keys));
  }
  if (bytes > 0) facts->expected_rate = matches / bytes;
  return true;
}

// The bits of a small filter show what it has by chance, which may be half or twice what it should.
bool InspectFull(TableFilters* filters, FileFacts* facts, std::string* error) {
  const EngineFilter* filter = filters->At(0, error);
  if (filter == nullptr) return false;
  CountKind(*filter, filters->bytes(), facts);
  const double rate = filter->RateFromBits();
  facts->expected_rate = std::isnan(rate) ? filter->ExpectedRate(facts->num_keys) : rate;
  return true;
}

// What RocksDB records. Versions before 6.29 do not have the number of filter entries; then all
// entries but range deletions stand for it.
void TakeKeys(const sstable::Properties& properties, FileFacts* facts) {
  if (properties.num_filter_entries != kUnknownCount && properties.num_filter_entries != 0) {
    facts->num_keys = properties.num_filter_entries;
    return;
  }
  facts->keys_estimated = true;
  if (properties.num_entries == kUnknownCount) return;
  const uint64_t range_deletions =
      properties.num_range_deletions == kUnknownCount ? 0 : properties.num_range_deletions;
  facts->num_keys = properties.num_entries - std::min(properties.num_entries, range_deletions);
}

}  // namespace

const char* KindName(FilterKind kind) {
  switch (kind) {
    case FilterKind::kNone:
      return "none";
    case FilterKind::kByOffset:
      return "by_offset";
    case FilterKind::kFull:
      return "full";
    case FilterKind::kPartitioned:
      return "partitioned";
  }
  return "none";
}

bool InspectFile(const Table& table, FileFacts* facts, std::string* error) {
  const sstable::Properties& properties = table.properties();
  const FilterKeys keys(table);
  facts->engine = table.engine();
  facts->format_version = table.format_version();
  facts->kind = table.filter_kind();
  facts->filter_name = table.filter_name();
  facts->filter_policy = properties.filter_policy;
  facts->whole_keys = keys.whole_keys();
  facts->prefixes = keys.prefixes() || keys.unknown_prefixes();
  facts->prefix_extractor = properties.prefix_extractor;
  facts->comparator = keys.comparator();
  facts->index_bytes = table.index_bytes();
  if (table.engine() == Engine::kRocksDB) TakeKeys(properties, facts);
  if (!facts->has_filter()) {
    facts->expected_rate = 1;
    return table.engine() == Engine::kRocksDB || EstimateKeys(table, facts, error);
  }
  TableFilters filters;
  if (!filters.Init(table, error)) return false;
  if (facts->kind == FilterKind::kByOffset) {
    return InspectByOffset(table, &filters, facts, error);
  }
  const bool done = facts->kind == FilterKind::kFull ? InspectFull(&filters, facts, error)
                                                     : InspectPartitions(&filters, facts, error);
  // RocksDB counts the extractor's empty prefix as a key of each filter.
  if (facts->ranges.files != 0) facts->num_keys = std::min(facts->num_keys, properties.num_entries);
  return done;
}

}  // namespace bloomline::db
