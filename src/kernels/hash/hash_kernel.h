// Hashes of many short keys at once (XXH3; src/format/hash.h).
#ifndef BLOOMLINE_KERNELS_HASH_HASH_KERNEL_H_
#define BLOOMLINE_KERNELS_HASH_HASH_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

// What XXH3 combines short keys with: constants, and the seed.
struct KeyFlips {
  uint64_t of_4_to_8;
  uint64_t first_of_9_to_16;  // the first 8 bytes
  uint64_t last_of_9_to_16;   // the last 8 bytes, which may overlap the first
};

struct HashKernel {
  // The hashes of n keys, all of the same size, 4 to 16 bytes. Null where that would not be faster
  // than one by one: below AVX-512 there is no multiplication of 64-bit lanes.
  void (*short_keys)(const char* const* keys, size_t n, size_t size, const KeyFlips& flips,
                     uint64_t* hashes) = nullptr;
};

HashKernel Avx512Hash();

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_HASH_HASH_KERNEL_H_
