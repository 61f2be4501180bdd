// Memory of hash tables, sets and arrays, for comparison with filters.
#include <algorithm>
#include <cstdint>

#include "bloomline/filter_theory.h"

namespace bloomline {
namespace {

uint64_t SaturatingProduct(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t SaturatingSum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// What glibc's malloc takes: a header of 8 bytes, in steps of 16 bytes, at least 32 bytes.
uint64_t MallocBytes(uint64_t size) {
  return std::max<uint64_t>(32, SaturatingSum(size, 8 + 15) / 16 * 16);
}

}  // namespace

uint64_t HashTableBytes(uint64_t num_keys, uint64_t entry_bytes) {
  if (num_keys == 0) return 0;
  uint64_t slots = 1;
  while (slots - slots / 8 < num_keys) {
    if (slots > UINT64_MAX / 2) return UINT64_MAX;
    slots *= 2;
  }
  return SaturatingProduct(slots, SaturatingSum(entry_bytes, 1));
}

uint64_t UnorderedSetBytes(uint64_t num_keys, uint64_t key_bytes) {
  constexpr uint64_t kBucket = 8;
  constexpr uint64_t kNode = 8 + 32 + 8;  // next, string, hash
  constexpr uint64_t kInsideString = 15;
  const uint64_t outside = key_bytes <= kInsideString ? 0 : MallocBytes(key_bytes + 1);
  return SaturatingProduct(num_keys, SaturatingSum(kBucket + MallocBytes(kNode), outside));
}

uint64_t SortedArrayBytes(uint64_t num_keys, uint64_t key_bytes) {
  return SaturatingProduct(num_keys, key_bytes);
}

}  // namespace bloomline
