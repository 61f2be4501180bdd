// A packed block of docs/format.md, section 3.4: its geometry, and which of its bits a key queries.
#ifndef BLOOMLINE_KERNELS_PACKED_PACKED_BLOCK_H_
#define BLOOMLINE_KERNELS_PACKED_PACKED_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/kernels/packed/packed_kernel.h"
#include "src/kernels/probe_sequence.h"
#include "src/kernels/solved_block.h"

namespace bloomline::kernels {

// So that a word at any bit offset comes with one 8-byte load.
constexpr unsigned kSlotsPerWord = 56;
constexpr uint64_t kSlotWordMask = (uint64_t{1} << kSlotsPerWord) - 1;
constexpr unsigned kMatchAllCode = 63;
constexpr unsigned kNumSeeds = 4;
static_assert(kMaxSlots == 2 * kSlotsPerWord, "SlotMask has two words");
static_assert(kSlotsPerWord + 7 <= 64, "a word and the bits before it in its first byte");

// How a block with s slots is divided.
struct PackedShape {
  uint8_t full_columns;   // r
  uint8_t partial_slots;  // w, 0 if no key uses the partial column
  uint8_t threshold;      // T, of 256
};

constexpr PackedShape ComputePackedShape(unsigned payload_bits, unsigned slots) {
  const unsigned full_columns = payload_bits / slots;
  if (full_columns >= kMaxFullColumns) return {kMaxFullColumns, 0, 0};
  const unsigned left = payload_bits - full_columns * slots;
  const unsigned threshold = left > 2 ? 256 * (left - 2) / slots : 0;
  return {static_cast<uint8_t>(full_columns), static_cast<uint8_t>(threshold > 0 ? left : 0),
          static_cast<uint8_t>(threshold)};
}

// The divisions would be a good part of a query, so the two sizes of whole cache lines and halves
// are tabled.
template <unsigned kPayloadBits>
struct PackedShapeTable {
  constexpr PackedShapeTable() {
    for (unsigned slots = 1; slots <= kMaxSlots; ++slots) {
      shapes[slots] = ComputePackedShape(kPayloadBits, slots);
    }
  }
  PackedShape shapes[kMaxSlots + 1] = {};
};
inline constexpr PackedShapeTable<8 * 63> kPackedShapes64;
inline constexpr PackedShapeTable<8 * 31> kPackedShapes32;

inline PackedShape PackedShapeOf(unsigned block_bytes, unsigned slots) {
  if (block_bytes == 64) return kPackedShapes64.shapes[slots];
  if (block_bytes == 32) return kPackedShapes32.shapes[slots];
  return ComputePackedShape(8 * (block_bytes - 1), slots);
}

// The slots of a key, as far as a block has them.
struct SlotMask {
  uint64_t low;   // slots 0 .. 55
  uint64_t high;  // slots 56 .. 111
};

inline SlotMask And(SlotMask a, SlotMask b) { return {a.low & b.low, a.high & b.high}; }

// Without a branch, like all that depends on a block's header: headers are random, so a branch
// would be mispredicted.
constexpr SlotMask FirstSlots(unsigned slots) {
  const unsigned in_low = slots < kSlotsPerWord ? slots : kSlotsPerWord;
  return {(uint64_t{1} << in_low) - 1, (uint64_t{1} << (slots - in_low)) - 1};
}

// All 112 slots of a key, for seed number 0.
inline SlotMask AllSlotsOf(uint64_t hash) {
  return {MultiplyAndFold(hash ^ 0x428a2f98d728ae23, 0x7137449123ef65cd) & kSlotWordMask,
          MultiplyAndFold(hash ^ 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbd) & kSlotWordMask};
}

// Other seed numbers see the slots rotated, by 28 each: a quarter of them new, so that another
// number makes other equations, and yet nothing is computed that must wait for the block's header
// but this.
inline SlotMask Rotated(SlotMask all, unsigned seed_number) {
  const uint64_t swapped = (all.low ^ all.high) & (~uint64_t{seed_number >> 1} + 1);
  const uint64_t low = all.low ^ swapped;
  const uint64_t high = all.high ^ swapped;
  const unsigned shift = seed_number % 2 * (kSlotsPerWord / 2);
  return {(low >> shift | high << (kSlotsPerWord - shift)) & kSlotWordMask,
          (high >> shift | low << (kSlotsPerWord - shift)) & kSlotWordMask};
}

inline const char* PackedBlock(const PackedFilter& filter, uint64_t hash) {
  return filter.data + BlockIndex(hash, filter.num_blocks) * filter.block_bytes;
}

// What the solver needs of the keys of a block: arrays, for vector instructions.
struct PackedKeys {
  explicit PackedKeys(size_t n) : size(n) {}

  void Set(size_t i, uint64_t hash) {
    const SlotMask slots = AllSlotsOf(hash);
    low_slots[i] = slots.low;
    high_slots[i] = slots.high;
    fingerprints[i] = FingerprintOf(hash);
    selectors[i] = static_cast<uint8_t>(SelectorOf(hash));
  }

  size_t size;  // at most kMaxSlots
  uint64_t low_slots[kMaxSlots];
  uint64_t high_slots[kMaxSlots];
  uint64_t fingerprints[kMaxSlots];
  uint8_t selectors[kMaxSlots];
};

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_PACKED_PACKED_BLOCK_H_
