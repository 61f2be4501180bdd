// The entries of keys, by their kinds.
#ifndef BLOOMLINE_FILTER_RANGES_KEPT_ENTRIES_H_
#define BLOOMLINE_FILTER_RANGES_KEPT_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/filter/hash/hash_list.h"
#include "src/filter/ranges/kept_keys.h"
#include "src/filter/ranges/kind_set.h"
#include "src/filter/ranges/range_counts.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::filter {

// A list of hashes for each kind: 8 bytes for each entry. Calls:
// (Start (Add | KeepOnly)* (Clear | MoveTo))*
class KeptEntries {
 public:
  explicit KeptEntries(uint64_t seed) : seed_(seed) {}

  // Begins with the entries of these kinds that the kept keys have. Takes all keys.
  void Start(const KindSet& kinds, KeptKeys* keys);
  bool has_started() const { return has_started_; }

  // The most memory that the keys and the entries of these kinds take together while Start runs.
  size_t MostBytesOfStart(const KindSet& kinds, const KeptKeys& keys) const;

  // Adds the entries of the next key that the key before it does not have.
  void Add(const KeyDifference& key);
  // The memory of all lists.
  size_t num_bytes() const;
  // Forgets the entries of all other kinds.
  void KeepOnly(const KindSet& kinds);

  // Gives the writer the entries of these kinds, as many copies of each as they say, and forgets
  // the others.
  void MoveTo(const EntryKinds& kinds, FilterWriter* writer);

  void Clear();

 private:
  struct Kind {
    size_t number;
    size_t bits;  // of cells, else 0
    // Of prefixes.
    char delimiter;
    size_t depth;
    std::unique_ptr<HashList> hashes;
  };
  // By number.
  using Kinds = std::vector<Kind>;
  static Kinds MakeKinds(const KindSet& set);
  // Calls f(hashes of the kind, hash) for each new entry.
  template <typename F>
  void ForEachNew(const Kinds& kinds, const KeyDifference& key, F f) const;

  const uint64_t seed_;
  bool has_started_ = false;
  Kinds kinds_;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_KEPT_ENTRIES_H_
