// The Ribbon solver with AVX2 (ribbon_solve.h): a register holds eight rows of 32 equations, and
// elimination takes eight short steps without branches.
#if defined(__x86_64__)

#include <algorithm>

#include "src/filter/cpu/avx2.h"

#define BLOOMLINE_RIBBON_TARGET BLOOMLINE_AVX2
#include "src/filter/stock/ribbon_solve.h"
#include "src/filter/stock/ribbon_solver/group_solver.h"
#include "src/filter/stock/ribbon_solver/solvers.h"

namespace bloomline::stock {
namespace {

// ---- Eight rows of 32 equations: byte i is that of equation i, or word j is row j.

using Words = uint64_t __attribute__((vector_size(32)));

BLOOMLINE_AVX2_INLINE __m256i TransposedBits(__m256i x) {
  return reinterpret_cast<__m256i>(TransposedBits(reinterpret_cast<Words>(x)));
}
constexpr int kExchangeMiddle = 0xd8;  // of four quarters

BLOOMLINE_AVX2_INLINE __m256i RowsOfBytes(__m256i bytes) {
  const __m256i pairs = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 7, 14, 6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0));
  const __m256i words = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 14, 7, 6, 13, 12, 5, 4, 11, 10, 3, 2, 9, 8, 1, 0));
  const __m256i of_pairs = _mm256_shuffle_epi8(TransposedBits(bytes), pairs);
  return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(of_pairs, kExchangeMiddle), words);
}
BLOOMLINE_AVX2_INLINE __m256i BytesOfRows(__m256i rows) {
  const __m256i halves = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0));
  const __m256i quarters = _mm256_broadcastsi128_si256(
      _mm_set_epi8(15, 13, 11, 9, 7, 5, 3, 1, 14, 12, 10, 8, 6, 4, 2, 0));
  const __m256i of_halves =
      _mm256_permute4x64_epi64(_mm256_shuffle_epi8(rows, halves), kExchangeMiddle);
  return TransposedBits(_mm256_shuffle_epi8(of_halves, quarters));
}

// A bit for each equation of piece w that exists.
BLOOMLINE_AVX2_INLINE uint32_t ExistingBits(uint32_t num_equations, uint32_t w) {
  const uint32_t left = std::max(num_equations, kPiece * w) - kPiece * w;
  return static_cast<uint32_t>((uint64_t{1} << std::min(left, kPiece)) - 1);
}

struct Avx2Simd {
  using Vector = Words;
  using Columns = Vector;

  // The parities of nibbles, summed up for each word.
  BLOOMLINE_AVX2_INLINE static Columns SumOfBits(Columns words) {
    const __m256i nibbles =
        _mm256_broadcastsi128_si256(_mm_set_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0));
    const __m256i folded =
        _mm256_and_si256(reinterpret_cast<__m256i>(words ^ words >> 4), _mm256_set1_epi8(15));
    return reinterpret_cast<Columns>(
        _mm256_sad_epu8(_mm256_shuffle_epi8(nibbles, folded), _mm256_setzero_si256()));
  }

  template <uint32_t W>
  BLOOMLINE_AVX2_INLINE static void Eliminate(uint32_t num_equations, Step<W>* step) {
    __m256i has[W];    // equations with the row
    __m256i takes[W];  // equations that take the row's pivot
    __m256i pivots[W];
    const __m256i zero = _mm256_setzero_si256();
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) {
      const __m256i exist = _mm256_set1_epi32(static_cast<int>(ExistingBits(num_equations, w)));
      const uint64_t* const bytes = step->bytes + 4 * w;
      const auto word = [bytes](int i) { return static_cast<int64_t>(bytes[i]); };
      has[w] = _mm256_and_si256(RowsOfBytes(_mm256_set_epi64x(word(3), word(2), word(1), word(0))),
                                exist);
      takes[w] = pivots[w] = zero;
    }
    const __m256i one_row = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 8
    for (uint32_t j = 0; j < kRowsPerStep; ++j) {
      const __m256i row = _mm256_set1_epi32(static_cast<int>(j));
      const __m256i is_row = _mm256_cmpeq_epi32(one_row, row);
      __m256i of_row[W], pivot[W];
      __m256i with_pivot = zero, taking_pivot = zero, is_free = _mm256_cmpeq_epi32(zero, zero);
#pragma GCC unroll 6
      for (uint32_t w = 0; w < W; ++w) {
        of_row[w] = _mm256_permutevar8x32_epi32(has[w], row);
        pivot[w] = _mm256_and_si256(of_row[w], _mm256_sub_epi32(zero, of_row[w]));
        if (W > 1) {
          pivot[w] = _mm256_and_si256(pivot[w], is_free);
          is_free = _mm256_and_si256(is_free, _mm256_cmpeq_epi32(of_row[w], zero));
        }
        with_pivot = _mm256_or_si256(with_pivot, _mm256_and_si256(has[w], pivot[w]));
        taking_pivot = _mm256_or_si256(taking_pivot, _mm256_and_si256(takes[w], pivot[w]));
      }
      // All with the row take its pivot, and what that has taken. The pivot itself has no rows
      // then.
      const __m256i not_with_pivot = _mm256_cmpeq_epi32(with_pivot, zero);
      const __m256i not_taking_pivot = _mm256_cmpeq_epi32(taking_pivot, zero);
#pragma GCC unroll 6
      for (uint32_t w = 0; w < W; ++w) {
        const __m256i others = _mm256_xor_si256(of_row[w], pivot[w]);
        has[w] = _mm256_xor_si256(has[w], _mm256_andnot_si256(not_with_pivot, of_row[w]));
        takes[w] = _mm256_xor_si256(takes[w], _mm256_andnot_si256(not_taking_pivot, others));
        takes[w] = _mm256_or_si256(takes[w], _mm256_and_si256(others, is_row));
        pivots[w] = _mm256_or_si256(pivots[w], _mm256_and_si256(pivot[w], is_row));
      }
    }
#pragma GCC unroll 6
    for (uint32_t w = 0; w < W; ++w) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(step->takes + kPiece * w),
                         BytesOfRows(takes[w]));
      _mm256_store_si256(reinterpret_cast<__m256i*>(step->pivot[w]), pivots[w]);
    }
  }
};

}  // namespace

RibbonSolver Avx2RibbonSolver() {
  return {SolveGroup<Avx2Simd>, Substitute<Avx2Simd>, (size_t{1} << 20) / sizeof(RibbonEquation)};
}

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
