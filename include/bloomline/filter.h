// Static filters, as in SSTables: add all keys, finish, then query. If keys arrive while queries
// run, use bloom_filter.h.
//
//   bloomline::FilterBuilder builder(options);
//   builder.AddKey("apple");
//   std::string bytes = builder.Finish();
//   bloomline::FilterView view = bloomline::FilterView::Open(bytes);
//   if (!view.MayMatch("pear")) { /* "pear" was certainly not added */ }
//
// The bytes are the same on every machine (docs/format.md, section 5) and have no checksum: protect
// them where they are stored. Link bloomline::core.
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

// Collects keys and writes them as a filter: call (Add* | TakeKeysFrom)* Finish, once or
// repeatedly. Not thread-safe.
//
// If the options are invalid or name an engine's own format, no random seed could be drawn, or a
// function threw std::bad_alloc, the filter matches every key, and error() gives the reason.
//
// Memory: 64 bits per key that num_keys() counts, plus up to 2 MiB spare. Finish needs up to 3 %
// more for large kBlocked filters. For kRibbon it needs 10 % more, and with few keys (up to 42,000;
// without AVX2, up to 500,000) 24 bytes per key.
class FilterBuilder {
 public:
  explicit FilterBuilder(const FilterOptions& options);
  ~FilterBuilder();
  FilterBuilder(FilterBuilder&&) noexcept;  // the other can only be destroyed or assigned to
  FilterBuilder& operator=(FilterBuilder&&) noexcept;

  // Adds a key of any length. Skips adjacent duplicates. Costs one hash.
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

  // Adds a key and its prefix. Each is skipped if it equals the previous one, and the prefix also
  // if it equals the key.
  void AddKeyAndPrefix(std::string_view key, std::string_view prefix);

  // AddHash(HashOf(key)) equals AddKey(key). Add only hashes from HashOf, or from HashKey with this
  // seed. With random_seed, they are valid for this builder until the next Finish.
  uint64_t HashOf(std::string_view key) const;
  void AddHash(uint64_t hash);
  void AddHashes(size_t n, const uint64_t* hashes);

  // Keys and prefixes added, without skipped ones.
  size_t num_keys() const;

  // Bytes that Finish would return now.
  uint64_t FinishedBytes() const;

  // Moves all keys of `other` here in constant time, so each thread can fill its own builder.
  // Returns false and moves nothing if the formats or seeds differ (with random_seed, they always
  // do), or if the options of `other` are invalid.
  bool TakeKeysFrom(FilterBuilder* other);

  // Returns the filter and empties the builder. Uses at most num_threads threads, including the
  // calling one, and one in kRibbon; the bytes do not depend on it.
  std::string Finish(int num_threads = 1);

  // Like Finish, but writes to the caller's memory: exactly FinishedBytes() bytes, at any
  // alignment.
  void FinishTo(char* dst, int num_threads = 1);

  // Empty, or the reason why the last finished filter matches every key. Before the first Finish,
  // it is the error in the options or seed.
  const std::string& error() const { return error_; }

 private:
  filter::FilterShape NextShape() const;
  void FinishAs(const filter::FilterShape& shape, char* dst, int num_threads);

  std::unique_ptr<filter::FilterWriter> writer_;
  std::string error_;
  bool has_valid_options_;
};

// Queries the bytes of a filter, which must outlive the view and may have any alignment. Any bytes
// are safe; unknown ones match every key. Const functions are thread-safe. Only Validate allocates
// memory.
class FilterView : public filter::QueriesContainers<FilterView> {
 public:
  // Matches every key.
  FilterView();

  // Reads only the trailer.
  static FilterView Open(std::string_view bytes);

  // Returns "", or why Open does not understand the bytes.
  static std::string Validate(std::string_view bytes);

  // Returns false only if the key was certainly not added. Costs one hash and one cache line (two
  // if the bytes are unaligned; in kRibbon two to five).
  bool MayMatch(std::string_view key) const {
    return hasher_.IsShort(key.size()) ? MayMatchHash(hasher_(key)) : OtherKeyMayMatch(key);
  }

  // Sets may_match[i] to MayMatch(keys[i]) for n keys, or a container or array of keys (keys.h),
  // faster if the filter is larger than the caches.
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;
  using QueriesContainers::MayMatch;

  // MayMatchHash(HashOf(key)) equals MayMatch(key). HashOf is valid only for this view; see
  // HashKey.
  uint64_t HashOf(std::string_view key) const;
  bool MayMatchHash(uint64_t hash) const { return filter_.may_match(filter_, hash); }
  void MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const;

  // Whether the bytes were not understood, or the filter could not be built.
  bool AlwaysMatches() const;

  // Probes per key; 0 in kRibbon and if AlwaysMatches().
  int num_probes() const;

 private:
  explicit FilterView(const filter::Payload& payload);
  bool OtherKeyMayMatch(std::string_view key) const;

  filter::OpenFilter filter_;
  filter::ShortKeyHasher hasher_;
  uint64_t seed_ = 0;
  int num_probes_ = 0;
};

// The hash of a key in every filter with this FilterOptions::seed (not random_seed), for AddHash
// and MayMatchHash.
uint64_t HashKey(std::string_view key, uint64_t seed);

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_H_
