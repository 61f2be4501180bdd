// The engines' built-in orders of keys, by the comparator's name, and the timestamp that some
// comparators expect at the end of each key. Keys in other orders cannot be compared here.
#ifndef BLOOMLINE_DB_TABLES_COMPARATOR_H_
#define BLOOMLINE_DB_TABLES_COMPARATOR_H_

#include <cstddef>
#include <string_view>

#include "src/db/tables/table.h"

namespace bloomline::tables {

struct KeyOrder {
  bool is_known = false;
  bool is_reversed = false;
  size_t timestamp_bytes = 0;  // at the end of each user key; filters have keys without it
};

// "leveldb.BytewiseComparator", "rocksdb.ReverseBytewiseComparator", and RocksDB's forms of both
// that end in ".u64ts".
KeyOrder OrderOf(std::string_view comparator);
// The order of a table's keys, whose timestamps may have been stripped.
KeyOrder OrderOf(const Properties& properties);

// Returns a number below, at, or above 0. The order must be known. Of equal keys, the key with the
// larger timestamp comes first.
int Compare(const KeyOrder& order, std::string_view a, std::string_view b);

// The key that the engine gives to its filter. A key that is too short is returned whole.
inline std::string_view WithoutTimestamp(const KeyOrder& order, std::string_view user_key) {
  if (user_key.size() < order.timestamp_bytes) return user_key;
  return user_key.substr(0, user_key.size() - order.timestamp_bytes);
}

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_COMPARATOR_H_
