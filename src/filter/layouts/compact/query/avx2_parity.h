// AVX2 has no population count. How the parities of 64-bit lanes are computed with it, and of
// bytes.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_AVX2_PARITY_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_AVX2_PARITY_H_

#include "src/filter/cpu/avx2_bits.h"

namespace bloomline::kernels {

// By a register move; left to itself, GCC goes through memory, which takes longer.
BLOOMLINE_AVX2_INLINE __m256i Broadcast(uint64_t word) {
  return _mm256_broadcastq_epi64(_mm_cvtsi64_si128(static_cast<long long>(word)));
}

// For each 4 bits, whether an odd number of them is set: as bit 0, which can be added up, and as
// bit 7, which VPMOVMSKB takes.
alignas(32) constexpr uint8_t kParities[32] = {
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0,
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0};

// In each byte, its parity: the XOR of its halves has the same, and 16 values fit a look-up table.
BLOOMLINE_AVX2_INLINE __m256i ByteParities(__m256i bits) {
  bits =
      _mm256_and_si256(_mm256_xor_si256(bits, _mm256_srli_epi64(bits, 4)), _mm256_set1_epi8(0x0F));
  return _mm256_shuffle_epi8(Load256(kParities), bits);
}

// Bit i: the parity of lane i. VPSADBW adds up the bytes of each lane; bit 0 of the sum is moved to
// where VMOVMSKPD takes it.
BLOOMLINE_AVX2_INLINE unsigned FourParities(__m256i bits) {
  const __m256i sums = _mm256_sad_epu8(ByteParities(bits), _mm256_setzero_si256());
  return static_cast<unsigned>(
      _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(sums, 63))));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_QUERY_AVX2_PARITY_H_
