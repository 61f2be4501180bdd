// The query of a small set's block with 64-bit integers. All of it inlines into the kernel, so that
// it is compiled for the kernel's instruction set (POPCNT, BMI2).
#ifndef BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_QUERY_H_
#define BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_QUERY_H_

#include <algorithm>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/small_set_block.h"

namespace bloomline::kernels::small_set {

// `count` bits of the block from `bit` on, with any bits above them. `kWide`: `count` may be more
// than 57, and the bits may lie in nine bytes.
template <bool kWide>
BLOOMLINE_ALWAYS_INLINE uint64_t BlockBits(const char* block, unsigned block_bytes, unsigned bit,
                                           unsigned count) {
  const unsigned byte = std::min(bit / 8, block_bytes - 8);
  const unsigned shift = bit - 8 * byte;
  const uint64_t bits = LoadLittleEndian64(block + byte) >> (shift & 63);
  if (!kWide || shift + count <= 64) return bits;
  return bits | uint64_t{static_cast<unsigned char>(block[byte + 8])} << (64 - shift);
}

template <bool kWide>
BLOOMLINE_ALWAYS_INLINE uint64_t ColumnParity(const char* block, unsigned block_bytes, unsigned bit,
                                              unsigned count, uint64_t coefficients) {
  const uint64_t hits = BlockBits<kWide>(block, block_bytes, bit, count) & coefficients;
  return static_cast<uint64_t>(__builtin_parityll(hits));
}

// The partial column ends where the header begins, so its place does not depend on the columns
// before it. With no slots, any bits.
template <bool kWide>
BLOOMLINE_ALWAYS_INLINE uint64_t PartialColumn(const char* block, unsigned block_bytes,
                                               unsigned bit, unsigned slots) {
  if (kWide) return BlockBits<true>(block, block_bytes, bit, slots) & OnesBelow(slots);
  constexpr unsigned kHeaderBits = 8;
  const uint64_t before_header = LoadLittleEndian64(block + block_bytes - 8) << kHeaderBits;
  return before_header >> ((64 - slots) & 63);
}

// Derived from the key and the block's header.
struct KeyInBlock {
  unsigned slots;  // kMatchAllSlots: the block matches every key
  uint64_t coefficients;
};

BLOOMLINE_ALWAYS_INLINE KeyInBlock LocateKey(const char* block, unsigned block_bytes,
                                             unsigned first_attempt, uint64_t hash) {
  const unsigned header = static_cast<unsigned char>(block[block_bytes - 1]);
  const unsigned slots = header % 64;
  const unsigned attempt = first_attempt + header / 64;
  return {slots,
          (FixedCoefficients(hash) ^ VariableCoefficients(hash, attempt)) & OnesBelow(slots)};
}

// Columns first_column to r - 1 and the partial one.
template <bool kWide>
BLOOMLINE_ALWAYS_INLINE bool ColumnsMatch(const char* block, unsigned block_bytes,
                                          const KeyInBlock& query, unsigned first_column,
                                          BlockSplit split, uint64_t hash) {
  uint64_t wrong = 0;
  unsigned bit = first_column * query.slots;
  unsigned column = first_column;
  for (; column < split.full_columns; ++column, bit += query.slots) {
    wrong |= ColumnParity<kWide>(block, block_bytes, bit, query.slots, query.coefficients) ^
             hash >> column;
  }
  const uint64_t uses = UsesPartialColumn(hash, query.slots, split.partial_slots);
  const uint64_t hits =
      PartialColumn<kWide>(block, block_bytes, bit, split.partial_slots) & query.coefficients;
  wrong |= (static_cast<uint64_t>(__builtin_parityll(hits)) ^ hash >> column) & uses;
  return (wrong & 1) == 0;
}

// Bit i is the parity of the key's slots in column i < 8.
// byte_sum(block, block_bytes, coefficients): the XOR of the bytes whose coefficient is 1.
template <typename ByteSum>
BLOOMLINE_ALWAYS_INLINE bool SmallSetMayMatch(const char* block, unsigned block_bytes,
                                              unsigned first_attempt, uint64_t hash,
                                              ByteSum byte_sum) {
  const KeyInBlock query = LocateKey(block, block_bytes, first_attempt, hash);
  if (query.slots == kMatchAllSlots) return true;
  const BlockSplit split = SplitBlock(block_bytes, query.slots);
  unsigned first_column = 0;
  if (split.full_columns >= kByteColumns) {
    first_column = kByteColumns;
    if (((byte_sum(block, block_bytes, query.slots, query.coefficients) ^ hash) & 0xFF) != 0) {
      return false;
    }
  }
  return query.slots <= 57
             ? ColumnsMatch<false>(block, block_bytes, query, first_column, split, hash)
             : ColumnsMatch<true>(block, block_bytes, query, first_column, split, hash);
}

}  // namespace bloomline::kernels::small_set

#endif  // BLOOMLINE_FILTER_LAYOUTS_SMALL_SET_SMALL_SET_QUERY_H_
