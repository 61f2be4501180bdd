#include "src/filter/ranges/range_query.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/filter/hash/hash.h"

namespace bloomline::filter {
namespace {

std::string_view WithoutZerosAtEnd(std::string_view key) {
  while (!key.empty() && key.back() == '\0') key.remove_suffix(1);
  return key;
}

// Whether every key of [prefix..., end) begins with the prefix: whether `end` is at most the least
// key above all those that do. That is the prefix without 0xFF at its end, and 1 added to the last
// byte that is left.
bool AllBeginWith(std::string_view prefix, std::string_view end) {
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

// The cells that the keys of [begin, end) can be in: so many, from `first` on.
struct Cells {
  char first[kMaxCellBytes];
  uint64_t count;
};

constexpr uint64_t kTooMany = std::numeric_limits<uint64_t>::max();

Cells CellsOf(std::string_view begin, std::string_view end, size_t bits, size_t min_key_bytes) {
  Cells cells;
  char last[kMaxCellBytes];
  CellOf(begin, bits, cells.first);
  CellOf(end, bits, last);
  const size_t bytes = CellBytes(bits);
  const auto mismatch = std::mismatch(cells.first, cells.first + bytes, last).first;
  const auto same = static_cast<size_t>(mismatch - cells.first);
  uint64_t distance = 0;
  if (bytes - same > sizeof(distance)) {
    cells.count = kTooMany;
    return cells;
  }
  uint64_t low = 0;
  uint64_t high = 0;
  for (size_t i = same; i < bytes; ++i) {
    low = low << 8 | static_cast<unsigned char>(cells.first[i]);
    high = high << 8 | static_cast<unsigned char>(last[i]);
  }
  distance = (high - low) >> (8 * bytes - bits);
  // A key below `end` that is in the cell of `end`: where all bits of `end` beyond the cell are
  // zeros, only a shorter one, which has fewer zeros at its end.
  const bool has_zeros_at_end = !end.empty() && end.back() == '\0';
  const bool is_excluded =
      WithoutZerosAtEnd(end) == WithoutZerosAtEnd(std::string_view(last, bytes)) &&
      (!has_zeros_at_end || end.size() <= min_key_bytes);
  cells.count = distance == kTooMany ? kTooMany : distance + (is_excluded ? 0 : 1);
  return cells;
}

// The next cell; cells of only ones have none.
void Advance(size_t bits, char* cell) {
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

// So many bits at the start of cells are the same in all keys of [begin, end), or more. Where `end`
// goes on with zeros after the first different bit, the last key below it goes on with ones:
// [00110101, 00111000) is 0011 and 0, and then 1 where `begin` has it.
size_t CommonBits(std::string_view begin, std::string_view end, size_t min_key_bytes) {
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

class Query {
 public:
  Query(const OpenFilter& filter, uint64_t seed, const RangeField& field)
      : filter_(filter), seed_(seed), field_(field) {
    // Where all keys have the same length, they are cells themselves, the finest ones.
    const size_t key_bits = 8 * size_t{field.max_key_bytes};
    const EntryKinds& kinds = field.kinds;
    const size_t finest =
        kinds.num_cell_lengths == 0 ? 0 : kinds.cell_bits[kinds.num_cell_lengths - 1];
    keys_are_cells_ =
        field.min_key_bytes == field.max_key_bytes && key_bits > finest && key_bits <= kMaxCellBits;
    num_levels_ = kinds.num_cell_lengths + (keys_are_cells_ ? 1 : 0);
  }

  // The prefixes of `begin`, the longest one first: fewest keys have it.
  bool NoKeyHasPrefix(std::string_view begin, std::string_view end) const {
    const std::string_view searched = begin.substr(0, kMaxPrefixBytes);
    const uint64_t seed = PrefixSeed(seed_);
    for (size_t i = 0; i < field_.kinds.num_delimiters; ++i) {
      const EntryKinds::Delimiter delimiter = field_.kinds.delimiters[i];
      const char byte = static_cast<char>(delimiter.byte);
      size_t sizes[kMaxDepth];
      size_t depth = 0;
      for (size_t at = searched.find(byte); at != searched.npos && depth < kMaxDepth;
           at = searched.find(byte, at + 1)) {
        sizes[depth++] = at + 1;
      }
      while (depth-- > 0) {
        if ((delimiter.depths >> depth & 1) == 0) continue;
        const std::string_view prefix = begin.substr(0, sizes[depth]);
        if (AllBeginWith(prefix, end) && !Has(Hash64(prefix, seed))) return true;
      }
    }
    return false;
  }

  bool CellsMayMatch(std::string_view begin, std::string_view end) {
    // A cell that all keys of the range are in says as much as all the longer ones around it.
    const size_t common_bits = CommonBits(begin, end, field_.min_key_bytes);
    size_t level = 0;
    while (level < num_levels_ && BitsOf(level) <= common_bits) ++level;
    if (level > 0) {
      char cell[kMaxCellBytes];
      CellOf(begin, BitsOf(level - 1), cell);
      --num_left_;
      if (!Has(Hash64({cell, CellBytes(BitsOf(level - 1))}, SeedOf(level - 1)))) return false;
    }
    return CellsMayMatch(level, begin, end);
  }

 private:
  // Cells of length `level` and finer ones.
  bool CellsMayMatch(size_t level, std::string_view begin, std::string_view end) {
    if (level == num_levels_) return true;
    const size_t bits = BitsOf(level);
    Cells cells = CellsOf(begin, end, bits, field_.min_key_bytes);
    if (cells.count > static_cast<uint64_t>(num_left_)) return true;  // and more at finer ones
    num_left_ -= static_cast<int>(cells.count);
    if (level + 1 == num_levels_) return AnyMayMatch(cells, level);
    const std::string_view cell(cells.first, CellBytes(bits));
    for (uint64_t i = 0; i < cells.count; ++i) {
      if (Has(Hash64(cell, SeedOf(level)))) {
        // The part of the range that lies in this cell.
        char next[kMaxCellBytes];
        std::memcpy(next, cells.first, cell.size());
        Advance(bits, next);
        const std::string_view low = i == 0 ? begin : cell;
        const bool is_last = i + 1 == cells.count;
        const std::string_view high =
            is_last ? end : WithoutZerosAtEnd(std::string_view(next, cell.size()));
        if (CellsMayMatch(level + 1, low, high)) return true;
      }
      Advance(bits, cells.first);
    }
    return false;
  }

  // In batches, as for many keys. The first ones are small: where keys are dense, they are enough.
  bool AnyMayMatch(Cells cells, size_t level) const {
    const size_t bits = BitsOf(level);
    const std::string_view cell(cells.first, CellBytes(bits));
    const KeyHasher hasher(SeedOf(level));
    uint64_t hashes[kBatchCells];
    bool may_match[kBatchCells];
    for (size_t batch = 2; cells.count > 0; batch = std::min(2 * batch, kBatchCells)) {
      const auto n = static_cast<size_t>(std::min<uint64_t>(cells.count, batch));
      for (size_t i = 0; i < n; ++i) {
        hashes[i] = hasher(cell);
        Advance(bits, cells.first);
      }
      filter_.may_match_many(filter_, n, hashes, may_match);
      if (std::find(may_match, may_match + n, true) != may_match + n) return true;
      cells.count -= n;
    }
    return false;
  }

  static constexpr size_t kBatchCells = 16;

  bool IsKeyLevel(size_t level) const { return level == field_.kinds.num_cell_lengths; }
  size_t BitsOf(size_t level) const {
    return IsKeyLevel(level) ? 8 * size_t{field_.max_key_bytes} : field_.kinds.cell_bits[level];
  }
  uint64_t SeedOf(size_t level) const {
    return IsKeyLevel(level) ? seed_ : CellSeed(BitsOf(level), seed_);
  }
  bool Has(uint64_t hash) const { return filter_.may_match(filter_, hash); }

  const OpenFilter& filter_;
  const uint64_t seed_;
  const RangeField& field_;
  bool keys_are_cells_;
  size_t num_levels_;
  int num_left_ = kMaxAskedEntries;
};

}  // namespace

bool RangeMayMatch(const OpenFilter& filter, uint64_t seed, const RangeField& field,
                   std::string_view begin, std::string_view end) {
  // No entry says whether the empty key is there. Where the order is another one, a range may seem
  // to end before it begins.
  if (begin.empty() || begin >= end) return true;
  if (!field.last_key.empty() && end > field.last_key) return true;
  Query query(filter, seed, field);
  return !query.NoKeyHasPrefix(begin, end) && query.CellsMayMatch(begin, end);
}

}  // namespace bloomline::filter
