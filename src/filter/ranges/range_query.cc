#include "src/filter/ranges/range_query.h"

#include <algorithm>
#include <cstring>

#include "src/filter/bits/hash.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::filter {
namespace {

// The most queries of entries that may be false positives for one range. A few are enough.
constexpr int kMaxCovering = 4;

class RangeQuery {
 public:
  RangeQuery(const OpenRanges& ranges, std::string_view begin, std::string_view end)
      : ranges_(ranges),
        field_(ranges.field),
        limits_(ranges.limits),
        begin_(begin),
        end_(end),
        num_levels_(field_.kinds.num_cells) {
    const size_t finest = num_levels_ == 0 ? 0 : CellBytes(LevelBits(num_levels_ - 1));
    asked_.num_bytes = std::max(finest, field_.key_limits.size() / 2);
  }

  bool MayMatch() {
    return asked_.Set(limits_, begin_, end_) && !NoKeyHasPrefix() && CellsMayMatch();
  }

 private:
  // Looks for the prefixes of `begin`, or of the first number if that is another key, the longest
  // one first: fewest keys have it.
  bool NoKeyHasPrefix() {
    const EntryKinds& kinds = field_.kinds;
    const std::string_view first(asked_.first, asked_.num_bytes);
    const bool goes_on = begin_.substr(0, first.size()) == first;
    const std::string_view searched = goes_on ? begin_.substr(0, kMaxPrefixBytes) : first;
    int num_left = kMaxCovering;
    for (size_t i = 0; i < kinds.num_prefixes; ++i) {
      const unsigned char delimiter = kinds.prefixes[i].delimiter;
      if (i != 0 && delimiter == kinds.prefixes[i - 1].delimiter) continue;
      const char byte = static_cast<char>(delimiter);
      auto depth = static_cast<size_t>(std::count(searched.begin(), searched.end(), byte));
      for (size_t at = searched.size(); depth > 0 && num_left > 0; --depth) {
        at = searched.rfind(byte, at - 1);
        const EntryKinds::Prefix* const kind = KindOf(delimiter, depth);
        if (kind == nullptr) continue;
        const std::string_view prefix = searched.substr(0, at + 1);
        // Every key of [begin, end) must begin with the prefix, or with one of a few.
        if (begin_.substr(0, prefix.size()) == prefix && CompareWithSuccessor(end_, prefix) <= 0) {
          if (!HasPrefix(prefix, *kind)) return true;
          --num_left;
        } else if (NoKeyHasPrefixOf(prefix.size(), delimiter)) {
          return true;
        }
      }
    }
    return false;
  }

  // Whether every key of the range would begin with a delimited prefix of num_bytes bytes that no
  // stored key has. A key shorter than a number is padded, so it must be known to have a delimiter
  // 0 itself.
  bool NoKeyHasPrefixOf(size_t num_bytes, unsigned char delimiter) {
    if (num_bytes > asked_.num_bytes || (delimiter == 0 && num_bytes > field_.min_key_bytes)) {
      return false;
    }
    uint64_t count = asked_.NumCells(limits_, 8 * num_bytes);
    if (count > num_left_) return false;
    char bytes[kMaxCellBytes];
    std::memcpy(bytes, asked_.first, num_bytes);
    for (; count > 0; --count, Advance(limits_, 8 * num_bytes, bytes)) {
      const char byte = static_cast<char>(delimiter);
      const auto depth = static_cast<size_t>(std::count(bytes, bytes + num_bytes, byte));
      const EntryKinds::Prefix* const kind = KindOf(delimiter, depth);
      if (bytes[num_bytes - 1] != byte || kind == nullptr) return false;
      --num_left_;
      if (HasPrefix({bytes, num_bytes}, *kind)) return false;
    }
    return true;
  }

  // Null if these prefixes have no entries.
  const EntryKinds::Prefix* KindOf(unsigned char delimiter, size_t depth) const {
    const EntryKinds::Prefix* const end = field_.kinds.prefixes + field_.kinds.num_prefixes;
    const auto* const kind = std::find_if(field_.kinds.prefixes, end, [&](const auto& one) {
      return one.delimiter == delimiter && one.depth == std::min(depth, kMaxDepth);
    });
    return kind == end ? nullptr : kind;
  }

  bool CellsMayMatch() {
    // All keys of the range are in one cell of the lengths below `level`. The finest one says most.
    // The coarser ones help only if the others are false positives.
    size_t level = 0;
    while (level < num_levels_ && asked_.NumCells(limits_, LevelBits(level)) == 1) ++level;
    size_t covering = level;
    if (covering > 0 && !CoveringMayMatch(--covering)) return false;
    if (!CellsMayMatch(level, asked_)) return false;
    for (int i = 1; i < kMaxCovering && covering > 0; ++i) {
      if (!CoveringMayMatch(--covering)) return false;
    }
    return true;
  }

  bool CoveringMayMatch(size_t level) const {
    char cell[kMaxCellBytes];
    WriteCell({asked_.first, asked_.num_bytes}, LevelBits(level), cell);
    return Has(level, cell);
  }

  // Cells of length `level` and finer ones.
  bool CellsMayMatch(size_t level, const KeyInterval& numbers) {
    if (level == num_levels_) return true;
    const size_t bits = LevelBits(level);
    const uint64_t count = numbers.NumCells(limits_, bits);
    if (count > num_left_) return true;  // and more at finer ones
    num_left_ -= count;
    char cell[kMaxCellBytes];
    WriteCell({numbers.first, numbers.num_bytes}, bits, cell);
    for (uint64_t i = 0; i < count; ++i, Advance(limits_, bits, cell)) {
      if (Has(level, cell) &&
          CellsMayMatch(level + 1, numbers.InCell(limits_, bits, cell, i == 0, i + 1 == count))) {
        return true;
      }
    }
    return false;
  }

  size_t LevelBits(size_t level) const { return field_.kinds.cells[level].bits; }
  bool Has(size_t level, const char* cell) const {
    const size_t bits = LevelBits(level);
    const std::string_view bytes(cell, CellBytes(bits));
    return HasCopies(ranges_.entries, Hash64(bytes, CellSeed(bits, ranges_.seed)),
                     field_.kinds.cells[level].copies);
  }

  bool HasPrefix(std::string_view prefix, const EntryKinds::Prefix& kind) const {
    return HasCopies(ranges_.entries, Hash64(prefix, PrefixSeed(ranges_.seed)), kind.copies);
  }

  static bool HasCopies(const OpenFilter& filter, uint64_t hash, unsigned copies) {
    for (unsigned i = 0; i < copies; ++i) {
      if (!filter.may_match(filter, EntryCopy(hash, i))) return false;
    }
    return true;
  }

  const OpenRanges& ranges_;
  const RangeField& field_;
  const KeyLimits& limits_;
  const std::string_view begin_;
  const std::string_view end_;
  KeyInterval asked_;
  size_t num_levels_;
  uint64_t num_left_ = kMaxAskedEntries;
};

}  // namespace

bool RangeMayMatch(const OpenRanges& ranges, std::string_view begin, std::string_view end) {
  // No entry says whether the empty key is there. In another order, a range may seem to end before
  // it begins.
  if (!ranges.is_understood || begin.empty() || begin >= end) return true;
  return RangeQuery(ranges, begin, end).MayMatch();
}

}  // namespace bloomline::filter
