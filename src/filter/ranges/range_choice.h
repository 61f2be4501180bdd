// Which range entries suit the keys of a filter.
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// What of a key is new, compared with the key before it.
struct KeyDifference {
  std::string_view key;     // its first kMaxPrefixBytes
  size_t common_bytes = 0;  // at the start of both keys
  size_t common_bits = 0;   // at the start of both cells
};

// Counts how many entries the keys would have of each kind: exactly, as keys come in order, so that
// an entry is new if the key before does not have it. Then it chooses the finest kinds that are
// cheap enough. Throws nothing, allocates nothing.
class RangeChoice {
 public:
  // Counts a key. Returns how many of its first bytes may be needed to make its entries; 0: it has
  // no new ones.
  size_t Count(const KeyDifference& key);

  // The same for a key that was counted before: less may be needed after ForgetCostly.
  size_t NeededBytes(const KeyDifference& key) const;

  // Entries of which there are more than that will not be chosen, also if more keys come.
  void ForgetCostly(double max_entries);

  // Chooses the delimiters first, which mark where fields end, and whole bytes then: fields end at
  // bytes. Each must have a quarter more entries than the one before, because otherwise it says
  // hardly more. Last comes the longest cell that is left room for, with at most max_longest
  // entries: it is best for ranges of numbers.
  EntryKinds Choose(double max_entries, double max_longest) const;

  // Bytes between fields, by how likely that is.
  static constexpr std::string_view kDelimiters = "/:|#\t,; _-.";

 private:
  uint64_t num_keys_ = 0;
  bool is_text_ = true;  // no byte is below a space, but tabs
  std::array<uint32_t, kMaxCellBits> num_new_from_bit_ = {};
  std::array<std::array<uint32_t, kMaxDepth>, kDelimiters.size()> num_prefixes_ = {};
  // Where the delimiters of the last key are, and of which kind.
  struct Place {
    uint8_t at;
    uint8_t kind;
  };
  std::array<Place, kMaxPrefixBytes> places_ = {};
  size_t num_places_ = 0;
  std::array<uint8_t, kDelimiters.size()> depth_ = {};
  // What may still be chosen.
  size_t max_bits_ = kMaxCellBits;
  std::array<uint8_t, kDelimiters.size()> max_depth_ = Deepest();

  static constexpr std::array<uint8_t, kDelimiters.size()> Deepest() {
    std::array<uint8_t, kDelimiters.size()> depths = {};
    for (auto& depth : depths) depth = kMaxDepth;
    return depths;
  }
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_CHOICE_H_
