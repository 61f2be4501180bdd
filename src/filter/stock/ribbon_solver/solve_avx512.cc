// The Ribbon solver with AVX-512 and GFNI (ribbon_solve.h): 64 equations in a register, one byte of
// each.
//
// The step's byte, transposed, is a word for each row with a bit for each equation, all eight in a
// register. Elimination takes eight short steps without branches. Applying it to another byte of 64
// equations is one product with a matrix of the pivots' bytes (GF2P8AFFINEQB).
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "src/filter/cpu/avx512.h"

#define BLOOMLINE_RIBBON_TARGET BLOOMLINE_AVX512
#include "src/filter/stock/ribbon_solve.h"
#include "src/filter/stock/ribbon_solver/solvers.h"
#include "src/filter/stock/ribbon_solver/substitute.h"

namespace bloomline::stock {
namespace {

constexpr uint32_t kMaxRegisters = kMaxWaiting / 64;

// ---- The registers. An equation is a lane: byte k of 64 equations lies in one register. An
// equation has 20 bytes: 16 of coefficients, 4 of the result. A key's has two more: the step in
// which it starts, and which rows of that step belong to it.
//
//   lane           0    1    2   ..   63
//   bytes[0]     | c0 | c0 | c0 | .. | c0 |       coefficients of rows 0 to 7 (mod 128)
//     ..
//   bytes[15]    | c15| c15| c15| .. | c15|       of rows 120 to 127
//   bytes[16]    | r0 | r0 | r0 | .. | r0 |       result, to bytes[19]
//   bytes[20]    | s  | s  | s  | .. | s  |       step of the start
//   bytes[21]    | o  | o  | o  | .. | o  |       own rows of this step
//
// Steps transpose bytes[step % 16] (VPERMB, GF2P8AFFINEQB), so that each row of the step is a word:
//
//   has          | row 0 | row 1 | .. | row 7 |   bit i: lane i has the row
//
// Keys come in tiles of eight with the same bytes, | c0 x 8 | c1 x 8 | .. | o x 8 |, and move into
// lanes that need not be adjacent (VPEXPANDB, VPERMB).
constexpr uint32_t kEquationBytes = 20;
constexpr uint32_t kStepByte = 20;
constexpr uint32_t kOwnRowsByte = 21;
constexpr uint32_t kKeyBytes = 22;
constexpr uint32_t kTileKeys = 8;
constexpr uint32_t kTiles = 32;

// ---- Tables, named after the instruction that reads them. They are in memory: compilers would
// make each constant with a shuffle.
template <typename T, uint32_t kSize>
struct alignas(64) LaneTable {
  template <typename F>
  constexpr explicit LaneTable(F item) {
    for (uint32_t i = 0; i < kSize; ++i) items[i] = static_cast<T>(item(i));
  }
  T items[kSize] = {};
};
using VpermbTable = LaneTable<uint8_t, 64>;

// A register is 8 x 8 bytes. "Back": GF2P8AFFINEQB has row 0 of a matrix in byte 7.
constexpr VpermbTable kVpermbTranspose([](uint32_t i) { return i % 8 * 8 + i / 8; });
constexpr VpermbTable kVpermbTransposeBack([](uint32_t i) { return (7 - i % 8) * 8 + i / 8; });
constexpr VpermbTable kVpermbWord([](uint32_t i) { return i % 8 * 8; });  // its low byte
constexpr VpermbTable kVpermbWordBack([](uint32_t i) { return (7 - i % 8) * 8; });
// From four times eight bytes to eight words of 32 bits.
constexpr VpermbTable kVpermbResult([](uint32_t i) { return i % 4 * 8 + i / 4 % 8; });
// The numbers 0, 1, 2, ..: a load that begins at `first` gives lanes the keys from `first` on.
constexpr LaneTable<uint8_t, 64 + kTileKeys> kVpexpandbKey([](uint32_t i) { return i; });
// A register for each row: for row j, kVpermqRow has eight times j, and kVpternlogqRow has ones in
// word j.
constexpr LaneTable<uint64_t, 64> kVpermqRow([](uint32_t i) { return i / 8; });
constexpr LaneTable<uint64_t, 64> kVpternlogqRow([](uint32_t i) {
  return i / 8 == i % 8 ? ~uint64_t{0} : 0;
});
// For word i of eight equations, of three words each: the equation, and which of 16 words has the
// coefficients.
constexpr LaneTable<uint64_t, 24> kVpermqEquation([](uint32_t i) { return i / 3; });
constexpr LaneTable<uint64_t, 24> kVpermt2qCoefficient([](uint32_t i) {
  return i / 3 + i % 3 * 8;
});
constexpr __mmask8 kResultWords[3] = {0x24, 0x49, 0x92};  // words 2, 5, 8, ..

BLOOMLINE_AVX512_INLINE __m512i Permuted(const VpermbTable& table, __m512i bytes) {
  return _mm512_permutexvar_epi8(_mm512_load_si512(table.items), bytes);
}
BLOOMLINE_AVX512_INLINE __m512i Words(uint64_t word) {
  return _mm512_set1_epi64(static_cast<int64_t>(word));
}
// Transposes 8 x 8 bits in each 64 bits; the operands of GF2P8AFFINEQB are in opposite orders.
BLOOMLINE_AVX512_INLINE __m512i TransposedBits(__m512i matrices) {
  return _mm512_gf2p8affine_epi64_epi8(Words(0x8040201008040201), matrices, 0);
}
BLOOMLINE_AVX512_INLINE __m512i MatrixOfRows(__m512i rows) {
  return _mm512_gf2p8affine_epi64_epi8(Words(0x0102040810204080), rows, 0);
}

// ---- Keys.

struct alignas(64) KeyTile {
  uint8_t bytes[24][kTileKeys];
};

// As EquationOf.
BLOOMLINE_AVX512_INLINE void ExpandKeys(const RibbonGroup& group, uint32_t key, KeyTile* tile) {
  const __m512i byte_swap_of_high = _mm512_set4_epi32(static_cast<int>(0x80808080), 0x0c0d0e0f,
                                                      static_cast<int>(0x80808080), 0x04050607);
  const __m512i hash = _mm512_loadu_si512(group.hashes + key);
  const __m512i mixed = _mm512_mullo_epi64(_mm512_xor_si512(hash, Words(group.raw_seed)),
                                           Words(RibbonKey::kSeedFactor * RibbonKey::kMixFactor));
  const __m512i low = _mm512_or_si512(_mm512_xor_si512(mixed, Words(RibbonKey::kLowCoefficients)),
                                      Words(RibbonKey::kFirstCoefficient));
  const __m512i start =
      _mm512_cvtepu16_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(group.starts + key)));
  const __m512i by = _mm512_and_si512(start, Words(63));
  const __m512i first = _mm512_shldv_epi64(low, mixed, by);
  const __m512i second = _mm512_shldv_epi64(mixed, low, by);
  const __mmask8 swaps = _mm512_test_epi64_mask(start, Words(64));
  const __m512i own_rows = _mm512_and_si512(
      _mm512_sllv_epi64(Words(0xff), _mm512_and_si512(start, Words(7))), Words(0xff));
  const __m512i step = _mm512_srli_epi64(start, 3);
  const __m512i rest =
      _mm512_or_si512(_mm512_or_si512(_mm512_slli_epi64(step, 32), _mm512_slli_epi64(own_rows, 40)),
                      _mm512_shuffle_epi8(mixed, byte_swap_of_high));
  const __m512i parts[3] = {_mm512_mask_mov_epi64(first, swaps, second),
                            _mm512_mask_mov_epi64(second, swaps, first), rest};
  for (uint32_t i = 0; i < 3; ++i) {
    _mm512_store_si512(tile->bytes[8 * i], Permuted(kVpermbTranspose, parts[i]));
  }
}

// ---- Equations.

// The equations of a group. Each lane is in exactly one of the three masks. It goes from `unused`
// to `early` (PlaceTile), to `active` (TakeStepBytes), and back when its equation becomes a pivot
// (Apply) or 0 = 0 (FreeZeros).
struct alignas(64) Lanes {
  uint8_t bytes[kKeyBytes][kMaxWaiting];
  uint64_t active[kMaxRegisters] = {};  // has started and waits for a pivot
  uint64_t early[kMaxRegisters] = {};   // a key that starts in a later step
  uint64_t unused[kMaxRegisters] = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};
  uint32_t next_key = 0;
  uint32_t step = 0;
  uint32_t expanded_from = 0;  // the first key in the tiles
  uint32_t expanded_to = 0;
  KeyTile tiles[kTiles];

  bool Uses(uint32_t w) const { return (active[w] | early[w]) != 0; }
};

BLOOMLINE_AVX512_INLINE __m512i LaneBytes(const Lanes& lanes, uint32_t byte, uint32_t w) {
  return _mm512_load_si512(lanes.bytes[byte] + 64 * w);
}

// Puts keys of a tile, from `first` to before `end`, into unused lanes of register w, while there
// are any. Returns the first key that remains.
BLOOMLINE_AVX512_INLINE uint32_t PlaceTile(const KeyTile& tile, uint32_t first, uint32_t end,
                                           uint32_t w, Lanes* lanes) {
  const uint64_t taken = _pdep_u64((1u << (end - first)) - 1, lanes->unused[w]);
  const __m512i key_of_lane =
      _mm512_maskz_expand_epi8(taken, _mm512_loadu_si512(kVpexpandbKey.items + first));
#pragma GCC unroll 22
  for (uint32_t k = 0; k < kKeyBytes; ++k) {
    const __m512i of_keys =
        _mm512_castsi128_si512(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(tile.bytes[k])));
    _mm512_store_si512(
        lanes->bytes[k] + 64 * w,
        _mm512_mask_permutexvar_epi8(LaneBytes(*lanes, k, w), taken, key_of_lane, of_keys));
  }
  lanes->unused[w] &= ~taken;
  lanes->early[w] |= taken;
  return first + static_cast<uint32_t>(__builtin_popcountll(taken));
}

// Puts the keys of tiles that begin at this step into unused lanes. Returns false if these do not
// suffice.
template <uint32_t W>
BLOOMLINE_AVX512_INLINE bool AddStarting(const RibbonGroup& group, Lanes* lanes) {
  const uint32_t num_keys = group.step_end[group.num_steps() - 1];
  while (lanes->next_key < group.step_end[lanes->step]) {
    const uint32_t key = lanes->next_key;
    if (key == lanes->expanded_to) {
      lanes->expanded_from = key;
      for (KeyTile& tile : lanes->tiles) {
        if (lanes->expanded_to >= num_keys) break;
        ExpandKeys(group, lanes->expanded_to, &tile);
        lanes->expanded_to += 8;
      }
    }
    const KeyTile& tile = lanes->tiles[(key - lanes->expanded_from) / 8];
    const uint32_t tile_keys = std::min(num_keys - lanes->next_key, kTileKeys);
    uint32_t unused = 0;
    for (uint32_t w = 0; w < W; ++w) {
      unused += static_cast<uint32_t>(__builtin_popcountll(lanes->unused[w]));
    }
    if (unused < tile_keys) return false;
    uint32_t placed = 0;
#pragma GCC unroll 3
    for (uint32_t w = 0; w < W; ++w) placed = PlaceTile(tile, placed, tile_keys, w, lanes);
    lanes->next_key += kTileKeys;
  }
  return true;
}

// ---- A step of eight rows. In each register, word j is row j, and bit i equation i.
template <uint32_t W>
struct StepRegisters {
  __m512i has[W];     // equations with the row
  __m512i takes[W];   // equations that take the row's pivot
  __m512i pivot[W];   // the pivot's bit
  __m512i pivots[W];  // in each word the bits of all pivots
};

template <uint32_t W>
BLOOMLINE_AVX512_INLINE void TakeStepBytes(Lanes* lanes, StepRegisters<W>* step) {
#pragma GCC unroll 3
  for (uint32_t w = 0; w < W; ++w) {
    const uint64_t starting =
        lanes->early[w] & _mm512_cmple_epu8_mask(LaneBytes(*lanes, kStepByte, w),
                                                 _mm512_set1_epi8(static_cast<char>(lanes->step)));
    lanes->early[w] &= ~starting;
    lanes->active[w] |= starting;
    const __m512i own_rows =
        _mm512_mask_mov_epi8(Words(~uint64_t{0}), starting, LaneBytes(*lanes, kOwnRowsByte, w));
    const __m512i bytes = _mm512_maskz_mov_epi8(
        lanes->active[w], _mm512_and_si512(LaneBytes(*lanes, lanes->step % 16, w), own_rows));
    const __m512i reverse = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    step->has[w] = Permuted(kVpermbTranspose, TransposedBits(_mm512_shuffle_epi8(bytes, reverse)));
    step->takes[w] = step->pivot[w] = step->pivots[w] = _mm512_setzero_si512();
  }
}

template <uint32_t W>
BLOOMLINE_AVX512_INLINE void Eliminate(StepRegisters<W>* step) {
  constexpr int kOrAnd = 0xf8;  // a | (b & c)
#pragma GCC unroll 8
  for (uint32_t j = 0; j < kRowsPerStep; ++j) {
    const __m512i only = _mm512_load_si512(kVpternlogqRow.items + 8 * j);
    const __m512i row = _mm512_load_si512(kVpermqRow.items + 8 * j);
    __m512i has[W], pivot[W];
#pragma GCC unroll 3
    for (uint32_t w = 0; w < W; ++w) {
      has[w] = _mm512_permutexvar_epi64(row, step->has[w]);
      pivot[w] = _mm512_and_si512(has[w], _mm512_sub_epi64(_mm512_setzero_si512(), has[w]));
    }
    // The pivot is in the last register that has the row, so that the last ones become empty first.
    __mmask8 is_free = 0xff;
    for (uint32_t w = W - 1; w-- > 0;) {
      is_free &= _mm512_testn_epi64_mask(has[w + 1], has[w + 1]);
      pivot[w] = _mm512_maskz_mov_epi64(is_free, pivot[w]);
    }
    __mmask8 pivot_has = 0, pivot_takes = 0;  // rows
#pragma GCC unroll 3
    for (uint32_t w = 0; w < W; ++w) {
      pivot_has = _kor_mask8(pivot_has, _mm512_test_epi64_mask(step->has[w], pivot[w]));
      pivot_takes = _kor_mask8(pivot_takes, _mm512_test_epi64_mask(step->takes[w], pivot[w]));
    }
    // All with the row take its pivot, and what that has taken. The pivot itself has no rows then.
#pragma GCC unroll 3
    for (uint32_t w = 0; w < W; ++w) {
      const __m512i others = _mm512_xor_si512(has[w], pivot[w]);
      step->has[w] = _mm512_mask_xor_epi64(step->has[w], pivot_has, step->has[w], has[w]);
      step->takes[w] = _mm512_mask_xor_epi64(step->takes[w], pivot_takes, step->takes[w], others);
      step->takes[w] = _mm512_ternarylogic_epi64(step->takes[w], others, only, kOrAnd);
      step->pivot[w] = _mm512_ternarylogic_epi64(step->pivot[w], pivot[w], only, kOrAnd);
      step->pivots[w] = _mm512_or_si512(step->pivots[w], pivot[w]);
    }
  }
}

// The lane of each row's pivot; 64 or more if there is none, for which Picked gives bytes that are
// not used.
template <uint32_t W>
BLOOMLINE_AVX512_INLINE __m512i PivotLanes(const StepRegisters<W>& step) {
  const __m512i one = Words(1);
  __m512i lane = _mm512_popcnt_epi64(_mm512_sub_epi64(step.pivot[0], one));
#pragma GCC unroll 3
  for (uint32_t w = 1; w < W; ++w) {
    const __m512i in_register = _mm512_popcnt_epi64(_mm512_sub_epi64(step.pivot[w], one));
    const __mmask8 is_here = _mm512_test_epi64_mask(step.pivot[w], step.pivot[w]);
    lane = _mm512_mask_add_epi64(lane, is_here, in_register, Words(64 * w));
  }
  return lane;
}

// The bytes of W registers at these lanes.
template <uint32_t W>
BLOOMLINE_AVX512_INLINE __m512i Picked(__m512i lanes, const __m512i bytes[W]) {
  if (W == 1) return _mm512_permutexvar_epi8(lanes, bytes[0]);
  const __m512i first = _mm512_permutex2var_epi8(bytes[0], lanes, bytes[W > 1 ? 1 : 0]);
  if (W == 2) return first;
  return _mm512_mask_permutexvar_epi8(first, _mm512_movepi8_mask(lanes), lanes, bytes[W - 1]);
}

// The bytes of a step's pivots, after it.
struct alignas(64) PivotBytes {
  uint8_t bytes[24][8];
};

template <uint32_t W, bool kStore>
BLOOMLINE_AVX512_INLINE void Apply(const StepRegisters<W>& step, Lanes* lanes, PivotBytes* stored) {
  const __m512i lane = PivotLanes<W>(step);
  const __m512i of_matrix = Permuted(kVpermbWordBack, lane);
  const __m512i of_row = Permuted(kVpermbWord, lane);
  __m512i takes[W];
#pragma GCC unroll 3
  for (uint32_t w = 0; w < W; ++w) {
    takes[w] = TransposedBits(Permuted(kVpermbTransposeBack, step.takes[w]));
  }
#pragma GCC unroll 20
  for (uint32_t k = 0; k < kEquationBytes; ++k) {
    __m512i bytes[W];
#pragma GCC unroll 3
    for (uint32_t w = 0; w < W; ++w) bytes[w] = LaneBytes(*lanes, k, w);
    const __m512i matrix = MatrixOfRows(Picked<W>(of_matrix, bytes));
#pragma GCC unroll 3
    for (uint32_t w = 0; w < W; ++w) {
      bytes[w] = _mm512_xor_si512(bytes[w], _mm512_gf2p8affine_epi64_epi8(takes[w], matrix, 0));
      _mm512_store_si512(lanes->bytes[k] + 64 * w, bytes[w]);
    }
    if (kStore) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(stored->bytes[k]),
                       _mm512_castsi512_si128(Picked<W>(of_row, bytes)));
    }
  }
#pragma GCC unroll 3
  for (uint32_t w = 0; w < W; ++w) {
    const auto gone =
        static_cast<uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(step.pivots[w])));
    lanes->active[w] &= ~gone;
    lanes->unused[w] |= gone;
  }
}

template <uint32_t W>
BLOOMLINE_AVX512_INLINE void StoreRows(const StepRegisters<W>& step, const PivotBytes& stored,
                                       uint32_t row, RibbonEquation* rows) {
  const __m512i low = Permuted(kVpermbTranspose, _mm512_load_si512(stored.bytes[0]));
  const __m512i high = Permuted(kVpermbTranspose, _mm512_load_si512(stored.bytes[8]));
  const __m512i result = _mm512_cvtepu32_epi64(
      _mm512_castsi512_si256(Permuted(kVpermbResult, _mm512_load_si512(stored.bytes[16]))));
  static_assert(sizeof(RibbonEquation) == 24);
#pragma GCC unroll 3
  for (uint32_t i = 0; i < 3; ++i) {
    const __m512i coefficients =
        _mm512_permutex2var_epi64(low, _mm512_load_si512(kVpermt2qCoefficient.items + 8 * i), high);
    _mm512_storeu_si512(
        reinterpret_cast<uint64_t*>(rows + row) + 8 * i,
        _mm512_mask_permutexvar_epi64(coefficients, kResultWords[i],
                                      _mm512_load_si512(kVpermqEquation.items + 8 * i), result));
  }
  __m512i pivot = step.pivot[0];
  for (uint32_t w = 1; w < W; ++w) pivot = _mm512_or_si512(pivot, step.pivot[w]);
  for (uint32_t free = _mm512_testn_epi64_mask(pivot, pivot); free != 0; free &= free - 1) {
    const uint32_t r = row + static_cast<uint32_t>(__builtin_ctz(free));
    rows[r] = ZeroRow(r);
  }
}

// Goes on with 64 * W lanes, up to the end or until 64 fewer suffice after a step. Returns false if
// they do not suffice.
template <uint32_t W, bool kStore>
BLOOMLINE_AVX512 __attribute__((noinline)) bool SolveSteps(const RibbonGroup& group, Lanes* lanes,
                                                           RibbonEquation* rows) {
  const uint32_t num_steps = group.num_steps();
  const uint32_t first_step = lanes->step;
  PivotBytes stored;
  for (; lanes->step != num_steps; ++lanes->step) {
    if (W > 1 && !lanes->Uses(W - 1) && lanes->step != first_step) break;
    if (!AddStarting<W>(group, lanes)) return false;
    StepRegisters<W> step;
    TakeStepBytes<W>(lanes, &step);
    Eliminate<W>(&step);
    Apply<W, kStore>(step, lanes, &stored);
    if (kStore) StoreRows<W>(step, stored, lanes->step * kRowsPerStep, rows);
  }
  return true;
}

template <bool kStore>
BLOOMLINE_AVX512 bool SolveStepsWith(uint32_t num_registers, const RibbonGroup& group, Lanes* lanes,
                                     RibbonEquation* rows) {
  if (num_registers == 1) return SolveSteps<1, kStore>(group, lanes, rows);
  if (num_registers == 2) return SolveSteps<2, kStore>(group, lanes, rows);
  return SolveSteps<3, kStore>(group, lanes, rows);
}

// ---- A group.

// Frees the lanes of equations 0 = 0, as equal keys make them. kTooMany: there was none.
BLOOMLINE_AVX512 RibbonSolved FreeZeros(Lanes* lanes) {
  uint64_t any = 0;
  for (uint32_t w = 0; w < kMaxRegisters; ++w) {
    __m512i coefficients = _mm512_setzero_si512();
    __m512i results = _mm512_setzero_si512();
    for (uint32_t k = 0; k < 16; ++k) coefficients |= LaneBytes(*lanes, k, w);
    for (uint32_t k = 16; k < kEquationBytes; ++k) results |= LaneBytes(*lanes, k, w);
    const uint64_t zeros = lanes->active[w] & _mm512_testn_epi8_mask(coefficients, coefficients);
    if ((zeros & _mm512_test_epi8_mask(results, results)) != 0) return RibbonSolved::kNo;
    lanes->active[w] &= ~zeros;
    lanes->unused[w] |= zeros;
    any |= zeros;
  }
  return any != 0 ? RibbonSolved::kYes : RibbonSolved::kTooMany;
}

void TakeWaiting(const WaitingEquations& waiting, Lanes* lanes) {
  std::memset(lanes->bytes, 0, sizeof(lanes->bytes));
  for (uint32_t i = 0; i < waiting.size(); ++i) {
    uint8_t bytes[kEquationBytes];
    std::memcpy(bytes, &waiting[i], kEquationBytes);
    for (uint32_t k = 0; k < kEquationBytes; ++k) lanes->bytes[k][i] = bytes[k];
    const uint64_t bit = uint64_t{1} << i % 64;
    lanes->active[i / 64] |= bit;
    lanes->unused[i / 64] &= ~bit;
  }
}

void LeaveWaiting(const Lanes& lanes, WaitingEquations* waiting) {
  waiting->clear();
  for (uint32_t i = 0; i < kMaxWaiting; ++i) {
    if ((lanes.active[i / 64] >> i % 64 & 1) == 0) continue;
    uint8_t bytes[sizeof(RibbonEquation)] = {};
    for (uint32_t k = 0; k < kEquationBytes; ++k) bytes[k] = lanes.bytes[k][i];
    std::memcpy(&waiting->emplace_back(), bytes, sizeof(bytes));
  }
}

BLOOMLINE_AVX512 RibbonSolved SolveGroup(const RibbonGroup& group, WaitingEquations* waiting,
                                         RibbonEquation* rows) {
  Lanes lanes;
  TakeWaiting(*waiting, &lanes);
  const uint32_t num_steps = group.num_steps();
  const auto solve = rows != nullptr ? SolveStepsWith<true> : SolveStepsWith<false>;
  for (uint32_t least = 1; lanes.step != num_steps;) {
    const uint32_t used = lanes.Uses(2) ? 3 : lanes.Uses(1) ? 2 : 1;
    const uint32_t num_registers = std::max(least, used);
    least = 1;
    if (solve(num_registers, group, &lanes, rows)) continue;
    const RibbonSolved freed = FreeZeros(&lanes);
    if (freed == RibbonSolved::kNo) return freed;
    least = freed == RibbonSolved::kTooMany ? num_registers + 1 : num_registers;
    if (least > kMaxRegisters) return RibbonSolved::kTooMany;
  }
  if (FreeZeros(&lanes) == RibbonSolved::kNo) return RibbonSolved::kNo;
  LeaveWaiting(lanes, waiting);
  return RibbonSolved::kYes;
}

struct Avx512Simd {
  using Columns = uint64_t __attribute__((vector_size(64)));
  BLOOMLINE_AVX512_INLINE static Columns SumOfBits(Columns words) {
    return reinterpret_cast<Columns>(_mm512_popcnt_epi64(reinterpret_cast<__m512i>(words)));
  }
};

}  // namespace

RibbonSolver Avx512RibbonSolver() {
  return {SolveGroup, Substitute<Avx512Simd>, (size_t{1} << 20) / sizeof(RibbonEquation)};
}

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
