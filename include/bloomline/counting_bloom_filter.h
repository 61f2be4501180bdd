// A Bloom filter that keys can be removed from. It has small counters where others have bits (Fan,
// Cao, Almeida, Broder 2000: Summary Cache).
//
//   bloomline::CountingBloomFilterOptions options;
//   options.capacity = 1000000;
//   options.false_positive_rate = 0.01;
//   std::string error;
//   auto filter = bloomline::CountingBloomFilter::Create(options, &error);
//   if (filter == nullptr) return 1;  // error says why
//   filter->AddKey("apple");
//   filter->RemoveKey("apple");
//   if (!filter->MayMatch("apple")) { /* certainly not in */ }
//
// When to use it: keys leave the set while others stay. It takes 43 bits per key for a
// false-positive rate of 1 % with 4-bit counters, and 97 with 8-bit counters, where a BloomFilter
// takes 10. If all keys leave at once, a BloomFilter and Clear are enough. ToBloomFilter makes a
// filter of 11 or 12 bits per key for readers that only query.
//
// How it works. A key has up to num_probes counters, all in one 64-byte block. Where two of its
// probes meet in one counter, that counter counts once. AddKey raises each counter of the key by
// one, RemoveKey lowers each by one, and MayMatch is true if none of them is zero. A key may be
// added many times; it stays in until it has been removed as many times.
//
// Three things to know:
//
// - **Remove only what was added.** RemoveKey refuses a key that has a counter of zero: it cannot
//   be in. But a missing key that is a false positive looks like a stored one, as in any counting
//   filter. Removing it lowers counters of other keys, and these keys may then be reported as
//   missing. So there is no false negative, ever, on one condition: keys are removed at most as
//   often as they were added.
// - **Counters saturate.** A counter that has reached its maximum (15 or 255) stands for that many
//   or more. Neither AddKey nor RemoveKey changes it again, until Clear, because the number of its
//   keys is not known. So no key is lost, but a key whose counters are all saturated remains after
//   removal. With distinct keys alone, counters practically never saturate: at capacity and 1 %,
//   one 4-bit counter in 2e16 does. Keys that are added more than 14 times (8-bit counters: 254
//   times) saturate theirs.
// - **One thread at a time may change it.** There is no atomic counting filter.
//
// Link bloomline::filters (CMake component `filters`).
//
// Errors, ownership, threads and moves are those of bloom_filter.h.
#ifndef BLOOMLINE_COUNTING_BLOOM_FILTER_H_
#define BLOOMLINE_COUNTING_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline {

namespace support {
class ByteSource;
}  // namespace support
namespace sets {
struct CountingState;
}  // namespace sets

// The size of a filter comes either from capacity and false_positive_rate, or from num_counters and
// num_probes.
struct CountingBloomFilterOptions {
  // Distinct keys in the filter at the same time, up to which it keeps false_positive_rate. It
  // accepts more, at a higher rate. 1 or more. With num_counters it may be 0, "not stated".
  uint64_t capacity = 0;

  // Fraction of missing keys that match when the filter holds `capacity` distinct keys: above 0,
  // below 1, and reachable with 100 counters per key (4 bits: 2.7e-7; 8 bits: 6.0e-6). Ignored with
  // num_counters.
  double false_positive_rate = 0.01;

  // 0: from capacity and false_positive_rate. Else 1 to kMaxBloomBits, rounded up to a multiple of
  // 512.
  uint64_t num_counters = 0;

  // Counters that a key has (k). With num_counters: 1 to 30. Without: must be 0; the filter then
  // chooses the best.
  int num_probes = 0;

  // Bits of a counter, 4 or 8. With 4, a key may be in up to 14 times before its counters saturate.
  // With 8, up to 254 times, for 2.2 times the memory at the same false-positive rate.
  int counter_bits = 4;

  uint64_t seed = 0;  // as in BloomFilterOptions

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

class CountingBloomFilter {
 public:
  // An empty filter. Null if the options are invalid or there is no memory: num_counters *
  // counter_bits / 8 bytes.
  static std::unique_ptr<CountingBloomFilter> Create(const CountingBloomFilterOptions& options,
                                                     std::string* error);

  // Reads a file that Save wrote, or bytes that ToBytes gave, as BloomFilter does.
  static std::unique_ptr<CountingBloomFilter> Load(const std::string& path, std::string* error);
  static std::unique_ptr<CountingBloomFilter> FromBytes(std::string_view bytes, std::string* error);

  ~CountingBloomFilter();
  CountingBloomFilter(CountingBloomFilter&&) noexcept;
  CountingBloomFilter& operator=(CountingBloomFilter&&) noexcept;

  // Adds a key of any length. True: it was certainly not in before. False: it was in, or was a
  // false positive; its counters are raised all the same. Cost: one hash and one cache miss.
  bool AddKey(std::string_view key);

  // Undoes one AddKey of the key. False, and nothing changes, if the key is certainly not in. True
  // for any other key: see "Remove only what was added" above. Cost: as AddKey.
  bool RemoveKey(std::string_view key);

  // False: the key is certainly not in. True: it is in, or it is a false positive.
  bool MayMatch(std::string_view key) const;

  // How many times the key is in: the lowest of its counters, so 0 if and only if MayMatch is
  // false. Never too low unless a key was removed that had not been added, or the count passed
  // max_count(). Too high if other keys share all the counters. max_count() means "at least that,
  // at some time".
  uint32_t EstimatedCount(std::string_view key) const;

  // Adds, removes or queries n keys, in order. was_absent[i], removed[i] and may_match[i] are what
  // the single calls would have returned; the first two arrays may be null. AddKeys and RemoveKeys
  // return how many were true.
  size_t AddKeys(size_t n, const std::string_view* keys, bool* was_absent = nullptr);
  size_t RemoveKeys(size_t n, const std::string_view* keys, bool* removed = nullptr);
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  // The same for containers and arrays, as in BloomFilter.
  template <typename Keys, typename = filter::IfKeys<Keys>>
  size_t AddKeys(const Keys& keys, bool* was_absent = nullptr) {
    return filter::SumOverKeys(keys, was_absent,
                               [&](size_t n, const std::string_view* group, bool* answers) {
                                 return AddKeys(n, group, answers);
                               });
  }
  template <typename Key, typename = filter::IfKeys<std::initializer_list<Key>>>
  size_t AddKeys(std::initializer_list<Key> keys, bool* was_absent = nullptr) {
    return AddKeys<std::initializer_list<Key>>(keys, was_absent);
  }
  template <typename Keys, typename = filter::IfKeys<Keys>>
  size_t RemoveKeys(const Keys& keys, bool* removed = nullptr) {
    return filter::SumOverKeys(keys, removed,
                               [&](size_t n, const std::string_view* group, bool* answers) {
                                 return RemoveKeys(n, group, answers);
                               });
  }
  template <typename Key, typename = filter::IfKeys<std::initializer_list<Key>>>
  size_t RemoveKeys(std::initializer_list<Key> keys, bool* removed = nullptr) {
    return RemoveKeys<std::initializer_list<Key>>(keys, removed);
  }
  template <typename Keys, typename = filter::IfKeys<Keys>>
  void MayMatch(const Keys& keys, bool* may_match) const {
    filter::ForEachKeyGroup(keys, [&](size_t first, size_t n, const std::string_view* group) {
      MayMatch(n, group, may_match + first);
    });
  }

  // For callers that have a 64-bit hash already, as in BloomFilter.
  uint64_t HashOf(std::string_view key) const;
  bool AddHash(uint64_t hash);
  bool RemoveHash(uint64_t hash);
  bool MayMatchHash(uint64_t hash) const;
  uint32_t EstimatedHashCount(uint64_t hash) const;
  size_t AddHashes(size_t n, const uint64_t* hashes, bool* was_absent = nullptr);
  size_t RemoveHashes(size_t n, const uint64_t* hashes, bool* removed = nullptr);
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  uint64_t num_counters() const;  // a multiple of 512; memory is num_counters * counter_bits / 8
  int counter_bits() const;
  int num_probes() const;
  uint64_t seed() const;
  uint64_t capacity() const;   // 0: not stated
  uint32_t max_count() const;  // a saturated counter: 15 or 255

  // Keys in the filter, repeats counted: additions less successful removals, not below 0.
  uint64_t num_keys() const;

  // Counters that have reached max_count() and do not change any more. While it is 0, removing all
  // keys leaves an empty filter.
  uint64_t num_saturated_counters() const;

  // A Bloom filter with a bit for each counter, set where the counter is not zero: a quarter or an
  // eighth of the memory, the same answer for every key, layout kBlocked128 or kBlocked64. It is a
  // copy, to which keys can be added. Its EstimatedNumKeys and EstimatedFalsePositiveRate hold for
  // this filter as well. Null if there is no memory. Cost: reads all counters.
  std::unique_ptr<BloomFilter> ToBloomFilter(std::string* error) const;

  // Adds the counters of `other` to these, as if all its additions and removals had been done here.
  // A counter that exceeds max_count(), or was saturated in either filter, is saturated. Returns
  // false and changes nothing unless counter_bits, num_counters, num_probes and seed are equal;
  // *error names what differs and both values. Capacity stays.
  bool Merge(const CountingBloomFilter& other, std::string* error);

  // Removes all keys and sets all counters to zero, also saturated ones.
  void Clear();

  // Writes the filter to a file (docs/format.md, section 10) as BloomFilter::Save does; or gives
  // the bytes of that file, as BloomFilter::ToBytes does.
  bool Save(const std::string& path, std::string* error) const;
  bool ToBytes(std::string* bytes, std::string* error) const;

  // Same counter_bits, num_counters, num_probes, seed and counters. Cost: reads all counters.
  friend bool operator==(const CountingBloomFilter& a, const CountingBloomFilter& b);
  friend bool operator!=(const CountingBloomFilter& a, const CountingBloomFilter& b) {
    return !(a == b);
  }

 private:
  explicit CountingBloomFilter(std::unique_ptr<sets::CountingState> state);
  static std::unique_ptr<CountingBloomFilter> FromState(std::unique_ptr<sets::CountingState> state);
  static std::unique_ptr<CountingBloomFilter> Read(const support::ByteSource& source,
                                                   std::string* error);

  std::unique_ptr<sets::CountingState> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_COUNTING_BLOOM_FILTER_H_
