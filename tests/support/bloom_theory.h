// The theoretical false-positive rate of a Bloom filter in memory.
#ifndef BLOOMLINE_TESTS_SUPPORT_BLOOM_THEORY_H_
#define BLOOMLINE_TESTS_SUPPORT_BLOOM_THEORY_H_

#include <cstdint>

#include "bloomline/filter_theory.h"
#include "src/sets/bloom_shape.h"

namespace bloomline::tests {

// With num_keys distinct keys.
inline double TheoreticalRate(const sets::BloomShape& shape, uint64_t num_keys) {
  const int block_bits = sets::BlockBits(shape.layout);
  const uint64_t num_bits = shape.num_lines * 512;
  if (shape.layout == BloomLayout::kStandard) {
    return ExactStandardFalsePositiveRate(num_keys, num_bits, shape.num_probes);
  }
  const uint64_t num_blocks = num_bits / static_cast<uint64_t>(block_bits);
  return ExactBlockedFalsePositiveRate(num_keys, num_blocks, shape.num_probes, block_bits);
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_BLOOM_THEORY_H_
