// A compact block, docs/format.md, section 3.5: its geometry, and what a key asks of it.
//
//   bytes 0 ..             one 64-bit word for each fast column: its slots 0 to 63
//   then                   one field for each fast column: its slots from 64 on
//   the last 10 bits       header: 6 bits that say how many slots, 4 bits that number the attempt
//
// So most missing keys are decided from places that never move. The pool is what these leave free:
// the fields' upper bits, what follows them, and the words' upper bits where there are fewer than
// 64 slots. It holds the other columns, at places that depend on the number of slots.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_BLOCK_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/little_endian.h"
#include "src/kernels/probe_sequence.h"
#include "src/kernels/solved_block.h"

namespace bloomline::kernels {

struct Arrangement {
  unsigned block_bytes;
  unsigned fast_columns;
  unsigned field_bytes;  // from one column's field to the next one's
  unsigned field_slots;  // how many bits of a field can be slots

  constexpr unsigned max_slots() const { return 64 + field_slots; }
  constexpr unsigned first_field_byte() const { return 8 * fast_columns; }
  constexpr unsigned payload_bits() const { return 8 * block_bytes - 10; }
};

// Of one block size, by the number of fast columns: the fewer, the more slots.
constexpr Arrangement kArrangements[kNumArrangements] = {
    {32, 2, 8, 52}, {32, 3, 2, 16}, {64, 4, 8, 52}, {64, 5, 4, 32}, {64, 6, 2, 16}, {64, 7, 0, 0}};

constexpr unsigned kMinCompactSlots =
    22;  // with fewer, a block would have more than 16 pool columns
constexpr unsigned kMaxCompactSlots = 116;
constexpr unsigned kWordSlots = 64;
constexpr unsigned kMaxFastColumns = 7;
constexpr unsigned kMaxPoolColumns = 16;  // the partial one included
constexpr unsigned kNumAttempts = 16;

// The arrangement of a block of `slots` slots in a filter of `arrangement`: the filter's own, or
// one with fewer fast columns.
constexpr unsigned ArrangementOfBlock(unsigned arrangement, unsigned slots) {
  while (slots > kArrangements[arrangement].max_slots()) --arrangement;
  return arrangement;
}

// The most slots of a block in a filter of this arrangement.
constexpr unsigned MaxSlotsOfFilter(unsigned arrangement) {
  return kArrangements[arrangement].block_bytes == 32 ? kArrangements[0].max_slots()
                                                      : kArrangements[2].max_slots();
}

// --- The header.

constexpr unsigned kNumSlotCodes = 63;
constexpr unsigned kBloomCode = 63;  // the block is a Bloom filter: compact_bloom_block.h

// Code 63 says more slots than any column at a fixed place can have, so that a query needs one
// comparison for all blocks that are not of the filter's arrangement.
constexpr unsigned LeastBaseSlots(unsigned arrangement) {
  const unsigned max_slots = kArrangements[arrangement].max_slots();
  const unsigned least = max_slots + 1 - kBloomCode;
  return least < kMinCompactSlots ? kMinCompactSlots : least + least % 2;
}
constexpr unsigned kMaxBaseSlots = kMinCompactSlots + 2 * 31;

struct BlockHeader {
  unsigned code;
  unsigned attempt;
};

// Of the block that ends there.
BLOOMLINE_ALWAYS_INLINE BlockHeader HeaderOf(const char* block_end) {
  const unsigned bits = LoadLittleEndian16(block_end - 2);
  return {bits >> 6 & 63, bits >> 12};
}

template <unsigned kBlockSize>
BLOOMLINE_ALWAYS_INLINE BlockHeader LoadHeader(const char* block) {
  return HeaderOf(block + kBlockSize);
}

constexpr uint64_t HeaderBits(BlockHeader header) {
  return uint64_t{header.code} << 54 | uint64_t{header.attempt} << 60;
}

// --- A key.

constexpr uint64_t OnesBelow64(unsigned n) {
  return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

// The key's coefficients of slots 0 to 63, and of slots 64 on.
struct CompactSlots {
  uint64_t word;
  uint64_t field;
};

BLOOMLINE_ALWAYS_INLINE CompactSlots CompactSlotsOf(uint64_t hash) {
  return {MultiplyAndFold(hash, 0x7137449123ef65cd), MultiplyAndFold(hash, 0xe9b5dba58189dbbd)};
}

// Slots 0 to 2 depend on the attempt, so that another attempt is another system, and yet the
// elimination of all other slots is done once.
constexpr unsigned kNumVariableSlots = 3;
constexpr uint64_t kVariableSlots = 7;
constexpr unsigned kVariableShift = 46;  // bits 46 to 63 of the second word: a window of three

BLOOMLINE_ALWAYS_INLINE uint64_t WordInAttempt(CompactSlots slots, unsigned attempt) {
  return slots.word ^ (slots.field >> kVariableShift >> attempt & kVariableSlots);
}

// The slots that a block has.
BLOOMLINE_ALWAYS_INLINE CompactSlots SlotsInBlock(CompactSlots all, unsigned slots,
                                                  unsigned attempt) {
  const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
  return {WordInAttempt(all, attempt) & OnesBelow64(slots), all.field & OnesBelow64(in_field)};
}

// --- The columns of a block.

// A field of a fast column, and what is behind it.
template <unsigned kBytes>
BLOOMLINE_ALWAYS_INLINE uint64_t LoadField(const char* field) {
  if constexpr (kBytes == 2) return LoadLittleEndian16(field);
  if constexpr (kBytes == 4) return LoadLittleEndian32(field);
  return LoadLittleEndian64(field);
}

// How many columns there are, and which keys use the partial one.
struct ColumnCounts {
  unsigned full;           // r
  unsigned partial_slots;  // w, 0 if there is no partial column
  unsigned threshold;      // T, of 256
};

constexpr ColumnCounts ColumnCountsOf(unsigned payload_bits, unsigned slots) {
  const unsigned full = payload_bits / slots;
  const unsigned left = payload_bits - full * slots;
  const unsigned threshold = left == 0 ? 0 : 256 * (left + 1) / slots;
  return {full, left, threshold < 255 ? threshold : 255};
}

// What is added to a key's selector, so that each attempt asks the partial column of other keys.
constexpr unsigned SelectorSalt(unsigned slots, unsigned attempt) {
  return 157 * attempt + 101 * slots;
}

BLOOMLINE_ALWAYS_INLINE unsigned UsesPartialColumn(uint64_t hash, unsigned salt,
                                                   unsigned threshold) {
  return static_cast<uint8_t>(SelectorOf(hash) + salt) < threshold ? 1 : 0;
}

BLOOMLINE_ALWAYS_INLINE unsigned Parity(uint64_t bits) {
  return static_cast<unsigned>(__builtin_parityll(bits));
}

BLOOMLINE_ALWAYS_INLINE const char* CompactBlock(const CompactFilter& filter, uint64_t block_bytes,
                                                 uint64_t hash) {
  return filter.data + BlockIndex(hash, filter.num_blocks) * block_bytes;
}

static_assert(kArrangements[2].payload_bits() / kMinCompactSlots + 1 - 7 <= kMaxPoolColumns);
static_assert(kArrangements[2].payload_bits() / kMinCompactSlots < 24, "bits of a fingerprint");
static_assert(kVariableShift + kNumAttempts + kNumVariableSlots - 1 == 64);
static_assert(kMaxCompactSlots == kArrangements[0].max_slots() &&
              kMaxCompactSlots == kArrangements[2].max_slots());

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_BLOCK_H_
