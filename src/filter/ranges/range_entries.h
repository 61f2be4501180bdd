// Makes the range filter of a table (docs/format.md, section 12).
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/ranges/kept_entries.h"
#include "src/filter/ranges/kept_keys.h"
#include "src/filter/ranges/range_choice.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::filter {

// The options of a range filter.
struct RangeEntryOptions {
  bool is_auto = false;  // the kinds are chosen when all keys are known
  EntryKinds kinds;      // else these
  // The memory for entries of this table, as a part of that of a point filter with bits_per_key.
  double memory = 0.2;
  double bits_per_key = 10;
  Format format = Format::kRibbon;    // or kBlocked
  bool is_last_level = true;          // no level below has keys
  RangeCounts::SampledRanges sample;  // for is_auto: of ranges that scans ask for
  uint64_t max_bytes = 0;             // of the property; 0: no limit
  uint64_t seed = 0;
  ChoiceConstants constants;  // for is_auto
};

// No payload is larger: RocksDB has 32 bits for the length of a block.
constexpr uint64_t kMaxEntriesBytes = uint64_t{1} << 31;

// The shape of a payload with at least one entry.
FilterShape EntriesShape(Format format, uint64_t num_entries, double bits_per_entry,
                         uint64_t max_payload_bytes = kMaxEntriesBytes);

// Makes the entries while keys are added: (Add* Finish)*. The keys come in the order of their
// bytes; if they do not, there is no filter. Equal keys, which are versions of one, count once. If
// a function threw bad_alloc, no filter may be made of these keys.
//
// Memory if kinds are chosen: at most 24 bytes per key and 16 MiB, whatever the keys are. Usually
// it is less, about 10 bytes: the new bytes of each key, and later 8 bytes for each entry. If the
// new bytes are more, the entries of as many kinds as there is room for take their place.
class RangeEntries {
 public:
  explicit RangeEntries(const RangeEntryOptions& options);

  // Queries never ask for the empty key, so it has no entries.
  void Add(std::string_view key);

  // Returns the value of kRangeProperty, and starts over. The value is empty if the only key is the
  // empty one, or keys were not in order.
  std::string Finish();

 private:
  void CountBytes(const KeyDifference& key);
  // The number of equal bytes at the end of all keys, for the field.
  size_t SuffixBytes() const;
  // All but the kinds.
  void SetField(RangeField* field);
  // The memory of the filter. If kinds are chosen, their entries take up to entry_bytes while it is
  // built.
  RangeMemory Memory(double entry_bytes = HUGE_VAL) const;
  uint64_t MaxPayloadBytes() const;
  void Keep(const KeyDifference& key);
  void KeepEntriesInsteadOfKeys();
  void ForgetKinds();
  // Whether kept keys become these entries within the memory.
  bool HasRoomToStart(const KindSet& kinds, double num_entries) const;
  // The most memory that kept keys and entries may take.
  double MostBytes(double bytes_per_key) const;
  // Chooses the kinds, and adds the entries if that was not done before.
  EntryChoice Choose();
  EntryChoice ChooseFromKept();
  // Returns the filter of the entries, or an empty one if it would lack some, or give them less
  // than a bit each.
  std::string Build(double bits_per_entry);

  const RangeEntryOptions options_;
  // What the keys of the filter that is being built have been so far.
  struct KeysState {
    bool is_usable = true;
    uint64_t num_keys = 0;
    uint16_t min_key_bytes = kLongKey;
    uint16_t max_key_bytes = 0;
    size_t previous_bytes = 0;
    bool has_whole_previous = true;
    // Of the keys that have a byte there; these are no limits yet if no key has.
    unsigned char least_bytes[kMaxCellBytes];
    unsigned char greatest_bytes[kMaxCellBytes];
    size_t num_limits = 0;
    double kept_entry_bytes = 0;  // after kinds were forgotten
  };
  KeysState state_;
  char previous_[kMaxPrefixBytes + kCopySlackBytes];  // the first bytes of the last key
  RangeCounts counts_;
  // The keys, as long as kinds can be chosen from all, or else the entries.
  KeptKeys kept_keys_;
  KeptEntries kept_entries_;
  FilterWriter entries_;
  char key_limits_[2 * kMaxCellBytes];
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
