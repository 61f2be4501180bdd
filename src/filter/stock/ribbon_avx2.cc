// AVX2: RocksDB's Ribbon filter, two columns in a register and eight at a time (ribbon.h).
#if defined(__x86_64__)

#include "src/filter/cpu/avx2.h"

#define BLOOMLINE_RIBBON_TARGET BLOOMLINE_AVX2
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_query.h"

namespace bloomline::stock {
namespace {

using kernels::Load256;

// A bit for each of 128 rows: of the first row's block, and of the next.
struct SelectedRows {
  __m128i here;
  __m128i next;
};

// The coefficients, shifted by first_row across both blocks. Shifts of a lane by 64 or more, and by
// less than 0, give zero. So each lane is the OR of three shifts for every first_row.
BLOOMLINE_AVX2_INLINE SelectedRows SelectRows(const RibbonKey& key) {
  const __m128i mixed = _mm_set1_epi64x(static_cast<int64_t>(key.mixed));
  const __m128i row = _mm_set1_epi64x(key.first_row);
  const __m128i coefficients = _mm_or_si128(
      _mm_xor_si128(mixed, _mm_set_epi64x(0, static_cast<int64_t>(RibbonKey::kLowCoefficients))),
      _mm_set_epi64x(0, RibbonKey::kFirstCoefficient));
  const __m128i low_to_high = _mm_slli_si128(coefficients, 8);
  const __m128i high_to_low = _mm_srli_si128(coefficients, 8);
  const __m128i beyond_64 = _mm_sub_epi64(row, _mm_set1_epi64x(64));
  const __m128i below_64 = _mm_sub_epi64(_mm_set1_epi64x(64), row);
  const __m128i below_128 = _mm_sub_epi64(_mm_set1_epi64x(128), row);
  const auto or3 = [](__m128i a, __m128i b, __m128i c)
                       BLOOMLINE_AVX2 { return _mm_or_si128(_mm_or_si128(a, b), c); };
  return {or3(_mm_sllv_epi64(coefficients, row), _mm_sllv_epi64(low_to_high, beyond_64),
              _mm_srlv_epi64(low_to_high, below_64)),
          or3(_mm_srlv_epi64(coefficients, below_128), _mm_srlv_epi64(high_to_low, below_64),
              _mm_sllv_epi64(high_to_low, beyond_64))};
}

// The lowest bits of lanes that are words of 32 bits: the parity of each word's bits, at its sign.
BLOOMLINE_AVX2_INLINE __m256i ParitiesAtSigns(__m256i words) {
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 16));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 8));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 4));
  words = _mm256_xor_si256(words, _mm256_slli_epi32(words, 2));
  return _mm256_xor_si256(words, _mm256_slli_epi32(words, 1));
}

// Columns i and i + 1, when the shape has `left` from i on: the selected bits of both blocks,
// XORed. Words of a column that does not exist are zero.
BLOOMLINE_AVX2_INLINE __m256i TwoColumns(const char* here, const char* next, int left,
                                         __m256i rows_here, __m256i rows_next) {
  if (left <= 0) return _mm256_setzero_si256();
  const auto load = [left](const char* p) BLOOMLINE_AVX2 {
    if (left > 1) return Load256(p);
    return _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  };
  return _mm256_xor_si256(_mm256_and_si256(load(here), rows_here),
                          _mm256_and_si256(load(next), rows_next));
}

BLOOMLINE_AVX2_INLINE __m256i Folded(__m256i a, __m256i b) {
  return _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

// The even words of a and b, XORed with the odd ones.
BLOOMLINE_AVX2_INLINE __m256i FoldedWords(__m256i a, __m256i b) {
  const __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
  return _mm256_castps_si256(
      _mm256_xor_ps(_mm256_shuffle_ps(x, y, 0x88), _mm256_shuffle_ps(x, y, 0xdd)));
}

struct Avx2Query {
  BLOOMLINE_AVX2_INLINE static bool Matches(const RibbonKey& key, uint32_t shape_columns) {
    const int num_columns = static_cast<int>(shape_columns);
    const SelectedRows rows = SelectRows(key);
    const __m256i here = _mm256_broadcastsi128_si256(rows.here);
    const __m256i next = _mm256_broadcastsi128_si256(rows.next);
    const __m256i column_of_lane = _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
    for (int first = 0; first < num_columns; first += static_cast<int>(kColumnsAtOnce)) {
      __m256i pairs[4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const int offset = (first + 2 * i) * static_cast<int>(RibbonShape::kSegmentBytes);
        pairs[i] = TwoColumns(key.here + offset, key.next + offset, num_columns - first - 2 * i,
                              here, next);
      }
      // Columns 0, 2, 4, 6, 1, 3, 5, 7.
      const __m256i folded = FoldedWords(Folded(pairs[0], pairs[1]), Folded(pairs[2], pairs[3]));
      const __m256i expected =
          _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(key.fingerprint() >> first)),
                           _mm256_sllv_epi32(_mm256_set1_epi32(1), column_of_lane));
      const __m256i wrong = ParitiesAtSigns(_mm256_xor_si256(folded, expected));
      const __m256i present = _mm256_cmpgt_epi32(
          _mm256_set1_epi32(static_cast<int>(key.columns) - first), column_of_lane);
      if (_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(wrong, present))) != 0)
        return false;
    }
    return true;
  }
};

}  // namespace

RibbonKernel Avx2Ribbon() { return MakeRibbonKernel<Avx2Query>(); }

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
