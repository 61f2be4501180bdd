// Compact lines with AVX2: four rows at a time.
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "src/kernels/avx2_bits.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_solver.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX2_INLINE __m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// By a register move; left to itself, GCC goes through memory, which takes longer.
BLOOMLINE_AVX2_INLINE __m256i BroadcastWord(uint64_t word) {
  return _mm256_broadcastq_epi64(_mm_cvtsi64_si128(static_cast<long long>(word)));
}

// Bits first .. first + 3: the parities of rows first .. first + 3, of which `own` has the lanes.
BLOOMLINE_AVX2_INLINE unsigned FourParities(__m256i own, __m256i last_lanes, const LaneQuery& query,
                                            unsigned first) {
  const LaneLayout& layout = query.layout;
  uint32_t shift_bytes;
  std::memcpy(&shift_bytes, layout.other_shift + first, sizeof(shift_bytes));
  const __m256i shifts = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(static_cast<int>(shift_bytes)));
  const __m256i halves = _mm256_cvtepu8_epi32(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(layout.other_halves + 2 * first)));
  const __m256i other = _mm256_srlv_epi64(_mm256_permutevar8x32_epi32(last_lanes, halves), shifts);
  const __m256i own_slots =
      _mm256_and_si256(BroadcastWord(query.slots.own), Load(layout.own + first));
  const __m256i other_slots =
      _mm256_and_si256(BroadcastWord(query.slots.other), Load(layout.other + first));
  __m256i hits =
      _mm256_xor_si256(_mm256_and_si256(own, own_slots), _mm256_and_si256(other, other_slots));
  // Halves of bytes, then their parities by table, then the sum over the lane.
  hits =
      _mm256_and_si256(_mm256_xor_si256(hits, _mm256_srli_epi64(hits, 4)), _mm256_set1_epi8(0x0F));
  const __m256i parity_of = _mm256_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0,  //
                                             0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0);
  const __m256i sums =
      _mm256_sad_epu8(_mm256_shuffle_epi8(parity_of, hits), _mm256_setzero_si256());
  const __m256i odd = _mm256_slli_epi64(sums, 63);
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(odd))) << first;
}

BLOOMLINE_AVX2_INLINE unsigned LaneHeaderOf(__m256i first_lanes, __m256i last_lanes) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(first_lanes)) |
                               _mm256_movemask_pd(_mm256_castsi256_pd(last_lanes)) << 4);
}

// Of four lanes, the bits that the mask asks: bit i of the mask is bit first + i of the tail, and
// that of lane l begins at `starts`. Shifts by 64 and more, also of what wraps below 0, give
// nothing.
BLOOMLINE_AVX2_INLINE __m256i TailHits(__m256i lanes, __m256i starts, __m256i first, __m256i mask,
                                       __m128i slots, __m256i width_ones) {
  const __m256i pieces = _mm256_and_si256(_mm256_srl_epi64(lanes, slots), width_ones);
  const __m256i right = _mm256_srlv_epi64(mask, _mm256_sub_epi64(starts, first));
  const __m256i left = _mm256_sllv_epi64(mask, _mm256_sub_epi64(first, starts));
  return _mm256_and_si256(pieces, _mm256_or_si256(right, left));
}

BLOOMLINE_AVX2 unsigned TailParity(const char* line, unsigned slots, unsigned first,
                                   uint64_t mask) {
  const long long width = kLaneSlots - slots;
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(slots));
  const __m256i ones = _mm256_set1_epi64x(static_cast<long long>(OnesBelow64(kLaneSlots - slots)));
  const __m256i firsts = _mm256_set1_epi64x(first);
  const __m256i masks = _mm256_set1_epi64x(static_cast<long long>(mask));
  const __m256i starts =
      _mm256_mul_epu32(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(width));
  const __m256i half = _mm256_set1_epi64x(4 * width);
  const __m256i hits =
      _mm256_xor_si256(TailHits(Load(line), starts, firsts, masks, shift, ones),
                       TailHits(Load(line + sizeof(__m256i)), _mm256_add_epi64(starts, half),
                                firsts, masks, shift, ones));
  const __m128i folded =
      _mm_xor_si128(_mm256_castsi256_si128(hits), _mm256_extracti128_si256(hits, 1));
  return Parity(static_cast<uint64_t>(_mm_extract_epi64(folded, 0)) ^
                static_cast<uint64_t>(_mm_extract_epi64(folded, 1)));
}

// The rest of a query that passed eight rows: present keys and one absent one in 256. Out of line
// and from the start again, so that the others' way needs few registers.
BLOOMLINE_AVX2 __attribute__((noinline, flatten)) bool TailMatches(const CompactFilter& filter,
                                                                   uint64_t hash) {
  const char* line = LanesLine(filter, hash);
  const unsigned header = LaneHeaderOf(Load(line), Load(line + sizeof(__m256i)));
  const LaneQuery query = QueryOf(header, filter.base_slots, hash);
  return query.layout.tail_slots == 0 ||
         LaneTailMatches<4>(line, query.layout, query.slots.own, hash, TailParity);
}

// 15 of 16 absent keys end with the first four rows, so there is a branch between these and the
// rest.
BLOOMLINE_AVX2_INLINE bool LanesLineMayMatch(const CompactFilter& filter, uint64_t hash) {
  const char* line = LanesLine(filter, hash);
  const __m256i first_lanes = Load(line);
  const __m256i last_lanes = Load(line + sizeof(__m256i));
  const LaneQuery query = QueryOf(LaneHeaderOf(first_lanes, last_lanes), filter.base_slots, hash);
  unsigned wrong = static_cast<unsigned>(hash) ^ FourParities(first_lanes, last_lanes, query, 0);
  if ((wrong & query.asked & 0x0F) != 0) return false;
  wrong ^= FourParities(last_lanes, last_lanes, query, 4);
  return (wrong & query.asked) == 0 && TailMatches(filter, hash);
}

BLOOMLINE_AVX2 bool LanesMayMatchOne(const CompactFilter& filter, uint64_t hash) {
  return LanesLineMayMatch(filter, hash);
}

BLOOMLINE_AVX2 void LanesMayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                                      bool* may_match) {
  for (size_t i = 0; i < n; ++i) may_match[i] = LanesLineMayMatch(filter, hashes[i]);
}

// Ones in the lanes of equations i .. i + 3 but the pivot's.
BLOOMLINE_AVX2_INLINE __m256i AllBut(size_t pivot, size_t i) {
  const __m256i numbers = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(i)),
                                           _mm256_setr_epi64x(0, 1, 2, 3));
  return _mm256_xor_si256(
      _mm256_cmpeq_epi64(numbers, _mm256_set1_epi64x(static_cast<long long>(pivot))),
      _mm256_set1_epi64x(-1));
}

struct LaneSteps {
  BLOOMLINE_AVX2 static void ClearPair(LaneEquations* equations, size_t n, size_t pivot,
                                       bool in_second, uint64_t bit) {
    const __m256i first = _mm256_set1_epi64x(static_cast<long long>(equations->first[pivot]));
    const __m256i second = _mm256_set1_epi64x(static_cast<long long>(equations->second[pivot]));
    const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(bit));
    const uint64_t* tested = in_second ? equations->second : equations->first;
    for (size_t i = 0; i < n; i += 4) {
      const __m256i hit = _mm256_and_si256(
          AllBut(pivot, i), _mm256_cmpeq_epi64(_mm256_and_si256(Load(tested + i), bits), bits));
      auto* firsts = reinterpret_cast<__m256i*>(equations->first + i);
      auto* seconds = reinterpret_cast<__m256i*>(equations->second + i);
      _mm256_store_si256(firsts, _mm256_xor_si256(Load(firsts), _mm256_and_si256(hit, first)));
      _mm256_store_si256(seconds, _mm256_xor_si256(Load(seconds), _mm256_and_si256(hit, second)));
    }
  }

  BLOOMLINE_AVX2 static void ClearFourPairs(LaneEquations* equations, size_t n, size_t pivot,
                                            const FourPivots<2>& four) {
    const auto clear = [&](size_t i, bool has_pivots) BLOOMLINE_AVX2 {
      __m256i firsts = Load(equations->first + i);
      __m256i seconds = Load(equations->second + i);
      for (unsigned j = 0; j < 4; ++j) {
        const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(four.bits[j]));
        __m256i hit = _mm256_cmpeq_epi64(_mm256_and_si256(firsts, bits), bits);
        if (has_pivots) hit = _mm256_and_si256(hit, AllBut(pivot + j, i));
        firsts = _mm256_xor_si256(
            firsts,
            _mm256_and_si256(hit, _mm256_set1_epi64x(static_cast<long long>(four.words[0][j]))));
        seconds = _mm256_xor_si256(
            seconds,
            _mm256_and_si256(hit, _mm256_set1_epi64x(static_cast<long long>(four.words[1][j]))));
      }
      _mm256_store_si256(reinterpret_cast<__m256i*>(equations->first + i), firsts);
      _mm256_store_si256(reinterpret_cast<__m256i*>(equations->second + i), seconds);
    };
    const size_t begin = pivot / 4 * 4;
    const size_t end = std::min(n, pivot + 4);
    for (size_t i = 0; i < begin; i += 4) clear(i, false);
    for (size_t i = begin; i < end; i += 4) clear(i, true);
    for (size_t i = (end + 3) / 4 * 4; i < n; i += 4) clear(i, false);
  }

  BLOOMLINE_AVX2 static void ClearWord(uint64_t* equations, size_t n, size_t pivot, uint64_t bit) {
    const __m256i word = _mm256_set1_epi64x(static_cast<long long>(equations[pivot]));
    const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(bit));
    for (size_t i = 0; i < n; i += 4) {
      auto* words = reinterpret_cast<__m256i*>(equations + i);
      const __m256i old = Load(words);
      const __m256i hit =
          _mm256_and_si256(AllBut(pivot, i), _mm256_cmpeq_epi64(_mm256_and_si256(old, bits), bits));
      _mm256_store_si256(words, _mm256_xor_si256(old, _mm256_and_si256(hit, word)));
    }
  }

  BLOOMLINE_AVX2 static void ClearFourWords(uint64_t* equations, size_t n, size_t pivot,
                                            const FourPivots<1>& four) {
    for (size_t i = 0; i < n; i += 4) {
      const bool has_pivots = i + 4 > pivot && i < pivot + 4;
      __m256i words = Load(equations + i);
      for (unsigned j = 0; j < 4; ++j) {
        const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(four.bits[j]));
        __m256i hit = _mm256_cmpeq_epi64(_mm256_and_si256(words, bits), bits);
        if (has_pivots) hit = _mm256_and_si256(hit, AllBut(pivot + j, i));
        words = _mm256_xor_si256(
            words,
            _mm256_and_si256(hit, _mm256_set1_epi64x(static_cast<long long>(four.words[0][j]))));
      }
      _mm256_store_si256(reinterpret_cast<__m256i*>(equations + i), words);
    }
  }
};

BLOOMLINE_AVX2 bool LanesSolve(const uint64_t* hashes, size_t n, uint32_t base_slots, char* line) {
  return SolveLanes<LaneSteps>(hashes, n, base_slots, line);
}

}  // namespace

CompactKernel Avx2Compact() {
  CompactKernel kernel;
  kernel.lanes_may_match = LanesMayMatchOne;
  kernel.lanes_may_match_many = LanesMayMatchMany;
  kernel.lanes_solve = LanesSolve;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
