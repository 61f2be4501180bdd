#include "src/db/verify/verify_file.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "src/db/table_filters.h"

namespace bloomline::db {
namespace {

using engine_filters::EngineFilter;
using sstable::Engine;
using sstable::FilterKind;
using sstable::Table;

constexpr const char* kNoFilterQueried = "the engine queries no filter for them";
constexpr const char* kNoPrefix = "the filters hold only prefixes, and they have none";

// [*begin, *end) has the keys whose cell of so many bits is that of `key` (range_field.h).
// False: no cell is behind it.
bool RangeOfCell(std::string_view key, size_t bits, std::string* begin, std::string* end) {
  begin->resize(filter::CellBytes(bits));
  filter::CellOf(key, bits, begin->data());
  *end = *begin;
  unsigned carry = 1U << (8 * begin->size() - bits);
  for (size_t i = end->size(); i-- > 0 && carry != 0; carry >>= 8) {
    carry += static_cast<unsigned char>((*end)[i]);
    (*end)[i] = static_cast<char>(carry);
  }
  // Shorter keys end where their cells have zeros.
  for (std::string* bound : {begin, end}) bound->erase(bound->find_last_not_of('\0') + 1);
  return carry == 0;
}

// Where a key is.
struct Place {
  uint64_t sequence = 0;
  uint64_t block_offset = 0;
  uint32_t entry = 0;
};
using Batch = KeyBatch<Place>;

class Verifier {
 public:
  Verifier(const Table& table, uint64_t max_listed, std::atomic<uint64_t>* listed,
           VerifyResult* result)
      : table_(table), max_listed_(max_listed), listed_(listed), result_(*result), keys_(table) {}

  bool Run(cli::FileProgress* progress, std::string* error) {
    if (!filters_.Init(table_, error)) return false;
    // Those by offset are one block.
    if (table_.filter_kind() != FilterKind::kByOffset)
      was_read_.resize(static_cast<size_t>(filters_.num_filters()));
    const auto reader = table_.NewKeyReader(error);
    if (reader == nullptr) return false;
    uint64_t shown_offset = 0;
    while (reader->Next()) {
      if (!AddEntry(*reader, error)) return false;
      if ((++result_.counts.entries & 0xfff) == 0 && reader->block_offset() > shown_offset) {
        progress->AddBytes(reader->block_offset() - shown_offset);
        shown_offset = reader->block_offset();
      }
    }
    if (!Flush(error)) return false;
    for (size_t i = 0; i < was_read_.size(); ++i) {
      if (!was_read_[i] && filters_.At(i, error) == nullptr) return false;
    }
    progress->AddBytes(table_.file_bytes() - std::min(table_.file_bytes(), shown_offset));
    if (reader->error().empty()) return true;
    *error = reader->error();
    return false;
  }

 private:
  // Which filter the engine queries for this entry changes rarely; all of a batch go to one.
  bool AddEntry(const Table::KeyReader& reader, std::string* error) {
    const std::string_view user_key = reader.user_key();
    uint64_t filter = filter_;
    if (table_.filter_kind() == FilterKind::kFull) {
      filter = 0;
    } else if (table_.filter_kind() == FilterKind::kPartitioned ||
               reader.block_offset() != block_offset_) {
      block_offset_ = reader.block_offset();
      filter = filters_.FilterOf(user_key, reader.sequence(), block_offset_);
    }
    if (!have_filter_ || filter != filter_) {
      if (!Flush(error)) return false;
      // The engine would not find such keys; and a filter would be read for each of them.
      if (have_filter_ && filter < filter_) return NotInOrder(reader, error);
      have_filter_ = true;
      filter_ = filter;
      have_key_ = have_prefix_ = false;
      if (!OpenPartition(error)) return false;
    }
    const std::string_view key = keys_.Key(user_key);
    if (have_key_ && key == last_key_) return true;  // another version of it
    last_key_.assign(key);
    have_key_ = true;
    if (is_empty_partition_) {
      ++result_.counts.keys;
      AddLost(user_key, {}, {reader.sequence(), reader.block_offset(), reader.entry_in_block()},
              keys_.whole_keys() ? Loss::kKey : Loss::kEmptyPartition);
      return true;
    }
    if (keys_.whole_keys() && !AddTo(&whole_, reader, user_key, key.size(), error)) return false;
    if (keys_.unknown_prefixes()) ++result_.counts.unknown[keys_.unknown()];
    std::string_view prefix;
    if (!keys_.prefixes() || !keys_.Prefix(key, &prefix)) {
      if (!keys_.whole_keys() && !keys_.unknown_prefixes()) ++result_.counts.not_queried[kNoPrefix];
      return true;
    }
    if (have_prefix_ && prefix == last_prefix_) return true;
    last_prefix_.assign(prefix);
    have_prefix_ = true;
    return AddTo(&prefixes_, reader, user_key, prefix.size(), error);
  }

  // Whether the partition of the next keys has no bytes.
  bool OpenPartition(std::string* error) {
    is_empty_partition_ = false;
    if (table_.filter_kind() != FilterKind::kPartitioned || !IsFilter(filter_)) return true;
    if (filters_.At(filter_, error) == nullptr) return false;
    was_read_[static_cast<size_t>(filter_)] = true;
    const bool is_queried = keys_.whole_keys() || keys_.prefixes() || keys_.unknown_prefixes();
    is_empty_partition_ = is_queried && filters_.bytes() == 0;
    return true;
  }

  bool NotInOrder(const Table::KeyReader& reader, std::string* error) const {
    *error = table_.path() + ": data block at offset " + std::to_string(reader.block_offset()) +
             ": entry " + std::to_string(reader.entry_in_block()) +
             ": its key is before others in the order of comparator '" + keys_.comparator() + "'";
    return false;
  }

  bool AddTo(Batch* batch, const Table::KeyReader& reader, std::string_view user_key,
             size_t queried, std::string* error) {
    batch->Add(user_key, queried,
               {reader.sequence(), reader.block_offset(), reader.entry_in_block()});
    return !batch->is_full() || FlushBatch(batch, error);
  }

  bool Flush(std::string* error) {
    return FlushBatch(&whole_, error) && FlushBatch(&prefixes_, error);
  }

  bool FlushBatch(Batch* batch, std::string* error) {
    const size_t n = batch->size();
    if (n == 0) return true;
    const bool is_prefix = batch == &prefixes_;
    const EngineFilter* filter = nullptr;
    if (IsFilter(filter_) && (filter = filters_.At(filter_, error)) == nullptr) return false;
    if (filter_ < was_read_.size()) was_read_[static_cast<size_t>(filter_)] = true;
    const bool has_ranges = filter != nullptr && filter->ranges() != nullptr;
    // The empty prefix only stands for ranges.
    if (has_ranges && is_prefix &&
        table_.properties().prefix_extractor == filter::kRangeExtractorName) {
      batch->Clear();
      return true;
    }
    // RocksDB makes no reader of a full filter without bytes.
    const bool is_empty = filter != nullptr && filters_.bytes() == 0 &&
                          ContainerOf(table_) == engine_filters::Container::kRocksDB;
    if (is_empty || filter_ == Table::FilterReader::kNoFilter) {
      result_.counts.not_queried[kNoFilterQueried] += n;
      batch->Clear();
      return true;
    }
    if (filter == nullptr || !filter->CanQuery()) {
      result_.counts.unknown[WhyUnknown(filter)] += n;
      batch->Clear();
      return true;
    }
    (is_prefix ? result_.counts.prefixes : result_.counts.keys) += n;
    if (has_ranges) result_.counts.ranges += n;
    batch->Query(*filter, [&](std::string_view key, std::string_view queried, const Place& place,
                              bool may_match) {
      if (!may_match) return AddLost(key, queried, place, is_prefix ? Loss::kPrefix : Loss::kKey);
      if (has_ranges && !RangesMayMatch(*filter, queried)) {
        AddLost(key, queried, place, Loss::kRange);
      }
    });
    batch->Clear();
    return true;
  }

  // The range of this key alone, and those of all keys that begin as it does. A query of the first
  // looks up only some of its prefixes.
  bool RangesMayMatch(const EngineFilter& filter, std::string_view key) {
    end_.assign(key);
    end_.push_back('\0');
    if (!filter.RangeMayMatch(key, end_)) return false;
    const filter::EntryKinds& kinds = filter.ranges()->kinds;
    for (size_t i = 0; i < kinds.num_cells; ++i) {
      if (RangeOfCell(key, kinds.cells[i].bits, &begin_, &end_) &&
          !filter.RangeMayMatch(begin_, end_)) {
        return false;
      }
    }
    const std::string_view searched = key.substr(0, filter::kMaxPrefixBytes);
    for (size_t i = 0; i < kinds.num_prefixes; ++i) {
      const size_t kind = kinds.prefixes[i].depth;
      const char delimiter = static_cast<char>(kinds.prefixes[i].delimiter);
      size_t end = searched.find(delimiter) + 1;
      for (size_t depth = 1; end != 0; end = searched.find(delimiter, end) + 1, ++depth) {
        if (std::min(depth, filter::kMaxDepth) == kind &&
            !PrefixMayMatch(filter, searched.substr(0, end))) {
          return false;
        }
      }
    }
    return true;
  }

  bool PrefixMayMatch(const EngineFilter& filter, std::string_view prefix) {
    end_.assign(prefix.substr(0, prefix.find_last_not_of('\xff') + 1));
    if (end_.empty()) return true;  // no key is behind it
    ++end_.back();
    return filter.RangeMayMatch(prefix, end_);
  }

  static bool IsFilter(uint64_t index) {
    return index != Table::FilterReader::kNoFilter && index != Table::FilterReader::kUnknownFilter;
  }

  // `filter` is null if it is not known which one the engine queries. A filter that matches every
  // key because it is not understood here proves nothing.
  std::string WhyUnknown(const EngineFilter* filter) const {
    if (filter != nullptr) return filter->why();
    return "their partitions are not known: comparator '" + keys_.comparator() +
           "' is not known here";
  }

  void AddLost(std::string_view key, std::string_view queried, const Place& place, Loss loss) {
    if (result_.counts.lost++ == 0 && !keys_.order().is_known &&
        table_.engine() == Engine::kRocksDB) {
      result_.doubt = "comparator '" + keys_.comparator() +
                      "' is not known here: if its keys end in timestamps, which filters leave "
                      "out, they need not be lost";
    }
    if (listed_->fetch_add(1) >= max_listed_) return;
    result_.lost.push_back({std::string(key), std::string(loss == Loss::kPrefix ? queried : ""),
                            loss, place.sequence, place.block_offset, place.entry, filter_});
  }

  const Table& table_;
  const uint64_t max_listed_;
  std::atomic<uint64_t>* const listed_;
  VerifyResult& result_;
  const FilterKeys keys_;
  TableFilters filters_;
  std::vector<bool> was_read_;  // of filters that are blocks of their own
  Batch whole_;
  Batch prefixes_;
  bool have_filter_ = false;
  uint64_t filter_ = 0;
  bool is_empty_partition_ = false;
  uint64_t block_offset_ = ~uint64_t{0};
  bool have_key_ = false;
  std::string last_key_;
  bool have_prefix_ = false;
  std::string last_prefix_;
  std::string begin_;
  std::string end_;
};

}  // namespace

void VerifyCounts::Add(const VerifyCounts& other) {
  entries += other.entries;
  keys += other.keys;
  prefixes += other.prefixes;
  ranges += other.ranges;
  lost += other.lost;
  range_deletions += other.range_deletions;
  for (const auto& [reason, count] : other.not_queried) not_queried[reason] += count;
  for (const auto& [reason, count] : other.unknown) unknown[reason] += count;
}

bool VerifyFile(const Table& table, uint64_t max_listed, std::atomic<uint64_t>* listed,
                cli::FileProgress* progress, VerifyResult* result, std::string* error) {
  const uint64_t range_deletions = table.properties().num_range_deletions;
  if (range_deletions != sstable::kUnknownCount) result->counts.range_deletions = range_deletions;
  if (table.filter_kind() == FilterKind::kNone) {
    result->has_filter = false;
    progress->AddBytes(table.file_bytes());
    return true;
  }
  result->has_checksums = table.has_checksums();
  // On the heap: two batches are 24 KiB.
  return std::make_unique<Verifier>(table, max_listed, listed, result)->Run(progress, error);
}

}  // namespace bloomline::db
