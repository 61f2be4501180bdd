// A Bloom filter for an unknown number of keys. When it is full, it adds a larger stage. The
// false-positive rate of the whole stays below a bound (Almeida et al. 2007).
//
// For a known number of keys, BloomFilter is smaller and faster.
//
// Growth ends if there is no memory for a stage, or if the layout cannot reach its rate. The last
// stage then takes all further keys, and the bound no longer holds (IsPastCapacity).
//
// Everything not described here is as in bloom_filter.h.
#ifndef BLOOMLINE_SCALABLE_BLOOM_FILTER_H_
#define BLOOMLINE_SCALABLE_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"

namespace bloomline {

namespace sets {
struct ScalableState;
}  // namespace sets

struct ScalableBloomFilterOptions {
  // Keys of the first stage, at least 1. If it is too low, queries visit more stages.
  uint64_t initial_capacity = 1000;

  // Upper bound for the whole filter, between 0 and 1; the first stage must be able to reach its
  // share, 1 - tightening.
  double false_positive_rate = 0.01;

  // Capacity of a stage as a multiple of the previous one: 1 to 16.
  int growth = 2;

  // False-positive rate of a stage as a multiple of the previous one's: above 0, below 1. With 0.8,
  // a key takes 19 to 23 bits at 10 to 1000 times the initial capacity.
  double tightening = 0.8;

  BloomLayout layout = BloomLayout::kBlocked;
  uint64_t seed = 0;

  std::string Validate() const;
};

class ScalableBloomFilter : public filter::QueriesContainers<ScalableBloomFilter>,
                            public filter::AddsContainers<ScalableBloomFilter> {
 public:
  static std::unique_ptr<ScalableBloomFilter> Create(const ScalableBloomFilterOptions& options,
                                                     std::string* error);
  static std::unique_ptr<ScalableBloomFilter> Load(const std::string& path, std::string* error);
  static std::unique_ptr<ScalableBloomFilter> FromBytes(std::string_view bytes, std::string* error);

  ~ScalableBloomFilter();
  ScalableBloomFilter(ScalableBloomFilter&&) noexcept;
  ScalableBloomFilter& operator=(ScalableBloomFilter&&) noexcept;

  // Adds a key to the last stage and returns true, unless it already matches. Costs one cache miss
  // per stage.
  bool AddKey(std::string_view key);

  // Returns how many keys were added.
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);
  using AddsContainers::AddKeys;

  // Costs one cache miss for each stage up to the first that matches.
  bool MayMatch(std::string_view key) const;
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  using QueriesContainers::MayMatch;

  const ScalableBloomFilterOptions& options() const;
  size_t num_stages() const;

  // Stage 0 is the oldest. The reference is valid until the filter changes.
  const BloomFilter& stage(size_t i) const;

  // These are sums over the stages.
  uint64_t num_bits() const;
  uint64_t capacity() const;
  uint64_t num_keys() const;
  uint64_t EstimatedNumKeys() const;

  double EstimatedFalsePositiveRate() const;

  // Whether growth has ended (until Clear) and the last stage holds more keys than its capacity.
  // Save omits this: a loaded filter tries to grow again at its next new key.
  bool IsPastCapacity() const;

  // Removes all keys and all stages but the first.
  void Clear();

  bool Save(const std::string& path, std::string* error) const;
  bool ToBytes(std::string* bytes, std::string* error) const;

 private:
  explicit ScalableBloomFilter(std::unique_ptr<sets::ScalableState> state);
  static std::unique_ptr<ScalableBloomFilter> FromState(std::unique_ptr<sets::ScalableState> state);

  std::unique_ptr<sets::ScalableState> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_SCALABLE_BLOOM_FILTER_H_
