// Solving a line of eight lanes (compact_lanes.h): Gauss-Jordan elimination over GF(2), one
// equation per key for all rows at once. All of it inlines into the kernel, which brings the inner
// steps.
//
// The columns of the system are a key's slots: first the fixed ones in order, then the three
// variable ones of the try. The fixed ones are eliminated once, one more of them for each more
// slot; what is left is at most three equations in three unknowns, and these are looked at try by
// try. A column is a pivot if it is independent of those before it and the others get 0, so there
// is one solution for a number of slots and a try, and every kernel finds it.
#ifndef BLOOMLINE_KERNELS_COMPACT_LANES_SOLVER_H_
#define BLOOMLINE_KERNELS_COMPACT_LANES_SOLVER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/kernels/always_inline.h"
#include "src/kernels/compact_lanes.h"
#include "src/kernels/little_endian.h"

namespace bloomline::kernels {

constexpr size_t kMaxLaneKeys = kMaxSlots;
// Room for 8 equations at a time, and for one that is looked at ahead.
constexpr size_t kEquationRoom = kMaxLaneKeys + 8;
static_assert(kEquationRoom % 8 == 0);

// The equations. `first` are the own slots; `second`, from bit 0, the slots in other lanes, the
// pool of the variable slots, and, at the upper end, the right-hand sides of all rows.
struct LaneEquations {
  alignas(64) uint64_t first[kEquationRoom];
  alignas(64) uint64_t second[kEquationRoom];
};

// How `second` is divided, by the number of keys, so that it fits: up to 56 keys give lines of up
// to 24 rows, more of at most 8; more than 88 could have more slots in other lanes than there is
// room for beside a pool of eight tries.
struct SecondWord {
  unsigned columns;
  unsigned num_tries;
  unsigned right_shift;
};

constexpr SecondWord SecondWordFor(size_t num_keys) {
  if (num_keys <= 56) return {16, kManyTries, 40};
  if (num_keys <= 88) return {32, kManyTries, 56};
  return {kMaxSlots - kLaneSlots, kFewTries, 56};
}

// Four equations of one or two words that are pivots in the first word: each with those before it
// taken out. To take four at a time out of the others spares three of four loads and stores of
// these.
template <unsigned kWords>
struct FourPivots {
  // False: one of them has no pivot there.
  BLOOMLINE_ALWAYS_INLINE bool Choose(std::array<const uint64_t*, kWords> equations,
                                      uint64_t columns) {
    for (unsigned w = 0; w < kWords; ++w) {
      for (unsigned j = 0; j < 4; ++j) words[w][j] = equations[w][j];
    }
    uint64_t all = columns;
    for (unsigned j = 0; j < 4; ++j) {
      const uint64_t slots = words[0][j] & columns;
      bits[j] = slots & (~slots + 1);
      for (unsigned later = j + 1; later < 4; ++later) {
        const uint64_t hit = ~uint64_t{(words[0][later] & bits[j]) != 0} + 1;
        for (unsigned w = 0; w < kWords; ++w) words[w][later] ^= words[w][j] & hit;
      }
      if (slots == 0) all = 0;
    }
    return all != 0;
  }
  uint8_t Slot(unsigned j) const { return static_cast<uint8_t>(__builtin_ctzll(bits[j])); }

  uint64_t words[kWords][4];
  uint64_t bits[4];
};

class LaneSolver {
 public:
  LaneSolver(const uint64_t* hashes, size_t num_keys, uint32_t base_slots)
      : hashes_(hashes),
        size_(num_keys),
        base_slots_(base_slots),
        second_(SecondWordFor(num_keys)) {}

  // False: no number of slots and no try that a header can name has a solution. Otherwise the line
  // is written. The inner steps:
  //   ClearPair(LaneEquations*, size_t n, size_t pivot, bool in_second, uint64_t bit)
  //     adds equation `pivot` to each other one that has `bit`;
  //   ClearFourPairs(LaneEquations*, size_t n, size_t pivot, const FourPivots<2>&)
  //     does so for equations pivot .. pivot + 3, one after the other;
  //   ClearWord, ClearFourWords: the same for equations of one word.
  // They may change what is behind n up to the next multiple of 8.
  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE bool Solve(char* line) {
    const unsigned last =
        std::min({base_slots_ + kNumCodes - 1, kMaxSlots, kLaneSlots + second_.columns});
    unsigned slots = std::max(static_cast<unsigned>(size_), base_slots_);
    Start(slots);
    EliminateFixedSlots<Steps>(slots);
    for (; slots <= last; AddFixedSlot<Steps>(slots++)) {
      if (num_left_ > 3) continue;
      const LaneLayout& layout = kLaneTables.layouts[slots];
      const unsigned code = slots - base_slots_;
      const unsigned num_tries =
          std::min(second_.num_tries, HasManyTries(code) ? kManyTries : kFewTries);
      for (unsigned t = 0; t < num_tries; ++t) {
        if (!VariableSlotsSolve(t)) continue;
        const unsigned header = LaneHeader(code, t);
        if (!SolvePartialRow<Steps>(layout, slots, t, header)) continue;
        Finish<Steps>(t);
        Write(layout, slots, header, line);
        return true;
      }
    }
    return false;
  }

 private:
  BLOOMLINE_ALWAYS_INLINE void Start(unsigned slots) {
    const unsigned rows = std::min(kMaxFullRows, kLanes * kLaneSlots / slots);
    const uint64_t right_mask = OnesBelow64(rows);
    const uint64_t columns = OnesBelow64(second_.columns);
    for (size_t i = 0; i < size_; ++i) {
      const LaneSlots key = LaneSlotsOf(hashes_[i]);
      own_[i] = key.own;
      other_[i] = key.other;
      equations_.first[i] = key.own & OnesBelow64(kLaneSlots);
      equations_.second[i] = (key.other & columns) | PoolOf(key.other) << second_.columns |
                             (hashes_[i] & right_mask) << second_.right_shift;
    }
    for (size_t i = size_; i < size_ / 8 * 8 + 8; ++i)
      equations_.first[i] = equations_.second[i] = 0;
  }

  // Eight tries: 24 bits; two tries: bit pairs, squeezed together.
  BLOOMLINE_ALWAYS_INLINE uint64_t PoolOf(uint64_t other) const {
    const uint64_t pool = other >> kPoolShift;
    if (second_.num_tries == kManyTries) return pool & OnesBelow64(24);
    return (pool & 3) | (pool >> 8 & 3) << 2 | (pool >> 16 & 3) << 4;
  }

  // What the variable slots of equation i are in try t, at bits 0, 8, 16.
  BLOOMLINE_ALWAYS_INLINE uint64_t VariableSlots(size_t i, unsigned t) const {
    const uint64_t pool = equations_.second[i] >> second_.columns >> t;
    const uint64_t bits = second_.num_tries == kManyTries
                              ? pool & kVariableSlots
                              : (pool & 1) | (pool >> 2 & 1) << 8 | (pool >> 4 & 1) << 16;
    return (equations_.first[i] ^ bits) & kVariableSlots;
  }

  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void EliminateFixedSlots(unsigned slots) {
    const uint64_t own = OnesBelow64(std::min(slots, kLaneSlots)) & ~kVariableSlots;
    const uint64_t other = OnesBelow64(slots > kLaneSlots ? slots - kLaneSlots : 0);
    num_left_ = 0;
    for (size_t i = 0; i < size_;) {
      FourPivots<2> four;
      if (i + 4 <= size_ && four.Choose({equations_.first + i, equations_.second + i}, own)) {
        for (unsigned j = 0; j < 4; ++j) pivots_[i + j] = four.Slot(j);
        Steps::ClearFourPairs(&equations_, size_, i, four);
        i += 4;
        continue;
      }
      const uint64_t first = equations_.first[i];
      const uint64_t second = equations_.second[i];
      if (const uint64_t in_first = first & own; in_first != 0) {
        SetPivot<Steps>(i, false, in_first & (~in_first + 1));
      } else if (const uint64_t in_second = second & other; in_second != 0) {
        SetPivot<Steps>(i, true, in_second & (~in_second + 1));
      } else if ((first | second) == 0) {
        pivots_[i] = kNoPivot;  // a repeated hash
      } else {
        left_[num_left_++] = static_cast<uint8_t>(i);
      }
      ++i;
    }
  }

  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void SetPivot(size_t i, bool in_second, uint64_t bit) {
    pivots_[i] = static_cast<uint8_t>(__builtin_ctzll(bit) + (in_second ? 64 : 0));
    Steps::ClearPair(&equations_, size_, i, in_second, bit);
  }

  // Slot number `slots` joins the fixed ones.
  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void AddFixedSlot(unsigned slots) {
    const bool in_second = slots >= kLaneSlots;
    const unsigned place = in_second ? slots - kLaneSlots : slots;
    const uint64_t* words = in_second ? equations_.second : equations_.first;
    for (unsigned j = 0; j < num_left_; ++j) {
      const size_t i = left_[j];
      if ((words[i] >> place & 1) == 0) continue;
      SetPivot<Steps>(i, in_second, uint64_t{1} << place);
      left_[j] = left_[--num_left_];
      return;
    }
  }

  // Whether the equations left, at most three, are independent in the variable slots of try t.
  BLOOMLINE_ALWAYS_INLINE bool VariableSlotsSolve(unsigned t) const {
    uint64_t bits[3];
    for (unsigned j = 0; j < num_left_; ++j) bits[j] = VariableSlots(left_[j], t);
    for (unsigned sums = 1; sums < 1u << num_left_; ++sums) {
      uint64_t sum = 0;
      for (unsigned j = 0; j < num_left_; ++j) sum ^= (sums >> j & 1) != 0 ? bits[j] : 0;
      if (sum == 0) return false;
    }
    return true;
  }

  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE bool SolvePartialRow(const LaneLayout& layout, unsigned slots, unsigned t,
                                               unsigned header) {
    partial_row_ = 0;
    if (layout.partial_share == 0) return true;
    if (slots > kLaneSlots) return SolvePartialRowWith<Steps>(layout, t, LaneSalt(header));
    for (tail_try_ = 0; tail_try_ < 1u << kTailTryBits; ++tail_try_) {
      if (SolvePartialRowWith<Steps>(layout, t, tail_try_ * 64)) return true;
    }
    return false;
  }

  // The system has one word: w slots from bit 0, the right-hand side above them.
  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE bool SolvePartialRowWith(const LaneLayout& layout, unsigned t,
                                                   unsigned salt) {
    alignas(64) uint64_t equations[kEquationRoom];
    const size_t n = PartialEquations(layout, t, salt, equations);
    if (n > layout.partial_slots) return false;
    const uint64_t columns = OnesBelow64(layout.partial_slots);
    uint8_t pivots[kMaxLaneKeys];
    for (size_t i = 0; i < n;) {
      FourPivots<1> four;
      if (i + 4 <= n && four.Choose({equations + i}, columns)) {
        for (unsigned j = 0; j < 4; ++j) pivots[i + j] = four.Slot(j);
        Steps::ClearFourWords(equations, n, i, four);
        i += 4;
        continue;
      }
      if (const uint64_t slots = equations[i] & columns; slots != 0) {
        pivots[i] = static_cast<uint8_t>(__builtin_ctzll(slots));
        Steps::ClearWord(equations, n, i, slots & (~slots + 1));
      } else if (equations[i] != 0) {
        return false;  // contradicts the others
      } else {
        pivots[i] = kNoPivot;
      }
      ++i;
    }
    for (size_t i = 0; i < n; ++i) {
      if (pivots[i] != kNoPivot) partial_row_ |= equations[i] >> kLaneSlots << pivots[i];
    }
    return true;
  }

  // Of the keys that ask the partial row. Their slots: own ones first.
  BLOOMLINE_ALWAYS_INLINE size_t PartialEquations(const LaneLayout& layout, unsigned t,
                                                  unsigned salt, uint64_t* equations) const {
    const unsigned share = layout.partial_share;
    const unsigned full_rows = layout.full_rows;
    uint64_t own_mask = OnesBelow64(layout.partial_slots);
    uint64_t other_mask = 0;
    if (layout.tail_slots == 0) {
      own_mask = layout.own[full_rows];
      other_mask = layout.other[full_rows];
    }
    const unsigned first =
        own_mask == 0 ? kLaneSlots : static_cast<unsigned>(__builtin_ctzll(own_mask));
    size_t n = 0;
    for (size_t i = 0; i < size_; ++i) {
      const uint64_t own = OwnSlotsInTry({own_[i], other_[i]}, kPoolShift + t);
      equations[n] = (own & own_mask) >> first | (other_[i] & other_mask) << (kLaneSlots - first) |
                     (hashes_[i] >> full_rows & 1) << kLaneSlots;
      n += AsksPartialRow(hashes_[i], salt, share);
    }
    for (size_t i = n; i < n / 8 * 8 + 8; ++i) equations[i] = 0;
    return n;
  }

  template <typename Steps>
  BLOOMLINE_ALWAYS_INLINE void Finish(unsigned t) {
    for (size_t i = 0; i < size_; ++i) {
      equations_.first[i] = (equations_.first[i] & ~kVariableSlots) | VariableSlots(i, t);
    }
    for (unsigned j = 0; j < num_left_; ++j) {
      const size_t i = left_[j];
      const uint64_t slots = equations_.first[i] & kVariableSlots;
      SetPivot<Steps>(i, false, slots & (~slots + 1));
    }
  }

  // Bit i of byte j becomes bit j of byte i. Hacker's Delight, 7-3.
  BLOOMLINE_ALWAYS_INLINE static uint64_t Transposed8x8(uint64_t x) {
    uint64_t swap = (x ^ x >> 7) & 0x00AA00AA00AA00AA;
    x ^= swap ^ swap << 7;
    swap = (x ^ x >> 14) & 0x0000CCCC0000CCCC;
    x ^= swap ^ swap << 14;
    swap = (x ^ x >> 28) & 0x00000000F0F0F0F0;
    return x ^ swap ^ swap << 28;
  }

  // Rows 8 * plane .. 8 * plane + 7: own slots in one word, the others in the next.
  BLOOMLINE_ALWAYS_INLINE void EightRows(unsigned plane, unsigned slots,
                                         uint64_t rows[kLanes][2]) const {
    uint64_t columns[16] = {};  // a byte for each slot: its bits in the eight rows
    char* bytes = reinterpret_cast<char*>(columns);
    for (size_t i = 0; i < size_; ++i) {
      const uint64_t right = equations_.second[i] >> second_.right_shift >> 8 * plane;
      if (pivots_[i] != kNoPivot) bytes[pivots_[i]] = static_cast<char>(right);
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

  BLOOMLINE_ALWAYS_INLINE void Write(const LaneLayout& layout, unsigned slots, unsigned header,
                                     char* line) const {
    uint64_t rows[kLanes][2];
    EightRows(0, slots, rows);
    uint64_t lanes[kLanes] = {};
    const unsigned rows_in_lanes = std::min<unsigned>(kLanes, layout.full_rows);
    for (unsigned row = 0; row < rows_in_lanes; ++row) lanes[row] = rows[row][0] & layout.own[row];
    if (slots > kLaneSlots) {
      for (unsigned row = 0; row < layout.full_rows; ++row) {
        lanes[layout.other_lane[row]] |= (rows[row][1] & layout.other[row])
                                         << layout.other_shift[row];
      }
      WritePartialRow(layout, lanes);
    } else if (layout.tail_slots != 0) {
      WriteTail(layout, slots, lanes);
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      StoreLittleEndian64(lanes[lane] | uint64_t{header >> lane & 1} << 63, line + 8 * lane);
    }
  }

  BLOOMLINE_ALWAYS_INLINE void WritePartialRow(const LaneLayout& layout, uint64_t* lanes) const {
    if (layout.partial_share == 0) return;
    const unsigned row = layout.full_rows;
    const unsigned first =
        layout.own[row] == 0 ? kLaneSlots : static_cast<unsigned>(__builtin_ctzll(layout.own[row]));
    lanes[row] |= (partial_row_ << first % 64) & layout.own[row];
    lanes[layout.other_lane[row]] |= (partial_row_ >> (kLaneSlots - first) & layout.other[row])
                                     << layout.other_shift[row];
  }

  BLOOMLINE_ALWAYS_INLINE void WriteTail(const LaneLayout& layout, unsigned slots,
                                         uint64_t* lanes) const {
    uint64_t tail[8] = {};
    unsigned bit = 0;
    const auto append = [&](uint64_t bits, unsigned count) {
      tail[bit / 64] |= bits << bit % 64;
      tail[bit / 64 + 1] |= bits >> 1 >> (63 - bit % 64);
      bit += count;
    };
    for (unsigned plane = 1; 8 * plane < layout.full_rows; ++plane) {
      uint64_t rows[kLanes][2];
      EightRows(plane, slots, rows);
      for (unsigned row = 0; row < kLanes && 8 * plane + row < layout.full_rows; ++row) {
        append(rows[row][0] & OnesBelow64(slots), slots);
      }
    }
    if (layout.partial_share > 0) {
      append(tail_try_, kTailTryBits);
      append(partial_row_, layout.partial_slots);
    }
    const unsigned width = kLaneSlots - slots;
    bit = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane, bit += width) {
      const uint64_t piece = tail[bit / 64] >> bit % 64 | tail[bit / 64 + 1] << 1
                                                                             << (63 - bit % 64);
      lanes[lane] |= (piece & OnesBelow64(width)) << slots;
    }
  }

  static constexpr uint8_t kNoPivot = 0xFF;

  const uint64_t* const hashes_;
  const size_t size_;
  const unsigned base_slots_;
  const SecondWord second_;
  unsigned num_left_ = 0;
  unsigned tail_try_ = 0;
  uint64_t partial_row_ = 0;
  LaneEquations equations_;
  uint64_t own_[kMaxLaneKeys];
  uint64_t other_[kMaxLaneKeys];
  uint8_t pivots_[kMaxLaneKeys];  // 64 + slot for those in other lanes
  uint8_t left_[kMaxLaneKeys];    // equations without a pivot so far
};

// CompactKernel::lanes_solve, given the inner steps.
template <typename Steps>
BLOOMLINE_ALWAYS_INLINE bool SolveLanes(const uint64_t* hashes, size_t num_keys,
                                        uint32_t base_slots, char* line) {
  return LaneSolver(hashes, num_keys, base_slots).Solve<Steps>(line);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_KERNELS_COMPACT_LANES_SOLVER_H_
