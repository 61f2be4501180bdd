// Packed blocks (docs/format.md, section 3.4): blocks of any size that are solved as a linear
// system over GF(2), as in Ribbon and Bloomier filters.
#ifndef BLOOMLINE_KERNELS_PACKED_PACKED_KERNEL_H_
#define BLOOMLINE_KERNELS_PACKED_PACKED_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

// A payload of num_blocks >= 1 blocks of block_bytes (8 to 64) bytes, at any alignment; base_slots
// 1 to 50.
struct PackedFilter {
  const char* data;
  uint64_t num_blocks;
  uint32_t block_bytes;
  uint32_t base_slots;
};

struct PackedKeys;  // packed_block.h

struct PackedKernel {
  bool (*may_match)(const PackedFilter& filter, uint64_t hash) = nullptr;
  // Prefetches nothing, like BlockedKernel::may_match_many.
  void (*may_match_many)(const PackedFilter& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
  // Solves a block of block_bytes zeroed bytes for `slots` slots (1 to 112) with the first seed
  // number that gives a solution. Writes the solution, not the header, and returns the seed number.
  // -1, and nothing written: no seed number gives one.
  int (*solve)(const PackedKeys& keys, unsigned slots, uint32_t block_bytes, char* block) = nullptr;
};

PackedKernel PortablePacked();
PackedKernel Avx2Packed();    // x86-64
PackedKernel Avx512Packed();  // x86-64

// Entries that AVX-512 uses for blocks of sizes for which it has no table. x86-64.
bool Avx2PackedMayMatch(const PackedFilter& filter, uint64_t hash);
void Avx2PackedMayMatchMany(const PackedFilter& filter, size_t n, const uint64_t* hashes,
                            bool* may_match);

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_PACKED_PACKED_KERNEL_H_
