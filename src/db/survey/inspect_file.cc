// Reads the facts about one table and its filters (inspection.h).
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/db/engine_filters/table_range_filter.h"
#include "src/db/survey/inspection.h"
#include "src/db/survey/key_walk.h"
#include "src/db/tables/table_parts.h"

namespace bloomline::db {
namespace {

using engine_filters::EngineFilter;
using engine_filters::FilterLayout;
using tables::Engine;
using tables::FilterKind;
using tables::kUnknownCount;
using tables::Table;

// The first keys of a table that does not record how many it has, and the prefixes that its filters
// hold. Filters by offset are for the data blocks that begin in the same 2 KiB, or in another power
// of two.
struct FirstKeys {
  uint64_t keys = 0;                     // distinct keys, and distinct prefixes
  uint64_t added_keys = 0;               // one in two filters counts twice
  std::vector<uint64_t> keys_of_filter;  // only if the whole file was read
  uint64_t filters = 0;                  // filters that hold these keys
  uint64_t next_filter = 0;              // the first filter behind them
  uint64_t blocks = 0;
  uint64_t file_bytes = 0;    // of the blocks
  bool has_versions = false;  // a key has several entries
  bool whole_file = false;
};

// The filters of a table by offset: how many bytes of data each covers, and how many there are.
struct OffsetFilters {
  unsigned base_lg = Table::FilterReader::kLevelDBBaseLg;
  uint64_t num_filters = ~uint64_t{0};  // no filters: as many as the data needs
};

// Counts the keys of the first filters whose blocks are read completely.
bool CountKeys(const Table& table, const OffsetFilters& filters, uint64_t most_filters,
               FirstKeys* first, std::string* error) {
  const uint64_t last_filter = std::max<uint64_t>(filters.num_filters, 1) - 1;
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  const FilterKeys keys(table);
  std::vector<uint64_t> keys_of_filter;
  FirstKeys read;  // with the filter whose blocks are being read
  std::optional<std::string> last, last_prefix;
  uint64_t block = ~uint64_t{0};
  while (true) {
    const bool has_entry = reader->Next();
    if (!has_entry && reader->error().empty()) {
      *first = read;
      first->keys_of_filter = std::move(keys_of_filter);
      first->file_bytes = table.file_bytes();
      first->whole_file = true;
      return true;
    }
    const uint64_t filter = std::min(reader->block_offset() >> filters.base_lg, last_filter);
    const bool begins_filter = filter >= read.next_filter;
    if (begins_filter) {
      read.file_bytes = reader->block_offset();
      *first = read;
      if (read.filters == most_filters) return true;
      ++read.filters;
      read.next_filter = filter + 1;
      keys_of_filter.resize(filter + 1);
    }
    if (!has_entry) return true;  // verify reports it; the blocks before the damaged one are whole
    if (reader->block_offset() != block) ++read.blocks;
    block = reader->block_offset();
    const auto count = [&](std::string_view unit, std::optional<std::string>* before) {
      const bool is_new = *before != unit;
      if (is_new) ++read.keys;
      if (!is_new && !begins_filter) return;
      ++read.added_keys;
      ++keys_of_filter.back();
      *before = unit;
    };
    const std::string_view key = keys.Key(reader->user_key());
    const bool is_version = last == key;
    read.has_versions = read.has_versions || is_version;
    if (is_version && !begins_filter) continue;
    std::string_view prefix;
    if (keys.Prefix(key, &prefix)) count(prefix, &last_prefix);
    if (keys.whole_keys) {
      count(key, &last);
    } else {
      last = key;
    }
  }
}

// Looks for a key with several entries in some blocks behind the first ones.
bool HasVersions(const Table& table, const FirstKeys& first) {
  constexpr uint64_t kPlaces = 8;
  std::string error;  // ignored: a damaged block counts as one without such a key
  const auto reader = table.NewKeyReader(&error);
  if (reader == nullptr) return false;
  const FilterKeys keys(table);
  const double blocks = static_cast<double>(first.blocks) *
                        Quotient(table.file_bytes(), std::max<uint64_t>(1, first.file_bytes));
  const auto skipped = static_cast<uint64_t>(blocks / (kPlaces + 1));
  std::string last;
  for (reader->SkipBlocks(skipped); reader->Next(); reader->SkipBlocks(skipped)) {
    const uint64_t block = reader->block_offset();
    do {
      last.assign(keys.Key(reader->user_key()));
      if (!reader->Next()) return false;
      if (keys.Key(reader->user_key()) == last) return true;
    } while (reader->block_offset() == block);
  }
  return false;
}

// Counts the keys of the first filters, and finds out whether keys have several entries. With 16
// filters of 36 keys and 46 bytes on average, the keys per byte are right to 1 %, because sizes are
// rounded to bytes.
bool CountFirstKeys(const Table& table, const OffsetFilters& filters, FirstKeys* first,
                    std::string* error) {
  constexpr uint64_t kFilters = 16;
  if (!CountKeys(table, filters, kFilters, first, error)) return false;
  first->has_versions = first->has_versions || (!first->whole_file && HasVersions(table, *first));
  return true;
}

// Counts the keys of a table that may have filters by offset. A flushed memtable has all versions
// of a key, and the engines' own filters have bits for all. So the filters' sizes do not show the
// keys, and we read the file.
bool CountKeysByOffset(const Table& table, const OffsetFilters& filters, FirstKeys* first,
                       std::string* error) {
  return CountFirstKeys(table, filters, first, error) &&
         (!first->has_versions || first->whole_file ||
          CountKeys(table, filters, ~uint64_t{0}, first, error));
}

// Estimates the keys of a LevelDB table without filters from the first ones and the file's size.
bool EstimateKeys(const Table& table, FileFacts* facts, std::string* error) {
  if (facts->keys_unknown) return true;
  FirstKeys first;
  if (!CountKeysByOffset(table, {}, &first, error)) return false;
  facts->keys_estimated = !first.whole_file;
  facts->num_keys = static_cast<uint64_t>(
      std::llround(Quotient(first.keys, std::max<uint64_t>(1, first.file_bytes)) *
                   static_cast<double>(table.file_bytes())));
  facts->missing_filters = facts->num_keys * first.filters / std::max<uint64_t>(1, first.keys);
  return true;
}

void CountLayout(const EngineFilter& filter, uint64_t bytes, FileFacts* facts) {
  LayoutCount& count = facts->layouts[filter.layout];
  ++count.filters;
  count.bytes += bytes;
  ++facts->num_filters;
  facts->filter_bytes += bytes;
  if (filter.layout == FilterLayout::kUnknown) facts->why_unknown = filter.why;
  facts->entry_bytes += filter.entry_bytes;
}

// RocksDB keeps a block with its list of filters in memory, and a new filter is one for the table.
void CountAsOne(uint64_t block_bytes, FileFacts* facts) {
  if (facts->layouts.empty()) return;
  for (auto& [layout, count] : facts->layouts) count.filters = 1;
  const uint64_t list_bytes = block_bytes - std::min(block_bytes, facts->filter_bytes);
  facts->layouts.rbegin()->second.bytes += list_bytes;
  facts->filter_bytes += list_bytes;
  facts->num_filters = 1;
}

bool InspectByOffset(const Table& table, TableFilters* filters, FileFacts* facts,
                     std::string* error) {
  FirstKeys first;
  const OffsetFilters by_offset{filters->reader().base_lg(), filters->reader().num_filters()};
  if (!facts->keys_unknown && !CountKeysByOffset(table, by_offset, &first, error)) return false;
  uint64_t first_bytes = 0;
  for (uint64_t i = 0; i < std::min(first.next_filter, filters->reader().num_filters()); ++i) {
    const EngineFilter* filter = filters->At(i, error);
    if (filter == nullptr) return false;
    if (filters->bytes() != 0) first_bytes += filter->payload_bytes;
  }
  const double keys_per_byte = Quotient(first.added_keys, std::max<uint64_t>(1, first_bytes));
  double keys = 0;
  double matches = 0;
  for (uint64_t i = 0; i < filters->reader().num_filters(); ++i) {
    const EngineFilter* filter = filters->At(i, error);
    if (filter == nullptr) return false;
    if (filters->bytes() == 0) continue;  // no data block begins in its bytes
    CountLayout(*filter, filters->bytes(), facts);
    const double its_keys =
        i < first.keys_of_filter.size()
            ? static_cast<double>(first.keys_of_filter[i])
            : std::max(1.0, std::round(keys_per_byte * static_cast<double>(filter->payload_bytes)));
    keys += its_keys;
    matches += its_keys * filter->ExpectedRate(static_cast<uint64_t>(its_keys));
  }
  if (facts->is_block_based()) CountAsOne(table.parts().filter.size, facts);
  if (!FilterKeys(table).unknown.empty()) return true;  // TakeKeys has a number, which has no rate
  if (facts->keys_unknown) return true;
  if (keys_per_byte > 0) facts->expected_rate = matches / keys;
  // RocksDB records the entries: the keys, if there are neither versions nor prefixes.
  const bool is_counted =
      facts->is_block_based() && facts->num_keys != 0 && !facts->prefixes && !first.has_versions;
  facts->keys_estimated = !is_counted && !first.whole_file;
  if (is_counted) return true;
  const double of_added = first.added_keys == 0 ? 1 : Quotient(first.keys, first.added_keys);
  facts->num_keys =
      first.whole_file ? first.keys : static_cast<uint64_t>(std::llround(keys * of_added));
  return true;
}

// Inspects a full filter, or partitions, whose keys are proportional to their bytes because all
// have the same bits per key.
bool InspectFilters(const Table& table, TableFilters* filters, FileFacts* facts,
                    std::string* error) {
  double bytes = 0;
  // Filters with the bytes that keys take. ExpectedRate does not read a filter's borrowed bytes.
  std::vector<std::pair<double, EngineFilter>> opened;
  for (uint64_t i = 0; i < filters->reader().num_filters(); ++i) {
    const EngineFilter* filter = filters->At(i, error);
    if (filter == nullptr) return false;
    CountLayout(*filter, filters->bytes(), facts);
    opened.emplace_back(std::max(1.0, static_cast<double>(filters->bytes() - filter->entry_bytes)),
                        *filter);
    bytes += opened.back().first;
  }
  const double keys_per_byte = static_cast<double>(facts->num_keys) / bytes;
  bool is_known = facts->num_keys != 0;
  if (is_known && facts->keys_estimated) {
    // The number of entries is that of keys unless there are prefixes or versions of a key.
    FirstKeys first;
    std::string damage;  // verify reports it
    is_known =
        !facts->prefixes && CountFirstKeys(table, {}, &first, &damage) && !first.has_versions;
  }
  double matches = 0;
  for (const auto& [its_bytes, filter] : opened) {
    const auto keys = static_cast<uint64_t>(std::llround(keys_per_byte * its_bytes));
    const bool has_rate = is_known || filter.layout == FilterLayout::kNoKeys;
    matches += its_bytes * (has_rate ? filter.ExpectedRate(keys) : std::nan(""));
  }
  if (bytes > 0) facts->expected_rate = matches / bytes;
  return true;
}

// Takes the numbers that RocksDB records. Files without filter entries, or without their number,
// count all entries except range deletions.
void TakeKeys(const tables::Properties& properties, FileFacts* facts) {
  if (properties.num_filter_entries != kUnknownCount && properties.num_filter_entries != 0) {
    facts->num_keys = properties.num_filter_entries;
    // RocksDB counts this extractor's empty prefix as a key of each filter.
    if (properties.prefix_extractor == engine_filters::kRangeExtractor) {
      facts->num_keys = std::min(facts->num_keys, properties.num_entries);
    }
    return;
  }
  facts->keys_estimated = facts->has_filter();
  if (properties.num_entries == kUnknownCount) return;
  const uint64_t range_deletions =
      properties.num_range_deletions == kUnknownCount ? 0 : properties.num_range_deletions;
  facts->num_keys = properties.num_entries - std::min(properties.num_entries, range_deletions);
}

std::vector<std::string> UnknownFilters(const Table& table) {
  std::vector<std::string> names = table.filter_entries();
  if (!names.empty() && engine_filters::IsKnownName(ContainerOf(table), table.filter_name())) {
    names.erase(names.begin());
  }
  return names;
}

// Needs the number of keys.
void TakeRanges(const Table& table, FileFacts* facts) {
  const std::string_view value =
      table.parts().stored_properties.Text(engine_filters::kRangeProperty);
  if (value.empty()) return;
  const engine_filters::TableRangeFilter filter(value);
  facts->ranges.files = 1;
  facts->ranges.bytes = value.size();
  if (!facts->keys_unknown) facts->ranges.num_keys = facts->num_keys;
  if (filter.is_understood()) facts->ranges.kinds.Add(filter.kinds());
  facts->why_unasked = filter.WhyUnasked(table.properties().comparator);
}

bool InspectPointFilters(const Table& table, FileFacts* facts, std::string* error) {
  if (!facts->has_filter()) {
    facts->expected_rate = 1;
    facts->missing_filters = 1;
    return table.engine() == Engine::kRocksDB || EstimateKeys(table, facts, error);
  }
  TableFilters filters;
  if (!filters.Init(table, error)) return false;
  if (facts->filter_kind == FilterKind::kByOffset) {
    return InspectByOffset(table, &filters, facts, error);
  }
  return InspectFilters(table, &filters, facts, error);
}

}  // namespace

bool InspectFile(const Table& table, FileFacts* facts, std::string* error) {
  const tables::Properties& properties = table.properties();
  const FilterKeys keys(table);
  facts->engine = table.engine();
  facts->format_version = table.format_version();
  facts->filter_kind = table.filter_kind();
  facts->filter_name = table.filter_name();
  facts->unknown_filters = UnknownFilters(table);
  facts->properties = properties;
  facts->whole_keys = keys.whole_keys;
  facts->prefixes = keys.prefixes || !keys.unknown.empty();
  facts->index_bytes = table.index_bytes();
  if (table.engine() == Engine::kRocksDB) TakeKeys(properties, facts);
  facts->keys_unknown = !table.HasSequenceNumbers();
  if (!InspectPointFilters(table, facts, error)) return false;
  TakeRanges(table, facts);
  return true;
}

}  // namespace bloomline::db
