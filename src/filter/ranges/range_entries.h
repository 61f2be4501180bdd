// The range entries that a filter has beside its keys (docs/format.md, section 12).
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/filter/ranges/range_choice.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::filter {

// Makes the entries while keys are added: (Add* Finish)*. The keys come in the order of their
// bytes; if they do not, or if memory is missing, the filter records that it has no entries, and so
// answers "may match" to ranges. Throws nothing.
class RangeEntries {
 public:
  // Entries of these kinds.
  explicit RangeEntries(const EntryKinds& kinds) : kinds_(kinds) {}
  // Entries of kinds that are chosen when all keys are known. At most max_entries_per_key of them
  // are where fields of the keys may end, or more above other levels of the database; half as many
  // are for ranges of numbers, which can use any room. Memory until then: up to 40 bytes for each
  // of these, at least 64 KiB.
  //
  // A level has about a tenth of the keys of the level below. Its files have fewer keys of each
  // user, device or directory, and need more entries per key. Ten times the entries per key there
  // doubles the total, and twenty times in the levels above adds little.
  explicit RangeEntries(double max_entries_per_key, int num_levels_below = 0)
      : is_auto_(true),
        max_entries_per_key_(max_entries_per_key),
        times_(num_levels_below == 0   ? 1
               : num_levels_below == 1 ? 10
                                       : 20) {}

  // To be called before the writer gets the key. Empty keys have no entries: queries never ask for
  // them. They are the prefixes of RocksDB's range extractor, which stands for the order of bytes:
  // without one, nothing is recorded.
  void Add(std::string_view key, FilterWriter* writer);

  // Adds the entries that are missing yet, makes the writer record them, and starts over. The
  // writer must finish its filter before this is destroyed or called again.
  void Finish(bool is_partition, FilterWriter* writer);

 private:
  void RememberKey(std::string_view key, size_t common_bytes);
  void AddEntries(const KeyDifference& key, FilterWriter* writer) const;
  void Keep(const KeyDifference& key, size_t num_bytes);
  void DropCostly();
  double max_entries() const {
    return times_ * max_entries_per_key_ * static_cast<double>(num_keys_);
  }
  size_t max_kept_bytes() const;
  template <typename F>
  void ForEachKept(F f) const;

  bool is_auto_ = false;
  double max_entries_per_key_ = 0;
  double times_ = 1;
  EntryKinds kinds_;
  // What is known of the filter that is being built.
  bool is_usable_ = true;
  bool has_prefix_ = false;  // an empty key
  uint64_t num_keys_ = 0;
  uint16_t min_key_bytes_ = kLongKey;
  uint16_t max_key_bytes_ = 0;
  char previous_[kMaxPrefixBytes];  // the first bytes of the last key
  size_t previous_bytes_ = 0;
  RangeChoice choice_;
  char field_[kMaxRangeFieldBytes];  // of the last filter
  std::string kept_;  // what is needed of keys that have something new, one behind the other
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
