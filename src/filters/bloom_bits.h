// Setting, asking and counting the bits of a Bloom filter, whose keys are hashes here.
#ifndef BLOOMLINE_FILTERS_BLOOM_BITS_H_
#define BLOOMLINE_FILTERS_BLOOM_BITS_H_

#include <cstddef>
#include <cstdint>

#include "src/filters/bloom_shape.h"
#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::filters {

// A shape and its bits, which it does not own. `data` is on a 64-byte line.
struct BloomBits {
  BloomShape shape;
  char* data = nullptr;
  const kernels::Kernel* kernel = nullptr;

  uint64_t num_bits() const { return shape.num_lines * kernels::kLineBits; }
  uint64_t num_bytes() const { return shape.num_lines * kernels::kLineBytes; }
  kernels::BlockedLines lines() const { return {data, shape.num_lines, shape.num_probes}; }
};

// True if that changed a bit.
bool AddHash(const BloomBits& bits, uint64_t hash);
bool HashMayContain(const BloomBits& bits, uint64_t hash);

// The same for n hashes whose lines were requested; n is at most kBatchKeys. AddRequested returns
// how many changed a bit.
size_t AddRequested(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed);
void RequestedMayContain(const BloomBits& bits, size_t n, const uint64_t* hashes,
                         bool* may_contain);
void RequestForAdd(const BloomBits& bits, uint64_t hash);
void RequestForQuery(const BloomBits& bits, uint64_t hash);

// Read all bits.
uint64_t CountSetBits(const BloomBits& bits);
uint64_t EstimatedNumKeys(const BloomBits& bits);
double EstimatedFalsePositiveRate(const BloomBits& bits);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_BLOOM_BITS_H_
