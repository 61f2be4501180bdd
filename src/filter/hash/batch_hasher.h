// The hashes of keys in batches.
#ifndef BLOOMLINE_FILTER_HASH_BATCH_HASHER_H_
#define BLOOMLINE_FILTER_HASH_BATCH_HASHER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/kernel/kernel.h"

namespace bloomline::kernels {

HashKernel Avx512Hash();  // x86-64

}  // namespace bloomline::kernels

namespace bloomline::filter {

// Hash64 for many keys. If the kernel hashes several at once, batches of queries are up to 1.14
// times as fast (table/kernel_table.cc).
class BatchHasher {
 public:
  BatchHasher(uint64_t seed, const kernels::HashKernel& kernel)
      : seed_(seed), hash_(kernel.is_faster ? kernel.short_keys : nullptr) {}

  // Sets hashes[i] to the hash of key_at(i), for n <= kBatchKeys keys. Returns false if hashing one
  // by one is as fast: for few keys, long ones, or keys of different sizes.
  template <typename KeyAt>
  __attribute__((always_inline)) bool Hash(size_t n, KeyAt key_at, uint64_t* hashes) const {
    if (hash_ == nullptr || n < kMinKeys) return false;
    const size_t size = key_at(0).size();
    if (size < 4 || size > kMaxShortKeyBytes) return false;
    const char* keys[kernels::kBatchKeys];
    for (size_t i = 0; i < n; ++i) {
      const std::string_view key = key_at(i);
      if (key.size() != size) return false;
      keys[i] = key.data();
    }
    hash_(keys, n, size, seed_, hashes);
    return true;
  }

 private:
  static constexpr size_t kMinKeys = 16;

  uint64_t seed_;
  decltype(kernels::HashKernel::short_keys) hash_;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_HASH_BATCH_HASHER_H_
