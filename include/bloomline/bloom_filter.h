// Bloom filters in memory (Bloom 1970). A query answers "no", which is always correct, or "maybe",
// which is wrong for a fraction of the missing keys, the false-positive rate.
//
//   bloomline::BloomFilterOptions options;
//   options.capacity = 1000000;
//   auto filter = bloomline::BloomFilter::Create(options, &error);
//   filter->AddKey("apple");
//   if (!filter->MayMatch("pear")) { /* certainly never added */ }
//
// Rules for all filters in memory:
//
// - Errors. Validate returns "" or an error message. If a function with an `error` (may be null)
//   fails, it changes nothing and returns null or false. *error is then one sentence with the value
//   and the allowed range, or the file and the position in it. Only std::bad_alloc is thrown.
// - Moves. A moved-from filter can only be destroyed or assigned to.
// - Threads. Threads may call const functions concurrently, but no others meanwhile.
// - Cost, unless stated otherwise: one hash and one cache miss per key, several times less in calls
//   for many keys. Estimates, comparisons and ToBloomFilter read all bits.
//
// Link bloomline::filters.
#ifndef BLOOMLINE_BLOOM_FILTER_H_
#define BLOOMLINE_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/inline_query.h"
#include "bloomline/keys.h"

namespace bloomline {

namespace sets {
struct BloomState;

struct OneKeyFunctions {
  bool (*may_match)(const kernels::PayloadView& lines, uint64_t hash) = nullptr;
  bool (*add)(const kernels::PayloadView& lines, uint64_t hash) = nullptr;
};
}  // namespace sets

// Where the k bits of a key lie (docs/format.md, section 3).
enum class BloomLayout {
  // All in one 512-bit block, a cache line. A false-positive rate of 1 % needs 9.9 bits per key.
  kBlocked,
  // Anywhere. 1 % needs 9.6 bits per key. Each probe can cost a cache miss.
  kStandard,
  // All in one block of 128 or 64 bits. 1 % needs 10.8 or 12.1 bits per key.
  // CountingBloomFilter::ToBloomFilter makes them.
  kBlocked128,
  kBlocked64,
};

// The most bits of one filter: 128 TiB.
constexpr uint64_t kMaxBloomBits = uint64_t{1} << 50;

// Set either capacity and false_positive_rate, or num_bits and num_probes.
struct BloomFilterOptions {
  // Distinct keys, at least 1. More keys raise the false-positive rate. With num_bits, 0 means
  // "unknown".
  uint64_t capacity = 0;

  // Fraction of missing keys that match at capacity: above 0, below 1, and reachable with 100 bits
  // per key (kBlocked: 1.1e-10; kStandard: 2.6e-18; kBlocked128: 2.7e-7; kBlocked64: 6.0e-6).
  double false_positive_rate = 0.01;

  // 1 to kMaxBloomBits, rounded up to a multiple of 512; or 0.
  uint64_t num_bits = 0;

  // Bits that a key sets (k): 1 to 30 with num_bits, otherwise 0, meaning the best.
  int num_probes = 0;

  BloomLayout layout = BloomLayout::kBlocked;

  // Seed of the 64-bit hash (seed.h).
  uint64_t seed = 0;

  std::string Validate() const;
};

class BloomFilterBase : public filter::QueriesContainers<BloomFilterBase> {
 public:
  BloomFilterBase(const BloomFilterBase&) = delete;
  BloomFilterBase& operator=(const BloomFilterBase&) = delete;

  // Returns false only if the key was certainly not added.
  bool MayMatch(std::string_view key) const {
    return MayMatchHash(hasher_.IsShort(key.size()) ? hasher_(key) : HashOf(key));
  }

  // Sets may_match[i] to MayMatch(keys[i]) for n keys, or a container or array of keys (keys.h).
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  using QueriesContainers::MayMatch;

  // MayMatch(k) equals MayMatchHash(HashOf(k)). Another hash function works if all 64 bits are
  // well mixed and the filter uses no other.
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const { return functions_.may_match(lines_, hash); }
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  BloomLayout layout() const;
  uint64_t num_bits() const;  // a multiple of 512; memory is num_bits / 8 bytes
  int num_probes() const;
  uint64_t seed() const;
  uint64_t capacity() const;  // 0 if unknown

  // Counts the additions that changed a bit. Merge and Intersect set it to an estimate.
  uint64_t num_keys() const;

  // Whether num_keys() exceeds a known capacity().
  bool IsPastCapacity() const;

  // Estimates the distinct keys from the bits. Up to capacity, the relative standard error is below
  // 2 / sqrt(num_bits). The estimate is too low if all bits are set, too high after Intersect.
  uint64_t EstimatedNumKeys() const;

  double EstimatedFalsePositiveRate() const;

  // Writes the filter (docs/format.md, sections 8 to 10) to a file next to `path`, syncs it,
  // renames it to `path` and syncs the folder, which must be readable. So `path` names the old file
  // or the complete new one: after a failure the old one, unless *error contains "has been
  // replaced". An existing file must be regular or a link to one. The new file gets its
  // permissions, not its owner.
  bool Save(const std::string& path, std::string* error) const;

  // Sets *bytes to what Save writes: 64 + num_bits / 8 bytes.
  bool ToBytes(std::string* bytes, std::string* error) const;

  // Compares layout, num_bits, num_probes, seed and bits.
  friend bool operator==(const BloomFilterBase& a, const BloomFilterBase& b);
  friend bool operator!=(const BloomFilterBase& a, const BloomFilterBase& b) { return !(a == b); }

 protected:
  explicit BloomFilterBase(std::unique_ptr<sets::BloomState> state);
  ~BloomFilterBase();
  BloomFilterBase(BloomFilterBase&&) noexcept;
  BloomFilterBase& operator=(BloomFilterBase&&) noexcept;

  std::unique_ptr<sets::BloomState> state_;
  kernels::PayloadView lines_;
  sets::OneKeyFunctions functions_;
  uint64_t* num_keys_ = nullptr;
  filter::ShortKeyHasher hasher_;

 private:
  friend struct sets::BloomState;
};

// A Bloom filter that can change.
class BloomFilter : public BloomFilterBase, public filter::AddsContainers<BloomFilter> {
 public:
  static std::unique_ptr<BloomFilter> Create(const BloomFilterOptions& options, std::string* error);

  // Copies a filter, even a mapped one, into memory.
  static std::unique_ptr<BloomFilter> Copy(const BloomFilterBase& from, std::string* error);

  // Read a regular file that Save wrote, or its bytes, and check magic, version, length and
  // checksum.
  static std::unique_ptr<BloomFilter> Load(const std::string& path, std::string* error);
  static std::unique_ptr<BloomFilter> FromBytes(std::string_view bytes, std::string* error);

  // Adds a key of any length. Returns false if no bit changed: the key was present, or a false
  // positive.
  bool AddKey(std::string_view key) {
    return AddHash(hasher_.IsShort(key.size()) ? hasher_(key) : HashOf(key));
  }

  // Adds n keys in order, or a container or array of keys (keys.h). Returns how many changed a bit.
  // Unless `changed` is null, changed[i] is the result for keys[i].
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);
  using AddsContainers::AddKeys;

  // These do the same for hashes (see HashOf).
  bool AddHash(uint64_t hash) {
    const bool changed = functions_.add(lines_, hash);
    *num_keys_ += changed ? 1 : 0;
    return changed;
  }
  size_t AddHashes(size_t n, const uint64_t* hashes, bool* changed = nullptr);

  // Adds all keys of `other`. Fails unless layout, num_bits, num_probes and seed are equal.
  bool Merge(const BloomFilterBase& other, std::string* error);

  // Keeps the keys that are also in `other`. Each other key stays with a probability of about the
  // false-positive rate of `other`. Fails like Merge.
  bool Intersect(const BloomFilterBase& other, std::string* error);

  void Clear();

 private:
  using BloomFilterBase::BloomFilterBase;
};

// A saved filter that is read in place; processes that map it share its pages. Save may replace the
// file, but nothing may truncate it: if a page is missing or cannot be read, SIGBUS kills the
// process.
class MappedBloomFilter : public BloomFilterBase {
 public:
  enum class Verify {
    kHeader,   // magic, version, length and the header's checksum: reads one page
    kPayload,  // the checksum of the bits as well: reads the whole file
  };

  static std::unique_ptr<MappedBloomFilter> Open(const std::string& path, Verify verify,
                                                 std::string* error);

 private:
  using BloomFilterBase::BloomFilterBase;
};

}  // namespace bloomline

#endif  // BLOOMLINE_BLOOM_FILTER_H_
