// Bloom filters in memory: keys are added and asked for at any time; union, files, zero-copy maps.
//
//   bloomline::BloomFilterOptions options;
//   options.capacity = 1000000;
//   options.false_positive_rate = 0.01;
//   std::string error;
//   auto filter = bloomline::BloomFilter::Create(options, &error);
//   if (filter == nullptr) { /* error says why */ }
//   filter->AddKey("apple");
//   if (!filter->MayMatch("pear")) { /* certainly never added */ }
//
// Many threads that add at once: atomic_bloom_filter.h. Keys whose number nobody knows:
// scalable_bloom_filter.h. Keys that are removed again: counting_bloom_filter.h. A set that is
// known at once and written to disk: filter.h.
//
// In every function of this header `error` may be null; otherwise it gets one sentence, which names
// the value and what is allowed, when the function fails, and is untouched when it succeeds.
// Nothing here throws; filter_options.h says what happens out of memory.
#ifndef BLOOMLINE_BLOOM_FILTER_H_
#define BLOOMLINE_BLOOM_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bloomline {

namespace filters {
struct BloomState;
}  // namespace filters

// Where a key's bits lie. docs/format.md defines each to the bit.
enum class BloomLayout {
  // All bits of a key in one 64-byte line (section 3.3): one cache miss for each key. Needs 10.0
  // bits per key for a rate of 1 %.
  kBlocked,
  // The textbook's filter: bits anywhere (section 3.6). Needs 9.6 bits per key for 1 %, 14.4
  // instead of 15.5 for 0.1 %; in a filter larger than the caches a key costs as many cache misses
  // as it has probes.
  kStandard,
  // All bits of a key in 128 or 64 bits of a line (section 3.7): one cache miss, and 10.9 or 12.1
  // bits per key for 1 %, 19 or 24 for 0.1 %. What CountingBloomFilter::ToBloomFilter gives.
  kBlocked128,
  kBlocked64,
};

// The most bits of one filter: 128 TiB.
constexpr uint64_t kMaxBloomBits = uint64_t{1} << 50;

// The size is given either by capacity and false_positive_rate or by num_bits and num_probes.
struct BloomFilterOptions {
  // Distinct keys up to which the filter keeps false_positive_rate; it takes more, at a higher
  // rate. 1 or more; with num_bits it may be 0, "not stated", and then serves IsPastCapacity alone.
  uint64_t capacity = 0;

  // Share of absent keys that pass when `capacity` keys are in: above 0, below 1, and reachable
  // with 100 bits per key (kBlocked, kStandard: 1e-9; kBlocked128: 3e-7; kBlocked64: 7e-6).
  // Ignored with num_bits.
  double false_positive_rate = 0.01;

  // 0: from capacity and rate. Else 1 to kMaxBloomBits, rounded up to a multiple of 512.
  uint64_t num_bits = 0;

  // 1 to 30 with num_bits, else 0: the best number for the rate is taken.
  int num_probes = 0;

  BloomLayout layout = BloomLayout::kBlocked;

  // Seed of the 64-bit hash. One that outsiders do not know keeps them from choosing keys that
  // collide; DrawSeed (seed.h) draws such a one. Only filters of the same seed can be merged.
  uint64_t seed = 0;

  // Empty if the options can be used, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

// What all Bloom filters in memory and mapped ones can be asked. Const methods are thread-safe as
// long as no thread changes the filter.
class BloomFilterBase {
 public:
  BloomFilterBase(const BloomFilterBase&) = delete;
  BloomFilterBase& operator=(const BloomFilterBase&) = delete;

  // False: the key was certainly not added. True: it was, or, with the false-positive rate, not.
  // Cost: one hash and one cache line (kStandard: up to num_probes lines).
  bool MayMatch(std::string_view key) const;

  // may_match[i] = MayMatch(keys[i]) for i < n. In a filter larger than the caches several
  // times as fast as n single calls, because the memory accesses of many keys overlap.
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  // For callers that have a 64-bit hash anyway: HashOf is XXH3 with the filter's seed,
  // MayMatch(k) is MayMatchHash(HashOf(k)). Any other hash does as well if all 64 bits of it
  // are well mixed and the filter never gets anything else.
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const;
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  BloomLayout layout() const;
  uint64_t num_bits() const;  // a multiple of 512; memory is num_bits / 8 bytes
  int num_probes() const;
  uint64_t seed() const;
  uint64_t capacity() const;  // 0: not stated

  // Adds that changed a bit: the number of distinct keys, less those that were false positives when
  // they came (at 1 % and full, two keys in a thousand). After Merge and Intersect, and when it
  // comes from an AtomicBloomFilter: EstimatedNumKeys.
  uint64_t num_keys() const;

  // More keys than capacity() were added, by num_keys(): the false-positive rate is now above the
  // one asked for, and rises. Never with a capacity of 0.
  bool IsPastCapacity() const;

  // Number of distinct keys by the share of set bits. Relative standard error up to `capacity`
  // keys: below 2 / sqrt(num_bits), so 0.2 % at 1e6 bits. If all bits are set: the least number
  // that is likely. Cost: reads all bits.
  uint64_t EstimatedNumKeys() const;

  // The rate at which absent keys pass now: with X of B bits set, (X / B)^num_probes, in kBlocked
  // the mean of that over all lines, in kBlocked128 and kBlocked64 over all blocks. Exact for the
  // bits as they are. Cost: reads all bits.
  double EstimatedFalsePositiveRate() const;

  // Writes the filter to a file (docs/format.md, section 8): to a temporary one beside it, synced,
  // which then takes the place of `path`; at last the folder is synced. Needs no memory beyond the
  // filter. False, with file and reason in *error: the old file is as it was and nothing is left
  // beside it, unless *error says that it "has been replaced, but its folder cannot be synced".
  // Symbolic links are followed, and stay. An old file must be a regular one. Mode, owner, group
  // and access control list of the new one are those of the old one; a process that may not set the
  // owner becomes the owner, and a group that it may not set gets no more than everybody has. Other
  // hard links keep the old filter. The folder must be readable, because else it cannot be synced.
  bool Save(const std::string& path, std::string* error) const;

  // Same layout, num_bits, num_probes, seed and bits. Cost: reads all bits.
  friend bool operator==(const BloomFilterBase& a, const BloomFilterBase& b);
  friend bool operator!=(const BloomFilterBase& a, const BloomFilterBase& b) { return !(a == b); }

 protected:
  explicit BloomFilterBase(std::unique_ptr<filters::BloomState> state);
  ~BloomFilterBase();

  std::unique_ptr<filters::BloomState> state_;

 private:
  friend class BloomFilter;
  friend class AtomicBloomFilter;
  friend class ScalableBloomFilter;
};

// A filter that one thread at a time may change. Memory is zeroed by the system when it is first
// touched, so Create costs microseconds whatever the size, and begins on a 64-byte line; from 2 MiB
// on it asks for huge pages.
class BloomFilter : public BloomFilterBase {
 public:
  // Null on bad options and when memory for the bits cannot be had.
  static std::unique_ptr<BloomFilter> Create(const BloomFilterOptions& options, std::string* error);

  // A copy in memory of any other filter, also of a mapped one.
  static std::unique_ptr<BloomFilter> Copy(const BloomFilterBase& from, std::string* error);

  // Reads a file that Save wrote. Null, with file, place and values in *error, if it cannot be read
  // or is not what Save wrote: no regular file (opening a pipe does not block), wrong magic,
  // version, length or checksum. Takes no more memory than the file is long, and a page.
  static std::unique_ptr<BloomFilter> Load(const std::string& path, std::string* error);

  ~BloomFilter();

  // Adds a key of any length. True if that changed a bit: the key was certainly not in before.
  // False: it is in, or was a false positive. Cost as MayMatch.
  bool AddKey(std::string_view key);

  // Adds n keys in this order; returns how many changed a bit. changed[i], if `changed` is not
  // null, is what AddKey(keys[i]) would have returned. As much faster than single calls as
  // MayMatch.
  size_t AddKeys(size_t n, const std::string_view* keys, bool* changed = nullptr);

  // As MayMatchHash.
  bool AddHash(uint64_t hash);
  size_t AddHashes(size_t n, const uint64_t* hashes, bool* changed = nullptr);

  // Adds all keys of `other` (the union). False, and nothing changed, unless layout, num_bits,
  // num_probes and seed are equal; *error names what differs and both values. Capacity stays.
  bool Merge(const BloomFilterBase& other, std::string* error);

  // Keeps the bits that `other` has, too. Keys that are in both stay; keys of one stay with about
  // the false-positive rate of the other. Fails as Merge does.
  bool Intersect(const BloomFilterBase& other, std::string* error);

  // Removes all keys.
  void Clear();

 private:
  friend class AtomicBloomFilter;
  friend class CountingBloomFilter;
  friend class ScalableBloomFilter;
  explicit BloomFilter(std::unique_ptr<filters::BloomState> state);
  static std::unique_ptr<BloomFilter> FromState(std::unique_ptr<filters::BloomState> state,
                                                std::string* error);
  template <typename Combine>
  bool CombineWith(const BloomFilterBase& other, Combine combine, std::string* error);
};

// A saved filter in place: queries read the file's pages, which all processes that map it share.
// Opening a file of any size takes microseconds; the first query of a page reads it from disk.
// The file must keep its length as long as it is mapped (Save replaces files, so it may be used on
// the same path): the system answers a query of a page that was cut off, or that the disk cannot
// read, with SIGBUS, which ends the process. Use BloomFilter::Load where others may write to it.
class MappedBloomFilter : public BloomFilterBase {
 public:
  enum class Verify {
    kHeader,   // magic, version, length and the header's checksum: one page is read
    kPayload,  // the bits' checksum as well: reads the whole file, at about 6 GB/s if it is in
               // memory
  };

  // Null, with file, place and values in *error, if it cannot be mapped or is not what Save wrote.
  static std::unique_ptr<MappedBloomFilter> Open(const std::string& path, Verify verify,
                                                 std::string* error);
  ~MappedBloomFilter();

 private:
  explicit MappedBloomFilter(std::unique_ptr<filters::BloomState> state);
};

}  // namespace bloomline

#endif  // BLOOMLINE_BLOOM_FILTER_H_
