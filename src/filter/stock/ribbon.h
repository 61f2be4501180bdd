// Queries of RocksDB's Standard128Ribbon (util/ribbon_impl.h, ribbon_alg.h): Dillinger and Walzer,
// "Ribbon filter", 2021.
//
// The payload is the solution of a linear system, as a table with 128 rows per block. A block is a
// sequence of columns of 128 bits each, all rows of the block. Blocks below upper_start have one
// column less than the others:
//
//   +-----------------------------+-----+----------------------------------+-----
//   | block 0: column 0, column 1 | ... | upper_start: column 0, 1, 2      | ...
//   +-----------------------------+-----+----------------------------------+-----
//
// A key selects 128 consecutive rows from its start on and some of them by its coefficients. It
// matches if in each column the parity of the selected bits is a bit of its fingerprint.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "src/filter/cpu/little_endian.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/stock/rocksdb_hash.h"

namespace bloomline::stock {

struct RibbonShape {
  static constexpr uint32_t kRowsPerBlock = 128;
  static constexpr uint32_t kSegmentBytes = 16;  // a column of a block
  static constexpr uint32_t kMaxColumns = 32;

  RibbonShape() = default;
  // num_blocks: 2 to 2^24 - 1; payload_bytes < 2^32.
  RibbonShape(uint32_t num_blocks, uint64_t payload_bytes)
      : num_starts((num_blocks - 1) * kRowsPerBlock + 1) {
    const auto segments = static_cast<uint32_t>(payload_bytes / kSegmentBytes);
    columns = (segments + num_blocks - 1) / num_blocks;
    upper_start = columns * num_blocks - segments;
    if (columns > kMaxColumns) {
      columns = kMaxColumns;
      upper_start = 0;
    }
  }

  uint32_t num_starts = 0;
  uint32_t columns = 0;      // of the blocks from upper_start on
  uint32_t upper_start = 0;  // blocks below have one column less
};

struct RibbonReader {
  const char* data;
  RibbonShape shape;
  uint64_t raw_seed;

  // The builder tries seeds until the system has a solution, and stores the number of the last.
  static uint64_t RawSeed(uint8_t seed) {
    uint64_t mixed = seed * uint64_t{0xc78219a23eeadd03};
    mixed ^= (mixed & 0xf0f0f0f0f0f0f0f0) >> 4;
    return static_cast<uint32_t>(mixed);
  }

  static uint64_t Hash(std::string_view key) { return RocksDBHash64(key); }
  static uint64_t ShortHash(std::string_view key) { return ShortRocksDBHash64(key); }

  void Prefetch(uint64_t hash) const {
    const Place place(shape, SeededHash(hash));
    if (place.columns == 0) return;
    const char* const first = data + place.segment * RibbonShape::kSegmentBytes;
    const uint64_t num_segments = uint64_t{place.columns} * (place.first_row == 0 ? 1 : 2);
    const char* const last = first + num_segments * RibbonShape::kSegmentBytes - 1;
    for (const char* line = first; line < last; line += 64) __builtin_prefetch(line);
    __builtin_prefetch(last);
  }

  bool MayMatch(uint64_t hash) const {
    const uint64_t seeded = SeededHash(hash);
    const Place place(shape, seeded);
    const uint64_t mixed = seeded * 0xc28f82822b650bed;
    const Rows coefficients = {(mixed ^ 0xc367844a6e52731d) | 1, mixed};
    const auto fingerprint = static_cast<uint32_t>(__builtin_bswap64(mixed));
    // The rows of the first block, and those of the next.
    const Rows here = ShiftedUp(coefficients, place.first_row);
    const Rows next = place.first_row == 0
                          ? Rows{0, 0}
                          : ShiftedDown(coefficients, RibbonShape::kRowsPerBlock - place.first_row);
    // Without rows in the next block, which may not exist, its columns are not read.
    const uint64_t to_next =
        place.first_row == 0 ? 0 : uint64_t{place.columns} * RibbonShape::kSegmentBytes;
    const char* segment = data + place.segment * RibbonShape::kSegmentBytes;
    for (uint32_t i = 0; i < place.columns; ++i, segment += RibbonShape::kSegmentBytes) {
      const uint64_t folded = Folded(segment, here) ^ Folded(segment + to_next, next);
      if (static_cast<uint32_t>(__builtin_parityll(folded)) != (fingerprint >> i & 1)) return false;
    }
    return true;
  }

 private:
  // Where a key's first row is.
  struct Place {
    Place(const RibbonShape& shape, uint64_t seeded) {
      const auto start = static_cast<uint32_t>(kernels::ScaledTo(shape.num_starts, seeded));
      const uint32_t block = start / RibbonShape::kRowsPerBlock;
      segment = uint64_t{block} * shape.columns - std::min(block, shape.upper_start);
      columns = shape.columns - (block < shape.upper_start ? 1 : 0);
      first_row = start % RibbonShape::kRowsPerBlock;
    }
    uint64_t segment;
    uint32_t columns;
    uint32_t first_row;
  };

  uint64_t SeededHash(uint64_t hash) const { return (hash ^ raw_seed) * 0x6193d459236a3a0d; }

  // A bit for each row of a block.
  struct Rows {
    uint64_t low;
    uint64_t high;
  };

  // n: 0 to 127. A shift by 64 is two, because one is undefined.
  static Rows ShiftedUp(Rows rows, uint32_t n) {
    if (n >= 64) return {0, rows.low << (n - 64)};
    return {rows.low << n, rows.high << n | rows.low >> 1 >> (63 - n)};
  }
  static Rows ShiftedDown(Rows rows, uint32_t n) {
    if (n >= 64) return {rows.high >> (n - 64), 0};
    return {rows.low >> n | rows.high << 1 << (63 - n), rows.high >> n};
  }

  // A word with the parity of the selected bits.
  static uint64_t Folded(const char* segment, Rows selected) {
    return (kernels::LoadLittleEndian64(segment) & selected.low) ^
           (kernels::LoadLittleEndian64(segment + 8) & selected.high);
  }
};

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_H_
