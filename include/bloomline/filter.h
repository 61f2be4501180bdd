// A static filter with no engine around it: add all keys, finish, then ask.
//
//   bloomline::FilterBuilder builder(options);
//   builder.AddKey("apple");
//   std::string bytes = builder.Finish();
//   bloomline::FilterView view = bloomline::FilterView::Open(bytes);
//   if (!view.MayMatch("pear")) { /* certainly absent */ }
//
// The bytes are portable between machines and are the same that the RocksDB adaptor writes
// (docs/format.md, section 5). They carry no checksum: whoever stores them guards them against bit
// rot. More keys than there is memory for: partitioned_filter_builder.h.
#ifndef BLOOMLINE_FILTER_H_
#define BLOOMLINE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"

namespace bloomline {

namespace core {
class FilterWriter;
struct Payload;
}  // namespace core

namespace kernels {
struct Kernel;
}

// Collects keys and turns them into filter bytes. Not thread-safe. Out of memory, or options that
// FilterOptions::Validate refuses, give a filter that matches everything, and error() says why; it
// may be one of no bytes at all. Temporary memory: 64 bits per distinct key, in pieces that are
// never moved, the last of at most 64 KiB or, from a million keys on, 2 MiB; so 80 at most. Finish
// takes an eighth more in kBlocked and 44 % more in kCompact, if it can have it. Where kCompact
// cannot, the lines concerned match everything, and error() says so.
class FilterBuilder {
 public:
  explicit FilterBuilder(const FilterOptions& options);
  ~FilterBuilder();
  FilterBuilder(const FilterBuilder&) = delete;
  FilterBuilder& operator=(const FilterBuilder&) = delete;

  // Adds a key of any length, also empty. A key equal to the one before costs nothing, except in
  // kClassic, where LevelDB counts it. Cost: one hash.
  void AddKey(std::string_view key);

  // Adds a key and its prefix, each unless its neighbours already brought it: the prefix unless it
  // equals the previous prefix, this key or the previous key; the key unless it equals the previous
  // key or prefix.
  void AddKeyAndPrefix(std::string_view key, std::string_view prefix);

  // Entries kept so far; 0 if and only if none was added.
  size_t num_keys() const;

  // Bytes that Finish would return now.
  uint64_t FinishedBytes() const;

  // Moves all keys of `other` here, in constant time; other is then empty. With a builder for each
  // thread, keys are added in parallel. False, and nothing moved, if format or seed differ, for
  // then the hashes do; so always with random_seed. There, give all builders one seed that DrawSeed
  // drew (seed.h).
  bool TakeKeysFrom(FilterBuilder* other);

  // The filter over all keys added; the builder is then empty and can be used again. The bytes
  // depend on the keys alone; with random_seed also on the seed drawn. num_threads (1 or more) is
  // the most threads that share the work, this one among them. Small filters start none: kBlocked
  // below 32 MiB, kClassic at any size; kCompact has one thread for each 32,768 keys. From 32 MiB
  // on, kBlocked uses an eighth more temporary memory if it can be had.
  std::string Finish(int num_threads = 1);

  // The same into caller's memory of exactly FinishedBytes() bytes, of any alignment.
  void FinishTo(char* dst, int num_threads = 1);

  // Empty, or why a filter matches more than it should: options are invalid, memory was missing, or
  // no random seed could be drawn. After Finish it is that of the filter that Finish gave; from the
  // next AddKey, AddKeyAndPrefix or TakeKeysFrom on, that of the next filter.
  const std::string& error() const;

 private:
  std::unique_ptr<core::FilterWriter> writer_;  // null: out of memory
};

// Reads filter bytes. A view of any bytes is valid: what cannot be understood matches everything.
// Holds a pointer to the bytes, which must outlive it, need no alignment and are never read
// outside. Cheap to copy; const methods are thread-safe; throws nothing and allocates nothing.
class FilterView {
 public:
  // Matches everything.
  FilterView();

  // Cost: reads the trailer, builds nothing.
  static FilterView Open(std::string_view bytes);

  // False: the key was certainly not added. True: it was, or, with the filter's false-positive
  // rate, not. Cost: one hash and, in kBlocked, one 64-byte line.
  bool MayMatch(std::string_view key) const;

  // may_match[i] = MayMatch(keys[i]) for i < n; faster than n single calls, because the memory
  // accesses of many keys overlap.
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const;

  // True if the bytes were not understood, or say so themselves: MayMatch is always true.
  bool AlwaysMatches() const;

  // Bloom probes per key; 0 in kCompact, which has none, and if AlwaysMatches().
  int num_probes() const;

 private:
  explicit FilterView(const core::Payload& payload);
  core::Payload payload() const;

  const kernels::Kernel* kernel_;
  const char* data_ = nullptr;
  uint64_t num_bytes_;
  uint64_t num_lines_;
  uint64_t seed_ = 0;
  uint8_t layout_;
  uint8_t parameter_;
  uint8_t line_bytes_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_FILTER_H_
