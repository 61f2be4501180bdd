// RocksDB's Bloom filter of format_version 5 and later, "FastLocalBloom" (util/bloom_impl.h): k
// bits in one block of 64 bytes for each key.
//
//   hash (RocksDBHash64)  63 .. 32: h      31 .. 0: chooses the block
//   probe j               h * 0x9e3779b9^j modulo 2^32; its top 9 bits are the bit of the block
#ifndef BLOOMLINE_FILTER_STOCK_LOCAL_BLOOM_H_
#define BLOOMLINE_FILTER_STOCK_LOCAL_BLOOM_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::stock {

// RocksDB does not understand more probes, either.
constexpr int kMaxLocalBloomProbes = 30;

// For whole SIMD registers of probes.
struct alignas(64) GoldenPowers {
  constexpr GoldenPowers() {
    uint32_t power = 1;
    for (uint32_t& value : powers) {
      value = power;
      power *= 0x9e3779b9;
    }
  }
  uint32_t powers[32] = {};
};
inline constexpr GoldenPowers kGoldenPowers;

BLOOMLINE_ALWAYS_INLINE uint32_t LocalBloomProbeHash(uint64_t hash) {
  return static_cast<uint32_t>(hash >> 32);
}
inline uint32_t LocalBloomBit(uint32_t probe_hash, int j) {
  return probe_hash * kGoldenPowers.powers[j] >> 23;
}

BLOOMLINE_ALWAYS_INLINE const char* LocalBloomBlock(const kernels::PayloadView& filter,
                                                    uint64_t hash) {
  return filter.data +
         (uint64_t{static_cast<uint32_t>(hash)} * filter.num_blocks >> 32) * kernels::kBlockBytes;
}

// num_blocks is at most 2^26, num_probes 1 to kMaxLocalBloomProbes. Otherwise like BlockedKernel.
struct LocalBloomKernel {
  using MayMatch = bool (*)(const kernels::PayloadView& filter, uint64_t hash);

  // Only for filters with this k.
  MayMatch (*may_match_for)(int num_probes) = nullptr;
  // Prefetches nothing.
  void (*may_match_many)(const kernels::PayloadView& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
};

LocalBloomKernel PortableLocalBloom();
LocalBloomKernel Avx2LocalBloom();  // x86-64

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_LOCAL_BLOOM_H_
