// A Bloom filter for a number of keys that nobody knows: when it is full, it goes on in a second,
// larger one, and so forth (Almeida, Baquero, Preguica, Hutchison: Scalable Bloom Filters, 2007).
#ifndef BLOOMLINE_SCALABLE_BLOOM_FILTER_H_
#define BLOOMLINE_SCALABLE_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/bloom_filter.h"

namespace bloomline {

namespace filters {
class InputFile;
}

// Stage i (from 0) holds initial_capacity * growth^i keys at a rate of
// false_positive_rate * (1 - tightening) * tightening^i; those sum up to less than
// false_positive_rate, however many stages there are.
struct ScalableBloomFilterOptions {
  // Keys of the first stage, 1 or more. An order of magnitude is enough; from too low, each
  // doubling costs one more stage to ask.
  uint64_t initial_capacity = 1000;

  // Bound of the whole filter's rate, as in BloomFilterOptions.
  double false_positive_rate = 0.01;

  // 1 to 16: factor of the capacity from stage to stage.
  int growth = 2;

  // Above 0, below 1: factor of the rate from stage to stage. 0.5 costs the first stage one bit per
  // key and each further one more; near 1 the first stage pays for all that may follow.
  double tightening = 0.5;

  BloomLayout layout = BloomLayout::kBlocked;
  uint64_t seed = 0;  // as in BloomFilterOptions

  // As BloomFilterOptions::Validate.
  std::string Validate() const;
};

// Const methods are thread-safe as long as no thread changes the filter. Throws nothing.
class ScalableBloomFilter {
 public:
  // Null on bad options and when memory for the first stage cannot be had. `error` as in
  // bloom_filter.h, here and below.
  static std::unique_ptr<ScalableBloomFilter> Create(const ScalableBloomFilterOptions& options,
                                                     std::string* error);

  // Reads a file that Save wrote, as BloomFilter::Load does.
  static std::unique_ptr<ScalableBloomFilter> Load(const std::string& path, std::string* error);

  ~ScalableBloomFilter();
  ScalableBloomFilter(const ScalableBloomFilter&) = delete;
  ScalableBloomFilter& operator=(const ScalableBloomFilter&) = delete;

  // Adds a key unless a stage may contain it. True if it was added: it was certainly not in before.
  // When memory for a further stage cannot be had, the last one takes the key beyond its capacity,
  // and IsPastCapacity() says so. Cost: one hash, and one cache line for each stage.
  bool AddKey(std::string_view key);

  // Adds n keys in this order; returns how many were added, and which in `changed`, unless it is
  // null. In large filters several times as fast as single calls.
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);

  // As BloomFilter::MayMatch. Cost: one hash, and one cache line for each stage up to the one
  // that contains the key; the last and largest stage is asked first.
  bool MayMatch(std::string_view key) const;
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  const ScalableBloomFilterOptions& options() const;
  size_t num_stages() const;

  // Stage 0 is the oldest; i < num_stages(). Valid until the filter is changed.
  const BloomFilter& stage(size_t i) const;

  // Sums over the stages.
  uint64_t num_bits() const;
  uint64_t capacity() const;
  uint64_t num_keys() const;
  uint64_t EstimatedNumKeys() const;

  // 1 - the product over the stages of 1 - EstimatedFalsePositiveRate(). Cost: reads all bits.
  double EstimatedFalsePositiveRate() const;

  // A stage could not be added, and the last one went past its capacity: the bound no longer holds.
  bool IsPastCapacity() const;

  // Removes all keys and all stages but the first.
  void Clear();

  // One file with all stages (docs/format.md, section 9), written as BloomFilter::Save does.
  bool Save(const std::string& path, std::string* error) const;

 private:
  explicit ScalableBloomFilter(const ScalableBloomFilterOptions& options);
  static std::unique_ptr<ScalableBloomFilter> New(const ScalableBloomFilterOptions& options,
                                                  std::string* error);
  static std::unique_ptr<ScalableBloomFilter> Read(const filters::InputFile& file,
                                                   std::string* error);
  bool AddStage(std::string* error);
  bool LastHasRoom() const;
  bool AddNewHash(uint64_t hash);
  bool MayMatchHash(uint64_t hash) const;
  void RequestForQuery(uint64_t hash) const;
  void RequestedMayMatch(size_t n, const uint64_t* hashes, bool* may_match) const;
  template <typename Figure>
  uint64_t Sum(Figure figure) const;

  ScalableBloomFilterOptions options_;
  std::vector<std::unique_ptr<BloomFilter>> stages_;  // at least one
  bool is_past_capacity_ = false;
};

}  // namespace bloomline

#endif  // BLOOMLINE_SCALABLE_BLOOM_FILTER_H_
