// Gauss-Jordan elimination over GF(2) of a compact block's equations, eight slots at a time.
//
// Each key is an equation for each column: the XOR of the column's bits in the key's slots is a bit
// of the key's fingerprint, the right-hand side. The unknowns are the bits of the column, one for
// each slot. All full columns have the same left-hand sides, so they are solved at once. The pivot
// of a slot is the equation that in the end has that slot and no other slot with a pivot. Which of
// several equations is chosen does not change the solution: slots without a pivot are 0, and which
// slots those are depends on the order of the slots, not on that choice.
//
// A slice is one byte of each of up to 128 equations: eight slots of them, or eight bits of their
// tails (SliceLayout). Pivots for the slots of a slice are chosen by operations on bit masks of
// equations. That gives a byte of sums for each equation: which of the eight pivots are added to
// it. In each other slice these bytes, times one 8 x 8 matrix (the pivots' bytes there), are added
// to the equations' bytes.
//
//             slice 0     slice 1           slice 7     slices 8 ..     tail
//   key 0   | slots 0-7 | slots 8-15 | .. | slots 56-63 | slots 64 .. | right-hand sides,      |
//   key 1   |           |            |    |             |             | slots 0-2 once more,   |
//    ..     |           |            |    |             |             | bits for their changes |
//   key 127 |           |            |    |             |             |                        |
//                |            ^                  ^             ^             ^
//                |            +------------------+-------------+-------------+  add sums * matrix
//                +--> eight masks --> eight pivots, and a byte of sums for each key
//
// Eliminating in the masks of slice 0 (bit i of mask b: equation i has slot b) gives eight pivots
// and the sums; slice 1 then gives the next eight pivots. Slots 0 to 2 come last, because each
// attempt changes them.
//
// `Simd` is what an instruction set does with slices.
//
//   Bytes      a byte of each of 64 equations
//   Matrix     8 x 8 bits, by rows
//   Equations  eight of equations 0 to 63; 64 is none
//
//   Bytes Xor(Bytes a, Bytes b)                    each byte ^ the other's
//   Bytes And(Bytes bytes, unsigned byte)          each byte & byte
//   uint64_t BitMask(Bytes bytes, unsigned b)      bit i is bit b of byte i
//   void BitMasks(Bytes bytes, uint64_t masks[8])  masks[b] is BitMask(bytes, b)
//   Bytes FromBitMasks(const uint64_t masks[8])    the reverse
//   uint64_t SumsBelow(Bytes bytes, unsigned added, unsigned limit)
//                                                  bit i: (byte i + added) % 256 < limit, for a
//                                                  limit of 1 to 255
//   Equations Selectors(uint64_t pivots)           those of EightPivots::equations
//   Matrix FromRows(uint64_t rows)                 row b is byte b
//   Matrix MatrixAt(Bytes bytes, Equations equations, uint64_t added)
//                                                  row b is the byte of equation b, or 0 if it is
//                                                  none, XOR byte b of `added`
//   Bytes TimesMatrix(Bytes bytes, Matrix matrix)  each byte becomes the XOR of the rows that its
//                                                  bits name
//   Bytes BytesAt(Slice slice, const uint8_t at[64])                byte i is byte at[i]
//   void Exchange(const EquationPairs& pairs, Slice* slice)         the bytes of each pair
//   void Transpose(const uint64_t words[64], Bytes to[8])           byte b of word i to byte i of b
//
// A kernel's .cc file defines BLOOMLINE_SLICES_TARGET, the attribute of its functions, before this
// file: a template cannot take it as a parameter.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICES_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/compact_block.h"

#ifndef BLOOMLINE_SLICES_TARGET
#define BLOOMLINE_SLICES_TARGET
#endif
#define BLOOMLINE_SLICES_INLINE BLOOMLINE_SLICES_TARGET __attribute__((always_inline)) inline

namespace bloomline::kernels {
namespace {

constexpr unsigned kWordSlices = 8;
constexpr unsigned kFieldSlices = 7;
constexpr unsigned kTailSlices = 8;
constexpr unsigned kMaxSlices = kWordSlices + kFieldSlices + kTailSlices;

// The slices of an equation: slots 0 to 63, slots from 64 on, and the tail. The tail has the
// right-hand sides of the full columns and of the partial one; then slots 0 to 2, because slice 0
// is no longer updated once its slots are eliminated; then the window, from which each attempt
// takes three bits for these slots.
struct SliceLayout {
  SliceLayout(unsigned most_slots, unsigned full_columns, unsigned num_window_bits)
      : tail(kWordSlices + (most_slots > kWordSlots ? (most_slots - kWordSlots + 7) / 8 : 0)),
        end(tail + (full_columns + 1 + kNumVariableSlots + num_window_bits + 7) / 8),
        num_slots(8 * tail),
        variable_shift(full_columns + 1),
        window_bits(num_window_bits) {}

  uint64_t Tail(uint64_t hash, const CompactKey& key) const {
    return (hash & OnesBelow64(variable_shift)) |
           (key.slots.word & kVariableSlots) << variable_shift |
           (key.variable >> kFirstAttempt & OnesBelow64(window_bits)) << window_shift();
  }

  // Mask of the tail without the right-hand side of the partial column, which the portable
  // solver's equations do not have either.
  uint64_t tail_without_partial() const { return ~(uint64_t{1} << (variable_shift - 1)); }

  // The first bit of the window of the first attempt.
  unsigned window_shift() const { return variable_shift + kNumVariableSlots; }

  unsigned tail;
  unsigned end;
  unsigned num_slots;       // that the slices have
  unsigned variable_shift;  // the number of right-hand sides
  unsigned window_bits;
};

template <typename Simd>
struct Slice {
  typename Simd::Bytes low;   // equations 0 to 63
  typename Simd::Bytes high;  // equations 64 to 127
};

// Pairs of equations that change places: as many as the smaller of both groups has.
struct EquationPairs {
  BLOOMLINE_SLICES_INLINE EquationPairs(uint64_t lows, uint64_t highs) {
    for (unsigned i = 0; i < 128; ++i) from[i] = static_cast<uint8_t>(i);
    for (; lows != 0 && highs != 0; lows &= lows - 1, highs &= highs - 1) {
      low[size] = static_cast<uint8_t>(__builtin_ctzll(lows));
      high[size] = static_cast<uint8_t>(64 + __builtin_ctzll(highs));
      from[low[size]] = high[size];
      from[high[size]] = low[size];
      ++size;
    }
  }
  unsigned size = 0;
  uint8_t low[64];                // below 64
  uint8_t high[64];               // from 64 on
  alignas(64) uint8_t from[128];  // all equations: which one comes to this place
};

// The pivots of eight slots, all of them among equations 0 to 63.
struct EightPivots {
  uint64_t equations;  // byte b is slot b's pivot; 64 if it lacks one

  // Byte b is 1: slot b has a pivot.
  BLOOMLINE_SLICES_INLINE uint64_t slot_bytes() const {
    return ~equations >> 6 & 0x0101010101010101;
  }
  // Bit b says the same. PEXT is slow microcode in Zen 1 and 2. Instead, the product's bit 56 + b
  // is byte b shifted by 56 - 7 b.
  BLOOMLINE_SLICES_INLINE unsigned slots() const {
    return static_cast<unsigned>(slot_bytes() * 0x0102040810204080 >> 56);
  }
};

// On x86 in assembly: GCC 12 makes branches of some of these. Each is mispredicted half of the
// time, and the solver takes 1.5 times as long.
BLOOMLINE_SLICES_INLINE void AddIfHas(uint64_t bit, uint64_t added, uint64_t* mask) {
#if defined(__x86_64__)
  __asm__("testq %2, %0\n\tcmovneq %1, %0" : "+r"(*mask) : "r"(*mask ^ added), "r"(bit) : "cc");
#else
  if ((*mask & bit) != 0) *mask ^= added;
#endif
}

// In: masks[b] are the equations that have slot b. Out: the equations that its pivot is to be added
// to. A slot with a pivot no longer needs its mask, so the same place holds the result, as when a
// matrix is inverted in place. A pivot waits for the pivot before it: a chain of five instructions
// (AND, BLSI, XOR, XOR, CMOV).
//
// Slot b's pivot p is added to the equations `others`. Where masks[c] has p:
//
//   c > b      p has slot c, so each of `others` gains or loses it
//   c < b      slot c's pivot has been added to p, so with p it is added to `others`
BLOOMLINE_SLICES_INLINE EightPivots ChoosePivots(uint64_t masks[8], uint64_t* unused) {
  uint64_t equations = 0;
#pragma GCC unroll 8
  for (unsigned b = 0; b < 8; ++b) {
    const uint64_t candidates = masks[b] & *unused;
    const uint64_t pivot = candidates & (~candidates + 1);
    const uint64_t others = masks[b] ^ pivot;
    *unused ^= pivot;
#pragma GCC unroll 8
    for (unsigned c = 0; c < 8; ++c) {
      if (c == b) continue;
      AddIfHas(pivot, others, &masks[c]);
    }
    masks[b] = pivot != 0 ? others : 0;
    equations |= static_cast<uint64_t>(__builtin_popcountll(pivot - 1)) << 8 * b;  // 64 without
  }
  return {equations};
}

// Equations 0 to 127, and their pivots.
template <typename Simd>
struct SliceSystem {
  using Bytes = typename Simd::Bytes;

  // The changes of the equations by a choice of eight pivots.
  struct Elimination {
    // Clears the pivots' slots in a slice.
    template <bool kHasUpper>
    BLOOMLINE_SLICES_INLINE void In(Slice<Simd>* slice) const {
      const typename Simd::Matrix matrix = Simd::MatrixAt(slice->low, equations, 0);
      slice->low = Simd::Xor(slice->low, Simd::TimesMatrix(sums.low, matrix));
      if (kHasUpper) slice->high = Simd::Xor(slice->high, Simd::TimesMatrix(sums.high, matrix));
    }

    EightPivots pivots;
    typename Simd::Equations equations;
    // Bit b: slot b's pivot, as it was before this elimination, is added to this equation. All
    // pivots are added at once, so a pivot's own byte can name other pivots.
    Slice<Simd> sums;
  };

  Slice<Simd> slices[kMaxSlices];
  uint64_t unused[2];       // equations without a pivot so far
  uint64_t pivot_slots[2];  // slots that have one
  alignas(64) uint8_t pivots[2 * kWordSlots];

  BLOOMLINE_SLICES_INLINE void Start(const uint64_t equations[2]) {
    std::copy_n(equations, 2, unused);
    std::fill_n(pivot_slots, 2, uint64_t{0});
    std::fill_n(pivots, sizeof(pivots), uint8_t{0});
  }

  // Pivots for those slots of a slice that `slots` names. kHasUpper: there are equations from 64
  // on; these give no pivots.
  //
  // All get their sums without choosing again. Row b of M is the byte of slot b's pivot before the
  // elimination, row b of S its byte of `sums`, which says what is added to it. The elimination
  // adds S M to M and makes it the identity:
  //
  //   M + S M = (I + S) M = I,   so I + S is the inverse of M
  //
  // An equation with byte v needs sums x with v + x M = 0, so x = v (I + S). Rows of slots without
  // a pivot are no part of that, so v has to have no bits of these slots.
  template <bool kHasUpper>
  BLOOMLINE_SLICES_INLINE Elimination Choose(const Slice<Simd>& slice, unsigned slots) {
    constexpr uint64_t kIdentity = 0x8040201008040201;
    uint64_t masks[8];
    Elimination chosen;
    Simd::BitMasks(Simd::And(slice.low, slots), masks);
    chosen.pivots = ChoosePivots(masks, &unused[0]);
    chosen.sums.low = Simd::FromBitMasks(masks);
    chosen.equations = Simd::Selectors(chosen.pivots.equations);
    if (kHasUpper) {
      chosen.sums.high =
          Simd::TimesMatrix(Simd::And(slice.high, chosen.pivots.slots()),
                            Simd::MatrixAt(chosen.sums.low, chosen.equations, kIdentity));
    }
    return chosen;
  }

  // `first_slot` is a multiple of 8.
  BLOOMLINE_SLICES_INLINE void NotePivots(unsigned first_slot, const EightPivots& of_slots) {
    const uint64_t slots = of_slots.slots();
    const uint64_t bytes = of_slots.slot_bytes() * 0xFF;
    char* const noted = reinterpret_cast<char*>(pivots + first_slot);
    StoreLittleEndian64((LoadLittleEndian64(noted) & ~bytes) | (of_slots.equations & bytes), noted);
    pivot_slots[first_slot / kWordSlots] |= slots << first_slot % kWordSlots;
  }

  // Pivots are chosen among equations 0 to 63, whose masks are single integers. So equations from
  // 64 on that are unused exchange places with some that are not. Slices before `first` are no
  // longer needed.
  BLOOMLINE_SLICES_INLINE EquationPairs BringUnused(unsigned first, unsigned end) {
    const EquationPairs pairs(~unused[0], unused[1]);
    for (unsigned i = first; i < end; ++i) Simd::Exchange(pairs, &slices[i]);
    for (unsigned i = 0; i < pairs.size; ++i) {
      unused[0] |= uint64_t{1} << pairs.low[i];
      unused[1] &= unused[1] - 1;
    }
    return pairs;
  }

  // After BringUnused. No slot from 64 on has a pivot yet.
  BLOOMLINE_SLICES_INLINE void MovePivots(const EquationPairs& pairs) {
    Slice<Simd> places;
    std::memcpy(&places, pairs.from, sizeof(places));
    const Bytes moved = Simd::BytesAt(places, pivots);
    std::memcpy(pivots, &moved, sizeof(moved));
  }

  // Eliminates the slots from first_slot, which is below 8, to num_slots; the slices to `end`
  // follow. False, only with kHasUpper: a slot had no pivot among equations 0 to 63, and one from
  // 64 on might be it.
  template <bool kHasUpper>
  BLOOMLINE_SLICES_TARGET bool EliminateSlots(unsigned first_slot, unsigned num_slots,
                                              unsigned end) {
    // Equations from 64 on take the places of pivots, of which there must be as many: each slot so
    // far has a pivot. There are at most 52 of these equations, so that happens in slice 6 or 7:
    // late, so that few slices exchange bytes, and before equations 0 to 63 have no pivots left.
    const unsigned with_room =
        (static_cast<unsigned>(__builtin_popcountll(unused[1])) + first_slot + 7) / 8;
    const unsigned bring_at = std::max(with_room, 6u);
    Slice<Simd> slice = slices[0];
    for (unsigned i = 0; 8 * i < num_slots; ++i) {
      if (kHasUpper && i == bring_at) {
        MovePivots(BringUnused(i, end));
        slice = slices[i];
      }
      const unsigned slots = static_cast<unsigned>(OnesBelow64(std::min(8u, num_slots - 8 * i))) &
                             (i == 0 ? 0xFFu << first_slot : 0xFFu);
      const Elimination chosen = Choose<kHasUpper>(slice, slots);
      // The next slots first, and not by way of memory: all waits for them. A slice that has slots
      // from num_slots on is itself the next: AddFixedSlot may take them later. Others that are
      // done are no longer updated.
      const unsigned next = 8 * i + 8 <= num_slots ? i + 1 : i;
      chosen.template In<kHasUpper>(&slices[next]);
      slice = slices[next];
      for (unsigned later = next + 1; later < end; ++later)
        chosen.template In<kHasUpper>(&slices[later]);
      NotePivots(8 * i, chosen.pivots);
      if (kHasUpper && i < bring_at && chosen.pivots.slots() != slots) return false;
    }
    return true;
  }
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICES_H_
