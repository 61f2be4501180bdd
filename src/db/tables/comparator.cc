#include "src/db/tables/comparator.h"

#include "src/db/tables/bytes/coding.h"

namespace bloomline::tables {

KeyOrder OrderOf(std::string_view comparator) {
  constexpr std::string_view kWithTimestamp = ".u64ts";
  KeyOrder order;
  const std::string_view name = comparator.substr(0, comparator.rfind('.'));
  if (comparator.substr(name.size()) == kWithTimestamp) {
    comparator = name;
    order.timestamp_bytes = 8;
  }
  order.is_reversed = comparator == "rocksdb.ReverseBytewiseComparator";
  order.is_known = order.is_reversed || comparator == "leveldb.BytewiseComparator";
  return order.is_known ? order : KeyOrder();
}

KeyOrder OrderOf(const Properties& properties) {
  KeyOrder order = OrderOf(std::string_view(properties.comparator));
  if (!properties.keys_have_timestamps) order.timestamp_bytes = 0;
  return order;
}

int Compare(const KeyOrder& order, std::string_view a, std::string_view b) {
  const std::string_view key_a = WithoutTimestamp(order, a);
  const std::string_view key_b = WithoutTimestamp(order, b);
  const int result = key_a.compare(key_b);
  if (result != 0) return order.is_reversed ? -result : result;
  if (order.timestamp_bytes != 8 || a.size() < 8 || b.size() < 8) return 0;
  const uint64_t time_a = LoadLittleEndian64(a.data() + key_a.size());
  const uint64_t time_b = LoadLittleEndian64(b.data() + key_b.size());
  return time_a == time_b ? 0 : time_a > time_b ? -1 : 1;
}

}  // namespace bloomline::tables
