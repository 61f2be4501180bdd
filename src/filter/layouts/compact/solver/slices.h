// Gauss-Jordan elimination over GF(2) of a compact block's equations, eight slots at a time.
//
// Each key is an equation for each column: the XOR of the column's bits in the key's slots is a bit
// of the key's fingerprint, the right-hand side. The unknowns are the bits of the column, one for
// each slot. All full columns have the same left-hand sides, so they are solved at once. The pivot
// of a slot is the equation that in the end has that slot and no other slot with a pivot. Which of
// several equations is chosen does not change the solution: slots without a pivot are 0, and which
// slots those are depends on the order of the slots, not on that choice.
//
// The equations are cut into slices: a slice is one byte of each equation, so eight slots.
//
//              slice 0      slice 1         slice 7      slots 64..      tail
//   key 0    |slots 0..7 | slots 8..15 | ...        | further slots | right-hand sides, variable
//   key 1    |           |             |            |               | slots, window
//   ...
//   key 127  |           |             |            |               |
//
// The tail is described at SliceLayout. Pivots for the slots of a slice are chosen by operations on
// bit masks of equations. That gives a byte of sums for each equation: which of the eight pivots
// are added to it. In each other slice these bytes, times one 8 x 8 matrix (the pivots' bytes
// there), are added to the equations' bytes.
//
// Simd has the registers of an instruction set and what is done with them, as static functions
// (slices_avx2.cc, slices_avx512.cc):
//   Bytes, a byte of each of 64 equations, and Slice, those of 128; Matrix, 8 x 8 bits; Exchange;
//   Xor, And, ShiftedLeft, ShiftedRight, SumsBelow on all bytes; ByteOf, BytesAt, SliceOf,
//   StoreBytes; BitMask, BitMasks and OfBitMasks: bit b of all bytes as an integer; EquationsAt,
//   MatrixAt, InverseAt: matrices of rows that pivots have; TimesMatrix; Transpose: 64
//   words into eight slices.
// For a kernel's .cc file, which before this file defines BLOOMLINE_SLICES_TARGET, the attribute of
// its functions: a template cannot take it as a parameter.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICES_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/compact_block.h"
#include "src/filter/bits/little_endian.h"
#include "src/filter/layouts/compact/solver/slice_layout.h"

#define BLOOMLINE_SLICES_INLINE BLOOMLINE_SLICES_TARGET __attribute__((always_inline)) inline

namespace bloomline::kernels {
namespace {

// The pivots of eight slots, all of them among equations 0 to 63.
struct EightPivots {
  uint64_t equations;  // byte b is slot b's pivot; 64: it has none

  // Byte b is 1: slot b has a pivot.
  BLOOMLINE_SLICES_INLINE uint64_t slot_bytes() const {
    return ~equations >> 6 & 0x0101010101010101;
  }
  // Bit b: the same. Not by PEXT, which is slow microcode in Zen 1 and 2: the product's bit
  // 56 + b is byte b shifted by 56 - 7 b.
  BLOOMLINE_SLICES_INLINE unsigned slots() const {
    return static_cast<unsigned>(slot_bytes() * 0x0102040810204080 >> 56);
  }
};

// In assembly: GCC 12 makes branches of some of these. Each is mispredicted half of the time, and
// the solver takes 1.5 times as long.
BLOOMLINE_SLICES_INLINE void AddIfHas(uint64_t bit, uint64_t added, uint64_t* mask) {
  __asm__("testq %2, %0\n\tcmovneq %1, %0" : "+r"(*mask) : "r"(*mask ^ added), "r"(bit) : "cc");
}

// In: masks[b] are the equations that have slot b. Out: those that its pivot is to be added to. A
// slot that has its pivot needs its mask no more, so the same place holds the result, as when a
// matrix is inverted in place. A pivot waits for the one before it: a chain of five instructions
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
    equations |= _tzcnt_u64(pivot) << 8 * b;
  }
  return {equations};
}

template <typename Simd>
struct Elimination {
  using Slice = typename Simd::Slice;

  // Clears the pivots' slots in a slice.
  template <bool kTwo>
  BLOOMLINE_SLICES_INLINE void In(Slice* slice) const {
    const auto matrix = Simd::MatrixAt(slice->low, equations);
    slice->low = Simd::Xor(slice->low, Simd::TimesMatrix(sums.low, matrix));
    if (kTwo) slice->high = Simd::Xor(slice->high, Simd::TimesMatrix(sums.high, matrix));
  }

  EightPivots pivots;
  typename Simd::EightEquations equations;
  // Bit b: to this equation, slot b's pivot is to be added, as it was before this elimination. All
  // at once, so a pivot's own byte can name other pivots.
  Slice sums;
};

// Equations 0 to 127, and their pivots.
template <typename Simd>
struct SliceSystem {
  using Slice = typename Simd::Slice;

  Slice slices[kMaxSlices];
  uint64_t unused[2];       // equations without a pivot so far
  uint64_t pivot_slots[2];  // slots that have one
  alignas(64) uint8_t pivots[2 * kWordSlots];

  BLOOMLINE_SLICES_INLINE void Start(const uint64_t equations[2]) {
    std::copy_n(equations, 2, unused);
    std::fill_n(pivot_slots, 2, uint64_t{0});
    std::fill_n(pivots, sizeof(pivots), uint8_t{0});
  }

  // Pivots for those slots of a slice that `slots` names. kTwo: there are equations from 64 on;
  // these give no pivots.
  template <bool kTwo>
  BLOOMLINE_SLICES_INLINE Elimination<Simd> Choose(const Slice& slice, unsigned slots) {
    uint64_t masks[8];
    Elimination<Simd> chosen;
    Simd::BitMasks(Simd::And(slice.low, slots), masks);
    chosen.pivots = ChoosePivots(masks, &unused[0]);
    chosen.sums.low = Simd::OfBitMasks(masks);
    chosen.equations = Simd::EquationsAt(chosen.pivots.equations);
    if (kTwo) {
      chosen.sums.high = Simd::TimesMatrix(Simd::And(slice.high, chosen.pivots.slots()),
                                           Simd::InverseAt(chosen.sums.low, chosen.equations));
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

  // Pivots are chosen among equations 0 to 63, whose masks are single integers. So the equations
  // from 64 on that are no pivots exchange places with some that are. Slices before `first` are no
  // longer needed. pivots[0] to [63] are translated: no slot from 64 on has a pivot yet.
  BLOOMLINE_SLICES_INLINE void BringUnused(unsigned first, unsigned end) {
    const EquationPairs pairs(~unused[0], unused[1]);
    const typename Simd::Exchange exchange(pairs);
    for (unsigned i = first; i < end; ++i) exchange.In(&slices[i]);
    alignas(64) uint8_t places[128];
    for (unsigned i = 0; i < 128; ++i) places[i] = static_cast<uint8_t>(i);
    for (unsigned i = 0; i < pairs.size; ++i) {
      places[pairs.low[i]] = pairs.high[i];
      unused[0] |= uint64_t{1} << pairs.low[i];
    }
    Simd::StoreBytes(Simd::BytesAt(Simd::SliceOf(places), pivots), pivots);
    unused[1] = 0;
  }
};

// Eliminates the slots from first_slot, which is below 8, to num_slots; the slices to `end` follow.
// False, only with kTwo: a slot had no pivot among equations 0 to 63, and one from 64 on might be
// it.
template <bool kTwo, typename Simd>
BLOOMLINE_SLICES_TARGET bool EliminateSlots(SliceSystem<Simd>* system, unsigned first_slot,
                                            unsigned num_slots, unsigned end) {
  // Equations from 64 on take the places of pivots, of which there must be as many: each slot so
  // far has got one. Slice 6 or 7, as there are at most 52 of these equations: late, so that few
  // slices exchange bytes, and before equations 0 to 63 have no pivots left.
  const unsigned with_room =
      (static_cast<unsigned>(_mm_popcnt_u64(system->unused[1])) + first_slot + 7) / 8;
  const unsigned bring_at = std::max(with_room, 6u);
  typename Simd::Slice slice = system->slices[0];
  for (unsigned i = 0; 8 * i < num_slots; ++i) {
    if (kTwo && i == bring_at) {
      system->BringUnused(i, end);
      slice = system->slices[i];
    }
    const unsigned slots = static_cast<unsigned>(OnesBelow64(std::min(8u, num_slots - 8 * i))) &
                           (i == 0 ? 0xFFu << first_slot : 0xFFu);
    const Elimination<Simd> chosen = system->template Choose<kTwo>(slice, slots);
    // The next slots first, and not by way of memory: all waits for them. A slice that has slots
    // from num_slots on is itself the next: AddFixedSlot may take them later. Others that are done
    // are not updated any more.
    const unsigned next = 8 * i + 8 <= num_slots ? i + 1 : i;
    chosen.template In<kTwo>(&system->slices[next]);
    slice = system->slices[next];
    for (unsigned later = next + 1; later < end; ++later)
      chosen.template In<kTwo>(&system->slices[later]);
    system->NotePivots(8 * i, chosen.pivots);
    if (kTwo && i < bring_at && chosen.pivots.slots() != slots) return false;
  }
  return true;
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_SOLVER_SLICES_H_
