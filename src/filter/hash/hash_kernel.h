// Hashes of many short keys at once (XXH3; src/filter/bits/hash.h).
#ifndef BLOOMLINE_FILTER_HASH_HASH_KERNEL_H_
#define BLOOMLINE_FILTER_HASH_HASH_KERNEL_H_

#include <cstddef>
#include <cstdint>

namespace bloomline::kernels {

struct HashKernel {
  // XXH3_64bits_withSeed of n keys, all of the same size, 4 to 16 bytes. Null if that would not be
  // faster than one by one: below AVX-512, lanes of 64 bits cannot be multiplied.
  void (*short_keys)(const char* const* keys, size_t n, size_t size, uint64_t seed,
                     uint64_t* hashes) = nullptr;
};

HashKernel Avx512Hash();

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_HASH_HASH_KERNEL_H_
