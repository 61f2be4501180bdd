// A Bloom filter that many threads add keys to and query at the same time, without locks.
//
//   bloomline::BloomFilterOptions options;
//   options.capacity = 1000000;
//   std::string error;
//   auto filter = bloomline::AtomicBloomFilter::Create(options, &error);
//   if (filter == nullptr) return 1;  // error says why
//   // In any thread, at any time:
//   if (!filter->MayMatch(key)) { /* no thread has added it */ }
//   filter->AddKey(key);
//   // When all threads are done, without a copy:
//   auto plain = bloomline::AtomicBloomFilter::ToBloomFilter(std::move(filter));
//   if (!plain->Save("keys.bloom", &error)) return 1;
//
// When to use it: several threads add. Where one thread adds and the others only wait for the
// result, or where a lock guards the filter anyway, BloomFilter is cheaper: it sets its bits with
// plain stores, counts its keys (num_keys), and can be merged, saved and compared.
//
// AtomicBloomFilter does not add a given set of keys faster: atomic operations cost more than a
// second thread gains (docs/design.md). For that, give each thread a BloomFilter of its own, and
// Merge them at the end: two threads then take about 0.55 times as long as one.
//
// Both kinds of filter set the same bits for the same keys. ToAtomic and ToBloomFilter turn one
// into the other and hand its memory over, whatever its size; Snapshot copies it.
//
// Memory order. Bits are set by relaxed atomic operations. If AddKey(k) happened before
// MayMatch(k), the answer is true: in the same thread, or with any synchronisation between them,
// such as a join, a mutex, or an acquire load that has seen a release store. Without such an order
// a query may not see the key yet, and its answer implies no ordering of other memory accesses.
//
// Link bloomline::filters (CMake component `filters`).
//
// Errors, ownership and moves are those of bloom_filter.h.
#ifndef BLOOMLINE_ATOMIC_BLOOM_FILTER_H_
#define BLOOMLINE_ATOMIC_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline {

// Any number of threads may call any functions at the same time, except for ToBloomFilter, moves
// and the destructor. These need exclusive access.
//
// Cost: queries as in BloomFilter. Adding a key takes one atomic operation for each 64-bit word
// that it changes, three or four at 1 % (docs/design.md has the figures). A key that changes
// nothing only reads, so threads that add the same keys do not take cache lines from each other.
class AtomicBloomFilter {
 public:
  // An empty filter, as BloomFilter::Create makes it.
  static std::unique_ptr<AtomicBloomFilter> Create(const BloomFilterOptions& options,
                                                   std::string* error);

  // Turns a BloomFilter into an AtomicBloomFilter with the same keys. Takes over its memory, and
  // `filter` is then null. Returns null if `filter` is null.
  static std::unique_ptr<AtomicBloomFilter> ToAtomic(std::unique_ptr<BloomFilter>&& filter);

  // Turns an AtomicBloomFilter into a BloomFilter, as ToAtomic does the reverse. No other thread
  // may use `filter`. The num_keys of the result is EstimatedNumKeys. Cost: reads all bits.
  static std::unique_ptr<BloomFilter> ToBloomFilter(std::unique_ptr<AtomicBloomFilter>&& filter);

  // A copy, for example to save it while other threads go on. It has all keys whose AddKey happened
  // before; of a key that another thread adds meanwhile it may have some bits. Null if there is no
  // memory.
  std::unique_ptr<BloomFilter> Snapshot(std::string* error) const;

  ~AtomicBloomFilter();
  AtomicBloomFilter(AtomicBloomFilter&&) noexcept;
  AtomicBloomFilter& operator=(AtomicBloomFilter&&) noexcept;

  // As in BloomFilter. If several threads add the same key at the same time, more than one may
  // learn that it changed a bit.
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

  // As in BloomFilter.
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

  // As in BloomFilter. There is no num_keys and no IsPastCapacity: a counter that all threads write
  // would cost more than the filter. EstimatedNumKeys() > capacity() answers the latter.
  uint64_t EstimatedNumKeys() const;
  double EstimatedFalsePositiveRate() const;

 private:
  explicit AtomicBloomFilter(std::unique_ptr<sets::BloomState> state);

  std::unique_ptr<sets::BloomState> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ATOMIC_BLOOM_FILTER_H_
