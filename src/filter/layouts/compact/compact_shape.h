// The size of a compact filter.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_SHAPE_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_SHAPE_H_

#include <cstdint>

#include "src/filter/layouts/layout.h"

namespace bloomline::filter {

// The shape of n keys, where `overhead_bytes` of their memory go to the container: see NumBlocks.
// Blocks have 64 bytes, and 32 below 5.5 bits per key, where blocks of 64 would have more keys than
// slots.
FilterShape CompactShape(uint64_t num_keys, double bits_per_key, uint64_t overhead_bytes,
                         uint64_t max_bytes);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_SHAPE_H_
