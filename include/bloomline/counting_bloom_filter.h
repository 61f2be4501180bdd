// A Bloom filter that keys can be removed from: it has small counters where others have bits.
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
// It takes 43 bits per key for a rate of 1 % with 4-bit counters, 97 with 8-bit counters, where a
// Bloom filter takes 10; ToBloomFilter gives one of 11 or 12 for those who only ask.
//
// What a key does: its counters, up to num_probes of them, all lie in one 64-byte line. Where two
// of its probes meet in one counter, that counter counts as one: Add raises each counter of the key
// by one, Remove lowers each by one, MayMatch asks whether none is zero. A key may be added many
// times; it is in until it was removed as often.
//
// Three things to know:
//
// - **Remove only what was added.** Remove refuses a key of which a counter is zero, for it cannot
//   be in. But an absent key that passes as a false positive is taken for present, by this as by
//   any counting filter; removing it lowers counters of other keys, and these may then be reported
//   absent. So no false negative, ever, on one condition: keys are removed at most as often as they
//   were added.
// - **Counters saturate.** One that has reached its maximum (15 or 255) stands for that many or
//   more. It never changes again, neither by Add nor by Remove, until Clear: nobody knows how many
//   keys it stands for, so no key is lost, but a key all of whose counters are saturated stays in
//   after it is removed. Distinct keys alone practically never get there: at capacity and 1 %, one
//   4-bit counter in 2e16 does. Keys added more than 14 times (254 times) do.
// - **Not thread-safe**: const functions may run at the same time as each other, but not while
//   another function runs.
//
// In every function of this header `error` may be null; otherwise it gets one sentence, which names
// the value and what is allowed, when the function fails, and is untouched when it succeeds.
// Nothing here throws; filter_options.h says what happens out of memory.
#ifndef BLOOMLINE_COUNTING_BLOOM_FILTER_H_
#define BLOOMLINE_COUNTING_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline {

namespace filters {
struct CountingState;
}

// The size is given either by capacity and false_positive_rate or by num_counters and num_probes.
struct CountingBloomFilterOptions {
  // Distinct keys that are in at the same time up to which the filter keeps false_positive_rate; it
  // takes more, at a higher rate. 1 or more; with num_counters it may be 0, "not stated".
  uint64_t capacity = 0;

  // Share of absent keys that pass when `capacity` distinct keys are in: above 0, below 1, and
  // reachable with 100 counters per key (4 bits: 3e-7; 8 bits: 7e-6). Ignored with num_counters.
  double false_positive_rate = 0.01;

  // 0: from capacity and rate. Else 1 to kMaxBloomBits, rounded up to a multiple of 512.
  uint64_t num_counters = 0;

  // 1 to 30 with num_counters, else 0: the best number for the rate is taken.
  int num_probes = 0;

  // Bits of a counter, 4 or 8. 4: a key may be in up to 14 times before its counters saturate.
  // 8: up to 254 times; takes 2.2 times the memory for the same rate.
  int counter_bits = 4;

  // Seed of the 64-bit hash. One that outsiders do not know keeps them from choosing keys that
  // collide; DrawSeed (seed.h) draws such a one. Only filters of the same seed can be merged.
  uint64_t seed = 0;

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

class CountingBloomFilter {
 public:
  // Null on bad options and when memory cannot be had: num_counters * counter_bits / 8 bytes.
  static std::unique_ptr<CountingBloomFilter> Create(const CountingBloomFilterOptions& options,
                                                     std::string* error);

  // Reads a file that Save wrote. Null, with file, place and values in *error, if it cannot be read
  // or is not what Save wrote: wrong magic, version, length or checksum.
  static std::unique_ptr<CountingBloomFilter> Load(const std::string& path, std::string* error);

  ~CountingBloomFilter();
  CountingBloomFilter(const CountingBloomFilter&) = delete;
  CountingBloomFilter& operator=(const CountingBloomFilter&) = delete;

  // Adds a key of any length. True if it was certainly not in before. Cost: one hash and one cache
  // line.
  bool AddKey(std::string_view key);

  // Takes back one Add of the key. False, and nothing changes, if the key is certainly not in. True
  // for any other key: see "Remove only what was added" above. Cost as Add.
  bool RemoveKey(std::string_view key);

  // False: the key is certainly not in. True: it is, or, with the false-positive rate, not.
  bool MayMatch(std::string_view key) const;

  // How many times the key is in: the least of its counters, so 0 if and only if MayMatch is
  // false. Never below the true number while that is at most max_count() and no key was removed
  // that was not in; above it where other keys share all the counters. max_count() stands for
  // "at least that, at some time".
  uint32_t EstimatedCount(std::string_view key) const;

  // The same for n keys, in this order: was_absent[i], removed[i] and may_match[i] are what the
  // single calls would have returned; the first two may be null. Return how many were true. In a
  // filter larger than the caches several times as fast as n single calls, because the memory
  // accesses of many keys overlap.
  size_t AddKeys(size_t n, const std::string_view* keys, bool* was_absent = nullptr);
  size_t RemoveKeys(size_t n, const std::string_view* keys, bool* removed = nullptr);
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  // For callers that have a 64-bit hash anyway: HashOf is XXH3 with the filter's seed, AddKey(k) is
  // AddHash(HashOf(k)). Any other hash does as well if all 64 bits of it are well mixed and the
  // filter never gets anything else.
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

  // Keys in the filter, repeats counted: Adds less successful Removes, not below 0.
  uint64_t num_keys() const;

  // Counters that have reached max_count() and will not change any more. While it is 0, all keys
  // can be removed and leave an empty filter.
  uint64_t num_saturated_counters() const;

  // A Bloom filter with a bit for each counter, set where that is not zero: 1/4 or 1/8 of the
  // memory, the same answer for every key, layout kBlocked128 or kBlocked64. It is a copy, to which
  // keys can be added. Its EstimatedNumKeys and EstimatedFalsePositiveRate hold for this filter,
  // too. Cost: reads all counters.
  std::unique_ptr<BloomFilter> ToBloomFilter(std::string* error) const;

  // Adds the counters of `other` to these, as if all its Adds and Removes had been done here; what
  // exceeds max_count() or was saturated in either is saturated. False, and nothing changed, unless
  // counter_bits, num_counters, num_probes and seed are equal; *error names what differs and both
  // values. Capacity stays.
  bool Merge(const CountingBloomFilter& other, std::string* error);

  // Removes all keys, also from saturated counters.
  void Clear();

  // Writes the filter to a file (docs/format.md, section 10) as BloomFilter::Save does.
  bool Save(const std::string& path, std::string* error) const;

  // Same counter_bits, num_counters, num_probes, seed and counters. Cost: reads all counters.
  friend bool operator==(const CountingBloomFilter& a, const CountingBloomFilter& b);
  friend bool operator!=(const CountingBloomFilter& a, const CountingBloomFilter& b) {
    return !(a == b);
  }

 private:
  explicit CountingBloomFilter(std::unique_ptr<filters::CountingState> state);
  static std::unique_ptr<CountingBloomFilter> FromState(
      std::unique_ptr<filters::CountingState> state, std::string* error);

  std::unique_ptr<filters::CountingState> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_COUNTING_BLOOM_FILTER_H_
