// AVX-512: RocksDB's Ribbon filter, eight columns at a time (ribbon.h).
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_rows_x86.h"

namespace bloomline::stock {
namespace {

// A bit for each of eight lanes, in the order in which FoldedColumns puts n columns.
constexpr __mmask8 kLanesOfColumns[kColumnsAtOnce + 1] = {0x00, 0x01, 0x05, 0x15, 0x55,
                                                          0x57, 0x5f, 0x7f, 0xff};

// Four columns, or fewer: the selected bits of both blocks, XORed.
BLOOMLINE_AVX512_INLINE __m512i FourColumns(const char* here, const char* next, __mmask8 words,
                                            __m512i rows_here, __m512i rows_next) {
  return _mm512_xor_si512(_mm512_and_si512(_mm512_maskz_loadu_epi64(words, here), rows_here),
                          _mm512_and_si512(_mm512_maskz_loadu_epi64(words, next), rows_next));
}

BLOOMLINE_AVX512_INLINE bool Query(const RibbonView& filter, uint32_t columns, uint64_t hash) {
  const RibbonKey key(filter, hash);
  const SelectedRows rows = SelectedRowsOf(key);
  const __m512i here = _mm512_broadcast_i64x2(rows.here);
  const __m512i next = _mm512_broadcast_i64x2(rows.next);
  const __m512i column_of_lane =
      _mm512_set_epi64(1 << 7, 1 << 3, 1 << 6, 1 << 2, 1 << 5, 1 << 1, 1 << 4, 1 << 0);
  for (uint32_t first = 0; first < columns; first += kColumnsAtOnce) {
    // Two words a column. Lanes that are not loaded are zero.
    const uint32_t left = columns - first;
    const uint32_t words = left >= kColumnsAtOnce ? 0xffff : (1u << 2 * left) - 1;
    const char* const segment = key.here + first * RibbonShape::kSegmentBytes;
    const char* const next_segment = key.next + first * RibbonShape::kSegmentBytes;
    const __m512i low =
        FourColumns(segment, next_segment, static_cast<__mmask8>(words), here, next);
    const __m512i high =
        FourColumns(segment + 64, next_segment + 64, static_cast<__mmask8>(words >> 8), here, next);
    // The halves of each column XORed: columns 0, 4, 1, 5, 2, 6, 3, 7. And the fingerprint's bit.
    const __m512i folded =
        _mm512_xor_si512(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
    const __m512i expected = _mm512_and_si512(
        _mm512_set1_epi64(static_cast<int64_t>(key.fingerprint() >> first)), column_of_lane);
    const __m512i num_ones = _mm512_popcnt_epi64(_mm512_xor_si512(folded, expected));
    const uint32_t present = std::min(key.columns - first, kColumnsAtOnce);
    const bool is_match =
        _mm512_mask_test_epi64_mask(kLanesOfColumns[present], num_ones, _mm512_set1_epi64(1)) == 0;
    if (!is_match || left <= kColumnsAtOnce) return is_match;
  }
  return true;
}

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX512 static bool Run(const RibbonView& filter, uint64_t hash) {
    return Query(filter, K == 0 ? filter.shape.columns : K, hash);
  }
};

struct QueryMany {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const RibbonView& caller_filter, size_t n,
                                   const uint64_t* hashes, bool* may_match) {
    const RibbonView filter = caller_filter;  // the answers could alias the caller's
    for (size_t i = 0; i < n; ++i) {
      may_match[i] = Query(filter, K == 0 ? filter.shape.columns : K, hashes[i]);
    }
  }
};

}  // namespace

RibbonKernel Avx512Ribbon() { return RibbonKernelOf<QueryOne, QueryMany>(); }

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
