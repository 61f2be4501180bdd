// AVX-512: the bits of a key as one register, for functions that set or count them.
#ifndef BLOOMLINE_FILTER_CPU_AVX512_ONES_H_
#define BLOOMLINE_FILTER_CPU_AVX512_ONES_H_

#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"

namespace bloomline::kernels {

// The first kPositions positions of a hash in its block. In registers of 256 bits: most filters
// have at most eight probes, and AddKeys takes 0.97 times as long with them on Zen 4.
template <int kPositions>
BLOOMLINE_AVX512_INLINE void StorePositions(uint64_t hash, uint32_t* positions) {
  const __m256i a = _mm256_set1_epi32(static_cast<int>(hash));
  const __m256i b = _mm256_rol_epi32(a, 16);
  for (int first = 0; first < kPositions; first += 8) {
    const __m256i multipliers =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(kProbeMultipliers + first));
    const __m256i probes = _mm256_add_epi32(a, _mm256_mullo_epi32(multipliers, b));
    _mm256_store_si256(reinterpret_cast<__m256i*>(positions + first),
                       _mm256_srli_epi32(probes, 23));
  }
}

// A one at each of the positions. Lane i has bits 32 i to 32 i + 31. It shifts its top bit down to
// a position by 32 i + 31 - position. Outside 0..31, taken as unsigned, that gives zero.
BLOOMLINE_AVX512_INLINE __m512i OnesAt(const uint32_t* positions, int num_probes) {
  const __m512i last_bits = _mm512_set_epi32(511, 479, 447, 415, 383, 351, 319, 287,  //
                                             255, 223, 191, 159, 127, 95, 63, 31);
  const __m512i top_bit = _mm512_set1_epi32(INT32_MIN);
  __m512i ones = _mm512_setzero_si512();
#pragma GCC unroll 16
  for (int j = 0; j < num_probes; ++j) {
    const __m512i position = _mm512_set1_epi32(static_cast<int>(positions[j]));
    const __m512i distance = _mm512_sub_epi32(last_bits, position);
    ones = _mm512_or_si512(ones, _mm512_srlv_epi32(top_bit, distance));
  }
  return ones;
}

// A key that is prepared. Its positions are in memory because broadcasting from there costs no
// shift unit.
template <int kPositions>
struct alignas(kPositions * sizeof(uint32_t)) PreparedKey {
  uint32_t positions[kPositions];
};

// Calls F::Run(block, ones, i, args...) for each of n hashes in order. kNumProbes is 0 for any
// num_probes. Each key is prepared some keys ahead, unless there are fewer: a position that is read
// right after it was written would wait for the store, with six probes 8.9 instead of 5.8 clock
// cycles per key. With F::kPrefetches its block is prefetched then, and it is more keys ahead.
template <typename F, int kNumProbes, typename... Args>
BLOOMLINE_AVX512_INLINE void ForEachKey(char* data, uint64_t num_blocks, int num_probes, size_t n,
                                        const uint64_t* hashes, Args... args) {
  constexpr int kPositions = WholeRegistersOfProbes(kNumProbes);
  constexpr size_t kAhead = F::kPrefetches ? kInsertAhead : 16;
  if (kNumProbes != 0) num_probes = kNumProbes;
  if (n < kAhead) {
    for (size_t i = 0; i < n; ++i) {
      PreparedKey<kPositions> key;
      StorePositions<kPositions>(hashes[i], key.positions);
      char* block = data + BlockIndex(hashes[i], num_blocks) * kBlockBytes;
      F::Run(block, OnesAt(key.positions, num_probes), i, args...);
    }
    return;
  }
  PreparedKey<kPositions> keys[kAhead];
  char* blocks[kAhead];
  const size_t num_steps = n + kAhead;
  for (size_t step = 0; step < num_steps; ++step) {
    const size_t slot = step % kAhead;
    if (step >= kAhead) {
      F::Run(blocks[slot], OnesAt(keys[slot].positions, num_probes), step - kAhead, args...);
    }
    if (step < n) {
      StorePositions<kPositions>(hashes[step], keys[slot].positions);
      blocks[slot] = data + BlockIndex(hashes[step], num_blocks) * kBlockBytes;
      if (F::kPrefetches) PrefetchForWrite(blocks[slot]);
    }
  }
}

// ForEachKey as RunUnrolled takes it.
template <typename F, typename... Args>
struct OnKeys {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes,
                                   Args... args) {
    ForEachKey<F, K>(const_cast<char*>(filter.data), filter.num_blocks, filter.num_probes, n,
                     hashes, args...);
  }
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_CPU_AVX512_ONES_H_
