// How large a Bloom filter is: BloomFilterOptions to lines and probes.
#ifndef BLOOMLINE_FILTERS_BLOOM_SHAPE_H_
#define BLOOMLINE_FILTERS_BLOOM_SHAPE_H_

#include <cstdint>
#include <string>

#include "bloomline/bloom_filter.h"

namespace bloomline::filters {

// What makes two filters comparable: equal shapes give a key the same bits.
struct BloomShape {
  BloomLayout layout = BloomLayout::kBlocked;
  int num_probes = 1;
  uint64_t num_lines = 1;
  uint64_t seed = 0;
};

// True, with the shape in *shape, or false with one sentence in *error. Neither may be null.
bool ShapeOf(const BloomFilterOptions& options, BloomShape* shape, std::string* error);

// Empty if the shapes are equal, else what differs, with both values.
std::string Difference(const BloomShape& mine, const BloomShape& other);

// The rate with num_keys distinct keys in.
double FalsePositiveRate(const BloomShape& shape, uint64_t num_keys);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_BLOOM_SHAPE_H_
