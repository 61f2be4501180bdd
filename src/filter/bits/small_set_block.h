// A block of docs/format.md, section 3.4: its geometry, and which of its bits a key queries.
#ifndef BLOOMLINE_FILTER_BITS_SMALL_SET_BLOCK_H_
#define BLOOMLINE_FILTER_BITS_SMALL_SET_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::kernels::small_set {

constexpr unsigned kMaxFullColumns = 24;

inline Product MultiplyInRegisters(uint64_t a, uint64_t b) {
#if defined(__x86_64__)
  // GCC 12 sends the halves of an __int128 through the stack, which costs a query 1.4 ns.
  uint64_t low, high;
  __asm__("mulq %3" : "=a"(low), "=d"(high) : "0"(a), "rm"(b) : "cc");
  return {low, high};
#else
  return Multiply(a, b);
#endif
}

// The two halves of the product, added without carries.
inline uint64_t MultiplyAndFold(uint64_t a, uint64_t b) {
  const Product product = MultiplyInRegisters(a, b);
  return product.low ^ product.high;
}

// Keys use the partial column if their selector is below its threshold.
constexpr unsigned kSelectorShift = 24;
inline uint32_t Selector(uint64_t hash) { return static_cast<uint32_t>(hash) >> kSelectorShift; }

constexpr unsigned kMaxBlockSlots = 63;
constexpr unsigned kMatchAllSlots = 0;  // in place of a number of slots
constexpr unsigned kHeaderAttempts = 4;
constexpr unsigned kMaxAttempts = 16;
// Columns that are stored together, a byte for each slot.
constexpr unsigned kByteColumns = 8;

// 1/s in units of 2^-15, for a division by multiplication.
struct SlotReciprocals {
  constexpr SlotReciprocals() {
    for (unsigned s = 1; s <= kMaxBlockSlots; ++s) of[s] = static_cast<uint16_t>(32768 / s + 1);
  }
  constexpr unsigned Divide(unsigned bits, unsigned slots) const { return bits * of[slots] >> 15; }
  uint16_t of[kMaxBlockSlots + 1] = {};
};
inline constexpr SlotReciprocals kSlotReciprocals;

constexpr bool ReciprocalsAreExact() {
  for (unsigned bits = 0; bits < kBlockBits; ++bits) {
    for (unsigned s = 1; s <= kMaxBlockSlots; ++s) {
      if (kSlotReciprocals.Divide(bits, s) != bits / s) return false;
    }
  }
  return true;
}
static_assert(ReciprocalsAreExact());

// How the payload of a block with s slots is split into columns.
struct BlockSplit {
  unsigned full_columns;   // r
  unsigned partial_slots;  // w
};

BLOOMLINE_ALWAYS_INLINE BlockSplit SplitBlock(unsigned block_bytes, unsigned slots) {
  const unsigned payload_bits = 8 * (block_bytes - 1);
  const unsigned columns = kSlotReciprocals.Divide(payload_bits, slots);
  if (columns >= kMaxFullColumns) return {kMaxFullColumns, 0};
  return {columns, payload_bits - columns * slots};
}

// The partial column has room for about as many keys as it has slots. On average two fewer use it,
// so attempts rarely fail because of it.
constexpr unsigned kSparePartialSlots = 2;
BLOOMLINE_ALWAYS_INLINE bool UsesPartialColumn(uint64_t hash, unsigned slots,
                                               unsigned partial_slots) {
  return (Selector(hash) * slots >> 8) + kSparePartialSlots < partial_slots;
}

BLOOMLINE_ALWAYS_INLINE uint64_t OnesBelow(unsigned n) { return (uint64_t{1} << n) - 1; }  // n < 64

// Slots 0 to 3 of a key depend on the attempt, by the hash's bits from 32 on; the others do not, so
// that all attempts share one elimination.
constexpr unsigned kVariableSlots = 4;
constexpr uint64_t kVariableMask = (uint64_t{1} << kVariableSlots) - 1;
constexpr unsigned kVariableShift = 32;

BLOOMLINE_ALWAYS_INLINE uint64_t FixedCoefficients(uint64_t hash) {
  return MultiplyAndFold(hash, 0x7137449123ef65cd);
}
BLOOMLINE_ALWAYS_INLINE uint64_t VariableCoefficients(uint64_t hash, unsigned attempt) {
  return hash >> (kVariableShift + attempt) & kVariableMask;
}

}  // namespace bloomline::kernels::small_set

#endif  // BLOOMLINE_FILTER_BITS_SMALL_SET_BLOCK_H_
