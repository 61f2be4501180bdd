// A Bloom filter that many threads add to and ask at once, without locks.
//
// Memory order: bits are set by relaxed atomic operations. A MayMatch(k) that an AddKey(k) happened
// before (same thread, or any synchronisation between: a join, a mutex, a release store that an
// acquire load has seen) is true. Without such an order a query sees the key soon, and other memory
// may not be concluded from its answer.
#ifndef BLOOMLINE_ATOMIC_BLOOM_FILTER_H_
#define BLOOMLINE_ATOMIC_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline {

// Every function may be called by any number of threads at the same time, except ToBloomFilter. The
// bits are those of a BloomFilter with the same keys.
//
// Cost: queries as in BloomFilter. An Add is one atomic operation for each 64-bit word that it
// changes, three or four at 1 % (docs/design.md has the figures); one that changes nothing only
// reads, so that threads that add the same keys share the lines.
class AtomicBloomFilter {
 public:
  // As BloomFilter::Create.
  static std::unique_ptr<AtomicBloomFilter> Create(const BloomFilterOptions& options,
                                                   std::string* error);

  // Goes on with the keys of `filter`, whose memory it takes; `filter` is then null. Null if
  // `filter` is, and out of memory: `filter` then still has all keys.
  static std::unique_ptr<AtomicBloomFilter> ToAtomic(std::unique_ptr<BloomFilter>&& filter);

  // The other way round, also without a copy: when all threads are done.
  static std::unique_ptr<BloomFilter> ToBloomFilter(std::unique_ptr<AtomicBloomFilter>&& filter);

  // A copy, e.g. to save it. It has all keys whose Add happened before; of one that is being added,
  // it may have some bits. Null if there is no memory.
  std::unique_ptr<BloomFilter> Snapshot(std::string* error) const;

  ~AtomicBloomFilter();
  AtomicBloomFilter(const AtomicBloomFilter&) = delete;
  AtomicBloomFilter& operator=(const AtomicBloomFilter&) = delete;

  // As in BloomFilter. Of threads that add the same key at the same time, several can be told that
  // they changed a bit.
  bool AddKey(std::string_view key);
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);
  bool AddHash(uint64_t hash);
  size_t AddHashes(size_t n, const uint64_t* hashes, bool* changed = nullptr);

  bool MayMatch(std::string_view key) const;
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const;
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  BloomLayout layout() const;
  uint64_t num_bits() const;
  int num_probes() const;
  uint64_t seed() const;
  uint64_t capacity() const;

  // As in BloomFilter. There is no num_keys: a counter that all threads write would cost more than
  // the filter. EstimatedNumKeys() > capacity() says whether it is past its capacity.
  uint64_t EstimatedNumKeys() const;
  double EstimatedFalsePositiveRate() const;

 private:
  explicit AtomicBloomFilter(std::unique_ptr<filters::BloomState> state);

  std::unique_ptr<filters::BloomState> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ATOMIC_BLOOM_FILTER_H_
