// AVX2: the probe sequence, eight probes in one register.
#ifndef BLOOMLINE_FILTER_CPU_AVX2_PROBES_H_
#define BLOOMLINE_FILTER_CPU_AVX2_PROBES_H_

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/cpu/avx2_bits.h"

namespace bloomline::kernels {

constexpr int kProbesPer256Bits = 8;
static_assert(kProbesPer256Bits * sizeof(uint32_t) == kBytesPer256Bits);

// Ones in the first n lanes of 32 bits; n may exceed their number. A window of eight lanes on eight
// ones and eight zeros:
//
//   n = 3      1 1 1 1 1 [1 1 1 0 0 0 0 0] 0 0 0
BLOOMLINE_AVX2_INLINE __m256i OnesInFirstLanes(int n) {
  alignas(64) static constexpr uint32_t kOnesThenZeros[2 * kProbesPer256Bits] = {1, 1, 1, 1,
                                                                                 1, 1, 1, 1};
  return Load256(kOnesThenZeros + kProbesPer256Bits -
                 (n < kProbesPer256Bits ? n : kProbesPer256Bits));
}

// The lower half of a hash in all lanes.
BLOOMLINE_AVX2_INLINE __m256i LowerHalf(const uint64_t* hash) { return Broadcast32(hash); }

// A ProbePair in each lane.
struct ProbePairs {
  __m256i a;
  __m256i b;
};

BLOOMLINE_AVX2_INLINE ProbePairs InAllLanes(ProbePair pair) {
  return {_mm256_set1_epi32(static_cast<int>(pair.a)), _mm256_set1_epi32(static_cast<int>(pair.b))};
}

// BlockedPair, given the lower half of a hash in all lanes: b is a with its two halves of 16 bits
// exchanged.
BLOOMLINE_AVX2_INLINE ProbePairs BlockedPairs(__m256i lower_halves) {
  const __m256i swap = _mm256_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2,  //
                                       13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2);
  return {lower_halves, _mm256_shuffle_epi8(lower_halves, swap)};
}

// Probes first to first + 7: a + M[j] b in lane j - first. The table has 32 multipliers, so `first`
// may be 24 for any k.
BLOOMLINE_AVX2_INLINE __m256i EightProbes(ProbePairs pairs, int first) {
  return _mm256_add_epi32(pairs.a, _mm256_mullo_epi32(Load256(kProbeMultipliers + first), pairs.b));
}

// Whether each word has its bit. Lanes in which `ones` is 0 do not count. VPTEST's carry flag says
// that no bit is missing, so lanes need not be compared.
BLOOMLINE_AVX2_INLINE bool WordsHaveBits(__m256i words, __m256i bits, __m256i ones) {
  return _mm256_testc_si256(words, _mm256_sllv_epi32(ones, bits)) != 0;
}

// Bits to be set, as bytes and masks. ORing byte by byte in memory is faster than setting bits in
// two registers, as SetBit does: a key of a blocked filter with six probes takes 1.95 instead of
// 2.6 ns, one of a flat filter of 45 bytes 5.9 instead of 9.2 (Emerald Rapids; portable 6.7).
template <int kCapacity>
struct ByteBits {
  static_assert(kCapacity % kProbesPer256Bits == 0);
  alignas(kBytesPer256Bits) uint32_t bytes[kCapacity];
  alignas(kBytesPer256Bits) uint32_t masks[kCapacity];

  // For bits first to first + 7: the byte of each, and a number whose lowest 3 bits say which bit
  // of it.
  BLOOMLINE_AVX2_INLINE void StoreEight(int first, __m256i byte, __m256i bit) {
    const __m256i bit_of_byte = _mm256_and_si256(bit, _mm256_set1_epi32(7));
    _mm256_store_si256(reinterpret_cast<__m256i*>(bytes + first), byte);
    _mm256_store_si256(reinterpret_cast<__m256i*>(masks + first),
                       _mm256_sllv_epi32(_mm256_set1_epi32(1), bit_of_byte));
  }

  BLOOMLINE_AVX2_INLINE void SetFirst(int num_bits, char* payload) const {
#pragma GCC unroll 16
    for (int j = 0; j < num_bits; ++j) {
      payload[bytes[j]] = static_cast<char>(payload[bytes[j]] | static_cast<char>(masks[j]));
    }
  }
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_CPU_AVX2_PROBES_H_
