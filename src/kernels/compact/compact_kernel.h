// Compact filters: blocks that are solved as a linear system over GF(2), as in Ribbon and Bloomier
// filters (docs/format.md). Packed blocks (section 3.4) and blocks of lanes (3.5).
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

// A payload of num_blocks >= 1 blocks of block_bytes (8 to 64) bytes, at any alignment; base_slots
// 1 to 50 where blocks are packed.
struct CompactFilter {
  const char* data;
  uint64_t num_blocks;
  uint32_t block_bytes;
  uint32_t base_slots;
};

struct LineKeys;  // compact_line.h

struct CompactKernel {
  bool (*packed_may_match)(const CompactFilter& filter, uint64_t hash) = nullptr;
  // Prefetches nothing, like BlockedKernel::may_match_many.
  void (*packed_may_match_many)(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                                bool* may_match) = nullptr;
  // Solves a block of block_bytes zeroed bytes for `slots` slots (1 to 112) with the first seed
  // number that gives a solution. Writes the solution, not the header, and returns the seed number.
  // -1, and nothing written: no seed number gives one.
  int (*packed_solve)(const LineKeys& keys, unsigned slots, uint32_t block_bytes,
                      char* block) = nullptr;

  // The same for blocks of eight lanes: block_bytes is 64, base_slots 21 to 64.
  bool (*lanes_may_match)(const CompactFilter& filter, uint64_t hash) = nullptr;
  void (*lanes_may_match_many)(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                               bool* may_match) = nullptr;
  // Writes the block of n hashes, 1 to 112, header included. False, and nothing written: there is
  // no solution.
  bool (*lanes_solve)(const uint64_t* hashes, size_t n, uint32_t base_slots, char* block) = nullptr;
};

CompactKernel PortableCompact();
CompactKernel Avx2Compact();    // x86-64
CompactKernel Avx512Compact();  // x86-64

// Entries that AVX-512 uses for packed blocks of sizes for which it has no table. x86-64.
bool Avx2PackedMayMatch(const CompactFilter& filter, uint64_t hash);
void Avx2PackedMayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                            bool* may_match);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_KERNEL_H_
