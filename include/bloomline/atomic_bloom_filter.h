// A Bloom filter that many threads add keys to and query at the same time, without locks.
//
// It does not add a given set of keys faster: atomic operations cost more than a second thread
// gains. For that, give each thread a BloomFilter and Merge them (docs/design.md).
//
// Memory order: bits are set by relaxed atomic operations. If AddKey(k) happened before
// MayMatch(k), by any synchronisation, the answer is true. Answers do not order other memory
// accesses.
//
// Errors and ownership, and what has no comment, are as in bloom_filter.h. Link bloomline::filters.
#ifndef BLOOMLINE_ATOMIC_BLOOM_FILTER_H_
#define BLOOMLINE_ATOMIC_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline {

// Threads may call any functions at the same time, except for ToBloomFilter, moves and the
// destructor.
//
// Cost of adding a key: one atomic operation for each 64-bit word that it changes, three or four at
// 1 %. A key that changes nothing only reads.
class AtomicBloomFilter {
 public:
  static std::unique_ptr<AtomicBloomFilter> Create(const BloomFilterOptions& options,
                                                   std::string* error);

  // Turns a BloomFilter into an AtomicBloomFilter with the same keys and memory, and sets `filter`
  // to null. Returns null if it was null before.
  static std::unique_ptr<AtomicBloomFilter> ToAtomic(std::unique_ptr<BloomFilter>&& filter);

  // The reverse. num_keys of the result is EstimatedNumKeys.
  static std::unique_ptr<BloomFilter> ToBloomFilter(std::unique_ptr<AtomicBloomFilter>&& filter);

  // A copy, while other threads continue. It has all keys whose AddKey happened before; keys that
  // are added meanwhile may be there in part.
  std::unique_ptr<BloomFilter> Snapshot(std::string* error) const;

  ~AtomicBloomFilter();
  AtomicBloomFilter(AtomicBloomFilter&&) noexcept;
  AtomicBloomFilter& operator=(AtomicBloomFilter&&) noexcept;

  // If several threads add one key at the same time, more than one may get true.
  bool AddKey(std::string_view key);
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);
  template <typename Keys, typename = filter::IfKeys<Keys>>
  size_t AddKeys(const Keys& keys, bool* changed = nullptr) {
    return filter::SumOverKeys(keys, changed,
                               [&](size_t n, const std::string_view* group, bool* answers) {
                                 return AddKeys(n, group, answers);
                               });
  }
  template <typename Key, typename = filter::IfKeys<std::initializer_list<Key>>>
  size_t AddKeys(std::initializer_list<Key> keys, bool* changed = nullptr) {
    return AddKeys<std::initializer_list<Key>>(keys, changed);
  }
  bool AddHash(uint64_t hash);
  size_t AddHashes(size_t n, const uint64_t* hashes, bool* changed = nullptr);

  bool MayMatch(std::string_view key) const;
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  template <typename Keys, typename = filter::IfKeys<Keys>>
  void MayMatch(const Keys& keys, bool* may_match) const {
    filter::ForEachKeyGroup(keys, [&](size_t first, size_t n, const std::string_view* group) {
      MayMatch(n, group, may_match + first);
    });
  }
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const;
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  BloomLayout layout() const;
  uint64_t num_bits() const;
  int num_probes() const;
  uint64_t seed() const;
  uint64_t capacity() const;

  // A num_keys that all threads write would cost more than the filter.
  uint64_t EstimatedNumKeys() const;
  double EstimatedFalsePositiveRate() const;

 private:
  explicit AtomicBloomFilter(std::unique_ptr<sets::BloomState> state);

  std::unique_ptr<sets::BloomState> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ATOMIC_BLOOM_FILTER_H_
