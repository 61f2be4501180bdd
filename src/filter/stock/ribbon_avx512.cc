// AVX-512: RocksDB's Ribbon filter, four columns in a register and eight at a time (ribbon.h).
#if defined(__x86_64__)

#include <algorithm>
#include <cstdint>

#include "src/filter/cpu/avx512.h"

#define BLOOMLINE_RIBBON_TARGET BLOOMLINE_AVX512
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_query.h"

namespace bloomline::stock {
namespace {

constexpr int kColumnsPerRegister = sizeof(__m512i) / RibbonShape::kSegmentBytes;
static_assert(2 * kColumnsPerRegister == kColumnsAtOnce);

// The rows that a key selects in each column. Its rows of the next block have other places than
// those of the first row's block, so one row of 128 bits serves both.
struct SelectedRows {
  __m512i coefficients;  // rotated up by first_row: bit r is that of row r of either block
  __m512i is_here;       // ones from first_row on
};

BLOOMLINE_AVX512_INLINE __m512i InHalves(uint64_t low, uint64_t high) {
  const auto l = static_cast<int64_t>(low), h = static_cast<int64_t>(high);
  return _mm512_set4_epi64(h, l, h, l);
}

// Variable shifts by 64 or more give zero, but VPSHLDVQ shifts by first_row modulo 64.
BLOOMLINE_AVX512_INLINE SelectedRows SelectRows(__m512i mixed, __m512i row) {
  const __m512i coefficients =
      _mm512_or_si512(_mm512_xor_si512(mixed, InHalves(RibbonKey::kLowCoefficients, 0)),
                      InHalves(RibbonKey::kFirstCoefficient, 0));
  const __m512i swapped = _mm512_shuffle_epi32(coefficients, _MM_PERM_BADC);
  const __mmask8 is_far = _mm512_movepi64_mask(_mm512_slli_epi64(row, 57));
  const __m512i upper = _mm512_mask_mov_epi64(coefficients, is_far, swapped);
  const __m512i lower = _mm512_mask_mov_epi64(swapped, is_far, coefficients);
  return {_mm512_shldv_epi64(upper, lower, row),
          _mm512_sllv_epi64(InHalves(~uint64_t{0}, ~uint64_t{0}),
                            _mm512_subs_epu16(row, InHalves(0, 64)))};
}

// The selected bits of columns `first` to first + 3, or of as many as the shape has.
BLOOMLINE_AVX512_INLINE __m512i SelectedBits(const RibbonKey& key, const SelectedRows& rows,
                                             int first, int num_columns) {
  const auto load = [=](const char* block) BLOOMLINE_AVX512 {
    const char* const p = block + first * static_cast<int>(RibbonShape::kSegmentBytes);
    if (num_columns >= kColumnsPerRegister) return _mm512_loadu_si512(p);
    return _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1 << 2 * num_columns) - 1), p);
  };
  constexpr int kChoice = 0xca;  // a ? b : c
  return _mm512_and_si512(rows.coefficients, _mm512_ternarylogic_epi64(rows.is_here, load(key.here),
                                                                       load(key.next), kChoice));
}

struct Avx512Query {
  BLOOMLINE_AVX512_INLINE static bool Matches(const RibbonKey& key, uint32_t shape_columns) {
    const int num_columns = static_cast<int>(shape_columns);
    const __m512i mixed = _mm512_set1_epi64(static_cast<int64_t>(key.mixed));
    const SelectedRows rows = SelectRows(mixed, _mm512_set1_epi64(key.first_row));
    const int missing = num_columns - static_cast<int>(key.columns);
    for (int first = 0;; first += static_cast<int>(kColumnsAtOnce)) {
      const bool is_last = first + static_cast<int>(kColumnsAtOnce) >= num_columns;
      // The last eight columns, or four, may begin before others end.
      const int a = std::max(0, std::min(first, num_columns - static_cast<int>(kColumnsAtOnce)));
      const int b =
          std::max(0, std::min(a + kColumnsPerRegister, num_columns - kColumnsPerRegister));
      const __m512i bits_a = SelectedBits(key, rows, a, num_columns);
      const __m512i bits_b = SelectedBits(key, rows, b, num_columns);
      const __m512i folded = _mm512_xor_si512(_mm512_unpacklo_epi64(bits_a, bits_b),
                                              _mm512_unpackhi_epi64(bits_a, bits_b));
      // The fingerprint's byte for columns 0 to 7 is the highest of `mixed`.
      const __m512i column = _mm512_set_epi64(b + 3, a + 3, b + 2, a + 2, b + 1, a + 1, b, a);
      const __m512i expected =
          _mm512_srlv_epi64(mixed, _mm512_xor_si512(column, _mm512_set1_epi64(56)));
      const uint32_t wrong = _mm512_movepi64_mask(
          _mm512_slli_epi64(_mm512_xor_si512(_mm512_popcnt_epi64(folded), expected), 63));
      // Up to four columns are there twice; otherwise, the last one is only in the last lane.
      if (num_columns <= kColumnsPerRegister) return (wrong & ((1u << 2 * key.columns) - 1)) == 0;
      if (is_last) return (wrong & 0xffu >> missing) == 0;
      if (wrong != 0) return false;
    }
  }
};

}  // namespace

RibbonKernel Avx512Ribbon() { return MakeRibbonKernel<Avx512Query>(); }

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
