// A packed block of docs/format.md, section 3.4: its geometry, and which of its bits a key queries.
// Blocks of lanes (section 3.5) have the same fingerprints and selectors.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_LINE_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_LINE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::kernels {

constexpr unsigned kMaxSlots = 112;
constexpr unsigned kSlotsPerWord =
    56;  // so that a word at any bit offset comes with one 8-byte load
constexpr uint64_t kSlotWordMask = (uint64_t{1} << kSlotsPerWord) - 1;
constexpr unsigned kMaxFullRows = 24;
constexpr unsigned kMatchAllCode = 63;
constexpr unsigned kNumSeeds = 4;
static_assert(kMaxSlots == 2 * kSlotsPerWord, "SlotMask has two words");
static_assert(kSlotsPerWord + 7 <= 64, "a word and the bits before it in its first byte");

// How a line with s slots is divided.
struct LineShape {
  uint8_t full_rows;      // r
  uint8_t partial_slots;  // w, 0 if no key asks the partial row
  uint8_t partial_share;  // T, of 256
};

constexpr LineShape ComputeLineShape(unsigned payload_bits, unsigned slots) {
  const unsigned full_rows = payload_bits / slots;
  if (full_rows >= kMaxFullRows) return {kMaxFullRows, 0, 0};
  const unsigned left = payload_bits - full_rows * slots;
  const unsigned share = left > 2 ? 256 * (left - 2) / slots : 0;
  return {static_cast<uint8_t>(full_rows), static_cast<uint8_t>(share > 0 ? left : 0),
          static_cast<uint8_t>(share)};
}

// The divisions would be a good part of a query, so the two sizes of whole lines are tabled.
template <unsigned kPayloadBits>
struct LineShapeTable {
  constexpr LineShapeTable() {
    for (unsigned slots = 1; slots <= kMaxSlots; ++slots) {
      shapes[slots] = ComputeLineShape(kPayloadBits, slots);
    }
  }
  LineShape shapes[kMaxSlots + 1] = {};
};
inline constexpr LineShapeTable<8 * 63> kLineShapes64;
inline constexpr LineShapeTable<8 * 31> kLineShapes32;

inline LineShape LineShapeOf(unsigned line_bytes, unsigned slots) {
  if (line_bytes == 64) return kLineShapes64.shapes[slots];
  if (line_bytes == 32) return kLineShapes32.shapes[slots];
  return ComputeLineShape(8 * (line_bytes - 1), slots);
}

// The two halves of the product, added without carries.
inline uint64_t MultiplyAndFold(uint64_t a, uint64_t b) {
#if defined(__x86_64__)
  // GCC 12 sends the halves of an __int128 through the stack, which costs a compact query 1.4 ns of
  // 7.8 (docs/design.md).
  uint64_t low, high;
  __asm__("mulq %3" : "=a"(low), "=d"(high) : "0"(a), "rm"(b) : "cc");
  return low ^ high;
#else
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#endif
}

// The slots of a key, as far as a line has them.
struct SlotMask {
  uint64_t low;   // slots 0 .. 55
  uint64_t high;  // slots 56 .. 111
};

inline SlotMask And(SlotMask a, SlotMask b) { return {a.low & b.low, a.high & b.high}; }

// Without a branch, like all that depends on a line's header: headers are random, so a branch would
// be mispredicted.
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
// number makes other equations, and yet nothing is computed that must wait for the line's header
// but this.
inline SlotMask Rotated(SlotMask all, unsigned seed_number) {
  const uint64_t swapped = (all.low ^ all.high) & (~uint64_t{seed_number >> 1} + 1);
  const uint64_t low = all.low ^ swapped;
  const uint64_t high = all.high ^ swapped;
  const unsigned shift = seed_number % 2 * (kSlotsPerWord / 2);
  return {(low >> shift | high << (kSlotsPerWord - shift)) & kSlotWordMask,
          (high >> shift | low << (kSlotsPerWord - shift)) & kSlotWordMask};
}

// Bit i is what row i must give. The line takes the upper bits of the hash, so these are free.
inline uint32_t FingerprintOf(uint64_t hash) { return static_cast<uint32_t>(hash) & 0xFFFFFF; }

// The partial row is asked by keys with a selector below its share.
constexpr unsigned kSelectorShift = 24;
inline uint32_t SelectorOf(uint64_t hash) { return static_cast<uint32_t>(hash) >> kSelectorShift; }

inline const char* CompactLine(const CompactFilter& filter, uint64_t hash) {
  return filter.data + BlockIndex(hash, filter.num_blocks) * filter.block_bytes;
}

// What the solver needs of the keys of a line: arrays, for vector instructions.
struct LineKeys {
  explicit LineKeys(size_t n) : size(n) {}

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

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_LINE_H_
