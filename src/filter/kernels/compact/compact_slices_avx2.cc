// The compact solver with AVX2: matrices are look-up tables of half-bytes.
#if defined(__x86_64__)

#include "src/filter/kernels/avx2_bits.h"
#include "src/filter/kernels/compact/compact_kernel.h"
#include "src/filter/kernels/compact/compact_slice_layout.h"

#define BLOOMLINE_SLICES_TARGET BLOOMLINE_AVX2

namespace bloomline::kernels {
namespace {

struct Bytes {
  __m256i half[2];
};

struct Slice {
  Bytes low;   // equations 0 to 63
  Bytes high;  // equations 64 to 127
};

BLOOMLINE_AVX2_INLINE __m256i EachByte(unsigned byte) {
  return _mm256_set1_epi8(static_cast<char>(byte));
}
BLOOMLINE_AVX2_INLINE Bytes Xor(Bytes a, Bytes b) {
  return {{_mm256_xor_si256(a.half[0], b.half[0]), _mm256_xor_si256(a.half[1], b.half[1])}};
}
BLOOMLINE_AVX2_INLINE Bytes And(Bytes a, unsigned byte) {
  return {
      {_mm256_and_si256(a.half[0], EachByte(byte)), _mm256_and_si256(a.half[1], EachByte(byte))}};
}
BLOOMLINE_AVX2_INLINE Bytes ShiftedRight(Bytes a, unsigned n) {
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(n));
  return And({{_mm256_srl_epi16(a.half[0], count), _mm256_srl_epi16(a.half[1], count)}},
             0xFFu >> n);
}
BLOOMLINE_AVX2_INLINE Bytes ShiftedLeft(Bytes a, unsigned n) {
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(n));
  return And({{_mm256_sll_epi16(a.half[0], count), _mm256_sll_epi16(a.half[1], count)}},
             0xFFu << n);
}
BLOOMLINE_AVX2_INLINE uint8_t ByteOf(const Bytes& bytes, unsigned i) {
  return reinterpret_cast<const uint8_t*>(&bytes)[i];
}

BLOOMLINE_AVX2_INLINE uint64_t UpperBits(__m256i low, __m256i high) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
         uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(high))} << 32;
}
BLOOMLINE_AVX2_INLINE uint64_t BitMask(Bytes bytes, unsigned bit) {
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(7 - bit));
  return UpperBits(_mm256_sll_epi16(bytes.half[0], count), _mm256_sll_epi16(bytes.half[1], count));
}
BLOOMLINE_AVX2_INLINE void BitMasks(Bytes bytes, uint64_t masks[8]) {
#pragma GCC unroll 8
  for (unsigned b = 8; b-- > 0;) {
    masks[b] = UpperBits(bytes.half[0], bytes.half[1]);
    for (__m256i& half : bytes.half) half = _mm256_add_epi8(half, half);
  }
}

// Each 8 x 8 matrix of bits: bit j of byte i becomes bit i of byte j. Three steps exchange squares
// of 1, of 2 x 2 and of 4 x 4 bits across the diagonal (Warren, Hacker's Delight, 7-3), for four
// matrices at once. As Transposed8x8.
BLOOMLINE_AVX2_INLINE __m256i TransposedBits(__m256i x) {
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

BLOOMLINE_AVX2_INLINE __m128i Interleaved(uint64_t even, uint64_t odd) {
  return _mm_unpacklo_epi8(_mm_cvtsi64_si128(static_cast<long long>(even)),
                           _mm_cvtsi64_si128(static_cast<long long>(odd)));
}
BLOOMLINE_AVX2_INLINE Bytes OfBitMasks(const uint64_t masks[8]) {
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

// limit > 0.
BLOOMLINE_AVX2_INLINE uint64_t SumsBelow(Bytes bytes, unsigned added, unsigned limit) {
  for (__m256i& half : bytes.half) {
    half = _mm256_add_epi8(half, EachByte(added));
    half = _mm256_cmpeq_epi8(half, _mm256_min_epu8(half, EachByte(limit - 1)));
  }
  return UpperBits(bytes.half[0], bytes.half[1]);
}

// Byte b: where row b of a matrix is.
using EightEquations = uint64_t;
// A slot without a pivot, 64, gets equation 0's row, which no sums ask for.
BLOOMLINE_AVX2_INLINE EightEquations EquationsAt(uint64_t equations) {
  return equations & 0x3F3F3F3F3F3F3F3F;
}

// A byte times a matrix is the XOR of those rows that the byte's bits name. A look-up table has all
// 16 sums of rows 0 to 3, another one those of rows 4 to 7:
//
//   product of byte 0xHL = low[L] ^ high[H]
//
// So two VPSHUFB multiply 32 equations' bytes. GF2P8AFFINEQB would do it in one; a kernel for CPUs
// that have it without AVX-512 has not been tried.
struct Matrix {
  __m256i low;
  __m256i high;
};
BLOOMLINE_AVX2_INLINE __m256i WhereBit(unsigned bit) {
  char from[16];
  for (unsigned i = 0; i < 16; ++i) from[i] = static_cast<char>((i >> bit & 1) != 0 ? bit : 0x80);
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
// Rows 0 to 3 are in the lower lane, 4 to 7 in the upper one. Each VPSHUFB brings one row to the
// places i whose bit says so, and zero to the others.
BLOOMLINE_AVX2_INLINE Matrix MatrixOf(__m256i rows) {
  __m256i sums = _mm256_shuffle_epi8(rows, WhereBit(0));
  for (unsigned bit = 1; bit < 4; ++bit) {
    sums = _mm256_xor_si256(sums, _mm256_shuffle_epi8(rows, WhereBit(bit)));
  }
  return {_mm256_permute2x128_si256(sums, sums, 0x00), _mm256_permute2x128_si256(sums, sums, 0x11)};
}
BLOOMLINE_AVX2_INLINE __m128i FourRows(const uint8_t* bytes, uint64_t equations) {
  __m128i rows = _mm_cvtsi32_si128(bytes[equations & 0xFF]);
  rows = _mm_insert_epi8(rows, bytes[equations >> 8 & 0xFF], 1);
  rows = _mm_insert_epi8(rows, bytes[equations >> 16 & 0xFF], 2);
  return _mm_insert_epi8(rows, bytes[equations >> 24 & 0xFF], 3);
}
BLOOMLINE_AVX2_INLINE __m256i RowsAt(const Bytes& slice, EightEquations equations) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&slice);
  return _mm256_set_m128i(FourRows(bytes, equations >> 32), FourRows(bytes, equations));
}
BLOOMLINE_AVX2_INLINE Matrix MatrixAt(const Bytes& slice, EightEquations equations) {
  return MatrixOf(RowsAt(slice, equations));
}
// The inverse of M, the pivots' bytes in the slice before the elimination. It makes them the
// identity: (I + S) M = I, where row b of S is the sums of slot b's pivot. So I + S is the inverse.
// An equation with bits v in the slice needs the sums v (I + S), which cancel v. Rows of slots
// without a pivot are rubbish, so v has none of these.
BLOOMLINE_AVX2_INLINE Matrix InverseAt(const Bytes& sums, EightEquations pivots) {
  const __m256i identity =
      _mm256_setr_epi32(0x08040201, 0, 0, 0, static_cast<int>(0x80402010), 0, 0, 0);
  return MatrixOf(_mm256_xor_si256(RowsAt(sums, pivots), identity));
}
BLOOMLINE_AVX2_INLINE __m256i Product(__m256i bytes, const Matrix& matrix) {
  const __m256i low = _mm256_and_si256(bytes, EachByte(15));
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), EachByte(15));
  return _mm256_xor_si256(_mm256_shuffle_epi8(matrix.low, low),
                          _mm256_shuffle_epi8(matrix.high, high));
}
BLOOMLINE_AVX2_INLINE Bytes Product(Bytes bytes, const Matrix& matrix) {
  return {{Product(bytes.half[0], matrix), Product(bytes.half[1], matrix)}};
}

// Byte j: equation equations[j]'s byte. By scalar loads: AVX2 looks up in 16 bytes only.
BLOOMLINE_AVX2_INLINE Bytes BytesAt(const Slice& slice, const uint8_t equations[64]) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&slice);
  alignas(32) uint8_t at[64];
  for (unsigned j = 0; j < 64; ++j) at[j] = bytes[equations[j]];
  return {{Load256(at), Load256(at + 32)}};
}

BLOOMLINE_AVX2_INLINE Slice SliceOf(const uint8_t bytes[128]) {
  return {{{Load256(bytes), Load256(bytes + 32)}}, {{Load256(bytes + 64), Load256(bytes + 96)}}};
}
BLOOMLINE_AVX2_INLINE void StoreBytes(Bytes bytes, uint8_t to[64]) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes.half[0]);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), bytes.half[1]);
}

// Exchanges bytes of a slice, pair by pair. For blocks of more than 64 keys alone.
class Exchange {
 public:
  BLOOMLINE_AVX2_INLINE explicit Exchange(const EquationPairs& pairs) : pairs_(pairs) {}
  BLOOMLINE_AVX2_INLINE void In(Slice* slice) const {
    auto* bytes = reinterpret_cast<uint8_t*>(slice);
    for (unsigned i = 0; i < pairs_.size; ++i) {
      const uint8_t low = bytes[pairs_.low[i]];
      bytes[pairs_.low[i]] = bytes[pairs_.high[i]];
      bytes[pairs_.high[i]] = low;
    }
  }

 private:
  const EquationPairs& pairs_;
};

// Transposing 64 words of 8 bytes: of each word, byte i goes to register i. Pairs of bytes first,
// then fours, eights and sixteens; each step interleaves units of twice the size:
//
//   w0 = a0 .. a7, w1 = b0 .. b7  ->  a0 b0 a1 b1 .. a7 b7     (VPSHUFB, 2 words in 16 bytes)
//   w0 w1 w2 w3                   ->  a0 b0 c0 d0 a1 b1 c1 d1  (VPUNPCK of 16 bits)
//                                 ->  of 8 words, then of 16    (of 32, of 64 bits)
//
// The lower lane has words 0 to 15 of the half, the upper one 16 to 31.
BLOOMLINE_AVX2_INLINE __m256i TwoAndTwoWords(const uint64_t* words) {
  const __m256i interleave = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  const auto* low = reinterpret_cast<const __m128i*>(words);
  const auto* high = reinterpret_cast<const __m128i*>(words + 16);
  return _mm256_shuffle_epi8(_mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low)),
                             interleave);
}
// Byte i of 64 words becomes columns[i].
BLOOMLINE_AVX2_INLINE void Transpose(const uint64_t words[64], Bytes columns[8]) {
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

}  // namespace
}  // namespace bloomline::kernels

#include "src/filter/kernels/compact/compact_slice_solver.h"

namespace bloomline::kernels {

BLOOMLINE_AVX2 bool Avx2SolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n,
                                     char* block) {
  SliceSolver solver(arrangement, hashes, n);
  const SliceResult result = solver.Search(block);
  return result == SliceResult::kUnknown ? PortableSolveCompact(arrangement, hashes, n, block)
                                         : result == SliceResult::kSolved;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
