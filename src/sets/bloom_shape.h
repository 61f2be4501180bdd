// The size of a Bloom filter or a counting one: from options to cache lines and probes.
#ifndef BLOOMLINE_SETS_BLOOM_SHAPE_H_
#define BLOOMLINE_SETS_BLOOM_SHAPE_H_

#include <cstdint>
#include <string>

#include "bloomline/bloom_filter.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::sets {

// Filters of equal shapes give a key the same bits, so they can be merged and compared. The shape
// of a counting filter is that of the Bloom filter with one bit for each counter.
struct BloomShape {
  BloomLayout layout = BloomLayout::kBlocked;
  int num_probes = 1;
  uint64_t num_lines = 1;  // cache lines of 512 bits, even if blocks are smaller
  uint64_t seed = 0;
};
inline bool operator==(const BloomShape& a, const BloomShape& b) {
  return a.layout == b.layout && a.num_probes == b.num_probes && a.num_lines == b.num_lines &&
         a.seed == b.seed;
}

// Bits of a block, which holds all probes of a key. 0: the layout has no blocks.
constexpr int BlockBits(BloomLayout layout) {
  constexpr int kBits[] = {512, 0, 128, 64};
  return kBits[static_cast<int>(layout)];
}

constexpr bool IsSmallBlocks(BloomLayout layout) {
  return layout == BloomLayout::kBlocked128 || layout == BloomLayout::kBlocked64;
}

// Bits of a counter in a counting filter of this layout. A cache line holds one counter for each
// bit of a block.
constexpr uint64_t CounterBits(BloomLayout layout) {
  return kernels::kBlockBits / static_cast<uint64_t>(BlockBits(layout));
}

bool IsLayout(int layout);
constexpr char kAllowedLayouts[] =
    "allowed: 0 (blocked), 1 (standard), 2 (blocked128), 3 (blocked64)";

// Returns an empty string and sets *shape, or returns why the options are refused. `unit` is the
// word in errors, "bits" or "counters".
std::string ShapeOf(const BloomFilterOptions& options, BloomShape* shape,
                    const char* unit = "bits");

// Returns an empty string if the shapes are equal; otherwise the difference, with both values.
std::string Difference(const BloomShape& mine, const BloomShape& other, const char* unit = "bits");

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_BLOOM_SHAPE_H_
