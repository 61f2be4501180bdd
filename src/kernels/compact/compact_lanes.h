// A solved line of eight 64-bit words, docs/format.md, section 3.5: its geometry, what a key asks
// of it, and the part of the query that is the same for every kernel.
//
// A row begins in a word of its own, so that a query tests eight rows at fixed places; only what
// does not fit there has a place that depends on the line.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/little_endian.h"
#include "src/kernels/probe_sequence.h"
#include "src/kernels/solved_block.h"

namespace bloomline::kernels {

constexpr unsigned kLanes = 8;
constexpr unsigned kLaneSlots = 63;  // bits of a lane for rows; the uppermost is one of the header
constexpr unsigned kMinLanesSlots = 21;  // with fewer slots a line would have more than 24 rows
constexpr unsigned kMinLanesBase = kMinLanesSlots;
constexpr unsigned kMaxLanesBase = 64;
constexpr unsigned kNumCodes = 64;
constexpr unsigned kTailTryBits = 2;
static_assert(kLanes * sizeof(uint64_t) == kBlockBytes);
static_assert(kLanes * (kLaneSlots + 1) == kBlockBits, "a header of one bit in each lane");
static_assert(kMinLanesSlots * kMaxFullColumns <= kLanes * kLaneSlots &&
              kMinLanesSlots * (kMaxFullColumns + 1) > kLanes * kLaneSlots);

// Where the rows of a line with so many slots are. Row i < 8, or the partial row as the lane after
// the last full one:
//   lane[i] & own[i]  and  (lane[other_lane[i]] >> other_shift[i]) & other[i].
// Entries that no filter should have ask no row: such a line matches everything.
struct alignas(64) LaneLayout {
  uint64_t own[kLanes] = {};
  uint64_t other[kLanes] = {};
  uint8_t other_lane[kLanes] = {};
  uint8_t other_shift[kLanes] = {};
  // other_lane again: its first byte in the line; its 32-bit halves in lanes 4 to 7, where it is.
  uint8_t other_byte[kLanes] = {};
  uint8_t other_halves[2 * kLanes] = {};
  uint8_t asked[2] = {};  // rows in lanes, a bit for each; [1]: with the partial row, if it is one
  uint8_t partial_share = 0;  // T, of 256
  uint8_t tail_slots = 0;     // s, if there are rows in the tail; else 0
  uint32_t top_share = 0;     // T in the upper byte
  uint8_t full_rows = 0;      // r
  uint8_t partial_slots = 0;  // w
  // In the tail: where the bits are that number the partial row's try.
  uint8_t try_byte[kTailTryBits] = {};
  uint8_t try_bit[kTailTryBits] = {};
};

constexpr uint64_t OnesBelow64(unsigned n) {
  return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

// Up to 63 slots: rows 0 to 7 have a lane each; above them is the tail, 63 - s bits of each lane
// one after the other, with the rows from 8 on, two bits that number the partial row's try, and
// that row.
constexpr LaneLayout LayoutWithTail(unsigned slots) {
  LaneLayout layout;
  for (unsigned row = 0; row < kLanes; ++row) layout.own[row] = OnesBelow64(slots);
  layout.asked[0] = layout.asked[1] = 0xFF;
  const unsigned payload_bits = kLanes * kLaneSlots;
  const unsigned rows =
      payload_bits / slots < kMaxFullColumns ? payload_bits / slots : kMaxFullColumns;
  const unsigned left = payload_bits - rows * slots;
  layout.full_rows = static_cast<uint8_t>(rows);
  if (left >= kTailTryBits + 2) {
    layout.partial_slots = static_cast<uint8_t>(left - kTailTryBits);
    layout.partial_share = static_cast<uint8_t>(256 * (left - kTailTryBits) / slots);
    const unsigned width = kLaneSlots - slots;
    for (unsigned i = 0; i < kTailTryBits; ++i) {
      const unsigned tail_bit = (rows - kLanes) * slots + i;
      const unsigned lane_bit = slots + tail_bit % width;
      layout.try_byte[i] = static_cast<uint8_t>(8 * (tail_bit / width) + lane_bit / 8);
      layout.try_bit[i] = static_cast<uint8_t>(lane_bit % 8);
    }
  }
  if (rows > kLanes || layout.partial_share > 0) layout.tail_slots = static_cast<uint8_t>(slots);
  return layout;
}

// More slots: the e = s - 63 that a row's own lane has no bit for are in the lanes after the last
// row, floor(63 / e) rows to a lane. What they leave free is the partial row: of the lane after the
// last row, and of the last lane.
constexpr void SetOther(LaneLayout* layout, unsigned row, unsigned lane, unsigned shift,
                        unsigned slots) {
  layout->other[row] = OnesBelow64(slots);
  layout->other_lane[row] = static_cast<uint8_t>(lane);
  layout->other_shift[row] = static_cast<uint8_t>(shift);
  layout->other_byte[row] = static_cast<uint8_t>(8 * lane);
  layout->other_halves[2 * row] = static_cast<uint8_t>(2 * lane % 8);
  layout->other_halves[2 * row + 1] = static_cast<uint8_t>(2 * lane % 8 + 1);
}

constexpr LaneLayout LayoutWithChunks(unsigned slots) {
  LaneLayout layout;
  const unsigned chunk = slots - kLaneSlots;
  const unsigned per_lane = kLaneSlots / chunk;
  unsigned rows = kLanes * kLaneSlots / slots;
  while ((rows + per_lane - 1) / per_lane > kLanes - rows) --rows;
  for (unsigned row = 0; row < rows; ++row) {
    layout.own[row] = OnesBelow64(kLaneSlots);
    SetOther(&layout, row, rows + row / per_lane, row % per_lane * chunk, chunk);
  }
  layout.asked[0] = layout.asked[1] = static_cast<uint8_t>((1u << rows) - 1);
  layout.full_rows = static_cast<uint8_t>(rows);
  const unsigned in_first = chunk * (rows < per_lane ? rows : per_lane);
  unsigned in_last = (kLanes - 1 - rows) * per_lane;
  in_last = chunk * (rows > in_last ? rows - in_last : 0);
  const unsigned first_free = kLaneSlots - in_first;
  unsigned last_free = rows + 1 < kLanes ? kLaneSlots - in_last : 0;
  if (first_free + last_free > kLaneSlots) last_free = kLaneSlots - first_free;
  const unsigned width = first_free + last_free;
  if (width > 0) {
    layout.own[rows] = OnesBelow64(kLaneSlots) & ~OnesBelow64(in_first);
    SetOther(&layout, rows, kLanes - 1, in_last, last_free);
    layout.asked[1] = static_cast<uint8_t>((2u << rows) - 1);
    layout.partial_slots = static_cast<uint8_t>(width);
    layout.partial_share = static_cast<uint8_t>(256 * width / slots);
  }
  return layout;
}

// What a header says: how many slots above the base, and which try of the variable slots. Codes
// near the mean load have eight tries, others two, because those are few.
constexpr unsigned kFirstManyTriesCode = 11;
constexpr unsigned kNumManyTriesCodes = 21;
constexpr unsigned kManyTries = 8;
constexpr unsigned kFewTries = 2;
constexpr unsigned kMatchAllHeader = 0xFF;

constexpr bool HasManyTries(unsigned code) {
  return code - kFirstManyTriesCode < kNumManyTriesCodes;
}

constexpr unsigned LaneHeader(unsigned code, unsigned try_number) {
  if (HasManyTries(code)) return kManyTries * (code - kFirstManyTriesCode) + try_number;
  const unsigned few = code < kFirstManyTriesCode ? code : code - kNumManyTriesCodes;
  return kManyTries * kNumManyTriesCodes + kFewTries * few + try_number;
}

// What the header adds to a key's selector: spread, so that neighbouring headers make other sets of
// keys (with the header itself, a line of 88 keys stayed unsolved in 2.4 % of cases).
constexpr unsigned LaneSalt(unsigned header) { return header * 157 % 256; }

constexpr unsigned kPoolShift = 40;  // 3 x 8 bits of a key's other slots
constexpr unsigned kNumLaneLayouts = kMaxLanesBase + 2 * kNumCodes;

// One table, so that a query needs one address. Of the layouts, some 35 are in use in one filter, 7
// KiB.
struct LaneTables {
  struct Header {
    uint16_t layout_offset;  // from the layout of base slots, in bytes
    uint8_t pool_shift;
    uint32_t top_salt;  // in the upper byte
  };
  constexpr LaneTables() {
    // Headers without a meaning stand for more slots than there can be: such a line matches all.
    for (Header& header : headers) header = {(2 * kNumCodes - 1) * sizeof(LaneLayout), 0, 0};
    for (unsigned code = 0; code < kNumCodes; ++code) {
      for (unsigned t = 0; t < (HasManyTries(code) ? kManyTries : kFewTries); ++t) {
        const unsigned header = LaneHeader(code, t);
        headers[header] = {static_cast<uint16_t>(code * sizeof(LaneLayout)),
                           static_cast<uint8_t>(kPoolShift + t),
                           LaneSalt(header) << kSelectorShift};
      }
    }
    for (unsigned slots = kMinLanesSlots; slots <= kMaxSlots; ++slots) {
      layouts[slots] = slots <= kLaneSlots ? LayoutWithTail(slots) : LayoutWithChunks(slots);
      layouts[slots].top_share = uint32_t{layouts[slots].partial_share} << kSelectorShift;
    }
  }
  LaneLayout layouts[kNumLaneLayouts] = {};
  Header headers[256] = {};
};
inline constexpr LaneTables kLaneTables;

// The slots of a key: own 0..62, then those that its rows have in other lanes.
struct LaneSlots {
  uint64_t own;
  uint64_t other;
};

// Three slots depend on the try, so that another try is another system, and yet the elimination of
// all other slots is done once.
constexpr uint64_t kVariableSlots = 0x010101;

BLOOMLINE_ALWAYS_INLINE LaneSlots LaneSlotsOf(uint64_t hash) {
  return {MultiplyAndFold(hash, 0x7137449123ef65cd), MultiplyAndFold(hash, 0xe9b5dba58189dbbd)};
}

// pool_shift is kPoolShift + number of the try.
BLOOMLINE_ALWAYS_INLINE uint64_t OwnSlotsInTry(LaneSlots slots, unsigned pool_shift) {
  return slots.own ^ (slots.other >> pool_shift & kVariableSlots);
}

// Whether the key asks the partial row. The salt makes each try another set of keys. Half of the
// keys do, so what depends on it must not be a branch.
BLOOMLINE_ALWAYS_INLINE unsigned AsksPartialRow(uint64_t hash, unsigned salt,
                                                unsigned partial_share) {
  return static_cast<uint8_t>(SelectorOf(hash) + salt) < partial_share ? 1 : 0;
}

BLOOMLINE_ALWAYS_INLINE unsigned Parity(uint64_t bits) {
  return static_cast<unsigned>(__builtin_parityll(bits));
}

// The rows that have no lane of their own. tail_parity(line, slots, first, mask) is the parity of
// `mask` and the tail's bits from `first` on; where kGroup is more than 1, `first` can be behind
// the tail's end. The number of rows varies from line to line, so to take kGroup at once spares
// mispredicted branches.
template <unsigned kGroup, typename TailParity>
BLOOMLINE_ALWAYS_INLINE bool LaneTailMatches(const char* line, const LaneLayout& layout,
                                             uint64_t own_slots, uint64_t hash,
                                             TailParity tail_parity) {
  const unsigned slots = layout.tail_slots;
  const uint64_t mine = own_slots & OnesBelow64(slots);
  const unsigned num_rows = layout.full_rows - kLanes;
  uint32_t wanted = FingerprintOf(hash) >> kLanes;
  uint32_t wrong = 0;
  unsigned bit = 0;
  for (unsigned row = 0; row < num_rows || (kGroup > 1 && row == 0); row += kGroup) {
    for (unsigned i = 0; i < kGroup; ++i, bit += slots) {
      wrong |= (tail_parity(line, slots, bit, mine) ^ (wanted >> (row + i) & 1)) << (row + i);
    }
  }
  wrong &= static_cast<uint32_t>(OnesBelow64(num_rows));
  bit = num_rows * slots;
  wanted >>= num_rows;
  if (wrong != 0) return false;
  if (layout.partial_share == 0) return true;
  unsigned tail_try = 0;
  for (unsigned i = 0; i < kTailTryBits; ++i) {
    const unsigned char byte = static_cast<unsigned char>(line[layout.try_byte[i]]);
    tail_try |= (byte >> layout.try_bit[i] & 1u) << i;
  }
  const uint64_t asked = own_slots & OnesBelow64(layout.partial_slots);
  return ((tail_parity(line, slots, bit + kTailTryBits, asked) ^ wanted) &
          AsksPartialRow(hash, 64 * tail_try, layout.partial_share)) == 0;
}

// What a key finds in a line: which layout, and its slots there.
struct LaneQuery {
  const LaneLayout& layout;
  LaneSlots slots;
  unsigned asked;
};

BLOOMLINE_ALWAYS_INLINE LaneQuery QueryOf(unsigned header, uint32_t base_slots, uint64_t hash) {
  const LaneTables::Header& meaning = kLaneTables.headers[header];
  const auto* base_layout = reinterpret_cast<const char*>(kLaneTables.layouts + base_slots);
  const auto* address = reinterpret_cast<const LaneLayout*>(base_layout + meaning.layout_offset);
  // One register for all that is in it: GCC 12 takes three, and saves others for that.
  __asm__("" : "+r"(address));
  const LaneLayout& layout = *address;
  LaneSlots slots = LaneSlotsOf(hash);
  slots.own = OwnSlotsInTry(slots, meaning.pool_shift);
  // AsksPartialRow with the selector left in its place; the bits below it do not matter.
  const bool asks_partial = static_cast<uint32_t>(hash) + meaning.top_salt < layout.top_share;
  return {layout, slots, layout.asked[asks_partial]};
}

BLOOMLINE_ALWAYS_INLINE const char* LanesLine(const CompactFilter& filter, uint64_t hash) {
  return filter.data + BlockIndex(hash, filter.num_blocks) * kBlockBytes;
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_H_
