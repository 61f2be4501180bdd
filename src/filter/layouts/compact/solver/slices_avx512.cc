// The compact solver with AVX-512 and GFNI.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/kernel.h"

#define BLOOMLINE_SLICES_TARGET BLOOMLINE_AVX512
#include "src/filter/layouts/compact/solver/slice_solver.h"

namespace bloomline::kernels {
namespace {

struct Avx512 {
  using Bytes = __m512i;

  struct Slice {
    Bytes low;   // equations 0 to 63
    Bytes high;  // equations 64 to 127
  };

  BLOOMLINE_AVX512_INLINE static Bytes EachByte(unsigned byte) {
    return _mm512_set1_epi8(static_cast<char>(byte));
  }
  BLOOMLINE_AVX512_INLINE static Bytes Xor(Bytes a, Bytes b) { return _mm512_xor_si512(a, b); }
  BLOOMLINE_AVX512_INLINE static Bytes And(Bytes a, unsigned byte) {
    return _mm512_and_si512(a, EachByte(byte));
  }
  BLOOMLINE_AVX512_INLINE static Bytes ShiftedRight(Bytes a, unsigned n) {
    return And(_mm512_srl_epi16(a, _mm_cvtsi32_si128(static_cast<int>(n))), 0xFFu >> n);
  }
  BLOOMLINE_AVX512_INLINE static Bytes ShiftedLeft(Bytes a, unsigned n) {
    return And(_mm512_sll_epi16(a, _mm_cvtsi32_si128(static_cast<int>(n))), 0xFFu << n);
  }
  BLOOMLINE_AVX512_INLINE static uint8_t ByteOf(const Bytes& bytes, unsigned i) {
    return reinterpret_cast<const uint8_t*>(&bytes)[i];
  }

  BLOOMLINE_AVX512_INLINE static uint64_t BitMask(Bytes bytes, unsigned bit) {
    return _mm512_test_epi8_mask(bytes, EachByte(1u << bit));
  }
  BLOOMLINE_AVX512_INLINE static void BitMasks(Bytes bytes, uint64_t masks[8]) {
    for (unsigned b = 0; b < 8; ++b) masks[b] = BitMask(bytes, b);
  }
  BLOOMLINE_AVX512_INLINE static Bytes OfBitMasks(const uint64_t masks[8]) {
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

  // Where the rows of a matrix are; GF2P8AFFINEQB has row 0 in byte 7.
  using EightEquations = __m512i;
  BLOOMLINE_AVX512_INLINE static EightEquations EquationsAt(uint64_t equations) {
    return _mm512_set1_epi64(static_cast<long long>(__builtin_bswap64(equations)));
  }

  // Bit i of a byte stands for row i, and a product is the sum of these rows.
  using Matrix = __m512i;
  static constexpr long long kIdentity = 0x0102040810204080;
  BLOOMLINE_AVX512_INLINE static Matrix MatrixOf(__m512i rows) {
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(kIdentity), rows, 0);
  }
  BLOOMLINE_AVX512_INLINE static Matrix MatrixAt(const Bytes& bytes, EightEquations equations) {
    return MatrixOf(_mm512_permutexvar_epi8(equations, bytes));
  }
  // Returns, for the pivots' own sums, the matrix that makes sums of the slice they come from.
  BLOOMLINE_AVX512_INLINE static Matrix InverseAt(const Bytes& sums, EightEquations pivots) {
    return MatrixOf(Xor(_mm512_permutexvar_epi8(pivots, sums), _mm512_set1_epi64(kIdentity)));
  }
  BLOOMLINE_AVX512_INLINE static Bytes TimesMatrix(Bytes bytes, Matrix matrix) {
    return _mm512_gf2p8affine_epi64_epi8(bytes, matrix, 0);
  }

  // Byte j: equation equations[j]'s byte.
  BLOOMLINE_AVX512_INLINE static Bytes BytesAt(const Slice& slice, const uint8_t equations[64]) {
    return _mm512_permutex2var_epi8(slice.low, _mm512_loadu_si512(equations), slice.high);
  }

  BLOOMLINE_AVX512_INLINE static Slice SliceOf(const uint8_t bytes[128]) {
    return {_mm512_loadu_si512(bytes), _mm512_loadu_si512(bytes + 64)};
  }
  BLOOMLINE_AVX512_INLINE static void StoreBytes(Bytes bytes, uint8_t to[64]) {
    _mm512_storeu_si512(to, bytes);
  }

  struct Exchange {
    BLOOMLINE_AVX512_INLINE explicit Exchange(const EquationPairs& pairs) {
      alignas(64) uint8_t from[128];
      for (unsigned i = 0; i < 128; ++i) from[i] = static_cast<uint8_t>(i);
      for (unsigned i = 0; i < pairs.size; ++i) {
        from[pairs.low[i]] = pairs.high[i];
        from[pairs.high[i]] = pairs.low[i];
      }
      low = _mm512_load_si512(from);
      high = _mm512_load_si512(from + 64);
    }
    BLOOMLINE_AVX512_INLINE void In(Slice* slice) const {
      *slice = {_mm512_permutex2var_epi8(slice->low, low, slice->high),
                _mm512_permutex2var_epi8(slice->low, high, slice->high)};
    }
    __m512i low;
    __m512i high;
  };

  // Byte i of 64 words becomes columns[i].
  BLOOMLINE_AVX512_INLINE static void Transpose(const uint64_t words[64], Bytes columns[8]) {
    alignas(64) static constexpr uint8_t kBytes[64] = {
        0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
        50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
        37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};
    const __m512i bytes = _mm512_load_si512(kBytes);
    __m512i
        pairs[8];  // 128-bit lane i of pairs[2 j]: byte 2 i of 16 words; pairs[2 j + 1]: 2 i + 1
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
      columns[odd] = _mm512_shuffle_i32x4(low01, low23, 0x88);
      columns[2 + odd] = _mm512_shuffle_i32x4(low01, low23, 0xDD);
      columns[4 + odd] = _mm512_shuffle_i32x4(high01, high23, 0x88);
      columns[6 + odd] = _mm512_shuffle_i32x4(high01, high23, 0xDD);
    }
  }
};

}  // namespace

bool Avx512SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block) {
  return SolveBySlices<Avx512>(arrangement, hashes, n, block);
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
