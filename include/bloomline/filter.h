// Static filters, the form that SSTables store: add all keys, finish, then query. For keys that
// arrive while queries run: bloom_filter.h.
//
//   bloomline::FilterBuilder builder(options);
//   builder.AddKey("apple");
//   std::string bytes = builder.Finish();
//   bloomline::FilterView view = bloomline::FilterView::Open(bytes);
//   if (!view.MayMatch("pear")) { /* "pear" was certainly not added */ }
//
// The bytes are the same on every machine (docs/format.md, section 5) and carry no checksum:
// protect them where they are stored. Link bloomline::core.
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
struct FilterShape;
struct Payload;
}  // namespace filter

// Collects keys and writes them as a filter: (Add* | TakeKeysFrom)* Finish, then again. Not
// thread-safe.
//
// Errors: if the options are invalid (FilterOptions::Validate, and formats of an engine), no random
// seed could be drawn, or a function threw std::bad_alloc, the filter matches every key, and
// error() says why.
//
// Memory: 64 bits per distinct key, and up to 2 MiB for keys to come. Finish adds up to 3 % for
// large kBlocked filters, 6 to 33 % for kCompact, or 100 % below 46,000 keys.
class FilterBuilder {
 public:
  explicit FilterBuilder(const FilterOptions& options);
  ~FilterBuilder();
  FilterBuilder(FilterBuilder&&) noexcept;  // the other can only be destroyed or assigned to
  FilterBuilder& operator=(FilterBuilder&&) noexcept;

  // Adds a key of any length. Adjacent duplicates are skipped. Cost: one hash.
  void AddKey(std::string_view key);

  // Adds n keys, in order, or a container or array of keys (keys.h).
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

  // Adds a key and its prefix, as RocksDB does with a prefix extractor. Each is skipped if it
  // equals the previous one, the prefix also if it equals the key.
  void AddKeyAndPrefix(std::string_view key, std::string_view prefix);

  // AddHash(HashOf(key)) is AddKey(key). Add only hashes of HashOf, or of HashKey with this seed.
  // With random_seed, HashOf is valid for this builder until the next Finish.
  uint64_t HashOf(std::string_view key) const;
  void AddHash(uint64_t hash);
  void AddHashes(size_t n, const uint64_t* hashes);

  // Keys and prefixes added, without skipped ones.
  size_t num_keys() const;

  // Bytes that Finish would return now.
  uint64_t FinishedBytes() const;

  // Moves all keys of `other` here, in constant time: each thread can fill its own builder. Returns
  // false and moves nothing if format or seed differ, which seeds always do with random_seed, or
  // the other's options are invalid.
  bool TakeKeysFrom(FilterBuilder* other);

  // Returns the filter and empties the builder. Its bytes do not depend on num_threads, 1 or more
  // with the calling thread.
  std::string Finish(int num_threads = 1);

  // The same into the caller's memory: exactly FinishedBytes() bytes, at any alignment.
  void FinishTo(char* dst, int num_threads = 1);

  // Empty, or why the last finished filter matches every key; before the first one, what is wrong
  // with the options or the seed.
  const std::string& error() const { return error_; }

 private:
  filter::FilterShape NextShape() const;
  void FinishAs(const filter::FilterShape& shape, char* dst, int num_threads);

  std::unique_ptr<filter::FilterWriter> writer_;  // null: moved from
  std::string error_;
  bool has_valid_options_;
};

// Queries filter bytes, at any alignment, which must outlive the view. Any bytes are safe; unknown
// ones match every key. Cheap to copy. Const functions are thread-safe. Only Validate allocates.
class FilterView : public filter::QueriesContainers<FilterView> {
 public:
  // Matches every key.
  FilterView();

  // Cost: reads the trailer.
  static FilterView Open(std::string_view bytes);

  // Empty if Open understands the bytes, else one sentence.
  static std::string Validate(std::string_view bytes);

  // False: the key was certainly not added. True: it was added, or is a false positive. Cost: one
  // hash and one cache line (two if the bytes are unaligned; more in an engine's small filters).
  bool MayMatch(std::string_view key) const {
    return hasher_.IsShort(key.size()) ? MayMatchHash(hasher_(key)) : OtherKeyMayMatch(key);
  }

  // may_match[i] = MayMatch(keys[i]) for i < n, or for a container or array of keys (keys.h);
  // faster on filters larger than the caches.
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  using QueriesContainers::MayMatch;

  // MayMatchHash(HashOf(key)) is MayMatch(key). HashOf is for this view alone; see HashKey.
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const { return filter_.may_match(filter_, hash); }
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  // The bytes were not understood, or the filter could not be built.
  bool AlwaysMatches() const;

  // Probes per key. 0 in kCompact and if AlwaysMatches().
  int num_probes() const;

 private:
  explicit FilterView(const filter::Payload& payload);
  bool OtherKeyMayMatch(std::string_view key) const;

  filter::OpenFilter filter_;
  filter::ShortKeyHasher hasher_;
  uint64_t seed_ = 0;
};

// The hash of a key in every filter with this FilterOptions::seed, not random_seed, for AddHash and
// MayMatchHash.
uint64_t HashKey(std::string_view key, uint64_t seed);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_H_
