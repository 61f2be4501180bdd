// The geometry of a compact block (docs/format.md, section 3.5), and which bits a key queries.
//
//   bytes 0 ..             one 64-bit word for each fast column: its slots 0 to 63
//   then                   one field for each fast column: its slots from 64 on
//   the last 12 bits       header: 7 bits that say how many slots, 5 that number the attempt
//
// So most missing keys are rejected by bits at fixed places. The pool is what words and fields
// leave free: the fields' upper bits, what follows them, and the words' upper bits if there are
// fewer than 64 slots. It holds the other columns, at places that depend on the number of slots.
#ifndef BLOOMLINE_FILTER_BITS_COMPACT_BLOCK_H_
#define BLOOMLINE_FILTER_BITS_COMPACT_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/solved_block.h"

namespace bloomline::kernels {

using CompactFilter = PayloadView;

// The bits of a block before its header.
constexpr unsigned CompactPayloadBits(unsigned block_bytes) { return 8 * block_bytes - 12; }

struct Arrangement {
  unsigned block_bytes;
  unsigned fast_columns;
  unsigned field_bytes;  // from one column's field to the next one's
  unsigned field_slots;  // how many bits of a field can be slots

  constexpr unsigned max_slots() const { return 64 + field_slots; }
  constexpr unsigned first_field_byte() const { return 8 * fast_columns; }
  constexpr unsigned payload_bits() const { return CompactPayloadBits(block_bytes); }
};

// A filter's trailer has these numbers. Names give the bytes of a block, and the fast columns.
enum : unsigned { k32Fast2, k32Fast3, k64Fast4, k64Fast5, k64Fast6, k64Fast7, k16Fast1 };
constexpr unsigned kNumArrangements = 7;

// Arrangements of one block size follow each other by the number of fast columns: fewer columns
// leave room for more slots. The last one suits few bits per key: at 2 bits, a block of 16 bytes
// has 64 keys, and one of 32 has 128, more than a block can have slots.
constexpr Arrangement kArrangements[kNumArrangements] = {
    {32, 2, 8, 52}, {32, 3, 2, 16}, {64, 4, 8, 52}, {64, 5, 4, 32},
    {64, 6, 2, 16}, {64, 7, 0, 0},  {16, 1, 8, 52}};

constexpr bool IsNamed(unsigned arrangement, unsigned block_bytes, unsigned fast_columns) {
  return kArrangements[arrangement].block_bytes == block_bytes &&
         kArrangements[arrangement].fast_columns == fast_columns;
}
static_assert(IsNamed(k32Fast2, 32, 2) && IsNamed(k32Fast3, 32, 3) && IsNamed(k64Fast4, 64, 4) &&
              IsNamed(k64Fast5, 64, 5) && IsNamed(k64Fast6, 64, 6) && IsNamed(k64Fast7, 64, 7) &&
              IsNamed(k16Fast1, 16, 1));

// With fewer slots, a block would have more than 16 pool columns even with the most fast columns.
constexpr unsigned kMinCompactSlots = 22;
constexpr unsigned kMaxCompactSlots = 116;
constexpr unsigned kWordSlots = 64;
constexpr unsigned kMaxFastColumns = 7;
// The most pool columns beside 7 fast ones, including the partial one. With fewer fast columns
// there can be more: the vector kernels leave such blocks to plain code.
constexpr unsigned kMaxPoolColumns = 16;

// The arrangement of a block of `slots` slots in a filter of `arrangement`: the filter's own, or
// one with fewer fast columns.
constexpr unsigned BlockArrangement(unsigned arrangement, unsigned slots) {
  while (slots > kArrangements[arrangement].max_slots()) --arrangement;
  return arrangement;
}

// --- The header.

// The last 12 bits of the block: 7 of code, then 5 that number the attempt. The code is the number
// of slots, counted from kMinCompactSlots, or kBloomCode, which says that the block is a Bloom
// filter. Other codes: the block matches every key.
constexpr unsigned kBloomCode = 127;
constexpr unsigned kMaxSlotsCode = kMaxCompactSlots - kMinCompactSlots;

constexpr unsigned MaxHeaderCode(unsigned arrangement) {
  return kArrangements[arrangement].max_slots() - kMinCompactSlots;
}

BLOOMLINE_ALWAYS_INLINE unsigned LoadHeader(const char* block, unsigned block_bytes) {
  return LoadLittleEndian16(block + block_bytes - 2);
}
constexpr unsigned HeaderCode(unsigned header) { return header >> 4 & 127; }
constexpr unsigned HeaderSlots(unsigned header) { return kMinCompactSlots + HeaderCode(header); }
constexpr unsigned HeaderAttempt(unsigned header) { return header >> 11; }

// The header as a part of the block's last word.
constexpr uint64_t HeaderBits(unsigned code, unsigned attempt) {
  return uint64_t{code} << 52 | uint64_t{attempt} << 59;
}

// --- A key.

constexpr uint64_t OnesBelow64(unsigned n) {
  return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

// A key's coefficients: of slots 0 to 63, and of slots 64 on.
struct CompactSlots {
  uint64_t word;
  uint64_t field;
};

struct CompactKey {
  CompactSlots slots;
  uint64_t variable;  // for slots 0 to 2, three bits of it in each attempt
};

constexpr uint64_t kKeyFactor = 0x7137449123ef65cd;
constexpr uint64_t kFieldFactor = 0xe9b5dba58189dbbd;

BLOOMLINE_ALWAYS_INLINE CompactKey MakeCompactKey(uint64_t hash) {
  const Product product = MultiplyInRegisters(hash, kKeyFactor);
  const uint64_t word = product.low ^ product.high;
  return {{word, word * kFieldFactor >> 12}, product.high};
}

// Slots 0 to 2 depend on the attempt. So each attempt solves another system, yet all other slots
// are eliminated once. There is no attempt 0: its coefficient of slot 0 would be bit 0 of the
// product's lower half. That is bit 0 of the hash, as the fingerprint's bit 0 is.
constexpr unsigned kNumVariableSlots = 3;
constexpr uint64_t kVariableSlots = 7;
constexpr unsigned kFirstAttempt = 1;
constexpr unsigned kLastAttempt = 31;

BLOOMLINE_ALWAYS_INLINE uint64_t WordInAttempt(const CompactKey& key, unsigned attempt) {
  return key.slots.word ^ (key.variable >> attempt & kVariableSlots);
}

// The key's coefficients of the slots that a block has, at least one. Headers are random, so a
// branch on them would be mispredicted: nothing that depends on a header branches.
BLOOMLINE_ALWAYS_INLINE CompactSlots SlotsInBlock(const CompactKey& key, unsigned slots,
                                                  unsigned attempt) {
  const unsigned in_word = slots < kWordSlots ? slots : kWordSlots;
  const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
  return {WordInAttempt(key, attempt) & (~uint64_t{0} >> (kWordSlots - in_word)),
          key.slots.field & ((uint64_t{1} << in_field) - 1)};
}

// --- The columns of a block.

// A field of a fast column, of which the lowest bits are slots.
template <unsigned kBytes>
BLOOMLINE_ALWAYS_INLINE uint64_t LoadField(const char* field) {
  if constexpr (kBytes == 2) return LoadLittleEndian16(field);
  if constexpr (kBytes == 4) return LoadLittleEndian32(field);
  return LoadLittleEndian64(field);
}

// The numbers of columns, and which keys use the partial one.
struct ColumnCounts {
  unsigned full;           // r
  unsigned partial_slots;  // w, 0 without a partial column
  unsigned threshold;      // T, of 256
};

constexpr ColumnCounts CountColumns(unsigned payload_bits, unsigned slots) {
  const unsigned full = payload_bits / slots;
  const unsigned left = payload_bits - full * slots;
  const unsigned threshold = left == 0 ? 0 : 256 * (left + 2) / slots;
  return {full, left, threshold < 255 ? threshold : 255};
}

// The salt is added to a key's selector, so other keys use the partial column in each attempt.
constexpr unsigned SelectorSalt(unsigned slots, unsigned attempt) {
  return 157 * attempt + 101 * slots;
}

BLOOMLINE_ALWAYS_INLINE unsigned UsesPartialColumn(uint64_t hash, unsigned salt,
                                                   unsigned threshold) {
  return static_cast<uint8_t>(Selector(hash) + salt) < threshold ? 1 : 0;
}

BLOOMLINE_ALWAYS_INLINE unsigned Parity(uint64_t bits) {
  return static_cast<unsigned>(__builtin_parityll(bits));
}

BLOOMLINE_ALWAYS_INLINE const char* CompactBlock(const CompactFilter& filter, uint64_t block_bytes,
                                                 uint64_t hash) {
  return filter.data + BlockIndex(hash, filter.num_blocks) * block_bytes;
}

// --- A Bloom block is the last resort if there are more keys than a block can have slots, or no
// solution. Keys chosen to overfill blocks then do less damage than if such a block matched every
// key (docs/keys.md).

constexpr unsigned kMaxBloomBlockProbes = 15;

inline uint32_t BloomBlockBit(uint64_t hash, unsigned probe, unsigned payload_bits) {
  return static_cast<uint32_t>(
      uint64_t{Probe(BlockedPair(hash), static_cast<int>(probe))} * payload_bits >> 32);
}

// The lower four bits of the header's attempt are k; 0 matches every key.
constexpr unsigned BloomBlockProbes(unsigned attempt) {
  return attempt % (kMaxBloomBlockProbes + 1);
}

inline bool BloomBlockMayMatch(const char* block, unsigned payload_bits, unsigned attempt,
                               uint64_t hash) {
  const unsigned num_probes = BloomBlockProbes(attempt);
  for (unsigned j = 0; j < num_probes; ++j) {
    if (!TestBit(block, BloomBlockBit(hash, j, payload_bits))) return false;
  }
  return true;
}

// ln 2 * bits per key, rounded, and at least 1. n > 0. Any number of keys above the slots that a
// block can have counts as kOverfullKeys.
constexpr uint64_t kOverfullKeys = 160;
inline unsigned BloomBlockNumProbes(uint64_t payload_bits, uint64_t n) {
  if (n > kMaxCompactSlots) n = kOverfullKeys;
  const uint64_t best = (payload_bits * 177 / 256 + n / 2) / n;
  return static_cast<unsigned>(std::clamp<uint64_t>(best, 1, kMaxBloomBlockProbes));
}

static_assert(kArrangements[k64Fast4].payload_bits() / kMinCompactSlots + 1 - 7 <= kMaxPoolColumns);
static_assert(kArrangements[k64Fast4].payload_bits() / kMinCompactSlots < 24,
              "bits of a fingerprint");
static_assert(kMaxCompactSlots == kArrangements[k32Fast2].max_slots() &&
              kMaxCompactSlots == kArrangements[k64Fast4].max_slots() &&
              kMaxCompactSlots == kArrangements[k16Fast1].max_slots());

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_COMPACT_BLOCK_H_
