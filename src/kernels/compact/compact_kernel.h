// Compact filters: blocks that are solved as a linear system over GF(2), as in Ribbon and Bloomier
// filters (docs/format.md, section 3.5).
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

// A payload of num_blocks >= 1 blocks of block_bytes = 64 bytes, at any alignment; base_slots 21 to
// 64.
struct CompactFilter {
  const char* data;
  uint64_t num_blocks;
  uint32_t block_bytes;
  uint32_t base_slots;
};

struct CompactKernel {
  bool (*lanes_may_match)(const CompactFilter& filter, uint64_t hash) = nullptr;
  // Prefetches nothing, like BlockedKernel::may_match_many.
  void (*lanes_may_match_many)(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                               bool* may_match) = nullptr;
  // Writes the block of n hashes, 1 to 112, header included. False, and nothing written: there is
  // no solution.
  bool (*lanes_solve)(const uint64_t* hashes, size_t n, uint32_t base_slots, char* block) = nullptr;
};

CompactKernel PortableCompact();
CompactKernel Avx2Compact();    // x86-64
CompactKernel Avx512Compact();  // x86-64

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_
