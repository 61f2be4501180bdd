// The cells of a range, and prefixes that all its keys have: arithmetic with keys as binary
// fractions (range_field.h). In a header, so that a query inlines it.
#ifndef BLOOMLINE_FILTER_RANGES_CELLS_H_
#define BLOOMLINE_FILTER_RANGES_CELLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

inline std::string_view WithoutZerosAtEnd(std::string_view key) {
  while (!key.empty() && key.back() == '\0') key.remove_suffix(1);
  return key;
}

// Whether every key of [prefix..., end) begins with the prefix: whether `end` is at most the least
// key above all those that do. To get that key, drop the 0xFF at the end of the prefix and add 1 to
// the last byte that is left.
inline bool AllBeginWith(std::string_view prefix, std::string_view end) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.remove_suffix(1);
  if (prefix.empty()) return true;
  const size_t last = prefix.size() - 1;
  const int order = end.substr(0, last).compare(prefix.substr(0, last));
  if (order != 0) return order < 0;
  if (end.size() <= last) return true;
  const int limit = static_cast<unsigned char>(prefix[last]) + 1;
  const int byte = static_cast<unsigned char>(end[last]);
  return byte < limit || (byte == limit && end.size() == prefix.size());
}

// The cells from the one of `begin` to the one of `end`, `count` in all.
struct Cells {
  char first[kMaxCellBytes];
  char last[kMaxCellBytes];
  uint64_t count;
};

constexpr uint64_t kTooMany = std::numeric_limits<uint64_t>::max();

inline Cells CellsOf(std::string_view begin, std::string_view end, size_t bits) {
  Cells cells;
  CellOf(begin, bits, cells.first);
  CellOf(end, bits, cells.last);
  const size_t bytes = CellBytes(bits);
  const auto mismatch = std::mismatch(cells.first, cells.first + bytes, cells.last).first;
  const auto same = static_cast<size_t>(mismatch - cells.first);
  cells.count = kTooMany;
  if (bytes - same > sizeof(uint64_t)) return cells;
  uint64_t low = 0;
  uint64_t high = 0;
  for (size_t i = same; i < bytes; ++i) {
    low = low << 8 | static_cast<unsigned char>(cells.first[i]);
    high = high << 8 | static_cast<unsigned char>(cells.last[i]);
  }
  const uint64_t distance = (high - low) >> (8 * bytes - bits);
  if (distance != kTooMany) cells.count = distance + 1;
  return cells;
}

// Whether no key below `end` is in its cell. If all bits of `end` beyond the cell are zeros, only a
// shorter key can be, which has fewer zeros at its end.
inline bool IsBelowItsCell(std::string_view end, std::string_view cell, size_t min_key_bytes) {
  const bool has_zeros_at_end = !end.empty() && end.back() == '\0';
  return WithoutZerosAtEnd(end) == WithoutZerosAtEnd(cell) &&
         (!has_zeros_at_end || end.size() <= min_key_bytes);
}

// The next cell. A cell of only ones has none.
inline void Advance(size_t bits, char* cell) {
  size_t i = CellBytes(bits);
  uint64_t carry = uint64_t{1} << (8 * i - bits);
  // A hash that reads these eight bytes at once would wait for a store of one of them.
  if (i >= 8) {
    i -= 8;
    const uint64_t word = WordAt(cell + i) + carry;
    StoreWord(word, cell + i);
    carry = word < carry ? 1 : 0;
  }
  while (i-- > 0 && carry != 0) {
    carry += static_cast<unsigned char>(cell[i]);
    cell[i] = static_cast<char>(carry);
    carry >>= 8;
  }
}

// Returns how many bits at the start of cells, at least, are the same in all keys of [begin, end).
// If `end` has zeros after the first different bit, the last key below it has ones there:
// [00110101, 00111000) is 0011 and 0, and then 1 where `begin` has it.
inline size_t CommonBits(std::string_view begin, std::string_view end, size_t min_key_bytes) {
  for (size_t i = 0; i < kMaxCellBytes; i += 8) {
    const uint64_t low = WordOf(begin, i);
    const uint64_t high = WordOf(end, i);
    if (low == high) continue;
    const int same = __builtin_clzll(low ^ high);
    const uint64_t low_rest = low << same << 1;
    const bool has_zeros_at_end = end.back() == '\0';
    const bool ends_here =
        has_zeros_at_end ? end.size() <= min_key_bytes && WithoutZerosAtEnd(end).size() <= i + 8
                         : end.size() <= i + 8;
    if (!ends_here || (high << same << 1) != 0) return 8 * i + static_cast<size_t>(same);
    return 8 * i + static_cast<size_t>(same + 1 + __builtin_clzll(~low_rest));
  }
  return kMaxCellBits;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_CELLS_H_
