// The compact solver with AVX-512 and GFNI.
#if defined(__x86_64__)

#include <cstdint>

#include "src/filter/cpu/avx512.h"

#define BLOOMLINE_SLICES_TARGET BLOOMLINE_AVX512
#include "src/filter/layouts/compact/solver/slice_solver.h"

namespace bloomline::kernels {
namespace {

// The functions that slices.h lists, in this order.
struct Avx512Simd {
  using Bytes = __m512i;
  using Matrix = __m512i;     // as GF2P8AFFINEQB wants it, in each 64 bits
  using Equations = __m512i;  // in each 64 bits, equation 0 in byte 7

  BLOOMLINE_AVX512_INLINE static Bytes Xor(Bytes a, Bytes b) { return _mm512_xor_si512(a, b); }
  BLOOMLINE_AVX512_INLINE static Bytes And(Bytes a, unsigned byte) {
    return _mm512_and_si512(a, EachByte(byte));
  }
  BLOOMLINE_AVX512_INLINE static uint64_t BitMask(Bytes bytes, unsigned b) {
    return _mm512_test_epi8_mask(bytes, EachByte(1u << b));
  }
  BLOOMLINE_AVX512_INLINE static void BitMasks(Bytes bytes, uint64_t masks[8]) {
    for (unsigned b = 0; b < 8; ++b) masks[b] = BitMask(bytes, b);
  }
  BLOOMLINE_AVX512_INLINE static Bytes FromBitMasks(const uint64_t masks[8]) {
    Bytes pairs[4];
    for (unsigned b = 0; b < 4; ++b) {
      const Bytes bits = _mm512_maskz_mov_epi8(masks[b], EachByte(1u << b));
      pairs[b] = _mm512_mask_or_epi32(bits, 0xFFFF, bits,
                                      _mm512_maskz_mov_epi8(masks[b + 4], EachByte(16u << b)));
    }
    return _mm512_or_si512(_mm512_or_si512(pairs[0], pairs[1]),
                           _mm512_or_si512(pairs[2], pairs[3]));
  }
  BLOOMLINE_AVX512_INLINE static uint64_t SumsBelow(Bytes bytes, unsigned added, unsigned limit) {
    return _mm512_cmplt_epu8_mask(_mm512_add_epi8(bytes, EachByte(added)), EachByte(limit));
  }

  BLOOMLINE_AVX512_INLINE static Equations Selectors(uint64_t pivots) {
    return FirstInByte7(pivots);
  }
  BLOOMLINE_AVX512_INLINE static Matrix FromRows(uint64_t rows) {
    return MatrixWithRows(FirstInByte7(rows));
  }
  BLOOMLINE_AVX512_INLINE static Matrix MatrixAt(Bytes bytes, Equations equations, uint64_t added) {
    return MatrixWithRows(Xor(_mm512_permutexvar_epi8(equations, bytes), FirstInByte7(added)));
  }
  BLOOMLINE_AVX512_INLINE static Bytes TimesMatrix(Bytes bytes, Matrix matrix) {
    return _mm512_gf2p8affine_epi64_epi8(bytes, matrix, 0);
  }

  BLOOMLINE_AVX512_INLINE static Bytes BytesAt(const Slice<Avx512Simd>& slice,
                                               const uint8_t at[64]) {
    return _mm512_permutex2var_epi8(slice.low, _mm512_loadu_si512(at), slice.high);
  }
  BLOOMLINE_AVX512_INLINE static void Exchange(const EquationPairs& pairs,
                                               Slice<Avx512Simd>* slice) {
    *slice = {BytesAt(*slice, pairs.from), BytesAt(*slice, pairs.from + 64)};
  }
  BLOOMLINE_AVX512_INLINE static void Transpose(const uint64_t words[64], Bytes to[8]) {
    alignas(64) static constexpr uint8_t kBytes[64] = {
        0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
        50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
        37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};
    const __m512i bytes = _mm512_load_si512(kBytes);
    // Lane i of 128 bits of pairs[2 j] has byte 2 i of 16 words, that of pairs[2 j + 1] byte 2 i
    // + 1.
    __m512i pairs[8];
    for (unsigned j = 0; j < 4; ++j) {
      const __m512i a = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(words + 16 * j));
      const __m512i b = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(words + 16 * j + 8));
      pairs[2 * j] = _mm512_unpacklo_epi64(a, b);
      pairs[2 * j + 1] = _mm512_unpackhi_epi64(a, b);
    }
    for (unsigned odd = 0; odd < 2; ++odd) {
      const __m512i low01 = _mm512_shuffle_i32x4(pairs[odd], pairs[2 + odd], 0x44);
      const __m512i high01 = _mm512_shuffle_i32x4(pairs[odd], pairs[2 + odd], 0xEE);
      const __m512i low23 = _mm512_shuffle_i32x4(pairs[4 + odd], pairs[6 + odd], 0x44);
      const __m512i high23 = _mm512_shuffle_i32x4(pairs[4 + odd], pairs[6 + odd], 0xEE);
      to[odd] = _mm512_shuffle_i32x4(low01, low23, 0x88);
      to[2 + odd] = _mm512_shuffle_i32x4(low01, low23, 0xDD);
      to[4 + odd] = _mm512_shuffle_i32x4(high01, high23, 0x88);
      to[6 + odd] = _mm512_shuffle_i32x4(high01, high23, 0xDD);
    }
  }

 private:
  BLOOMLINE_AVX512_INLINE static Bytes EachByte(unsigned byte) {
    return _mm512_set1_epi8(static_cast<char>(byte));
  }
  // GF2P8AFFINEQB has row 0 of a matrix in byte 7.
  BLOOMLINE_AVX512_INLINE static __m512i FirstInByte7(uint64_t bytes) {
    return _mm512_set1_epi64(static_cast<long long>(__builtin_bswap64(bytes)));
  }
  // Transposed: bit i of a byte is to stand for row i, and a product is the sum of these rows.
  BLOOMLINE_AVX512_INLINE static Matrix MatrixWithRows(__m512i rows) {
    return _mm512_gf2p8affine_epi64_epi8(FirstInByte7(0x8040201008040201), rows, 0);
  }
};

}  // namespace

bool Avx512SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block) {
  return SolveBySlices<Avx512Simd>(arrangement, hashes, n, block);
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
