// The layout and shape of a filter inside LevelDB (docs/format.md, section 4).
#ifndef BLOOMLINE_FILTER_SIZING_LEVELDB_SHAPES_H_
#define BLOOMLINE_FILTER_SIZING_LEVELDB_SHAPES_H_

#include <cstdint>

#include "bloomline/filter_options.h"
#include "src/filter/bits/filter_shape.h"

namespace bloomline::filter {

// Up to this many keys, kBlocked and kCompact write flat filters unless these are small sets:
// rounding to blocks would cost 14 bits per key at 36 keys. A flat filter of 500 keys at 10 bits
// has 10 cache lines, which all stay in the L1 cache.
constexpr uint64_t kMaxFlatKeys = 500;

// The shape of a filter in LevelDB: LevelDB's own layout; flat, or blocked above kMaxFlatKeys; or,
// in kCompact, a small set (section 4.1) if it is better. In kCompact it takes up to 2 us.
FilterShape LevelDBShape(Format format, uint64_t num_keys, double bits_per_key);

// LevelDBShape of many filters, by their number of keys, which counts duplicates. Sizes saturate
// instead of wrapping.
class LevelDBShapes {
 public:
  // The options are valid. kCompact: fills a table, which takes 25 to 120 us.
  LevelDBShapes(Format format, double bits_per_key);

  FilterShape For(uint64_t num_keys) const;

 private:
  // From this many keys on, a small set has several blocks, whose mean load changes little.
  static constexpr uint64_t kTabledKeys = 61;

  const Format format_;
  const double bits_per_key_;
  bool has_small_set_[kTabledKeys + 1] = {};  // by the number of keys; the last one: or more
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_SIZING_LEVELDB_SHAPES_H_
