// Writing a solved line of eight lanes.
#ifndef BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_WRITER_H_
#define BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_WRITER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/compact/compact_lanes_equations.h"
#include "src/kernels/compact/compact_lanes_system.h"
#include "src/kernels/little_endian.h"

namespace bloomline::kernels {

// Bit i of byte j becomes bit j of byte i. Hacker's Delight, 7-3.
BLOOMLINE_ALWAYS_INLINE uint64_t Transposed8x8(uint64_t x) {
  uint64_t swap = (x ^ x >> 7) & 0x00AA00AA00AA00AA;
  x ^= swap ^ swap << 7;
  swap = (x ^ x >> 14) & 0x0000CCCC0000CCCC;
  x ^= swap ^ swap << 14;
  swap = (x ^ x >> 28) & 0x00000000F0F0F0F0;
  return x ^ swap ^ swap << 28;
}

// Rows 8 * plane .. 8 * plane + 7: own slots in one word, the others in the next.
BLOOMLINE_ALWAYS_INLINE void EightRows(const LaneSystem& system, unsigned plane, unsigned slots,
                                       uint64_t rows[kLanes][2]) {
  uint64_t columns[16] = {};  // a byte for each slot: its bits in the eight rows
  char* bytes = reinterpret_cast<char*>(columns);
  for (size_t i = 0; i < system.size; ++i) {
    const uint64_t right = system.equations.second[i] >> system.second.right_shift >> 8 * plane;
    if (system.pivots[i] != kNoLanePivot) bytes[system.pivots[i]] = static_cast<char>(right);
  }
  for (unsigned row = 0; row < kLanes; ++row) rows[row][0] = rows[row][1] = 0;
  const unsigned num_groups = slots > kLaneSlots ? 8 + (slots - kLaneSlots + 7) / 8 : 8;
  for (unsigned group = 0; group < num_groups; ++group) {
    const uint64_t bits = Transposed8x8(LoadLittleEndian64(bytes + 8 * group));
    for (unsigned row = 0; row < kLanes; ++row) {
      rows[row][group / 8] |= (bits >> 8 * row & 0xFF) << group % 8 * 8;
    }
  }
}

BLOOMLINE_ALWAYS_INLINE void WritePartialRow(const LaneSystem& system, const LaneLayout& layout,
                                             uint64_t* lanes) {
  if (layout.partial_share == 0) return;
  const unsigned row = layout.full_rows;
  const unsigned first =
      layout.own[row] == 0 ? kLaneSlots : static_cast<unsigned>(__builtin_ctzll(layout.own[row]));
  lanes[row] |= (system.partial_row << first % 64) & layout.own[row];
  lanes[layout.other_lane[row]] |= (system.partial_row >> (kLaneSlots - first) & layout.other[row])
                                   << layout.other_shift[row];
}

BLOOMLINE_ALWAYS_INLINE void WriteTail(const LaneSystem& system, const LaneLayout& layout,
                                       unsigned slots, uint64_t* lanes) {
  uint64_t tail[8] = {};
  unsigned bit = 0;
  const auto append = [&](uint64_t bits, unsigned count) {
    tail[bit / 64] |= bits << bit % 64;
    tail[bit / 64 + 1] |= bits >> 1 >> (63 - bit % 64);
    bit += count;
  };
  for (unsigned plane = 1; 8 * plane < layout.full_rows; ++plane) {
    uint64_t rows[kLanes][2];
    EightRows(system, plane, slots, rows);
    for (unsigned row = 0; row < kLanes && 8 * plane + row < layout.full_rows; ++row) {
      append(rows[row][0] & OnesBelow64(slots), slots);
    }
  }
  if (layout.partial_share > 0) {
    append(system.tail_try, kTailTryBits);
    append(system.partial_row, layout.partial_slots);
  }
  const unsigned width = kLaneSlots - slots;
  bit = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane, bit += width) {
    const uint64_t piece = tail[bit / 64] >> bit % 64 | tail[bit / 64 + 1] << 1 << (63 - bit % 64);
    lanes[lane] |= (piece & OnesBelow64(width)) << slots;
  }
}

BLOOMLINE_ALWAYS_INLINE void WriteLanes(const LaneSystem& system, const LaneLayout& layout,
                                        unsigned slots, unsigned header, char* line) {
  uint64_t rows[kLanes][2];
  EightRows(system, 0, slots, rows);
  uint64_t lanes[kLanes] = {};
  const unsigned rows_in_lanes = std::min<unsigned>(kLanes, layout.full_rows);
  for (unsigned row = 0; row < rows_in_lanes; ++row) lanes[row] = rows[row][0] & layout.own[row];
  if (slots > kLaneSlots) {
    for (unsigned row = 0; row < layout.full_rows; ++row) {
      lanes[layout.other_lane[row]] |= (rows[row][1] & layout.other[row])
                                       << layout.other_shift[row];
    }
    WritePartialRow(system, layout, lanes);
  } else if (layout.tail_slots != 0) {
    WriteTail(system, layout, slots, lanes);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    StoreLittleEndian64(lanes[lane] | uint64_t{header >> lane & 1} << 63, line + 8 * lane);
  }
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_COMPACT_LANES_WRITER_H_
