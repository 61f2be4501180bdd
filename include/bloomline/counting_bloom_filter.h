// A Bloom filter from which keys can be removed, with counters in place of bits (Fan et al. 2000).
//
// At 1 % false positives, a key takes 43 bits. A key stays until it has been removed as often as it
// was added.
//
// - **Remove only what was added.** RemoveKey refuses a key that is certainly missing. Removing a
//   false positive lowers counters of other keys, which may then be reported as missing.
// - **Counters saturate.** A counter at its maximum (15 or 255) does not change until Clear. No key
//   is lost, but a key whose counters are all saturated stays.
//
// Everything not described here is as in bloom_filter.h.
#ifndef BLOOMLINE_COUNTING_BLOOM_FILTER_H_
#define BLOOMLINE_COUNTING_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline {

namespace sets {
struct CountingState;
}  // namespace sets

// Set either capacity and false_positive_rate, or num_counters and num_probes.
struct CountingBloomFilterOptions {
  // Distinct keys present at once.
  uint64_t capacity = 0;

  // Above 0, below 1, and reachable with 100 counters per key (4 bits: 2.7e-7; 8 bits: 6.0e-6).
  double false_positive_rate = 0.01;

  // 1 to kMaxBloomBits, rounded up to a multiple of 512; or 0.
  uint64_t num_counters = 0;

  // Counters per key (k).
  int num_probes = 0;

  // Bits per counter: 4, or 8, which takes 2.2 times the memory.
  int counter_bits = 4;

  uint64_t seed = 0;

  std::string Validate() const;
};

class CountingBloomFilter : public filter::QueriesContainers<CountingBloomFilter>,
                            public filter::AddsContainers<CountingBloomFilter> {
 public:
  static std::unique_ptr<CountingBloomFilter> Create(const CountingBloomFilterOptions& options,
                                                     std::string* error);
  static std::unique_ptr<CountingBloomFilter> Load(const std::string& path, std::string* error);
  static std::unique_ptr<CountingBloomFilter> FromBytes(std::string_view bytes, std::string* error);

  ~CountingBloomFilter();
  CountingBloomFilter(CountingBloomFilter&&) noexcept;
  CountingBloomFilter& operator=(CountingBloomFilter&&) noexcept;

  // Returns false if the key already matched; the key then counts once more.
  bool AddKey(std::string_view key);

  // Undoes one AddKey. Returns false and changes nothing if the key is certainly missing.
  bool RemoveKey(std::string_view key);

  bool MayMatch(std::string_view key) const;

  // How often a key was added, up to max_count(). It is too high if other keys share all its
  // counters, and too low only if a key was removed that had not been added, or the count passed
  // max_count().
  uint32_t EstimatedCount(std::string_view key) const;

  // These take n keys in order, or a container or array of keys (keys.h). The arrays receive the
  // results; was_absent and removed may be null. AddKeys and RemoveKeys return how many are true.
  size_t AddKeys(size_t n, const std::string_view* keys, bool* was_absent = nullptr);
  size_t RemoveKeys(size_t n, const std::string_view* keys, bool* removed = nullptr);
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  using AddsContainers::AddKeys;
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
  using QueriesContainers::MayMatch;

  // These do the same for the hash of a key.
  uint64_t HashOf(std::string_view key) const;
  bool AddHash(uint64_t hash);
  bool RemoveHash(uint64_t hash);
  bool MayMatchHash(uint64_t hash) const;
  uint32_t EstimatedHashCount(uint64_t hash) const;

  uint64_t num_counters() const;  // memory is num_counters * counter_bits / 8 bytes
  int counter_bits() const;
  int num_probes() const;
  uint64_t seed() const;
  uint64_t capacity() const;   // 0 if unknown
  uint32_t max_count() const;  // the saturation value: 15 or 255

  // Additions minus successful removals, at least 0.
  uint64_t num_keys() const;

  // If it is 0, removing all keys leaves an empty filter.
  uint64_t num_saturated_counters() const;

  // Returns a Bloom filter with the same answers in a quarter or an eighth of the memory
  // (kBlocked128 or kBlocked64).
  std::unique_ptr<BloomFilter> ToBloomFilter(std::string* error) const;

  // Adds the counters of `other`. Fails unless counter_bits, num_counters, num_probes and seed are
  // equal.
  bool Merge(const CountingBloomFilter& other, std::string* error);

  void Clear();

  bool Save(const std::string& path, std::string* error) const;
  bool ToBytes(std::string* bytes, std::string* error) const;

  // Compares options and counters.
  friend bool operator==(const CountingBloomFilter& a, const CountingBloomFilter& b);
  friend bool operator!=(const CountingBloomFilter& a, const CountingBloomFilter& b) {
    return !(a == b);
  }

 private:
  explicit CountingBloomFilter(std::unique_ptr<sets::CountingState> state);
  static std::unique_ptr<CountingBloomFilter> FromState(std::unique_ptr<sets::CountingState> state);

  std::unique_ptr<sets::CountingState> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_COUNTING_BLOOM_FILTER_H_
