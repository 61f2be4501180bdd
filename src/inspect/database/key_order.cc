#include "src/inspect/database/key_order.h"

#include <algorithm>
#include <string_view>

namespace bloomline::database {
namespace {

// What RocksDB appends to the names of its comparators with timestamps of 8 bytes.
constexpr std::string_view kTimestampMark = ".u64ts";
constexpr size_t kTimestampBytes = 8;

}  // namespace

void SortByLevelAndKey(const std::string& comparator, TableFile* begin, TableFile* end) {
  std::string_view name = comparator;
  const bool has_timestamp = name.size() > kTimestampMark.size() &&
                             name.substr(name.size() - kTimestampMark.size()) == kTimestampMark;
  if (has_timestamp) name.remove_suffix(kTimestampMark.size());
  const bool is_reverse = name == "rocksdb.ReverseBytewiseComparator";
  const auto key = [&](const std::string& user_key) {
    std::string_view bytes = user_key;
    if (has_timestamp && bytes.size() >= kTimestampBytes) bytes.remove_suffix(kTimestampBytes);
    return bytes;
  };
  std::sort(begin, end, [&](const TableFile& a, const TableFile& b) {
    if (a.level != b.level) return a.level < b.level;
    const int order = a.level == 0 ? 0 : key(a.smallest_key).compare(key(b.smallest_key));
    if (order == 0) return a.number < b.number;
    return is_reverse ? order > 0 : order < 0;
  });
}

}  // namespace bloomline::database
