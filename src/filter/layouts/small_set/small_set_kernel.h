// Blocks of LevelDB's small sets (docs/format.md, section 3.8): solved as a linear system over
// GF(2), as in Ribbon and Bloomier filters.
#ifndef BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_KERNEL_H_
#define BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

// A block of 8 to 64 bytes, at any alignment. Its header has the lower two bits of its attempt's
// number; first_attempt, a multiple of 4 up to 12, is the rest.
struct SmallSetKernel {
  bool (*may_match)(const char* block, uint32_t block_bytes, uint32_t first_attempt,
                    uint64_t hash) = nullptr;
  // Writes the block of n hashes, at most 63, header included, with one of the first num_attempts
  // (at most 16) attempts, and returns its number. -1, and nothing written: there is no solution.
  int (*solve)(const uint64_t* hashes, size_t n, unsigned num_attempts, uint32_t block_bytes,
               char* block) = nullptr;
};

SmallSetKernel PortableSmallSet();
SmallSetKernel Avx2SmallSet();  // x86-64

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_KERNEL_H_
