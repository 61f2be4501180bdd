#include "src/filter/ranges/range_query.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/filter/bits/hash.h"
#include "src/filter/hash/batch_hasher.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

// ---- The cells of a range, and prefixes that all its keys have: arithmetic with keys as binary
// fractions (range_field.h).

std::string_view WithoutZerosAtEnd(std::string_view key) {
  while (!key.empty() && key.back() == '\0') key.remove_suffix(1);
  return key;
}

// The cells from the one of `begin` to the one of `end`, `count` in all.
struct Cells {
  char first[kMaxCellBytes];
  char last[kMaxCellBytes];
  uint64_t count;
};

constexpr uint64_t kTooMany = std::numeric_limits<uint64_t>::max();

Cells CellsBetween(std::string_view begin, std::string_view end, size_t bits) {
  Cells cells;
  WriteCell(begin, bits, cells.first);
  WriteCell(end, bits, cells.last);
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
// shorter key, which has fewer zeros at its end, can be there.
bool IsBelowItsCell(std::string_view end, std::string_view cell, size_t min_key_bytes) {
  const bool has_zeros_at_end = !end.empty() && end.back() == '\0';
  return WithoutZerosAtEnd(end) == WithoutZerosAtEnd(cell) &&
         (!has_zeros_at_end || end.size() <= min_key_bytes);
}

// The next cell. A cell of only ones has none.
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

// Returns how many bits at the start of cells, at least, are the same in all keys of [begin, end).
// If `end` has zeros after the first different bit, the last key below it has ones there:
// [00110101, 00111000) is 0011 and 0, and then 1 where `begin` has it.
size_t CommonBits(std::string_view begin, std::string_view end, size_t min_key_bytes) {
  for (size_t i = 0; i < kMaxCellBytes; i += 8) {
    const uint64_t low = KeyWord(begin, i);
    const uint64_t high = KeyWord(end, i);
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

// ---- The query.

// The most queries of entries that may be false positives for one range. A few are enough.
constexpr int kMaxCovering = 4;

class RangeQuery {
 public:
  explicit RangeQuery(const OpenRanges& ranges) : ranges_(ranges), field_(ranges.field) {
    // If all keys have the same length, they are cells themselves, the finest ones.
    const EntryKinds& kinds = field_.kinds;
    const size_t key_bits = 8 * size_t{field_.max_key_bytes} - 8 * size_t{field_.suffix_bytes};
    const size_t finest = kinds.num_cells == 0 ? 0 : kinds.cells[kinds.num_cells - 1].bits;
    keys_are_cells_ =
        field_.has_one_length() && key_bits > finest && field_.max_key_bytes <= kMaxCellBytes;
    num_levels_ = kinds.num_cells + (keys_are_cells_ ? 1U : 0U);
  }

  // The prefixes of `begin`, the longest one first: fewest keys have it.
  bool NoKeyHasPrefix(std::string_view begin, std::string_view end) const {
    const EntryKinds& kinds = field_.kinds;
    const std::string_view searched = begin.substr(0, kMaxPrefixBytes);
    int num_left = kMaxCovering;
    for (size_t i = 0; i < kinds.num_prefixes;) {
      const unsigned char delimiter = kinds.prefixes[i].delimiter;
      const size_t first = i;
      while (i < kinds.num_prefixes && kinds.prefixes[i].delimiter == delimiter) ++i;
      const char byte = static_cast<char>(delimiter);
      auto depth = static_cast<size_t>(std::count(searched.begin(), searched.end(), byte));
      for (size_t at = searched.size(); depth > 0 && num_left > 0; --depth) {
        at = searched.rfind(byte, at - 1);
        const EntryKinds::Prefix* kind = kinds.prefixes + first;
        while (kind != kinds.prefixes + i && kind->depth != std::min(depth, kMaxDepth)) ++kind;
        if (kind == kinds.prefixes + i) continue;
        const std::string_view prefix = searched.substr(0, at + 1);
        // Every key of [begin, end) must begin with the prefix.
        if (CompareWithSuccessor(end, prefix) > 0) continue;
        const uint64_t hash = Hash64(prefix, PrefixSeed(ranges_.seed));
        if (!HasCopies(ranges_.entries, hash, 0, kind->copies)) return true;
        --num_left;
      }
    }
    return false;
  }

  bool CellsMayMatch(std::string_view begin, std::string_view end) {
    // All keys of the range are in one cell of the lengths below `level`. The finest one says most,
    // then those that cut the range into few parts. The coarser ones help only if the others are
    // false positives.
    const size_t common_bits = CommonBits(begin, end, field_.min_key_bytes);
    size_t level = 0;
    while (level < num_levels_ && LevelBits(level) <= common_bits) ++level;
    if (level < num_levels_) {
      const Cells cells = CellsAt(level, begin, end);
      if (cells.count <= kFirstCells && !AnyMayMatch(cells, level)) return false;
    }
    size_t covering = level;
    if (covering > 0 && !CoveringMayMatch(--covering, begin, end)) return false;
    if (!CellsMayMatch(level, begin, end)) return false;
    for (int i = 1; i < kMaxCovering && covering > 0; ++i) {
      if (!CoveringMayMatch(--covering, begin, end)) return false;
    }
    return true;
  }

 private:
  bool CoveringMayMatch(size_t level, std::string_view begin, std::string_view end) const {
    CellBuffer cell(*this, level);
    WriteCell(begin, LevelBits(level), cell.bytes);
    // The one key that the range could have may lie outside.
    if (IsKeyLevel(level) && (cell.view() < begin || cell.view() >= end)) return false;
    return Has(level, cell.Hash());
  }

  // A cell, and the suffix that makes a key of it.
  struct CellBuffer {
    CellBuffer(const RangeQuery& query, size_t level)
        : seed(query.LevelSeed(level)), size(CellBytes(query.LevelBits(level))) {
      if (!query.IsKeyLevel(level)) return;
      std::memset(bytes + size, query.field_.suffix_byte, query.field_.suffix_bytes);
      size += query.field_.suffix_bytes;
    }
    std::string_view view() const { return {bytes, size}; }
    uint64_t Hash() const { return Hash64(view(), seed); }

    char bytes[kMaxCellBytes];
    uint64_t seed;
    size_t size;
  };

  // The cells of a level that keys of [begin, end) can be in. Whole keys are known: the first and
  // the last one may lie outside the range.
  Cells CellsAt(size_t level, std::string_view begin, std::string_view end) const {
    const size_t bits = LevelBits(level);
    Cells cells = CellsBetween(begin, end, bits);
    if (cells.count == kTooMany) return cells;
    if (!IsKeyLevel(level)) {
      const std::string_view last(cells.last, CellBytes(bits));
      cells.count -= IsBelowItsCell(end, last, field_.min_key_bytes) ? 1 : 0;
      return cells;
    }
    CellBuffer key(*this, level);
    std::memcpy(key.bytes, cells.last, CellBytes(bits));
    if (key.view() >= end) --cells.count;
    std::memcpy(key.bytes, cells.first, CellBytes(bits));
    if (key.view() < begin && cells.count > 0) {
      --cells.count;
      Advance(bits, cells.first);
    }
    return cells;
  }

  // Cells of length `level` and finer ones.
  bool CellsMayMatch(size_t level, std::string_view begin, std::string_view end) {
    if (level == num_levels_) return true;
    const size_t bits = LevelBits(level);
    Cells cells = CellsAt(level, begin, end);
    if (cells.count > static_cast<uint64_t>(num_left_)) return true;  // and more at finer ones
    num_left_ -= static_cast<int>(cells.count);
    if (level + 1 == num_levels_) return AnyMayMatch(cells, level);
    CellBuffer cell(*this, level);
    std::memcpy(cell.bytes, cells.first, cell.size);
    for (uint64_t i = 0; i < cells.count; ++i) {
      char next[kMaxCellBytes];
      std::memcpy(next, cell.bytes, cell.size);
      Advance(bits, next);
      if (Has(level, cell.Hash())) {
        // The part of the range that lies in this cell.
        const std::string_view low = i == 0 ? begin : cell.view();
        const bool is_last = i + 1 == cells.count;
        const std::string_view high =
            is_last ? end : WithoutZerosAtEnd(std::string_view(next, cell.size));
        if (CellsMayMatch(level + 1, low, high)) return true;
      }
      std::memcpy(cell.bytes, next, cell.size);
    }
    return false;
  }

  // Queries in batches, like many keys. The first batch is small: if keys are dense, it is enough.
  bool AnyMayMatch(Cells cells, size_t level) const {
    const size_t bits = LevelBits(level);
    CellBuffer cell(*this, level);
    std::memcpy(cell.bytes, cells.first, CellBytes(bits));
    const KeyHasher hasher(cell.seed);
    const BatchHasher batch_hasher(cell.seed, ranges_.hash);
    const OpenFilter& filter = LevelFilter(level);
    const unsigned copies = LevelCopies(level);
    char keys[kBatchCells][kMaxCellBytes];
    uint64_t hashes[kBatchCells];
    bool may_match[kBatchCells];
    for (size_t batch = kFirstCells; cells.count > 0; batch = kBatchCells) {
      const auto n = static_cast<size_t>(std::min<uint64_t>(cells.count, batch));
      // Hashing a batch is faster than hashing half of it one by one. Hashes that are not needed
      // are not looked up.
      const size_t num_keys = n > kBatchCells / 2 ? kBatchCells : n;
      for (size_t i = 0; i < num_keys; ++i) {
        std::memcpy(keys[i], cell.bytes, sizeof(cell.bytes));
        Advance(bits, cell.bytes);
      }
      const auto key_at = [&](size_t i) { return std::string_view(keys[i], cell.size); };
      if (!batch_hasher.Hash(num_keys, key_at, hashes)) {
        for (size_t i = 0; i < n; ++i) hashes[i] = hasher(key_at(i));
      }
      filter.may_match_many(filter, n, hashes, may_match);
      for (size_t i = 0; i < n; ++i) {
        if (may_match[i] && HasCopies(filter, hashes[i], 1, copies)) return true;
      }
      cells.count -= n;
    }
    return false;
  }

  static constexpr size_t kFirstCells = 2;
  static constexpr size_t kBatchCells = 16;

  bool IsKeyLevel(size_t level) const { return level == field_.kinds.num_cells; }
  size_t LevelBits(size_t level) const {
    return IsKeyLevel(level) ? 8 * (size_t{field_.max_key_bytes} - field_.suffix_bytes)
                             : field_.kinds.cells[level].bits;
  }
  uint64_t LevelSeed(size_t level) const {
    return IsKeyLevel(level) ? ranges_.seed : CellSeed(LevelBits(level), ranges_.seed);
  }
  const OpenFilter& LevelFilter(size_t level) const {
    return IsKeyLevel(level) ? ranges_.keys : ranges_.entries;
  }
  unsigned LevelCopies(size_t level) const {
    return IsKeyLevel(level) ? 1U : field_.kinds.cells[level].copies;
  }
  static bool HasCopies(const OpenFilter& filter, uint64_t hash, unsigned first, unsigned copies) {
    for (unsigned i = first; i < copies; ++i) {
      if (!filter.may_match(filter, EntryCopy(hash, i))) return false;
    }
    return true;
  }
  bool Has(size_t level, uint64_t hash) const {
    return HasCopies(LevelFilter(level), hash, 0, LevelCopies(level));
  }

  const OpenRanges& ranges_;
  const RangeField& field_;
  bool keys_are_cells_;
  size_t num_levels_;
  int num_left_ = kMaxAskedEntries;
};

}  // namespace

bool RangeMayMatch(const OpenRanges& ranges, std::string_view begin, std::string_view end) {
  // No entry says whether the empty key is there. In another order, a range may seem to end before
  // it begins.
  if (!ranges.is_understood || begin.empty() || begin >= end) return true;
  const RangeField& field = ranges.field;
  if (!field.last_key.empty() && end > field.last_key) return true;
  RangeQuery query(ranges);
  return !query.NoKeyHasPrefix(begin, end) && query.CellsMayMatch(begin, end);
}

OpenRanges OpenedRanges(const Payload& payload, const Extension& fields,
                        const kernels::Kernel& kernel) {
  OpenRanges ranges;
  ranges.is_understood = !payload.always_matches() &&
                         DecodeRangeField(fields.ranges, &ranges.field) &&
                         (fields.second.num_blocks != 0 || ranges.field.kinds.empty());
  if (!ranges.is_understood) return ranges;
  ranges.keys = Opened(payload, kernel);
  ranges.entries = Opened(fields.second, kernel);
  ranges.seed = payload.seed;
  ranges.hash = kernel.hash;
  return ranges;
}

}  // namespace bloomline::filter
