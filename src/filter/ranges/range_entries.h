// Makes the range filter of a table (docs/format.md, section 12).
#ifndef BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
#define BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/ranges/range_choice.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/ranges/range_field.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::filter {

// The prefixes of keys that entries may need, in key order, delta-coded.
class KeptKeys {
 public:
  // Adds the next key, of which the first num_bytes bytes are needed. If num_bytes is 0, the key is
  // not kept, but Add must still be called for it.
  void Add(const KeyDifference& key, size_t num_bytes) {
    num_known_bytes_ = std::min(num_known_bytes_, key.common_bytes);
    if (num_bytes == 0) return;
    const size_t first_byte = std::min(num_known_bytes_, num_bytes);
    const size_t num_new = num_bytes - first_byte;
    if (bytes_.size() - size_ < sizeof(Head) + num_new + kCopySlackBytes) {
      bytes_.resize(std::max(kLittle, 2 * bytes_.size()) + sizeof(Head) + num_new +
                    kCopySlackBytes);
    }
    Write(key, first_byte, num_bytes, bytes_.data() + size_);
    size_ += sizeof(Head) + num_new;
    num_known_bytes_ = num_bytes;
  }

  // Whether the memory has doubled since this last returned true, and so has begun to matter.
  bool HasGrown() {
    if (size_ <= forget_from_bytes_) return false;
    forget_from_bytes_ = 2 * size_;
    return true;
  }
  // Drops bytes that are no longer needed.
  void Forget(const RangeCounts& counts);

  // Calls f(key, how many bytes it shares with the key before) for all keys.
  template <typename F>
  void ForEach(F f) const {
    char key[kMaxPrefixBytes + kCopySlackBytes];
    for (size_t at = 0; at < size_;) {
      Head head;
      std::memcpy(&head, bytes_.data() + at, sizeof(head));
      at += sizeof(head);
      const size_t num_new = size_t{head.num_bytes} - head.first_byte;
      CopyBytes({bytes_.data() + at, num_new}, 0, num_new, key + head.first_byte);
      at += num_new;
      f(KeyDifference{{key, head.num_bytes}, head.common_bytes, head.common_bits},
        size_t{head.first_byte});
    }
  }

  void Clear() {
    size_ = 0;
    num_known_bytes_ = 0;
    forget_from_bytes_ = kLittle;
  }

 private:
  // The head of a record, before the key's bytes from first_byte to num_bytes.
  struct Head {
    uint16_t common_bits;
    uint16_t common_bytes;
    uint16_t first_byte;
    uint16_t num_bytes;
  };
  static_assert(kMaxPrefixBytes <= UINT16_MAX);
  // Below this size nothing is dropped, because a file often begins with keys unlike those that
  // follow.
  static constexpr size_t kLittle = 256 << 10;

  static void Write(const KeyDifference& key, size_t first_byte, size_t num_bytes, char* to) {
    const Head head = {static_cast<uint16_t>(key.common_bits),
                       static_cast<uint16_t>(key.common_bytes), static_cast<uint16_t>(first_byte),
                       static_cast<uint16_t>(num_bytes)};
    std::memcpy(to, &head, sizeof(head));
    CopyBytes(key.key, first_byte, num_bytes, to + sizeof(head));
  }

  std::string bytes_;  // of which the first size_ are in use
  size_t size_ = 0;
  size_t num_known_bytes_ = 0;  // of the last key: what can be put together of what is kept
  size_t forget_from_bytes_ = kLittle;
};

// What a range filter gets.
struct RangeEntryOptions {
  bool is_auto = false;  // the kinds are chosen when all keys are known
  EntryKinds kinds;      // else these
  // The memory for entries, as a part of that of a point filter with bits_per_key.
  double memory = 0.2;
  double bits_per_key = 10;
  Format format = Format::kRibbon;  // or kBlocked
  int num_levels_below = 0;
  double level_size_ratio = 10;
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
// Memory until Finish, if kinds are chosen: the new bytes of each key, and 8 bytes for it, in a
// buffer that doubles.
class RangeEntries {
 public:
  explicit RangeEntries(const RangeEntryOptions& options);

  // Queries never ask for the empty key, so it has no entries.
  void Add(std::string_view key);

  // Returns the value of kRangeProperty, and starts over; an empty one if there is no key but the
  // empty one, or keys were not in order.
  std::string Finish();

 private:
  void CountBytes(const KeyDifference& key);
  // The number of equal bytes in which all keys end, for the field.
  size_t SuffixBytes() const;
  // All but the kinds.
  void SetField(RangeField* field);
  void AddEntry(uint64_t hash, unsigned copies);
  void AddEntries(const EntryKinds& kinds, const KeyDifference& key);
  RangeMemory Memory() const;
  uint64_t MaxPayloadBytes() const;
  // Chooses the kinds, and adds the entries if that was not done before.
  EntryChoice Choose();
  // Returns the filter of the entries; an empty one if it would lack some, or they had less than a
  // bit each.
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
  };
  KeysState state_;
  char previous_[kMaxPrefixBytes + kCopySlackBytes];  // the first bytes of the last key
  RangeCounts counts_;
  KeptKeys kept_;
  FilterWriter entries_;
  char key_limits_[2 * kMaxCellBytes];
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_RANGE_ENTRIES_H_
