// The query of a packed block with 64-bit integers, for every kernel that has no better one. All of
// it inlines into the kernel, so that it is compiled for the kernel's instruction set (POPCNT,
// BMI2).
#ifndef BLOOMLINE_KERNELS_PACKED_PACKED_QUERY_H_
#define BLOOMLINE_KERNELS_PACKED_PACKED_QUERY_H_

#include "src/kernels/always_inline.h"
#include "src/kernels/little_endian.h"
#include "src/kernels/packed/packed_block.h"

namespace bloomline::kernels {

// The block's bits from `bit` on: 56 of them, or as many as there are. `last_load` is the last byte
// from which 8 can be loaded.
BLOOMLINE_ALWAYS_INLINE uint64_t BitsFrom(const char* block, unsigned bit, unsigned last_load) {
  const unsigned byte = bit / 8 < last_load ? bit / 8 : last_load;
  return LoadLittleEndian64(block + byte) >> ((bit - 8 * byte) & 63);
}

// Bit 0 is the parity of the key's slots in the column that begins at `bit`.
template <bool kTwoWords>
BLOOMLINE_ALWAYS_INLINE unsigned ColumnParity(const char* block, unsigned bit, unsigned last_load,
                                              SlotMask slots) {
  uint64_t hits = BitsFrom(block, bit, last_load) & slots.low;
  if (kTwoWords) hits ^= BitsFrom(block, bit + kSlotsPerWord, last_load) & slots.high;
  return static_cast<unsigned>(__builtin_parityll(hits));
}

// A column tells nothing with probability 1/2, so stopping after each would cost a mispredicted
// branch per query. Columns are taken three at a time: 7 of 8 missing keys end with the first
// three.
template <bool kTwoWords>
BLOOMLINE_ALWAYS_INLINE bool FullColumnsMatch(const char* block, unsigned last_load, unsigned slots,
                                              unsigned full_columns, SlotMask mine,
                                              uint32_t fingerprint) {
  unsigned bit = 0;
  unsigned column = 0;
  for (; column + 3 <= full_columns; column += 3, bit += 3 * slots, fingerprint >>= 3) {
    const unsigned parities = ColumnParity<kTwoWords>(block, bit, last_load, mine) |
                              ColumnParity<kTwoWords>(block, bit + slots, last_load, mine) << 1 |
                              ColumnParity<kTwoWords>(block, bit + 2 * slots, last_load, mine) << 2;
    if (parities != (fingerprint & 7)) return false;
  }
  unsigned wrong = 0;
  for (; column < full_columns; ++column, bit += slots, fingerprint >>= 1) {
    wrong |= ColumnParity<kTwoWords>(block, bit, last_load, mine) ^ (fingerprint & 1);
  }
  return wrong == 0;
}

BLOOMLINE_ALWAYS_INLINE bool PackedBlockMayMatch(const char* block, unsigned block_bytes,
                                                 unsigned base_slots, uint64_t hash) {
  const unsigned header = static_cast<unsigned char>(block[block_bytes - 1]);
  const unsigned slots = base_slots + header % 64;
  if (header % 64 == kMatchAllCode || slots > kMaxSlots) return true;
  const PackedShape shape = PackedShapeOf(block_bytes, slots);
  const unsigned last_load = block_bytes - 8;
  const uint32_t fingerprint = FingerprintOf(hash);
  const SlotMask mine = And(Rotated(AllSlotsOf(hash), header / 64), FirstSlots(slots));
  const bool full_columns_match =
      slots <= kSlotsPerWord
          ? FullColumnsMatch<false>(block, last_load, slots, shape.full_columns, mine, fingerprint)
          : FullColumnsMatch<true>(block, last_load, slots, shape.full_columns, mine, fingerprint);
  if (!full_columns_match) return false;
  if (SelectorOf(hash) >= shape.threshold) return true;
  const SlotMask partial = And(mine, FirstSlots(shape.partial_slots));
  return ColumnParity<true>(block, shape.full_columns * slots, last_load, partial) ==
         (fingerprint >> shape.full_columns & 1);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_PACKED_PACKED_QUERY_H_
