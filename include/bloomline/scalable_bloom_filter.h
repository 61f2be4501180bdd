// A Bloom filter for an unknown number of keys. When it is full, it continues in a second, larger
// Bloom filter, then in a third, and so on (Almeida, Baquero, Preguica, Hutchison 2007: Scalable
// Bloom Filters). The false-positive rate of the whole stays below the given bound as long as the
// filter can grow.
//
//   bloomline::ScalableBloomFilterOptions options;
//   options.initial_capacity = 10000;     // a guess
//   options.false_positive_rate = 0.01;   // an upper bound
//   std::string error;
//   auto filter = bloomline::ScalableBloomFilter::Create(options, &error);
//   if (filter == nullptr) return 1;  // error says why
//   if (filter->AddKey("apple")) { /* certainly new */ }
//   if (!filter->MayMatch("pear")) { /* certainly never added */ }
//
// When to use it: the number of keys is not known within a factor of about two. If it is known,
// BloomFilter is smaller and faster: each stage here costs another cache miss per query, and takes
// extra bits per key to allow for the stages that may follow. A scalable filter cannot be merged or
// mapped.
//
// How it grows. Stage i (from 0) is a BloomFilter for initial_capacity * growth^i keys at a
// false-positive rate of false_positive_rate * (1 - tightening) * tightening^i. The rates of all
// stages add up to less than false_positive_rate, however many there are. A key is in the filter if
// it is in any stage.
//
// The filter stops growing when there is no memory for a further stage, or when that stage's rate
// is below what the layout can reach. With the defaults that is after 75 stages (kBlocked, more
// keys than any memory holds) or 27 stages (kBlocked64, about 1e11 keys). A growth of 1 gives 75
// stages of 1000 keys, and a tightening of 0.001 only 3 stages. The last stage then takes all
// further keys, the bound no longer holds, and IsPastCapacity() is true.
//
// Link bloomline::filters (CMake component `filters`).
//
// Errors, ownership, threads and moves are those of bloom_filter.h.
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

namespace support {
class ByteSource;
}  // namespace support

struct ScalableBloomFilterOptions {
  // Keys of the first stage, 1 or more. The order of magnitude is enough. If it is too low, each
  // further doubling (with growth 2) adds one stage to every query.
  uint64_t initial_capacity = 1000;

  // Upper bound on the false-positive rate of the whole filter: above 0, below 1, and such that the
  // first stage can reach its part of it (BloomFilterOptions).
  double false_positive_rate = 0.01;

  // Each stage has this many times the capacity of the one before: 1 to 16.
  int growth = 2;

  // Each stage has this many times the false-positive rate of the one before: above 0, below 1.
  // Low, and each stage takes many bits per key more than the one before; near 1, the first stage
  // gets a tiny part of the rate and takes many itself. Bits per key and false-positive rate of a
  // filter with defaults, when it has grown to so many times its initial capacity, as
  // `scalable_bloom_filter_test --gtest_filter=*Tightening*` prints them:
  //
  //   tightening    10 times         100 times        1000 times
  //   0.5           23.3  0.78 %     26.5  0.89 %     28.1  0.90 %
  //   0.6           22.6  0.69 %     23.9  0.85 %     23.9  0.89 %
  //   0.7           22.3  0.61 %     22.2  0.82 %     20.9  0.91 %
  //   0.8           22.7  0.44 %     21.2  0.68 %     18.9  0.83 %
  //   0.9           24.4  0.24 %     21.6  0.43 %     18.2  0.60 %
  //   0.95          26.7  0.13 %     23.0  0.25 %     19.0  0.37 %
  double tightening = 0.8;

  BloomLayout layout = BloomLayout::kBlocked;
  uint64_t seed = 0;  // as in BloomFilterOptions

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

class ScalableBloomFilter {
 public:
  // An empty filter. Null if the options are invalid or there is no memory for the first stage.
  static std::unique_ptr<ScalableBloomFilter> Create(const ScalableBloomFilterOptions& options,
                                                     std::string* error);

  // Reads a file that Save wrote, or bytes that ToBytes gave, as BloomFilter does.
  static std::unique_ptr<ScalableBloomFilter> Load(const std::string& path, std::string* error);
  static std::unique_ptr<ScalableBloomFilter> FromBytes(std::string_view bytes, std::string* error);

  ~ScalableBloomFilter();
  ScalableBloomFilter(ScalableBloomFilter&&) noexcept;
  ScalableBloomFilter& operator=(ScalableBloomFilter&&) noexcept;

  // Adds a key to the last stage unless it matches already. True: it was added, and was certainly
  // not in before. False: it is in, or was a false positive. When the filter has stopped growing
  // (above), the last stage takes the key beyond its capacity; no key is lost. Cost: one hash, and
  // one cache miss for each stage.
  bool AddKey(std::string_view key);

  // For many keys, as in BloomFilter. Returns how many were added.
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

  // As BloomFilter::MayMatch. Cost: one hash, and one cache miss for each stage up to the first
  // that matches; the query goes from the last and largest stage to the oldest.
  bool MayMatch(std::string_view key) const;
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  template <typename Keys, typename = filter::IfKeys<Keys>>
  void MayMatch(const Keys& keys, bool* may_match) const {
    filter::ForEachKeyGroup(keys, [&](size_t first, size_t n, const std::string_view* group) {
      MayMatch(n, group, may_match + first);
    });
  }

  const ScalableBloomFilterOptions& options() const;
  size_t num_stages() const;

  // Stage 0 is the oldest; i < num_stages(). The reference is valid until the filter is changed.
  const BloomFilter& stage(size_t i) const;

  // Sums over the stages.
  uint64_t num_bits() const;
  uint64_t capacity() const;
  uint64_t num_keys() const;
  uint64_t EstimatedNumKeys() const;

  // The false-positive rate of the filter as it is now: 1 minus the product, over the stages, of
  // 1 - EstimatedFalsePositiveRate(). Cost: reads all bits.
  double EstimatedFalsePositiveRate() const;

  // The filter has stopped growing, for lack of memory or because no further stage's rate is
  // within reach of the layout, and the last stage holds more keys than its capacity. The requested
  // false-positive rate is no longer kept, and rises with each key. Until Clear, no stage is added,
  // even if there is memory again. Not saved: at its next new key, a loaded filter attempts to grow
  // again.
  bool IsPastCapacity() const;

  // Removes all keys and all stages but the first.
  void Clear();

  // All stages in one file (docs/format.md, section 9), written as BloomFilter::Save
  // does; or the bytes of that file, as BloomFilter::ToBytes gives them.
  bool Save(const std::string& path, std::string* error) const;
  bool ToBytes(std::string* bytes, std::string* error) const;

 private:
  struct Saved;
  explicit ScalableBloomFilter(const ScalableBloomFilterOptions& options);
  static std::unique_ptr<ScalableBloomFilter> New(const ScalableBloomFilterOptions& options,
                                                  std::string* error);
  static std::unique_ptr<ScalableBloomFilter> Read(const support::ByteSource& source,
                                                   std::string* error);
  bool AddStage(std::string* error);
  bool LastHasRoom() const;
  bool AddNewHash(uint64_t hash);
  bool MayMatchHash(uint64_t hash) const;
  void PrefetchForQuery(uint64_t hash) const;
  void PrefetchedMayMatch(size_t n, const uint64_t* hashes, bool* may_match) const;
  template <typename Figure>
  uint64_t Sum(Figure figure) const;

  ScalableBloomFilterOptions options_;
  std::vector<BloomFilter> stages_;  // at least one
  bool is_past_capacity_ = false;
};

}  // namespace bloomline

#endif  // BLOOMLINE_SCALABLE_BLOOM_FILTER_H_
