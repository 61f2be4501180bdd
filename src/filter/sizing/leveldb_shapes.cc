#include "src/filter/sizing/leveldb_shapes.h"

#include <algorithm>

#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

// Whether a small set has blocks, and they have a lower rate than a flat filter of the same size.
// With few keys or bits, the blocks' header and spare slots cost more than they gain.
bool IsSmallSetBetter(uint64_t num_keys, double bits_per_key) {
  const FilterShape shape = kSmallSetRow.leveldb_shape({num_keys, bits_per_key});
  if (shape.always_matches()) return false;
  const FilterShape flat = kFlatRow.leveldb_shape({num_keys, bits_per_key});
  return ExactShapeRate(shape, num_keys) < ExactShapeRate(flat, num_keys);
}

FilterShape ShapeOf(Format format, const ShapeRequest& request, bool has_small_set) {
  if (format == Format::kClassic) return kClassicRow.leveldb_shape(request);
  if (has_small_set) {
    const FilterShape shape = kSmallSetRow.leveldb_shape(request);
    if (!shape.always_matches()) return shape;
  }
  return (request.num_keys <= kMaxFlatKeys ? kFlatRow : kBlockedRow).leveldb_shape(request);
}

}  // namespace

FilterShape LevelDBShape(Format format, uint64_t num_keys, double bits_per_key) {
  const bool has_small_set = format == Format::kCompact && IsSmallSetBetter(num_keys, bits_per_key);
  return ShapeOf(format, {num_keys, bits_per_key}, has_small_set);
}

LevelDBShapes::LevelDBShapes(Format format, double bits_per_key)
    : format_(format), bits_per_key_(bits_per_key) {
  if (format != Format::kCompact) return;
  for (uint64_t n = 1; n <= kTabledKeys; ++n) {
    has_small_set_[n] = IsSmallSetBetter(n, bits_per_key);
  }
}

FilterShape LevelDBShapes::For(uint64_t num_keys) const {
  return ShapeOf(format_, {num_keys, bits_per_key_},
                 has_small_set_[std::min(num_keys, kTabledKeys)]);
}

}  // namespace bloomline::filter
