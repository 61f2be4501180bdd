// Compact lines with AVX-512: eight rows at once, one to a lane of the register.
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "src/kernels/avx512_bits.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_solver.h"
#include "src/kernels/compact/compact_line.h"
#include "src/kernels/compact/compact_solver.h"

namespace bloomline::kernels {
namespace {

// All that a query needs to know of a line with so many slots, ready for the registers.
struct alignas(32) LineLayout {
  // Slots of the full rows and of the partial one.
  SlotMask full = {};
  SlotMask partial = {};
  // Where each row begins, the partial row last: byte and bit of that byte.
  uint8_t row_byte[kMaxFullRows + 8] = {};
  uint8_t row_bit[kMaxFullRows + 8] = {};
  uint32_t full_rows = 0;      // a one for each
  uint32_t partial_row = 0;    // a one, or 0 if there is none
  uint32_t partial_share = 0;  // of 256
};

// By number of slots. Some 35 of them are in use in one filter, 4 KiB.
template <unsigned kBlockBytes>
struct LineLayouts {
  constexpr LineLayouts() {
    for (unsigned slots = 1; slots <= kMaxSlots; ++slots) {
      const LineShape shape = ComputeLineShape(8 * (kBlockBytes - 1), slots);
      LineLayout& layout = layouts[slots];
      layout.full = FirstSlots(slots);
      layout.partial = FirstSlots(shape.partial_slots);
      for (unsigned row = 0; row < sizeof(layout.row_byte); ++row) {
        const unsigned bit = row * slots;
        layout.row_byte[row] = static_cast<uint8_t>(bit / 8);
        layout.row_bit[row] = static_cast<uint8_t>(bit % 8);
      }
      layout.full_rows = (1u << shape.full_rows) - 1;
      layout.partial_row = shape.partial_share == 0 ? 0 : 1u << shape.full_rows;
      layout.partial_share = shape.partial_share;
    }
  }
  LineLayout layouts[kMaxSlots + 1] = {};
};
constexpr LineLayouts<64> kLayouts64;
constexpr LineLayouts<32> kLayouts32;

// Rows first_row .. first_row + 7, one a lane; the partial row is the lane after the last full one.
// Bit i of the result: row first_row + i does not give what `wanted` says.
BLOOMLINE_AVX512_INLINE uint32_t WrongRows(__m512i bytes, SlotMask mine, const LineLayout& layout,
                                           unsigned first_row, uint32_t wanted) {
  uint64_t row_bytes;
  std::memcpy(&row_bytes, layout.row_byte + first_row, sizeof(row_bytes));
  // Byte i of eight for all bytes of lane i; then the eight bytes from there on.
  const __m512i spread = _mm512_set_epi64(
      0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
      0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  const __m512i index = _mm512_add_epi8(
      _mm512_permutexvar_epi8(spread, _mm512_set1_epi64(static_cast<long long>(row_bytes))),
      _mm512_set1_epi64(0x0706050403020100));
  const __m512i index_high = _mm512_add_epi8(index, _mm512_set1_epi8(kSlotsPerWord / 8));
  const __m512i shift = _mm512_cvtepu8_epi64(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(layout.row_bit + first_row)));
  // What lies beyond the row, or the line, is masked out.
  const __m512i low = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index, bytes), shift);
  const __m512i high = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index_high, bytes), shift);
  const auto partial_lane = static_cast<__mmask8>(layout.partial_row >> first_row);
  const __m512i low_slots =
      _mm512_mask_set1_epi64(_mm512_set1_epi64(static_cast<long long>(layout.full.low)),
                             partial_lane, static_cast<long long>(layout.partial.low));
  const __m512i high_slots =
      _mm512_mask_set1_epi64(_mm512_set1_epi64(static_cast<long long>(layout.full.high)),
                             partial_lane, static_cast<long long>(layout.partial.high));
  constexpr int kAndAll = 0x80;
  const __m512i hits = _mm512_xor_si512(
      _mm512_ternarylogic_epi64(low, _mm512_set1_epi64(static_cast<long long>(mine.low)), low_slots,
                                kAndAll),
      _mm512_ternarylogic_epi64(high, _mm512_set1_epi64(static_cast<long long>(mine.high)),
                                high_slots, kAndAll));
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(hits), _mm512_set1_epi64(1)) ^ wanted;
}

// One absent key in 256 comes here, and present ones where lines have more than eight rows. Out of
// line, so that the way of the others needs few registers.
BLOOMLINE_AVX512 __attribute__((noinline)) bool MoreRowsMatch(const char* line, uint32_t line_bytes,
                                                              SlotMask mine,
                                                              const LineLayout& layout,
                                                              uint32_t wanted, uint32_t asked) {
  const __m512i bytes = _mm512_maskz_loadu_epi8(~0ull >> (64 - line_bytes), line);
  for (unsigned first_row = 8; asked >> first_row != 0; first_row += 8) {
    const uint32_t wrong = WrongRows(bytes, mine, layout, first_row, wanted >> first_row);
    if ((wrong & asked >> first_row & 0xFF) != 0) return false;
  }
  return true;
}

BLOOMLINE_AVX512_INLINE bool SolvedLineMayMatch(const CompactFilter& filter, uint64_t hash) {
  const char* line = CompactLine(filter, hash);
  const unsigned header = static_cast<unsigned char>(line[filter.block_bytes - 1]);
  const unsigned slots = filter.base_slots + header % 64;
  if (header % 64 == kMatchAllCode || slots > kMaxSlots) return true;
  const LineLayout& layout =
      (filter.block_bytes == 64 ? kLayouts64.layouts : kLayouts32.layouts)[slots];
  const SlotMask mine = Rotated(AllSlotsOf(hash), header / 64);
  // All ones if the selector is below the share: half of the keys, so a branch would be
  // mispredicted.
  const auto below =
      static_cast<uint32_t>(static_cast<int32_t>(SelectorOf(hash) - layout.partial_share) >> 31);
  const uint32_t asked = layout.full_rows | (layout.partial_row & below);
  const __m512i bytes = _mm512_maskz_loadu_epi8(~0ull >> (64 - filter.block_bytes), line);
  const uint32_t wanted = FingerprintOf(hash);
  if ((WrongRows(bytes, mine, layout, 0, wanted) & asked & 0xFF) != 0) return false;
  return asked <= 0xFF || MoreRowsMatch(line, filter.block_bytes, mine, layout, wanted, asked);
}

// Lines of other sizes are LevelDB's, where the layout would have to be computed at each query.
BLOOMLINE_AVX512_INLINE bool IsTabled(uint32_t line_bytes) {
  return line_bytes == 64 || line_bytes == 32;
}

BLOOMLINE_AVX512 bool PackedMayMatch(const CompactFilter& filter, uint64_t hash) {
  if (!IsTabled(filter.block_bytes)) return Avx2PackedMayMatch(filter, hash);
  return SolvedLineMayMatch(filter, hash);
}

BLOOMLINE_AVX512 void PackedMayMatchMany(const CompactFilter& filter, size_t n,
                                         const uint64_t* hashes, bool* may_match) {
  if (!IsTabled(filter.block_bytes)) {
    Avx2PackedMayMatchMany(filter, n, hashes, may_match);
    return;
  }
  for (size_t i = 0; i < n; ++i) may_match[i] = SolvedLineMayMatch(filter, hashes[i]);
}

BLOOMLINE_AVX512 void EliminateBelow(EquationRows* rows, size_t num_rows, size_t pivot,
                                     bool in_second, uint64_t bit) {
  const __m512i first = _mm512_set1_epi64(static_cast<long long>(rows->first[pivot]));
  const __m512i second = _mm512_set1_epi64(static_cast<long long>(rows->second[pivot]));
  const __m512i bits = _mm512_set1_epi64(static_cast<long long>(bit));
  const uint64_t* tested = in_second ? rows->second : rows->first;
  __mmask8 later = static_cast<__mmask8>(0xFE << pivot % 8);
  for (size_t i = pivot / 8 * 8; i < num_rows; i += 8) {
    const __mmask8 hit = _mm512_mask_test_epi64_mask(later, _mm512_load_si512(tested + i), bits);
    const __m512i first_rows = _mm512_load_si512(rows->first + i);
    const __m512i second_rows = _mm512_load_si512(rows->second + i);
    _mm512_store_si512(rows->first + i, _mm512_mask_xor_epi64(first_rows, hit, first_rows, first));
    _mm512_store_si512(rows->second + i,
                       _mm512_mask_xor_epi64(second_rows, hit, second_rows, second));
    later = 0xFF;
  }
}

int PackedSolve(const LineKeys& keys, unsigned slots, uint32_t line_bytes, char* line) {
  return SolveCompactLine(keys, slots, line_bytes, line, EliminateBelow);
}

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
  kernel.packed_may_match = PackedMayMatch;
  kernel.packed_may_match_many = PackedMayMatchMany;
  kernel.packed_solve = PackedSolve;
  kernel.lanes_may_match = LanesMayMatchOne;
  kernel.lanes_may_match_many = LanesMayMatchMany;
  kernel.lanes_solve = LanesSolve;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
