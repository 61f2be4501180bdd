// Shapes of filters inside RocksDB (docs/format.md, section 5). They are those of filters on their
// own, except that a small set, such as a partition, is not rounded up to whole blocks.
#ifndef BLOOMLINE_FORMAT_TABLE_SHAPE_H_
#define BLOOMLINE_FORMAT_TABLE_SHAPE_H_

#include <cstdint>

#include "bloomline/filter_options.h"
#include "src/format/layout.h"

namespace bloomline::core {

// As StandaloneShape, but flat in kBlocked up to kMaxFlatKeys keys. At 10 bits per key, rounded
// blocks give 60 keys 84 bytes and a false-positive rate of 1.7 %, and 186 keys 276 bytes; flat,
// they take 95 and 253, at 0.8 %. The options are valid, and num_keys > 0.
FilterShape TableShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                       uint64_t max_payload_bytes);

// The most keys whose filter takes at most `bytes`, trailer included; at least 1.
uint64_t MaxTableKeys(Format format, double bits_per_key, uint64_t bytes);

}  // namespace bloomline::core

#endif  // BLOOMLINE_FORMAT_TABLE_SHAPE_H_
