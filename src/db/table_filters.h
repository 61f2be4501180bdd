// The filters of a table, one at a time, and the keys that they hold.
#ifndef BLOOMLINE_DB_TABLE_FILTERS_H_
#define BLOOMLINE_DB_TABLE_FILTERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/db/engine_filters/engine_filter.h"
#include "src/db/sstable/comparator.h"
#include "src/db/sstable/table.h"

namespace bloomline::db {

// Opens filters by number; the last one stays open. Not thread-safe.
class TableFilters {
 public:
  // Returns false with *error if the table is damaged.
  bool Init(const sstable::Table& table, std::string* error);

  uint64_t num_filters() const { return reader_->num_filters(); }
  // FilterReader::FilterOf.
  uint64_t FilterOf(std::string_view user_key, uint64_t sequence, uint64_t block_offset) const {
    return reader_->FilterOf(user_key, sequence, block_offset);
  }
  // Valid until the next call with another index. Returns null with *error if the table is damaged.
  const engine_filters::EngineFilter* At(uint64_t index, std::string* error);
  uint64_t bytes() const { return bytes_; }  // of the one that is open

 private:
  const sstable::Table* table_ = nullptr;
  std::unique_ptr<sstable::Table::FilterReader> reader_;
  uint64_t index_ = ~uint64_t{0};
  uint64_t bytes_ = 0;
  engine_filters::EngineFilter filter_;
};

// The keys and prefixes that an engine adds to the filters of a table for each of its keys, and
// queries.
class FilterKeys {
 public:
  explicit FilterKeys(const sstable::Table& table);

  bool whole_keys() const { return whole_keys_; }
  // The table's filters hold prefixes whose extractor is known.
  bool prefixes() const { return prefixes_; }
  // Why some keys or prefixes cannot be queried; empty: all can.
  const std::string& unknown() const { return unknown_; }
  // The table's filters hold prefixes, or may hold some, whose extractor is unknown.
  bool unknown_prefixes() const { return !unknown_.empty(); }

  const sstable::KeyOrder& order() const { return order_; }
  const std::string& comparator() const { return comparator_; }

  // The key without its timestamp.
  std::string_view Key(std::string_view user_key) const {
    return sstable::WithoutTimestamp(order_, user_key);
  }
  // The prefix that the filter holds for a key (without timestamp). Returns false if it holds none.
  bool Prefix(std::string_view key, std::string_view* prefix) const {
    if (!capped_ && key.size() < prefix_bytes_) return false;
    *prefix = key.substr(0, prefix_bytes_);
    return true;
  }

 private:
  bool whole_keys_ = true;
  bool prefixes_ = false;
  bool capped_ = false;
  size_t prefix_bytes_ = 0;
  sstable::KeyOrder order_;
  std::string comparator_;
  std::string unknown_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_TABLE_FILTERS_H_
