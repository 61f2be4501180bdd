// The rows that a key of a Ribbon filter selects, in registers: for AVX2 and AVX-512.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_ROWS_X86_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_ROWS_X86_H_

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/stock/ribbon.h"

namespace bloomline::stock {

// A bit for each of 128 rows: of the first row's block, and of the next.
struct SelectedRows {
  __m128i here;
  __m128i next;
};

// The coefficients, shifted by first_row across both blocks. Shifts of a lane by 64 or more, and by
// less than 0, give zero. So each lane is the OR of three shifts, whatever first_row is.
BLOOMLINE_AVX2_INLINE SelectedRows SelectedRowsOf(const RibbonKey& key) {
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

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_ROWS_X86_H_
