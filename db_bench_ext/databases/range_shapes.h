// Keys as schemas make them, and ranges of them that are empty, short and long.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_SHAPES_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bloomline::bench::ranges {

// [begin, end)
struct Range {
  std::string begin;
  std::string end;
};

// Which ranges: of a group of keys that is not there, of one that is, and of many groups.
enum class RangeKind { kEmpty, kShort, kLong };
constexpr RangeKind kRangeKinds[] = {RangeKind::kEmpty, RangeKind::kShort, RangeKind::kLong};
const char* RangeKindName(RangeKind kind);

struct Shape {
  const char* name;
  const char* description;
  // The length of the prefix that is most useful to RocksDB's own extractor.
  size_t prefix_bytes;
  // Keys are written in the order of index % order, as they arrive; 0: in a random one.
  uint64_t order;
  // Key number `index`; all indexes give different keys.
  std::string (*key)(uint64_t index);
  // A range in a database of the keys 0 to num_keys - 1, for a random number.
  Range (*range)(RangeKind kind, uint64_t num_keys, uint64_t random);
  uint64_t (*max_keys)() = nullptr;  // null: any number
};

const std::vector<Shape>& Shapes();

}  // namespace bloomline::bench::ranges

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_SHAPES_H_
