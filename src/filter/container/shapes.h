// The layout and shape of a filter in each container (docs/format.md).
#ifndef BLOOMLINE_FILTER_CONTAINER_SHAPES_H_
#define BLOOMLINE_FILTER_CONTAINER_SHAPES_H_

#include <cstdint>

#include "bloomline/filter_options.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/trailer.h"

namespace bloomline::filter {

// ---- Filters on their own (section 5).

// `format` is kBlocked or kCompact. A filter with keys has at least one block, one without keys has
// none; the payload is at most max_payload_bytes, rounded down to blocks. end_bytes of the keys'
// memory go to EndBytes. Sizes saturate instead of wrapping.
FilterShape StandaloneShape(Format format, uint64_t num_keys, double bits_per_key,
                            uint64_t end_bytes = kTrailerBytes,
                            uint64_t max_payload_bytes = UINT64_MAX);

// ---- Filters inside RocksDB: as on their own, except that a small set, such as a partition, is
// not rounded up to whole blocks of 64 bytes.

// The options are valid. More keys never take fewer bytes. The parameters are those of
// StandaloneShape.
//
// kBlocked is flat up to 200 keys, with at least 64 bytes. At 10 bits per key, blocks
// give 60 keys 84 bytes and a false-positive rate of 1.7 %, and 186 keys 276 bytes and 0.6 %; flat
// they take 95 and 253 bytes, at 0.8 %. A query in the cache then takes 4.5 (up to 102 keys) or 6.3
// ns instead of 2.9 (AVX-512); in RocksDB's own filter it takes 6.4 to 11.
//
// kCompact has blocks of 32 bytes if those of 64 would take more than 1.1 times what the keys pay
// for, and those of 32, less the trailer, at least 0.95 times that: 186 keys take 244 instead of
// 276 bytes, at 0.27 instead of 0.08 %.
FilterShape TableShape(Format format, uint64_t num_keys, double bits_per_key,
                       uint64_t end_bytes = kTrailerBytes, uint64_t max_payload_bytes = UINT64_MAX);

// ---- Filters inside LevelDB (section 4).

// Up to this many keys, kBlocked and kCompact write flat filters unless these are compact: rounding
// to blocks would cost 14 bits per key at 36 keys. A flat filter of 500 keys at 10 bits has 10
// cache lines, which all stay in the L1 cache.
constexpr uint64_t kMaxFlatKeys = 500;

// Shapes of the filters of n keys; n counts duplicates. Sizes saturate instead of wrapping.

// kClassic: LevelDB's own Bloom filter.
FilterShape ClassicShape(uint64_t num_keys, double bits_per_key);
// kBlocked: flat, or blocked above kMaxFlatKeys. num_keys > 0.
FilterShape LevelDBBloomShape(uint64_t num_keys, double bits_per_key);
// kCompact: the compact blocks that replace a flat or blocked filter of as many bytes or more
// (section 4.1). Layout kAlwaysMatch if there are none.
FilterShape LevelDBSmallSetShape(uint64_t num_keys, double bits_per_key);

// Chooses among these for a filter of n keys in LevelDB, in one format at one number of bits per
// key.
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

#endif  // BLOOMLINE_FILTER_CONTAINER_SHAPES_H_
