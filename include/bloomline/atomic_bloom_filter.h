// A Bloom filter that many threads can change and query at the same time, without locks.
//
// Memory order: bits are set by relaxed atomic operations. If any synchronisation orders AddKey(k)
// before MayMatch(k), the answer is true. Answers do not order other memory accesses.
//
// Everything not described here is as in bloom_filter.h.
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
// Adding a key costs one atomic operation for each 64-bit word that changes.
class AtomicBloomFilter : private BloomFilterBase,
                          public filter::AddsContainers<AtomicBloomFilter> {
 public:
  static std::unique_ptr<AtomicBloomFilter> Create(const BloomFilterOptions& options,
                                                   std::string* error);

  // Takes over the keys and memory of `filter`, and sets it to null. Returns null if it was null.
  static std::unique_ptr<AtomicBloomFilter> ToAtomic(std::unique_ptr<BloomFilter>&& filter);

  // Reverses ToAtomic. The result's num_keys is EstimatedNumKeys.
  static std::unique_ptr<BloomFilter> ToBloomFilter(std::unique_ptr<AtomicBloomFilter>&& filter);

  // Returns a copy while other threads continue. It has all keys whose AddKey happened before, and
  // maybe some bits of others.
  std::unique_ptr<BloomFilter> Snapshot(std::string* error) const;

  // If several threads add a key at the same time, more than one may get true.
  bool AddKey(std::string_view key) { return AddHash(HashOf(key)); }
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);
  using AddsContainers::AddKeys;
  bool AddHash(uint64_t hash) { return functions_.add(lines_, hash); }
  size_t AddHashes(size_t n, const uint64_t* hashes, bool* changed = nullptr);

  using BloomFilterBase::capacity;
  using BloomFilterBase::EstimatedFalsePositiveRate;
  using BloomFilterBase::EstimatedNumKeys;
  using BloomFilterBase::HashOf;
  using BloomFilterBase::layout;
  using BloomFilterBase::MayMatch;
  using BloomFilterBase::MayMatchHash;
  using BloomFilterBase::MayMatchHashes;
  using BloomFilterBase::num_bits;
  using BloomFilterBase::num_probes;
  using BloomFilterBase::seed;

 private:
  using BloomFilterBase::BloomFilterBase;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ATOMIC_BLOOM_FILTER_H_
