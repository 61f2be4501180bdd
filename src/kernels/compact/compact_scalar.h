// The query of a solved line with 64-bit integers, for every kernel that has no better one. All of
// it inlines into the kernel, so that it is compiled for the kernel's instruction set (POPCNT,
// BMI2).
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_SCALAR_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_SCALAR_H_

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_line.h"
#include "src/kernels/little_endian.h"

namespace bloomline::kernels {

// The line's bits from `bit` on: 56 of them, or as many as there are. `last_load` is the last byte
// from which 8 can be loaded.
BLOOMLINE_ALWAYS_INLINE uint64_t BitsFrom(const char* line, unsigned bit, unsigned last_load) {
  const unsigned byte = bit / 8 < last_load ? bit / 8 : last_load;
  return LoadLittleEndian64(line + byte) >> ((bit - 8 * byte) & 63);
}

// Bit 0 is the parity of the key's slots in the row that begins at `bit`.
template <bool kTwoWords>
BLOOMLINE_ALWAYS_INLINE unsigned RowParity(const char* line, unsigned bit, unsigned last_load,
                                           SlotMask slots) {
  uint64_t hits = BitsFrom(line, bit, last_load) & slots.low;
  if (kTwoWords) hits ^= BitsFrom(line, bit + kSlotsPerWord, last_load) & slots.high;
  return static_cast<unsigned>(__builtin_parityll(hits));
}

// A row tells nothing with probability 1/2, so stopping after each would cost a mispredicted branch
// per query. Rows are taken three at a time: 7 of 8 absent keys end with the first three.
template <bool kTwoWords>
BLOOMLINE_ALWAYS_INLINE bool FullRowsMatch(const char* line, unsigned last_load, unsigned slots,
                                           unsigned full_rows, SlotMask mine,
                                           uint32_t fingerprint) {
  unsigned bit = 0;
  unsigned row = 0;
  for (; row + 3 <= full_rows; row += 3, bit += 3 * slots, fingerprint >>= 3) {
    const unsigned parities = RowParity<kTwoWords>(line, bit, last_load, mine) |
                              RowParity<kTwoWords>(line, bit + slots, last_load, mine) << 1 |
                              RowParity<kTwoWords>(line, bit + 2 * slots, last_load, mine) << 2;
    if (parities != (fingerprint & 7)) return false;
  }
  unsigned wrong = 0;
  for (; row < full_rows; ++row, bit += slots, fingerprint >>= 1) {
    wrong |= RowParity<kTwoWords>(line, bit, last_load, mine) ^ (fingerprint & 1);
  }
  return wrong == 0;
}

BLOOMLINE_ALWAYS_INLINE bool CompactLineMayMatch(const char* line, unsigned line_bytes,
                                                 unsigned base_slots, uint64_t hash) {
  const unsigned header = static_cast<unsigned char>(line[line_bytes - 1]);
  const unsigned slots = base_slots + header % 64;
  if (header % 64 == kMatchAllCode || slots > kMaxSlots) return true;
  const LineShape shape = LineShapeOf(line_bytes, slots);
  const unsigned last_load = line_bytes - 8;
  const uint32_t fingerprint = FingerprintOf(hash);
  const SlotMask mine = And(Rotated(AllSlotsOf(hash), header / 64), FirstSlots(slots));
  const bool full_rows_match =
      slots <= kSlotsPerWord
          ? FullRowsMatch<false>(line, last_load, slots, shape.full_rows, mine, fingerprint)
          : FullRowsMatch<true>(line, last_load, slots, shape.full_rows, mine, fingerprint);
  if (!full_rows_match) return false;
  if (SelectorOf(hash) >= shape.partial_share) return true;
  const SlotMask partial = And(mine, FirstSlots(shape.partial_slots));
  return RowParity<true>(line, shape.full_rows * slots, last_load, partial) ==
         (fingerprint >> shape.full_rows & 1);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_SCALAR_H_
