// Static filters: add all keys, finish, then query. A static filter takes the least memory, and
// this is the form that SSTables store. For keys that arrive while queries run, see bloom_filter.h.
//
//   bloomline::FilterBuilder builder(options);
//   builder.AddKey("apple");
//   std::string bytes = builder.Finish();
//   bloomline::FilterView view = bloomline::FilterView::Open(bytes);
//   if (!view.MayMatch("pear")) { /* "pear" was certainly not added */ }
//
// The bytes are the same on every machine (docs/format.md, section 5). They carry no checksum:
// protect them against corruption where they are stored.
#ifndef BLOOMLINE_FILTER_H_
#define BLOOMLINE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "bloomline/inline_query.h"
#include "bloomline/keys.h"

namespace bloomline {

namespace filter {
class FilterWriter;
struct Payload;
}  // namespace filter

// Collects keys and writes them as a filter: ((AddKey | AddKeys | AddKeyAndPrefix | AddHash |
// AddHashes | TakeKeysFrom)* Finish)*. Not thread-safe.
//
// Errors: with invalid options (FilterOptions::Validate, and kClassic, which only LevelDB uses) the
// filter matches every key, and error() gives the reason. So does the filter after a function that
// adds keys, Finish or FinishTo threw std::bad_alloc: no filter lacks a key.
//
// Memory: 64 bits per distinct key, and up to 2 MiB for keys to come. While Finish runs, it needs
// more, in percent of that. A kBlocked filter of 32 MiB or more takes 1 to 3 %. In kCompact, one
// thread takes 18 % for 50,000 keys and 6 % for 3 million, and 128 threads take up to a third;
// fewer than 46,000 keys take 100 %, and so do keys from many builders of a few thousand keys each.
class FilterBuilder {
 public:
  explicit FilterBuilder(const FilterOptions& options);
  ~FilterBuilder();
  // A builder that was moved from can only be destroyed or assigned to.
  FilterBuilder(FilterBuilder&&) noexcept;
  FilterBuilder& operator=(FilterBuilder&&) noexcept;

  // Adds a key of any length, also empty. Adjacent duplicates are skipped. Cost: one hash.
  void AddKey(std::string_view key);

  // Adds n keys, in order. The overloads take a container or array of integers (encoded as in
  // keys.h) or of anything convertible to std::string_view, which is not copied.
  void AddKeys(size_t n, const std::string_view* keys);
  template <typename Keys, typename = filter::IfKeys<Keys>>
  void AddKeys(const Keys& keys) {
    filter::ForEachKeyGroup(
        keys, [&](size_t, size_t n, const std::string_view* group) { AddKeys(n, group); });
  }
  template <typename Key, typename = filter::IfKeys<std::initializer_list<Key>>>
  void AddKeys(std::initializer_list<Key> keys) {
    AddKeys<std::initializer_list<Key>>(keys);
  }

  // Adds a key and its prefix, as RocksDB does with a prefix extractor. Skips the prefix if it
  // equals the previous prefix, this key or the previous key, and the key if it equals the previous
  // key or prefix.
  void AddKeyAndPrefix(std::string_view key, std::string_view prefix);

  // The same with hashes: AddHash(HashOf(key)) is AddKey(key). To hash a key once for several
  // builders with the same seed, use HashKey below. Never add hashes of another kind: queries
  // expect XXH3 of the key with the filter's seed (docs/format.md, section 1). With random_seed,
  // HashOf is for this builder alone, and only until the next Finish, which draws another seed.
  uint64_t HashOf(std::string_view key) const;
  void AddHash(uint64_t hash);
  void AddHashes(size_t n, const uint64_t* hashes);

  // Keys and prefixes added, less those that were skipped.
  size_t num_keys() const;

  // Number of bytes that Finish would return now.
  uint64_t FinishedBytes() const;

  // Moves all keys of `other` here, in constant time; `other` is then empty. So each thread can add
  // keys to a builder of its own. Returns false and moves nothing if the format or the seed
  // differs, because then the hashes do not fit. Builders with random_seed have different seeds:
  // draw one seed for all of them instead (seed.h).
  bool TakeKeysFrom(FilterBuilder* other);

  // Returns the filter of all keys added. The builder is then empty and can be used again. The
  // bytes depend on the set of keys, the number of keys and the seed, not on num_threads.
  // num_threads >= 1 is the most threads that share the work, including the calling one. Small
  // filters are built on one thread: kBlocked below 32 MiB; kCompact has one for each 32,768 keys.
  std::string Finish(int num_threads = 1);

  // The same into memory of the caller: exactly FinishedBytes() bytes, at any alignment.
  void FinishTo(char* dst, int num_threads = 1);

  // Empty, or the reason why a filter matches every key: the options are invalid, memory was
  // missing, or no random seed could be drawn. After Finish it refers to the finished
  // filter, and from the next added key on to the next filter.
  const std::string& error() const;

 private:
  std::unique_ptr<filter::FilterWriter> writer_;  // null: moved from
};

// Queries filter bytes. Any bytes give a valid view: bytes that it does not understand match every
// key. (Damage that leaves the bytes readable cannot be noticed, see above.) A view borrows: the
// bytes must outlive it. They may have any alignment, and nothing outside of them is read. Cheap to
// copy. Const functions are thread-safe. Nothing here throws or allocates.
class FilterView {
 public:
  // Matches every key.
  FilterView();

  // Cost: reads the trailer, builds nothing.
  static FilterView Open(std::string_view bytes);

  // Empty if Open understands the bytes. Else one sentence, for logs, that says why the view
  // matches every key: for example that the bytes are a saved BloomFilter, that their end is
  // missing, or that memory ran out when they were written.
  static std::string Validate(std::string_view bytes);

  // False: the key was certainly not added. True: the key was added, or it is a false positive.
  // Cost: one hash and, in blocked and compact filters, one cache line (two if the bytes do not
  // start on a cache-line boundary).
  bool MayMatch(std::string_view key) const {
    return hasher_.IsShort(key.size()) ? MayMatchHash(hasher_(key)) : OtherKeyMayMatch(key);
  }

  // may_match[i] = MayMatch(keys[i]) for i < n. Faster than n single queries on filters larger than
  // the caches, because blocks are prefetched.
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  // The same for a container or array of keys (keys.h). may_match has as many elements.
  template <typename Keys, typename = filter::IfKeys<Keys>>
  void MayMatch(const Keys& keys, bool* may_match) const {
    filter::ForEachKeyGroup(keys, [&](size_t first, size_t n, const std::string_view* group) {
      MayMatch(n, group, may_match + first);
    });
  }

  // The same with hashes: MayMatchHash(HashOf(key)) is MayMatch(key). HashOf is for this view
  // alone: bytes that were not understood have no seed. To hash a key once for several filters with
  // the same seed, use HashKey below.
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const { return filter_.may_match(filter_, hash); }
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  // True if every key matches, because the bytes were not understood or because their writer could
  // not build the filter.
  bool AlwaysMatches() const;

  // Probes per key, k. 0 in kCompact, which has none, and if AlwaysMatches().
  int num_probes() const;

 private:
  explicit FilterView(const filter::Payload& payload);
  bool OtherKeyMayMatch(std::string_view key) const;

  filter::OpenFilter filter_;
  filter::ShortKeyHasher hasher_;
  uint64_t seed_ = 0;
};

// The hash of a key in every filter with this seed (FilterOptions::seed): for AddHash of such
// builders and MayMatchHash of such views. Not for filters with random_seed, each of which has a
// seed of its own. Cost: one hash.
uint64_t HashKey(std::string_view key, uint64_t seed);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_H_
