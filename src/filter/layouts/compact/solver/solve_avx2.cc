// The compact solver with AVX2: matrices are look-up tables of half-bytes.
#if defined(__x86_64__)

#include <cstdint>

#include "src/filter/cpu/avx2.h"

#define BLOOMLINE_SLICES_TARGET BLOOMLINE_AVX2
#include "src/filter/layouts/compact/solver/slice_solver.h"

namespace bloomline::kernels {
namespace {

// The functions that slices.h lists, in this order. A `half` is 32 bytes.
struct Avx2Simd {
  struct Bytes {
    __m256i half[2];
  };
  // A byte times a matrix is the XOR of those rows that the byte's bits name. A look-up table has
  // all 16 sums of rows 0 to 3, another one those of rows 4 to 7:
  //
  //   product of byte 0xHL = low[L] ^ high[H]
  //
  // So two VPSHUFB multiply 32 equations' bytes. GF2P8AFFINEQB would do it in one; a kernel for
  // CPUs that have it without AVX-512 has not been tried.
  struct Matrix {
    __m256i low;
    __m256i high;
  };
  // Selectors of the eight equations for VPSHUFB, which looks up within each lane of 16 bytes.
  // Equation e is in lane e / 16 of the four: there e XOR 16 * lane is e % 16, in the others it is
  // 16 to 63, and for 64, no pivot, it is at least 64 in all. Adding 0x70 makes that 0x70 to 0x7F,
  // of which VPSHUFB uses the lower half, or 0x80 and more, which looks up zero.
  //
  //   half[0]   | lane 0: equations 0 to 15  | lane 1: 16 to 31 |   each byte b, b + 8: equation b
  //   half[1]   | lane 2: equations 32 to 47 | lane 3: 48 to 63 |
  struct Equations {
    __m256i half[2];
  };

  BLOOMLINE_AVX2_INLINE static Bytes Xor(Bytes a, Bytes b) {
    return {{_mm256_xor_si256(a.half[0], b.half[0]), _mm256_xor_si256(a.half[1], b.half[1])}};
  }
  BLOOMLINE_AVX2_INLINE static Bytes And(Bytes a, unsigned byte) {
    const __m256i each = EachByte(byte);
    return {{_mm256_and_si256(a.half[0], each), _mm256_and_si256(a.half[1], each)}};
  }
  // A shift of 16 bits is enough: bits that come in from the byte beside it stay below bit 7.
  BLOOMLINE_AVX2_INLINE static uint64_t BitMask(Bytes bytes, unsigned b) {
    const int shift = static_cast<int>(7 - b);
    return UpperBits(_mm256_slli_epi16(bytes.half[0], shift),
                     _mm256_slli_epi16(bytes.half[1], shift));
  }
  // The loop begins at bit 7: adding a byte to itself shifts it by one.
  BLOOMLINE_AVX2_INLINE static void BitMasks(Bytes bytes, uint64_t masks[8]) {
#pragma GCC unroll 8
    for (unsigned b = 8; b-- > 0;) {
      masks[b] = UpperBits(bytes.half[0], bytes.half[1]);
      for (__m256i& half : bytes.half) half = _mm256_add_epi8(half, half);
    }
  }
  // Byte g of each mask is for equations 8 g to 8 g + 7. Three steps bring together the bytes g of
  // masks 0 to 7, and each eight of them, transposed, are eight equations:
  //
  //   m01                  00 10 01 11 02 12 ..            (byte g of mask m: "m g")
  //   low03                00 10 20 30 01 11 21 31 ..      g = 0 to 3; high03: 4 to 7
  //   unpack(low03, low47) 00 10 20 30 40 50 60 70 01 ..   g = 0, 1
  BLOOMLINE_AVX2_INLINE static Bytes FromBitMasks(const uint64_t masks[8]) {
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
  // AVX2 does not compare unsigned bytes, but x is at most l if min(x, l) is x.
  BLOOMLINE_AVX2_INLINE static uint64_t SumsBelow(Bytes bytes, unsigned added, unsigned limit) {
    for (__m256i& half : bytes.half) {
      half = _mm256_add_epi8(half, EachByte(added));
      half = _mm256_cmpeq_epi8(half, _mm256_min_epu8(half, EachByte(limit - 1)));
    }
    return UpperBits(bytes.half[0], bytes.half[1]);
  }

  BLOOMLINE_AVX2_INLINE static Equations Selectors(uint64_t pivots) {
    const __m256i all = Rows(pivots);
    const __m256i lanes01 = _mm256_set_m128i(_mm_set1_epi8(16), _mm_set1_epi8(0));
    const __m256i lanes23 = _mm256_set_m128i(_mm_set1_epi8(48), _mm_set1_epi8(32));
    return {{_mm256_add_epi8(_mm256_xor_si256(all, lanes01), EachByte(0x70)),
             _mm256_add_epi8(_mm256_xor_si256(all, lanes23), EachByte(0x70))}};
  }
  BLOOMLINE_AVX2_INLINE static Matrix FromRows(uint64_t rows) { return MatrixWithRows(Rows(rows)); }
  // Each row is found in one of the four lanes, and is zero in the others, so all four are ORed.
  BLOOMLINE_AVX2_INLINE static Matrix MatrixAt(Bytes bytes, const Equations& equations,
                                               uint64_t added) {
    const __m256i rows = _mm256_or_si256(_mm256_shuffle_epi8(bytes.half[0], equations.half[0]),
                                         _mm256_shuffle_epi8(bytes.half[1], equations.half[1]));
    const __m256i other_lanes = _mm256_permute2x128_si256(rows, rows, 0x01);
    return MatrixWithRows(_mm256_xor_si256(_mm256_or_si256(rows, other_lanes), Rows(added)));
  }
  BLOOMLINE_AVX2_INLINE static Bytes TimesMatrix(Bytes bytes, const Matrix& matrix) {
    return {{HalfTimesMatrix(bytes.half[0], matrix), HalfTimesMatrix(bytes.half[1], matrix)}};
  }

  // Scalar loads are used because AVX2 looks up in 16 bytes only.
  BLOOMLINE_AVX2_INLINE static Bytes BytesAt(const Slice<Avx2Simd>& slice, const uint8_t at[64]) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&slice);
    alignas(32) uint8_t found[64];
    for (unsigned i = 0; i < 64; ++i) found[i] = bytes[at[i]];
    return {{Load256(found), Load256(found + 32)}};
  }
  BLOOMLINE_AVX2_INLINE static void Exchange(const EquationPairs& pairs, Slice<Avx2Simd>* slice) {
    auto* bytes = reinterpret_cast<uint8_t*>(slice);
    for (unsigned i = 0; i < pairs.size; ++i) {
      const uint8_t low = bytes[pairs.low[i]];
      bytes[pairs.low[i]] = bytes[pairs.high[i]];
      bytes[pairs.high[i]] = low;
    }
  }
  // Pairs of bytes first, then fours, eights and sixteens; each step interleaves units of twice the
  // size:
  //
  //   w0 = a0 .. a7, w1 = b0 .. b7  ->  a0 b0 a1 b1 .. a7 b7     (VPSHUFB, 2 words in 16 bytes)
  //   w0 w1 w2 w3                   ->  a0 b0 c0 d0 a1 b1 c1 d1  (VPUNPCK of 16 bits)
  //                                 ->  of 8 words, then of 16    (of 32, of 64 bits)
  //
  // The lower lane has words 0 to 15 of the half, the upper one 16 to 31.
  BLOOMLINE_AVX2_INLINE static void Transpose(const uint64_t words[64], Bytes to[8]) {
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
        to[4 * i].half[half] = _mm256_unpacklo_epi64(first_low, second_low);
        to[4 * i + 1].half[half] = _mm256_unpackhi_epi64(first_low, second_low);
        to[4 * i + 2].half[half] = _mm256_unpacklo_epi64(first_high, second_high);
        to[4 * i + 3].half[half] = _mm256_unpackhi_epi64(first_high, second_high);
      }
    }
  }

 private:
  BLOOMLINE_AVX2_INLINE static __m256i EachByte(unsigned byte) {
    return _mm256_set1_epi8(static_cast<char>(byte));
  }
  // Bit i: bit 7 of byte i (VPMOVMSKB).
  BLOOMLINE_AVX2_INLINE static uint64_t UpperBits(__m256i low, __m256i high) {
    return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
           uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(high))} << 32;
  }
  BLOOMLINE_AVX2_INLINE static __m128i Interleaved(uint64_t even, uint64_t odd) {
    return _mm_unpacklo_epi8(_mm_cvtsi64_si128(static_cast<long long>(even)),
                             _mm_cvtsi64_si128(static_cast<long long>(odd)));
  }
  // Transposed8x8 (solve_portable.cc) of four matrices.
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

  // Eight rows, in bytes 0 to 7 and 8 to 15 of both lanes.
  BLOOMLINE_AVX2_INLINE static __m256i Rows(uint64_t rows) {
    return _mm256_set1_epi64x(static_cast<long long>(rows));
  }
  // Places i of 16 whose bit is set take row `bit` in the lower lane, row 4 + bit in the upper one;
  // the others take zero. A table that the compiler must not make at run time: GCC 12 at -O2 did so
  // for each matrix, and the solver took 1.6 times as long.
  struct PlacesOfBits {
    constexpr PlacesOfBits() {
      for (unsigned bit = 0; bit < 4; ++bit) {
        for (unsigned i = 0; i < 32; ++i) {
          from[bit][i] = static_cast<uint8_t>((i >> bit & 1) != 0 ? bit + i / 16 * 4 : 0x80);
        }
      }
    }
    alignas(32) uint8_t from[4][32] = {};
  };
  static const PlacesOfBits kPlacesOfBits;
  // Sums of rows 0 to 3 are made in the lower lane, those of rows 4 to 7 in the upper one, and then
  // each is copied to both lanes, for VPSHUFB.
  BLOOMLINE_AVX2_INLINE static Matrix MatrixWithRows(__m256i rows) {
    __m256i sums = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (const auto& from : kPlacesOfBits.from) {
      sums = _mm256_xor_si256(sums, _mm256_shuffle_epi8(rows, Load256(from)));
    }
    return {_mm256_permute2x128_si256(sums, sums, 0x00),
            _mm256_permute2x128_si256(sums, sums, 0x11)};
  }

  BLOOMLINE_AVX2_INLINE static __m256i HalfTimesMatrix(__m256i half, const Matrix& matrix) {
    const __m256i low = _mm256_and_si256(half, EachByte(15));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(half, 4), EachByte(15));
    return _mm256_xor_si256(_mm256_shuffle_epi8(matrix.low, low),
                            _mm256_shuffle_epi8(matrix.high, high));
  }

  // Words 0 and 1, and 16 and 17, with their bytes interleaved.
  BLOOMLINE_AVX2_INLINE static __m256i TwoAndTwoWords(const uint64_t* words) {
    const __m256i interleave = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    const auto* low = reinterpret_cast<const __m128i*>(words);
    const auto* high = reinterpret_cast<const __m128i*>(words + 16);
    return _mm256_shuffle_epi8(_mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low)),
                               interleave);
  }
};

constexpr Avx2Simd::PlacesOfBits Avx2Simd::kPlacesOfBits;

}  // namespace

bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block) {
  return SolveBySlices<Avx2Simd>(arrangement, hashes, n, block);
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
