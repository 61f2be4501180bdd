// Bloom filters in memory: a set of keys in about ten bits per key (Bloom 1970: Space/Time
// Trade-offs in Hash Coding with Allowable Errors).
//
// A Bloom filter answers one question: may this key be in the set? "No" is always right. "Yes" is
// wrong for a small part of the missing keys, the false-positive rate; the filter's size decides
// how small. Keys can be added at any time and cannot be removed. Typical uses: to avoid a disk
// read or a network request for keys that are not there, and to skip what was seen before.
//
//   bloomline::BloomFilterOptions options;
//   options.capacity = 1000000;
//   options.false_positive_rate = 0.01;
//   std::string error;
//   auto filter = bloomline::BloomFilter::Create(options, &error);
//   if (filter == nullptr) return 1;  // error says why
//   filter->AddKey("apple");
//   if (!filter->MayMatch("pear")) { /* certainly never added */ }
//   if (!filter->Save("fruit.bloom", &error)) return 1;
//
// Keys are bytes. keys.h makes keys of integers: filter->AddKey(KeyOf(42)).
//
// Link bloomline::filters (CMake component `filters`).
//
// Which filter to use:
//
//   BloomFilter           one thread adds; the number of keys is roughly known. Start here.
//   MappedBloomFilter     a saved filter, read in place by any number of processes (below).
//   AtomicBloomFilter     many threads add and query at once (atomic_bloom_filter.h).
//   ScalableBloomFilter   the number of keys is not known (scalable_bloom_filter.h).
//   CountingBloomFilter   keys are removed again (counting_bloom_filter.h).
//   FilterBuilder         all keys are known at once, the filter goes to disk and never changes
//                         (filter.h).
//   SharedBloomFilter     many machines share one filter, which is in Redis (redis_bloom_filter.h).
//
// These rules apply to this header and to the other three filters in memory:
//
// - Errors. `error` may be null. A function that fails sets it to one sentence, which names the
//   value and the allowed range, or the file and the place in it; one that succeeds leaves it
//   alone. Nothing throws. filter_options.h says what happens when memory runs out.
// - Ownership. Create, Load and their like give a new filter to the caller. Filters can be moved,
//   at no cost and without an exception. A filter that was moved from can only be destroyed or
//   assigned to.
// - Threads. Const functions may run on one filter in several threads at once, as long as no other
//   function runs on it. AtomicBloomFilter alone allows more.
// - Cost. A key costs one hash and one cache miss, except where a comment says otherwise. The
//   functions for many keys do the same as n single calls. In a filter larger than the CPU's caches
//   they are several times as fast, because the memory accesses of many keys overlap.
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

namespace support {
class ByteSource;
}  // namespace support
namespace sets {
struct BloomState;

// Chosen for a filter's layout, its number of probes and the CPU.
struct OneKeyFunctions {
  bool (*may_match)(const kernels::PayloadView& lines, uint64_t hash) = nullptr;
  bool (*add)(const kernels::PayloadView& lines, uint64_t hash) = nullptr;
};
}  // namespace sets

// Where the bits of a key lie. The k bits come from one 64-bit hash by an improved double hashing
// (Kirsch and Mitzenmacher 2006: Less Hashing, Same Performance). docs/format.md defines each
// layout to the bit.
enum class BloomLayout {
  // All bits of a key lie in one block of 512 bits, a cache line (Putze, Sanders, Singler 2007:
  // Cache-, Hash- and Space-Efficient Bloom Filters): one cache miss per key. Needs 9.9 bits per
  // key for a false-positive rate of 1 %. Section 3.3.
  kBlocked,
  // The standard Bloom filter: the bits of a key lie anywhere. Needs 9.6 bits per key for 1 %, and
  // 14.4 instead of 15.5 for 0.1 %. In a filter larger than the caches a key costs up to one cache
  // miss per probe. Section 3.6.
  kStandard,
  // All bits of a key lie in a block of 128 or 64 bits: one cache miss, and 10.8 or 12.1 bits per
  // key for 1 %, 19 or 24 for 0.1 %. CountingBloomFilter::ToBloomFilter gives these. Section 3.7.
  kBlocked128,
  kBlocked64,
};

// The most bits of one filter: 128 TiB.
constexpr uint64_t kMaxBloomBits = uint64_t{1} << 50;

// The size of a filter comes either from capacity and false_positive_rate, or from num_bits and
// num_probes.
struct BloomFilterOptions {
  // Distinct keys up to which the filter keeps false_positive_rate. It accepts more, at a higher
  // rate. 1 or more. If num_bits is set, only IsPastCapacity uses the capacity; 0 then means that
  // it is not known.
  uint64_t capacity = 0;

  // Fraction of missing keys that match when the filter holds `capacity` keys: above 0, below 1,
  // and reachable with 100 bits per key (kBlocked: 1.1e-10; kStandard: 2.6e-18; kBlocked128:
  // 2.7e-7; kBlocked64: 6.0e-6). Ignored with num_bits.
  double false_positive_rate = 0.01;

  // 0: from capacity and false_positive_rate. Else 1 to kMaxBloomBits, rounded up to a multiple of
  // 512.
  uint64_t num_bits = 0;

  // Bits that a key sets (k). With num_bits: 1 to 30. Without: must be 0; the filter then chooses
  // the best.
  int num_probes = 0;

  BloomLayout layout = BloomLayout::kBlocked;

  // Seed of the 64-bit hash. A seed that outsiders do not know keeps them from choosing keys that
  // collide; DrawSeed (seed.h) draws one. Only filters of the same seed can be merged.
  uint64_t seed = 0;

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

// What a BloomFilter in memory and a mapped one have in common: queries, figures, and saving.
class BloomFilterBase {
 public:
  BloomFilterBase(const BloomFilterBase&) = delete;
  BloomFilterBase& operator=(const BloomFilterBase&) = delete;

  // False: the key was certainly not added. True: it was added, or it is a false positive.
  // Cost: one hash and one cache miss (kStandard: up to num_probes).
  bool MayMatch(std::string_view key) const {
    return MayMatchHash(hasher_.IsShort(key.size()) ? hasher_(key) : HashOf(key));
  }

  // may_match[i] = MayMatch(keys[i]) for i < n.
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  // The same for a container or array of keys (keys.h). may_match has as many elements.
  template <typename Keys, typename = filter::IfKeys<Keys>>
  void MayMatch(const Keys& keys, bool* may_match) const {
    filter::ForEachKeyGroup(keys, [&](size_t first, size_t n, const std::string_view* group) {
      MayMatch(n, group, may_match + first);
    });
  }

  // For callers that have a 64-bit hash already. HashOf is XXH3 with the filter's seed, and
  // MayMatch(k) is MayMatchHash(HashOf(k)). Any other hash works too, if all its 64 bits are well
  // mixed and the filter never gets hashes of another kind.
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const { return functions_.may_match(lines_, hash); }
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  BloomLayout layout() const;
  uint64_t num_bits() const;  // a multiple of 512; memory is num_bits / 8 bytes
  int num_probes() const;
  uint64_t seed() const;
  uint64_t capacity() const;  // 0: not stated

  // Additions that changed a bit: the number of distinct keys, less those that were false positives
  // when they came (at 1 % and full, two keys in a thousand). Merge sets it to
  // EstimatedNumKeys, and Intersect to its own estimate; later additions count on from there. A
  // filter made from an AtomicBloomFilter or a CountingBloomFilter starts with EstimatedNumKeys as
  // well.
  uint64_t num_keys() const;

  // More keys than capacity() were added, by num_keys(): the requested false-positive rate is no
  // longer kept, and rises with each key. Never true with a capacity of 0.
  bool IsPastCapacity() const;

  // Number of distinct keys, estimated from the part of the bits that is set. Relative standard
  // error up to `capacity` keys: below 2 / sqrt(num_bits), so 0.2 % at 1e6 bits. With all bits
  // set there is no estimate; the result is a likely lower bound. After Intersect it is too high,
  // because bits that two filters share by chance remain set: two disjoint sets of a million keys
  // leave 380,434 at 1 %. So it is in what is then merged or made from that filter. Cost: reads all
  // bits.
  uint64_t EstimatedNumKeys() const;

  // The false-positive rate of the filter as it is now, exact for its bits: with X of B bits set,
  // (X / B)^num_probes; except in kStandard, the mean of that over all blocks. Cost: reads all
  // bits.
  double EstimatedFalsePositiveRate() const;

  // Writes the filter to a file (docs/format.md, section 8). The file is written beside `path`,
  // synced, and then renamed to `path`; finally the folder is synced. So `path` is at any time the
  // old file or the whole new one. Needs no memory beyond the filter.
  //
  // False: the old file is as it was, and nothing is left beside it, unless *error says that it
  // "has been replaced, but its folder cannot be synced".
  //
  // Symbolic links to a file are followed, and stay. An old file must be a regular one. The new
  // file gets its permissions, but belongs to who writes it and has no access control list. Other
  // hard links keep the old filter. The folder must be readable: only then can it be synced.
  bool Save(const std::string& path, std::string* error) const;

  // Sets *bytes to the bytes of the file that Save writes, for places other than files. They carry
  // checksums. False, and *bytes is as it was, if there is no memory: 64 + num_bits / 8 bytes.
  bool ToBytes(std::string* bytes, std::string* error) const;

  // Same layout, num_bits, num_probes, seed and bits. Cost: reads all bits.
  friend bool operator==(const BloomFilterBase& a, const BloomFilterBase& b);
  friend bool operator!=(const BloomFilterBase& a, const BloomFilterBase& b) { return !(a == b); }

 protected:
  explicit BloomFilterBase(std::unique_ptr<sets::BloomState> state);
  ~BloomFilterBase();
  BloomFilterBase(BloomFilterBase&&) noexcept;
  BloomFilterBase& operator=(BloomFilterBase&&) noexcept;

  std::unique_ptr<sets::BloomState> state_;
  kernels::PayloadView lines_;  // all bits in any layout, as cache lines
  sets::OneKeyFunctions functions_;
  uint64_t* num_keys_ = nullptr;  // in the state
  filter::ShortKeyHasher hasher_;

 private:
  friend class BloomFilter;
  friend class AtomicBloomFilter;
  friend class ScalableBloomFilter;
};

// A filter that one thread at a time may change. Its memory begins on a 64-byte boundary. From
// 2 MiB on it is in huge pages where the system gives them, and the system zeroes it when it is
// first touched, so Create costs microseconds whatever the size.
class BloomFilter : public BloomFilterBase {
 public:
  // An empty filter. Null if the options are invalid or there is no memory for the bits.
  static std::unique_ptr<BloomFilter> Create(const BloomFilterOptions& options, std::string* error);

  // A copy in memory of another filter, also of a mapped one. Null if there is no memory.
  static std::unique_ptr<BloomFilter> Copy(const BloomFilterBase& from, std::string* error);

  // Reads a file that Save wrote. Null, with file, place and values in *error, if the file cannot
  // be read or is not what Save wrote: no regular file (opening a pipe does not block), wrong
  // magic, version, length or checksum. *error says what the file is if it is a saved filter of
  // another kind, a static filter, or a table of LevelDB or RocksDB. Takes no more memory than the
  // file is long, and a page.
  static std::unique_ptr<BloomFilter> Load(const std::string& path, std::string* error);

  // Reads bytes that ToBytes gave, or the content of a saved file, with the checks of Load; *error
  // says "bytes" where Load names the file.
  static std::unique_ptr<BloomFilter> FromBytes(std::string_view bytes, std::string* error);

  ~BloomFilter();
  BloomFilter(BloomFilter&&) noexcept;
  BloomFilter& operator=(BloomFilter&&) noexcept;

  // Adds a key of any length. True if that changed a bit: the key was certainly not in before.
  // False: it is in, or was a false positive. Cost: as MayMatch.
  bool AddKey(std::string_view key) {
    return AddHash(hasher_.IsShort(key.size()) ? hasher_(key) : HashOf(key));
  }

  // Adds n keys in this order and returns how many changed a bit. changed[i], if `changed` is not
  // null, is what AddKey(keys[i]) would have returned.
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);

  // The same for a container or array of keys (keys.h).
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

  // The same for hashes: see HashOf.
  bool AddHash(uint64_t hash) {
    const bool changed = functions_.add(lines_, hash);
    *num_keys_ += changed ? 1 : 0;
    return changed;
  }
  size_t AddHashes(size_t n, const uint64_t* hashes, bool* changed = nullptr);

  // Adds all keys of `other` (the union). Returns false and changes nothing unless layout,
  // num_bits, num_probes and seed are equal; *error names what differs and both values. Capacity
  // stays.
  bool Merge(const BloomFilterBase& other, std::string* error);

  // Keeps only the bits that are set in `other` as well. Keys that are in both filters stay. A key
  // of this filter alone still matches with about the false-positive rate of the other one.
  // num_keys() becomes the estimated number of keys in both, by inclusion and exclusion from the
  // bits of the two filters. Its standard error is below 2 / sqrt(num_bits) of the keys of both
  // filters together, if neither is itself an intersection. Fails as Merge does. Cost: reads all
  // bits twice.
  bool Intersect(const BloomFilterBase& other, std::string* error);

  // Removes all keys.
  void Clear();

 private:
  friend class AtomicBloomFilter;
  friend class CountingBloomFilter;
  friend class ScalableBloomFilter;
  explicit BloomFilter(std::unique_ptr<sets::BloomState> state);
  static std::unique_ptr<BloomFilter> FromState(std::unique_ptr<sets::BloomState> state);
  static std::unique_ptr<BloomFilter> Read(const support::ByteSource& source, std::string* error);
  template <typename Combine>
  void CombineWith(const BloomFilterBase& other, Combine combine);
};

// A saved filter, read in place: queries read the pages of the file, and all processes that map it
// share them. Open takes microseconds for a file of any size; the first query of a page reads it
// from disk.
//
//   auto fruit = bloomline::MappedBloomFilter::Open(
//       "fruit.bloom", bloomline::MappedBloomFilter::Verify::kPayload, &error);
//   if (fruit == nullptr) return 1;  // error says why
//   if (!fruit->MayMatch("pear")) { /* certainly never added */ }
//
// The file must keep its length as long as it is mapped. Save replaces files and so may be used on
// the same path. If a page was cut off, or the disk cannot read it, the system ends the process
// with SIGBUS. Use BloomFilter::Load if others may write to the file.
class MappedBloomFilter : public BloomFilterBase {
 public:
  enum class Verify {
    kHeader,   // magic, version, length and the header's checksum: reads one page
    kPayload,  // the checksum of the bits as well: reads the whole file, at about 6 GB/s if it is
               // in memory
  };

  // Null, with file, place and values in *error, if the file cannot be mapped or is not what Save
  // wrote.
  static std::unique_ptr<MappedBloomFilter> Open(const std::string& path, Verify verify,
                                                 std::string* error);
  ~MappedBloomFilter();
  MappedBloomFilter(MappedBloomFilter&&) noexcept;
  MappedBloomFilter& operator=(MappedBloomFilter&&) noexcept;

 private:
  explicit MappedBloomFilter(std::unique_ptr<sets::BloomState> state);
};

}  // namespace bloomline

#endif  // BLOOMLINE_BLOOM_FILTER_H_
