// Keys, and ranges of them that are empty, short and long.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_SHAPES_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/databases/harness.h"

namespace bloomline::bench::ranges {

// [begin, end)
struct Range {
  std::string begin;
  std::string end;
};

// All keys that begin with the prefix.
inline Range Under(const std::string& prefix) {
  Range range = {prefix, prefix};
  ++range.end.back();
  return range;
}

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

// As schemas make them.
const std::vector<Shape>& Shapes();

// With fields of fixed width (padded_shapes.cc). Each shape twice: the second time with foreign
// keys, a short one and a long one among 5,000.
std::vector<Shape> PaddedShapes();

// Those that nobody made for a bench (range_lists.cc): files, words (package wamerican), domain
// names (package publicsuffix).
std::vector<Shape> RealLists();
// All of the above.
std::vector<Shape> AllShapes();
// The list of files that support/key_list.sh printed: lines of a path, a space and a size. To be
// set before the shapes are used.
std::string& FileListPath();

// --scans and --shapes.
void AddShapeFlags(CommandLine* command, Flags* flags);

}  // namespace bloomline::bench::ranges

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_SHAPES_H_
