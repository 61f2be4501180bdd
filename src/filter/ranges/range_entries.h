// The range entries that a filter has beside its keys (docs/format.md, section 12).
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/ranges/kept_keys.h"
#include "src/filter/ranges/range_choice.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::filter {

// The entries that new filters get.
struct RangeEntryOptions {
  bool is_auto = false;  // the kinds are chosen when all keys are known
  EntryKinds kinds;      // else these
  // The memory for entries, as a part of that for keys.
  double memory = 0.2;
  int num_levels_below = 0;
  uint32_t family = 0;         // recorded
  RangeCounts::Sample sample;  // for is_auto: of ranges that scans ask for
};

// Makes the entries while keys are added: (Add* Finish)*. The keys come in the order of their
// bytes; if they do not, the filter records no entries, and so answers "may match" to ranges.
//
// Memory until Finish, if kinds are chosen: the new bytes of each key, and 8 bytes for it, in a
// buffer that doubles.
class RangeEntries {
 public:
  explicit RangeEntries(const RangeEntryOptions& options)
      : options_(options), counts_(options.sample) {}

  // Call this before the writer gets the key. Empty keys have no entries: queries never ask for
  // them. They are the prefixes of RocksDB's range extractor, which stands for the order of bytes:
  // without one, nothing is recorded.
  void Add(std::string_view key, FilterWriter* writer);

  // Makes the writer record the entries, and starts over. The writer must finish its filter before
  // this is destroyed or called again.
  void Finish(bool is_partition, FilterWriter* writer);

  // Those of the last filter.
  const EntryKinds& chosen() const { return chosen_; }

 private:
  void RememberKey(std::string_view key, size_t common_bytes);
  void CountSuffix(std::string_view key);
  void AddEntry(uint64_t hash, unsigned copies);
  void AddEntries(const EntryKinds& kinds, const KeyDifference& key, uint64_t seed);
  RangeMemory MemoryFor(const FilterOptions& options) const;
  void Build(double bits_per_entry, const RangeMemory& memory);

  const RangeEntryOptions options_;
  // The state of the filter that is being built.
  bool is_usable_ = true;
  bool has_prefix_ = false;  // an empty key
  uint64_t num_keys_ = 0;
  uint16_t min_key_bytes_ = kLongKey;
  uint16_t max_key_bytes_ = 0;
  size_t suffix_bytes_ = 0;
  char previous_[kMaxPrefixBytes + kCopySlackBytes];  // the first bytes of the last key
  size_t previous_bytes_ = 0;
  RangeCounts counts_;
  KeptKeys kept_;
  FilterWriter entries_{FilterOptions()};
  // Those of the last filter.
  EntryKinds chosen_;
  std::string payload_;
  FilterShape shape_;
  char field_[kMaxRangeFieldBytes];
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
