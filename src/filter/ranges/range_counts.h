// The number of range entries of each kind that the keys of a filter would have.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_COUNTS_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_COUNTS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/ranges/choice_constants.h"
#include "src/filter/ranges/kind_set.h"
#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// The difference between a key and the key before it.
struct KeyDifference {
  std::string_view key;     // its first kMaxPrefixBytes
  size_t common_bytes = 0;  // at the start of both keys
  size_t common_bits = 0;   // at the start of both cells
};

// Keys come in order, so an entry is new if the previous key does not have it, and the counts are
// exact. Throws nothing, allocates nothing.
class RangeCounts {
 public:
  // A range that scans query. It ends at a delimiter's occurrence, an index of kDelimiters and a
  // depth; or after a number of bits, if the index is kDelimiters.size().
  struct SampledRange {
    size_t delimiter;
    size_t depth;
    size_t bits;
    double weight;
  };
  struct SampledRanges {
    static constexpr size_t kMaxSize = 16;
    std::array<SampledRange, kMaxSize> ranges;
    size_t size = 0;

    const SampledRange* begin() const { return ranges.data(); }
    const SampledRange* end() const { return ranges.data() + size; }
  };

  RangeCounts() : RangeCounts(SampledRanges()) {}
  // If the sample has ranges, only what they need will be chosen.
  explicit RangeCounts(const SampledRanges& sample, const ChoiceConstants& constants = {});

  // Counts a key. Returns how many of its first bytes may be needed to make its entries; 0: it has
  // no new entries.
  size_t Count(const KeyDifference& key) {
    if (num_keys_++ != 0 && key.common_bits < kMaxCellBits) ++num_new_from_bit_[key.common_bits];
    const size_t needed = key.common_bits < max_bits_ ? CellBytes(max_bits_) : 0;
    return std::min(has_delimiters_ ? CountDelimiters(key, needed) : needed, key.key.size());
  }

  // The same for a key that was counted before: less may be needed after Forget.
  size_t NeededBytes(const KeyDifference& key) const;

  // Forgets the kinds that will not be chosen, even if more keys come: those with more than
  // max_entries entries, and those that say little about keys like the ones counted so far. Returns
  // true if much has been forgotten since it last returned true: a delimiter, or several lengths of
  // cells. These kinds say little:
  // - cells and other delimiters beside delimiters that are sure
  // - delimiters that most keys lack
  // - cells longer than those that distinguish nearly all keys
  bool Forget(double max_entries);

  // Only these kinds may be chosen.
  void KeepOnly(const KindSet& kinds) { kept_ = kinds; }
  const KindSet& kept() const { return kept_; }

  const SampledRanges& sample() const { return sample_; }
  const ChoiceConstants& constants() const { return constants_; }
  double num_keys() const { return static_cast<double>(num_keys_); }
  // Whether nearly all keys are text: no byte is below a space, except tabs. A program's own keys,
  // or a name with a line break, may be among them.
  bool is_text() const {
    constexpr uint64_t kTextPerOther = 8;
    return is_text_ && kTextPerOther * num_other_keys_ <= num_keys_;
  }
  // The most prefixes of a depth of a delimiter that surely ends fields, and which most keys have;
  // 0 if there is no such delimiter, or its prefix is the same in all keys. Those that nearly each
  // key has for itself do not count, as in `010.001.002.017/00443`: scans ask for fields before.
  double num_sure_prefixes() const;
  // Longer cells may not be chosen. Shorter ones say nothing if all keys have them in common.
  size_t max_bits() const { return max_bits_; }
  // Greater depths of a delimiter may not be chosen; if it is 0, no depth may.
  size_t max_depth(size_t delimiter) const { return has_delimiters_ ? max_depth_[delimiter] : 0; }
  // Whether most keys have the delimiter.
  bool IsFrequent(size_t delimiter) const;
  // The number of prefixes of a depth, 1 to kMaxDepth.
  double num_prefixes(size_t delimiter, size_t depth) const {
    return static_cast<double>(num_prefixes_[delimiter][depth - 1]);
  }
  // How many of them differ from the previous prefix only in this part.
  double num_siblings(size_t delimiter, size_t depth) const {
    return num_siblings_[delimiter][depth - 1];
  }
  // num_cells[i]: how many different cells of i bits the keys have, i <= kMaxCellBits.
  using NumCells = std::array<double, kMaxCellBits + 1>;
  void CopyNumCells(NumCells* num_cells) const;

 private:
  size_t CountDelimiters(const KeyDifference& key, size_t needed);

  SampledRanges sample_;
  ChoiceConstants constants_;
  uint64_t num_keys_ = 0;
  bool is_text_ = true;          // false: this is final
  uint64_t num_other_keys_ = 0;  // that are not text, while delimiters are counted
  size_t other_at_ = SIZE_MAX;   // the first byte of the last key that text does not have
  bool has_delimiters_ = true;   // text, of which prefixes may be chosen
  std::array<uint32_t, kMaxCellBits> num_new_from_bit_ = {};
  // 64 bits, because 0 means that no key has such a prefix: a number that wrapped would lose keys.
  std::array<std::array<uint64_t, kMaxDepth>, kDelimiters.size()> num_prefixes_ = {};
  std::array<std::array<uint32_t, kMaxDepth>, kDelimiters.size()> num_siblings_ = {};
  // Where the delimiters of the last key are, and of which kind.
  struct DelimiterPlace {
    uint16_t at;
    uint8_t kind;
  };
  std::array<DelimiterPlace, kMaxPrefixBytes> places_;
  size_t num_places_ = 0;
  std::array<uint16_t, kDelimiters.size()> num_places_of_ = {};
  // num_keys_with_[i] keys have delimiter i, not counting the latest keys if all of these have it.
  // Then has_since_[i] is the first of these.
  std::array<uint64_t, kDelimiters.size()> num_keys_with_ = {};
  std::array<uint64_t, kDelimiters.size()> has_since_ = {};
  size_t max_bits_ = kMaxCellBits;
  size_t told_bits_ = kMaxCellBits;  // when Forget was true last
  std::array<uint8_t, kDelimiters.size()> max_depth_ = {};
  KindSet kept_ = KindSet().set();
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_COUNTS_H_
