// Shapes of filters inside RocksDB (docs/format.md, section 5): those of filters on their own,
// except that a small set, such as a partition, is not rounded up to whole blocks of 64 bytes.
#ifndef BLOOMLINE_FILTER_FORMAT_TABLE_SHAPE_H_
#define BLOOMLINE_FILTER_FORMAT_TABLE_SHAPE_H_

#include <cstdint>

#include "bloomline/filter_options.h"
#include "src/filter/format/layout.h"
#include "src/filter/format/trailer.h"

namespace bloomline::filter {

// Above it, rounding to blocks costs less than the time that flat queries take: at 10 bits per key,
// flat filters of 201 to 500 keys would have 0.82 instead of 0.88 %, in 12 of 470 bytes less.
constexpr uint64_t kMaxFlatTableKeys = 200;

// As StandaloneShape. The options are valid, and num_keys > 0. More keys never take fewer bytes.
//
// kBlocked is flat up to kMaxFlatTableKeys keys, with at least 64 bytes. At 10 bits per key, blocks
// give 60 keys 84 bytes and a false-positive rate of 1.7 %, and 186 keys 276 bytes and 0.6 %; flat
// they take 95 and 253 bytes, at 0.8 %. A query in the cache then takes 4.5 (up to 102 keys) or 6.3
// ns instead of 2.9 (AVX-512); in RocksDB's own filter it takes 6.4 to 11.
//
// kCompact has blocks of 32 bytes where those of 64 would take more than 1.1 times what the keys
// pay for, and those of 32, less the trailer, at least 0.95 times that: 186 keys take 244 instead
// of 276 bytes, at 0.27 instead of 0.08 %.
FilterShape TableShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                       uint64_t max_payload_bytes, uint64_t end_bytes = kTrailerBytes);

// The most keys whose filter takes at most `bytes`, of which end_bytes follow the payload; if there
// is no such filter, the most keys of the smallest one. Cost: 0.5 us.
uint64_t MaxTableKeys(Format format, double bits_per_key, uint64_t bytes,
                      uint64_t end_bytes = kTrailerBytes);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_FORMAT_TABLE_SHAPE_H_
