// Compact lines with AVX-512: eight rows at once, one to a lane of the register.
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "src/kernels/avx512_bits.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_solver.h"

namespace bloomline::kernels {
namespace {

// Whether the eight rows that begin a lane give what the key wants, those that it asks.
BLOOMLINE_AVX512_INLINE bool LanesMatch(__m512i lanes, const LaneQuery& query, uint64_t hash) {
  const LaneLayout& layout = query.layout;
  const __m512i other_lane =
      _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(layout.other_lane)));
  const __m512i other_shift =
      _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(layout.other_shift)));
  const __m512i other = _mm512_srlv_epi64(_mm512_permutexvar_epi64(other_lane, lanes), other_shift);
  constexpr int kAndAll = 0x80;
  const __m512i own_hits =
      _mm512_ternarylogic_epi64(lanes, _mm512_set1_epi64(static_cast<long long>(query.slots.own)),
                                _mm512_load_si512(layout.own), kAndAll);
  const __m512i other_hits =
      _mm512_ternarylogic_epi64(other, _mm512_set1_epi64(static_cast<long long>(query.slots.other)),
                                _mm512_load_si512(layout.other), kAndAll);
  const __m512i counts = _mm512_popcnt_epi64(_mm512_xor_si512(own_hits, other_hits));
  const unsigned odd = _mm512_test_epi64_mask(counts, _mm512_set1_epi64(1));
  return ((odd ^ static_cast<unsigned>(hash)) & query.asked) == 0;
}

// Bit i of the mask is bit first + i of the tail, and that of lane l begins at l times its width.
// Shifts by 64 and more, also of what wraps below 0, give nothing.
BLOOMLINE_AVX512 unsigned TailParity(const char* line, unsigned slots, unsigned first,
                                     uint64_t mask) {
  const unsigned width = kLaneSlots - slots;
  const __m512i starts =
      _mm512_mul_epu32(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(width));
  const __m512i firsts = _mm512_set1_epi64(first);
  const __m512i masks = _mm512_set1_epi64(static_cast<long long>(mask));
  const __m512i right = _mm512_srlv_epi64(masks, _mm512_sub_epi64(starts, firsts));
  const __m512i left = _mm512_sllv_epi64(masks, _mm512_sub_epi64(firsts, starts));
  const __m512i pieces =
      _mm512_srl_epi64(_mm512_loadu_si512(line), _mm_cvtsi32_si128(static_cast<int>(slots)));
  const __m512i ones = _mm512_set1_epi64(static_cast<long long>(OnesBelow64(width)));
  const __m512i hits =
      _mm512_and_si512(_mm512_and_si512(pieces, ones), _mm512_or_si512(right, left));
  const __mmask8 odd = _mm512_movepi64_mask(_mm512_slli_epi64(_mm512_popcnt_epi64(hits), 63));
  return Parity(odd);
}

// The rest of a query that passed eight rows: present keys and one absent one in 256. Out of line
// and from the start again, so that the others' way needs few registers.
BLOOMLINE_AVX512 __attribute__((noinline, flatten)) bool TailMatches(const CompactFilter& filter,
                                                                     uint64_t hash) {
  const char* line = LanesLine(filter, hash);
  const unsigned header = _mm512_movepi64_mask(_mm512_loadu_si512(line));
  const LaneQuery query = QueryOf(header, filter.base_slots, hash);
  return query.layout.tail_slots == 0 ||
         LaneTailMatches<4>(line, query.layout, query.slots.own, hash, TailParity);
}

BLOOMLINE_AVX512 bool LanesMayMatchOne(const CompactFilter& filter, uint64_t hash) {
  const __m512i lanes = _mm512_loadu_si512(LanesLine(filter, hash));
  const LaneQuery query = QueryOf(_mm512_movepi64_mask(lanes), filter.base_slots, hash);
  return LanesMatch(lanes, query, hash) && TailMatches(filter, hash);
}

BLOOMLINE_AVX512 void LanesMayMatchMany(const CompactFilter& filter, size_t n,
                                        const uint64_t* hashes, bool* may_match) {
  const CompactFilter lines = filter;
  for (size_t i = 0; i < n; ++i) {
    const __m512i loaded = _mm512_loadu_si512(LanesLine(lines, hashes[i]));
    const LaneQuery query = QueryOf(_mm512_movepi64_mask(loaded), lines.base_slots, hashes[i]);
    may_match[i] = LanesMatch(loaded, query, hashes[i]);
  }
  for (size_t i = 0; i < n; ++i) {
    if (may_match[i]) may_match[i] = TailMatches(lines, hashes[i]);
  }
}

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

// Lanes of equations i .. i + 7 but the pivot's.
BLOOMLINE_AVX512_INLINE __mmask8 AllBut(size_t pivot, size_t i) {
  return static_cast<__mmask8>(~(pivot - i < 8 ? 1u << (pivot - i) : 0));
}

struct LaneSteps {
  BLOOMLINE_AVX512 static void ClearPair(LaneEquations* equations, size_t n, size_t pivot,
                                         bool in_second, uint64_t bit) {
    const __m512i first = Broadcast(equations->first[pivot]);
    const __m512i second = Broadcast(equations->second[pivot]);
    const __m512i bits = Broadcast(bit);
    const uint64_t* tested = in_second ? equations->second : equations->first;
    for (size_t i = 0; i < n; i += 8) {
      const __mmask8 hit =
          _mm512_mask_test_epi64_mask(AllBut(pivot, i), _mm512_load_si512(tested + i), bits);
      const __m512i firsts = _mm512_load_si512(equations->first + i);
      const __m512i seconds = _mm512_load_si512(equations->second + i);
      _mm512_store_si512(equations->first + i, _mm512_mask_xor_epi64(firsts, hit, firsts, first));
      _mm512_store_si512(equations->second + i,
                         _mm512_mask_xor_epi64(seconds, hit, seconds, second));
    }
  }

  BLOOMLINE_AVX512 static void ClearFourPairs(LaneEquations* equations, size_t n, size_t pivot,
                                              const FourPivots<2>& four) {
    const auto clear = [&](size_t i, bool has_pivots) BLOOMLINE_AVX512 {
      __m512i firsts = _mm512_load_si512(equations->first + i);
      __m512i seconds = _mm512_load_si512(equations->second + i);
      for (unsigned j = 0; j < 4; ++j) {
        const __mmask8 others = has_pivots ? AllBut(pivot + j, i) : __mmask8{0xFF};
        const __mmask8 hit = _mm512_mask_test_epi64_mask(others, firsts, Broadcast(four.bits[j]));
        firsts = _mm512_mask_xor_epi64(firsts, hit, firsts, Broadcast(four.words[0][j]));
        seconds = _mm512_mask_xor_epi64(seconds, hit, seconds, Broadcast(four.words[1][j]));
      }
      _mm512_store_si512(equations->first + i, firsts);
      _mm512_store_si512(equations->second + i, seconds);
    };
    const size_t begin = pivot / 8 * 8;
    const size_t end = (pivot + 4 + 7) / 8 * 8;
    for (size_t i = 0; i < begin; i += 8) clear(i, false);
    for (size_t i = begin; i < end; i += 8) clear(i, true);
    for (size_t i = end; i < n; i += 8) clear(i, false);
  }

  BLOOMLINE_AVX512 static void ClearWord(uint64_t* equations, size_t n, size_t pivot,
                                         uint64_t bit) {
    const __m512i word = Broadcast(equations[pivot]);
    for (size_t i = 0; i < n; i += 8) {
      const __m512i words = _mm512_load_si512(equations + i);
      const __mmask8 hit = _mm512_mask_test_epi64_mask(AllBut(pivot, i), words, Broadcast(bit));
      _mm512_store_si512(equations + i, _mm512_mask_xor_epi64(words, hit, words, word));
    }
  }

  BLOOMLINE_AVX512 static void ClearFourWords(uint64_t* equations, size_t n, size_t pivot,
                                              const FourPivots<1>& four) {
    for (size_t i = 0; i < n; i += 8) {
      __m512i words = _mm512_load_si512(equations + i);
      for (unsigned j = 0; j < 4; ++j) {
        const __mmask8 hit =
            _mm512_mask_test_epi64_mask(AllBut(pivot + j, i), words, Broadcast(four.bits[j]));
        words = _mm512_mask_xor_epi64(words, hit, words, Broadcast(four.words[0][j]));
      }
      _mm512_store_si512(equations + i, words);
    }
  }
};

BLOOMLINE_AVX512 bool LanesSolve(const uint64_t* hashes, size_t n, uint32_t base_slots,
                                 char* line) {
  return SolveLanes<LaneSteps>(hashes, n, base_slots, line);
}

}  // namespace

CompactKernel Avx512Compact() {
  CompactKernel kernel;
  kernel.lanes_may_match = LanesMayMatchOne;
  kernel.lanes_may_match_many = LanesMayMatchMany;
  kernel.lanes_solve = LanesSolve;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
