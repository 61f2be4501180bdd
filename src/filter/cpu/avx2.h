// AVX2: the attribute of its functions, a block as two registers, and the probe sequence, eight
// probes in one register.
#ifndef BLOOMLINE_FILTER_CPU_AVX2_H_
#define BLOOMLINE_FILTER_CPU_AVX2_H_

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/cpu/instruction_sets.h"

#define BLOOMLINE_AVX2 BLOOMLINE_TARGET(BLOOMLINE_AVX2_EXTENSIONS)
#define BLOOMLINE_AVX2_INLINE BLOOMLINE_AVX2 __attribute__((always_inline)) inline

namespace bloomline::kernels {

constexpr uint32_t kBytesPer256Bits = 32;

BLOOMLINE_AVX2_INLINE __m256i Load256(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// The 4 or 8 bytes at p in all lanes, by a load alone. They are copied as floating-point numbers,
// because an integer that is also in a general register takes a move and a shuffle.
BLOOMLINE_AVX2_INLINE __m256i Broadcast32(const void* p) {
  float bits;
  std::memcpy(&bits, p, sizeof(bits));
  return _mm256_castps_si256(_mm256_set1_ps(bits));
}
BLOOMLINE_AVX2_INLINE __m256i Broadcast64(const void* p) {
  double bits;
  std::memcpy(&bits, p, sizeof(bits));
  return _mm256_castpd_si256(_mm256_set1_pd(bits));
}

struct Bits512 {
  __m256i low;
  __m256i high;
};
static_assert(sizeof(Bits512) == kBlockBytes);

BLOOMLINE_AVX2_INLINE Bits512 LoadBlock(const char* block) {
  return {Load256(block), Load256(block + kBytesPer256Bits)};
}

// A one at `position` if it lies in the register. A lane of 64 bits that begins at bit `base`
// shifts a one by position - base. Outside 0..63, taken as unsigned, that gives zero.
BLOOMLINE_AVX2_INLINE __m256i BitAt(__m256i position, __m256i base) {
  return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_sub_epi64(position, base));
}

BLOOMLINE_AVX2_INLINE void SetBit(uint32_t bit, Bits512* bits) {
  const __m256i position = _mm256_set1_epi64x(bit);
  bits->low = _mm256_or_si256(bits->low, BitAt(position, _mm256_set_epi64x(192, 128, 64, 0)));
  bits->high = _mm256_or_si256(bits->high, BitAt(position, _mm256_set_epi64x(448, 384, 320, 256)));
}

// ---- Probes.

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

// Whether the bits of eight probes are set, each given by the top 9 bits of its probe. Probes where
// `ones` is 0 do not count.
BLOOMLINE_AVX2_INLINE bool HasBits(Bits512 block, __m256i probes, __m256i ones) {
  // Top 4 bits: which of 16 words. The permutation uses 3 of them. The sign bit, which blendv
  // uses, chooses the half of the block.
  const __m256i word = _mm256_srli_epi32(probes, 28);
  const __m256 low_words = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(block.low, word));
  const __m256 high_words = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(block.high, word));
  const __m256 words = _mm256_blendv_ps(low_words, high_words, _mm256_castsi256_ps(probes));
  const __m256i bits = _mm256_and_si256(_mm256_srli_epi32(probes, 23), _mm256_set1_epi32(31));
  return WordsHaveBits(_mm256_castps_si256(words), bits, ones);
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

#endif  // BLOOMLINE_FILTER_CPU_AVX2_H_
