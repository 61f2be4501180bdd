// How large a Bloom filter or a counting one is: options to lines and probes.
#ifndef BLOOMLINE_IN_MEMORY_BLOOM_SHAPE_H_
#define BLOOMLINE_IN_MEMORY_BLOOM_SHAPE_H_

#include <cstdint>

#include "bloomline/bloom_filter.h"
#include "src/errors/error_text.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::filters {

// What makes two filters comparable: equal shapes give a key the same bits. A counting filter's
// shape is that of the Bloom filter with a bit for each counter.
struct BloomShape {
  BloomLayout layout = BloomLayout::kBlocked;
  int num_probes = 1;
  uint64_t num_lines = 1;
  uint64_t seed = 0;
};

// Bits of a block, in which all probes of a key lie; 0: there are no blocks.
constexpr int BlockBits(BloomLayout layout) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return 512;
    case BloomLayout::kBlocked128:
      return 128;
    case BloomLayout::kBlocked64:
      return 64;
    case BloomLayout::kStandard:
      break;
  }
  return 0;
}

constexpr bool IsSmallBlocks(BloomLayout layout) {
  return layout == BloomLayout::kBlocked128 || layout == BloomLayout::kBlocked64;
}

// Bits of the counters in a counting filter of this layout: a line has one for each bit of a block.
constexpr uint64_t CounterBits(BloomLayout layout) {
  return kernels::kBlockBits / static_cast<uint64_t>(BlockBits(layout));
}

bool IsLayout(int layout);
constexpr char kAllowedLayouts[] =
    "allowed: 0 (kBlocked), 1 (kStandard), 2 (kBlocked128), 3 (kBlocked64)";

// Empty, with the shape in *shape, or one sentence, which calls the bits `unit`: bits or counters.
core::ErrorText ShapeOf(const BloomFilterOptions& options, BloomShape* shape,
                        const char* unit = "bits");

// Empty if the shapes are equal, else what differs, with both values.
core::ErrorText Difference(const BloomShape& mine, const BloomShape& other,
                           const char* unit = "bits");

// The rate with num_keys distinct keys in.
double FalsePositiveRate(const BloomShape& shape, uint64_t num_keys);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_BLOOM_SHAPE_H_
