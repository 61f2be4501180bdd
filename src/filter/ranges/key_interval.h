// The keys that a range can contain, as numbers: docs/format.md, section 12.
//
// The digits of these numbers are bytes, each within the limits that the keys of a filter have
// there. `09` is followed by `10` if all keys have digits there. A key stands for its first bytes,
// padded with zeros where it is shorter, so keys keep their order: if begin <= key < end, then its
// number is one from that of `begin` to that of `end`.
#ifndef BLOOMLINE_FILTER_RANGES_KEY_INTERVAL_H_
#define BLOOMLINE_FILTER_RANGES_KEY_INTERVAL_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// What the field says about all keys: their lengths, and the least and the greatest byte at each
// position.
struct KeyLimits {
  explicit KeyLimits(const RangeField& field = {});

  size_t min_key_bytes;
  size_t max_key_bytes;
  unsigned char least[kMaxCellBytes];
  unsigned char greatest[kMaxCellBytes];
};

// Moves to the next cell within the limits. The last cell becomes the first one; returns false
// then.
bool Advance(const KeyLimits& limits, size_t bits, char* cell);

// All numbers from `first` to `last`, of which each byte is within the limits.
struct KeyInterval {
  // More are not counted.
  static constexpr uint64_t kMostCounted = 1 << 20;

  // Sets the least interval that contains all keys of [begin, end). Returns false if it is empty:
  // then the range contains none. begin < end.
  bool Set(const KeyLimits& limits, std::string_view begin, std::string_view end);

  // The number of different cells, or more than kMostCounted.
  uint64_t NumCells(const KeyLimits& limits, size_t bits) const;
  // The length of cells that are about as wide: the greatest z for which 2^-z is at least the size
  // of the interval, if digit i of the size counts 2^-8(i + 1).
  size_t ResolutionBits(const KeyLimits& limits) const;
  // The part of the interval in a cell, which is one of these: with_first and with_last say whether
  // the cell contains `first` and `last`.
  KeyInterval InCell(const KeyLimits& limits, size_t bits, const char* cell, bool with_first,
                     bool with_last) const;

  size_t num_bytes = 0;
  char first[kMaxCellBytes];
  char last[kMaxCellBytes];
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_KEY_INTERVAL_H_
