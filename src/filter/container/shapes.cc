#include "src/filter/container/shapes.h"

#include <algorithm>

#include "src/filter/layouts/layout_row.h"
#include "src/filter/rates/rates.h"

namespace bloomline::filter {
namespace {

// Up to this many keys, kBlocked is flat. Above it, rounding to blocks costs less than the time
// that flat queries take: at 10 bits per key, flat filters of 201 to 500 keys would have 0.82
// instead of 0.88 %, in 12 of 470 bytes less.
constexpr uint64_t kMaxFlatTableKeys = 200;

FilterShape SmallBlockedShape(uint64_t num_keys, double bits_per_key) {
  return kFlatRow.table_shape({num_keys, bits_per_key});
}

// Whether a small set has blocks, and they have a lower rate than a flat filter of the same size.
// With few keys or bits, their header and spare slots cost more than they gain.
bool IsSmallSetBetter(uint64_t num_keys, double bits_per_key) {
  const FilterShape shape = LevelDBSmallSetShape(num_keys, bits_per_key);
  if (shape.always_matches()) return false;
  const FilterShape flat = kFlatRow.leveldb_shape({num_keys, bits_per_key});
  return ExactShapeRate(shape, num_keys) < ExactShapeRate(flat, num_keys);
}

}  // namespace

FilterShape StandaloneShape(Format format, uint64_t num_keys, double bits_per_key,
                            uint64_t end_bytes, uint64_t max_payload_bytes) {
  const LayoutRow& row = format == Format::kCompact ? kCompactRow : kBlockedRow;
  FilterShape shape = row.shape({num_keys, bits_per_key, end_bytes, max_payload_bytes});
  if (num_keys == 0) shape.num_blocks = 0;
  return shape;
}

FilterShape TableShape(Format format, uint64_t num_keys, double bits_per_key, uint64_t end_bytes,
                       uint64_t max_payload_bytes) {
  if (num_keys == 0) {  // the layout of one key
    FilterShape shape = TableShape(format, 1, bits_per_key, end_bytes, max_payload_bytes);
    shape.num_blocks = 0;
    return shape;
  }
  const ShapeRequest request = {num_keys, bits_per_key, end_bytes, max_payload_bytes};
  if (format == Format::kCompact) return kCompactRow.table_shape(request);
  if (num_keys <= kMaxFlatTableKeys) return SmallBlockedShape(num_keys, bits_per_key);
  FilterShape shape = kBlockedRow.table_shape(request);
  // More keys never take fewer bytes.
  const uint64_t least_bytes = SmallBlockedShape(kMaxFlatTableKeys, bits_per_key).payload_bytes();
  shape.num_blocks = std::max(shape.num_blocks, CeilDiv(least_bytes, kernels::kBlockBytes));
  return shape;
}

FilterShape ClassicShape(uint64_t num_keys, double bits_per_key) {
  return kClassicRow.leveldb_shape({num_keys, bits_per_key});
}

FilterShape LevelDBBloomShape(uint64_t num_keys, double bits_per_key) {
  return (num_keys <= kMaxFlatKeys ? kFlatRow : kBlockedRow)
      .leveldb_shape({num_keys, bits_per_key});
}

FilterShape LevelDBSmallSetShape(uint64_t num_keys, double bits_per_key) {
  return kSmallSetRow.leveldb_shape({num_keys, bits_per_key});
}

LevelDBShapes::LevelDBShapes(Format format, double bits_per_key)
    : format_(format), bits_per_key_(bits_per_key) {
  if (format != Format::kCompact) return;
  for (uint64_t n = 1; n <= kTabledKeys; ++n) {
    has_small_set_[n] = IsSmallSetBetter(n, bits_per_key);
  }
}

FilterShape LevelDBShapes::For(uint64_t num_keys) const {
  if (format_ == Format::kClassic) return ClassicShape(num_keys, bits_per_key_);
  if (has_small_set_[std::min(num_keys, kTabledKeys)]) {
    const FilterShape shape = LevelDBSmallSetShape(num_keys, bits_per_key_);
    if (!shape.always_matches()) return shape;
  }
  return LevelDBBloomShape(num_keys, bits_per_key_);
}

}  // namespace bloomline::filter
