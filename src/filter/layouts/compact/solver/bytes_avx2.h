// AVX2: a byte of each of 64 equations. For slices_avx2.cc.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_BYTES_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_BYTES_AVX2_H_

#include <cstdint>

#include "src/filter/cpu/avx2_bits.h"

namespace bloomline::kernels {
namespace {

struct Avx2Bytes {
  struct Bytes {
    __m256i half[2];
  };

  BLOOMLINE_AVX2_INLINE static __m256i EachByte(unsigned byte) {
    return _mm256_set1_epi8(static_cast<char>(byte));
  }
  BLOOMLINE_AVX2_INLINE static Bytes Xor(Bytes a, Bytes b) {
    return {{_mm256_xor_si256(a.half[0], b.half[0]), _mm256_xor_si256(a.half[1], b.half[1])}};
  }
  BLOOMLINE_AVX2_INLINE static Bytes And(Bytes a, unsigned byte) {
    return {
        {_mm256_and_si256(a.half[0], EachByte(byte)), _mm256_and_si256(a.half[1], EachByte(byte))}};
  }
  // There are no shifts of bytes, so these are shifts of 16 bits. The mask clears what comes in
  // from the byte beside it.
  BLOOMLINE_AVX2_INLINE static Bytes ShiftedRight(Bytes a, unsigned n) {
    const __m128i count = _mm_cvtsi32_si128(static_cast<int>(n));
    return And({{_mm256_srl_epi16(a.half[0], count), _mm256_srl_epi16(a.half[1], count)}},
               0xFFu >> n);
  }
  BLOOMLINE_AVX2_INLINE static Bytes ShiftedLeft(Bytes a, unsigned n) {
    const __m128i count = _mm_cvtsi32_si128(static_cast<int>(n));
    return And({{_mm256_sll_epi16(a.half[0], count), _mm256_sll_epi16(a.half[1], count)}},
               0xFFu << n);
  }
  BLOOMLINE_AVX2_INLINE static uint8_t ByteOf(const Bytes& bytes, unsigned i) {
    return reinterpret_cast<const uint8_t*>(&bytes)[i];
  }

  // Bit i: bit 7 of byte i of 64 (VPMOVMSKB).
  BLOOMLINE_AVX2_INLINE static uint64_t UpperBits(__m256i low, __m256i high) {
    return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
           uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(high))} << 32;
  }
  // Bit i: this bit of byte i. A shift of 16 bits does: what comes in from the byte beside it stays
  // below bit 7.
  BLOOMLINE_AVX2_INLINE static uint64_t BitMask(Bytes bytes, unsigned bit) {
    const __m128i count = _mm_cvtsi32_si128(static_cast<int>(7 - bit));
    return UpperBits(_mm256_sll_epi16(bytes.half[0], count),
                     _mm256_sll_epi16(bytes.half[1], count));
  }
  // All eight masks, from bit 7 down. Adding a byte to itself shifts it by one.
  BLOOMLINE_AVX2_INLINE static void BitMasks(Bytes bytes, uint64_t masks[8]) {
#pragma GCC unroll 8
    for (unsigned b = 8; b-- > 0;) {
      masks[b] = UpperBits(bytes.half[0], bytes.half[1]);
      for (__m256i& half : bytes.half) half = _mm256_add_epi8(half, half);
    }
  }

  // Each 8 x 8 matrix of bits: bit j of byte i becomes bit i of byte j. Three steps exchange
  // squares of 1, of 2 x 2 and of 4 x 4 bits across the diagonal (Warren, Hacker's Delight, 7-3),
  // for four matrices at once. As Transposed8x8.
  BLOOMLINE_AVX2_INLINE static __m256i TransposedBits(__m256i x) {
    __m256i swap = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, 7)),
                                    _mm256_set1_epi64x(0x00AA00AA00AA00AA));
    x = _mm256_xor_si256(x, _mm256_xor_si256(swap, _mm256_slli_epi64(swap, 7)));
    swap = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, 14)),
                            _mm256_set1_epi64x(0x0000CCCC0000CCCC));
    x = _mm256_xor_si256(x, _mm256_xor_si256(swap, _mm256_slli_epi64(swap, 14)));
    swap = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, 28)),
                            _mm256_set1_epi64x(0x00000000F0F0F0F0));
    return _mm256_xor_si256(x, _mm256_xor_si256(swap, _mm256_slli_epi64(swap, 28)));
  }

  // The reverse of BitMasks. Byte g of each mask is for equations 8 g to 8 g + 7. Three steps bring
  // together the bytes g of masks 0 to 7, and each eight of them, transposed, are eight equations:
  //
  //   m01                  00 10 01 11 02 12 ..            (byte g of mask m: "m g")
  //   low03                00 10 20 30 01 11 21 31 ..      g = 0 to 3; high03: 4 to 7
  //   unpack(low03, low47) 00 10 20 30 40 50 60 70 01 ..   g = 0, 1
  BLOOMLINE_AVX2_INLINE static __m128i Interleaved(uint64_t even, uint64_t odd) {
    return _mm_unpacklo_epi8(_mm_cvtsi64_si128(static_cast<long long>(even)),
                             _mm_cvtsi64_si128(static_cast<long long>(odd)));
  }
  BLOOMLINE_AVX2_INLINE static Bytes OfBitMasks(const uint64_t masks[8]) {
    const __m128i m01 = Interleaved(masks[0], masks[1]);
    const __m128i m23 = Interleaved(masks[2], masks[3]);
    const __m128i m45 = Interleaved(masks[4], masks[5]);
    const __m128i m67 = Interleaved(masks[6], masks[7]);
    const __m128i low03 = _mm_unpacklo_epi16(m01, m23);
    const __m128i high03 = _mm_unpackhi_epi16(m01, m23);
    const __m128i low47 = _mm_unpacklo_epi16(m45, m67);
    const __m128i high47 = _mm_unpackhi_epi16(m45, m67);
    return {{TransposedBits(_mm256_set_m128i(_mm_unpackhi_epi32(low03, low47),
                                             _mm_unpacklo_epi32(low03, low47))),
             TransposedBits(_mm256_set_m128i(_mm_unpackhi_epi32(high03, high47),
                                             _mm_unpacklo_epi32(high03, high47)))}};
  }

  // Bit i: (byte i + added) % 256 < limit, for limit > 0. AVX2 does not compare unsigned bytes, but
  // x is at most l if min(x, l) is x.
  BLOOMLINE_AVX2_INLINE static uint64_t SumsBelow(Bytes bytes, unsigned added, unsigned limit) {
    for (__m256i& half : bytes.half) {
      half = _mm256_add_epi8(half, EachByte(added));
      half = _mm256_cmpeq_epi8(half, _mm256_min_epu8(half, EachByte(limit - 1)));
    }
    return UpperBits(bytes.half[0], bytes.half[1]);
  }

  // Transposing 64 words of 8 bytes: of each word, byte i goes to register i. Pairs of bytes first,
  // then fours, eights and sixteens; each step interleaves units of twice the size:
  //
  //   w0 = a0 .. a7, w1 = b0 .. b7  ->  a0 b0 a1 b1 .. a7 b7     (VPSHUFB, 2 words in 16 bytes)
  //   w0 w1 w2 w3                   ->  a0 b0 c0 d0 a1 b1 c1 d1  (VPUNPCK of 16 bits)
  //                                 ->  of 8 words, then of 16    (of 32, of 64 bits)
  //
  // The lower lane has words 0 to 15 of the half, the upper one 16 to 31.
  BLOOMLINE_AVX2_INLINE static __m256i TwoAndTwoWords(const uint64_t* words) {
    const __m256i interleave = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    const auto* low = reinterpret_cast<const __m128i*>(words);
    const auto* high = reinterpret_cast<const __m128i*>(words + 16);
    return _mm256_shuffle_epi8(_mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low)),
                               interleave);
  }
  // Byte i of 64 words becomes columns[i].
  BLOOMLINE_AVX2_INLINE static void Transpose(const uint64_t words[64], Bytes columns[8]) {
    for (unsigned half = 0; half < 2; ++half) {
      __m256i pairs[8];
      for (unsigned i = 0; i < 8; ++i) pairs[i] = TwoAndTwoWords(words + 32 * half + 2 * i);
      __m256i fours[8];  // fours[2 i]: bytes 0 to 3 of words 4 i to 4 i + 3; fours[2 i + 1]: 4 to 7
      for (unsigned i = 0; i < 4; ++i) {
        fours[2 * i] = _mm256_unpacklo_epi16(pairs[2 * i], pairs[2 * i + 1]);
        fours[2 * i + 1] = _mm256_unpackhi_epi16(pairs[2 * i], pairs[2 * i + 1]);
      }
      for (unsigned i = 0; i < 2; ++i) {
        const __m256i first_low = _mm256_unpacklo_epi32(fours[i], fours[2 + i]);
        const __m256i first_high = _mm256_unpackhi_epi32(fours[i], fours[2 + i]);
        const __m256i second_low = _mm256_unpacklo_epi32(fours[4 + i], fours[6 + i]);
        const __m256i second_high = _mm256_unpackhi_epi32(fours[4 + i], fours[6 + i]);
        columns[4 * i].half[half] = _mm256_unpacklo_epi64(first_low, second_low);
        columns[4 * i + 1].half[half] = _mm256_unpackhi_epi64(first_low, second_low);
        columns[4 * i + 2].half[half] = _mm256_unpacklo_epi64(first_high, second_high);
        columns[4 * i + 3].half[half] = _mm256_unpackhi_epi64(first_high, second_high);
      }
    }
  }
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_BYTES_AVX2_H_
