// Collects the hashes of one filter's keys after another's, and writes each filter in the trailer
// container (trailer.h); what is built is payload_builder's, and in which size is shapes.h's.
// FilterBuilder is its public face; engine adaptors use it directly, so that AddKey inlines.
#ifndef BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_
#define BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/container/shapes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/hash.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/writer/hash_list.h"
#include "src/filter/writer/payload_builder.h"
#include "src/support/out_of_memory.h"

namespace bloomline::filter {

// What FinishTo writes.
struct FinishPlan {
  FilterShape shape;
  uint64_t num_bytes = 0;        // of the payload and what follows it
  uint64_t temporary_bytes = 0;  // needed on one thread, beside the keys and the filter
};

// ((AddKey | AddHash | AddKeyAndPrefix | TakeKeysFrom)* (Plan FinishTo | Reset))*. Not thread-safe.
// Throws nothing: options that ValidateForTrailer refuses, or no memory, give a filter that matches
// every key, or, in kCompact, some blocks that do, and error() says why.
class FilterWriter {
 public:
  // StandaloneShape or TableShape.
  using ShapeFunction = FilterShape (*)(Format format, uint64_t num_keys, double bits_per_key,
                                        int num_probes, uint64_t max_payload_bytes,
                                        uint64_t end_bytes);

  // A payload is cut to max_payload_bytes; more keys then only raise the false-positive rate.
  // Every filter records the extension, whose bytes must outlive the writer.
  explicit FilterWriter(const FilterOptions& options, uint64_t max_payload_bytes = UINT64_MAX,
                        ShapeFunction shape_of_keys = StandaloneShape,
                        const Extension& extension = {});

  void AddKey(std::string_view key) {
    if (key.size() >= long_key_bytes_) return AddAnyKey(key);
    const uint64_t hash = hasher_.ShortKey(key);
    if (!hashes_.AppendIfNewAndEasy(hash)) AddHash(hash);
  }

  // The seed of the next filter's hashes: that of the options, or the one drawn.
  uint64_t seed() const { return hasher_.seed(); }

  // As AddKey, for a hash that HashOf gave.
  uint64_t HashOf(std::string_view key) const { return hasher_(key); }
  void AddHash(uint64_t hash);

  // See FilterBuilder::AddKeyAndPrefix.
  void AddKeyAndPrefix(std::string_view key, std::string_view prefix);

  // Other threads may call these while keys are added.
  size_t num_keys() const { return hashes_.size(); }
  // Also those that were not kept, for want of memory.
  size_t num_entries() const { return num_keys() + num_not_kept_.load(std::memory_order_relaxed); }
  bool has_given_up() const { return has_given_up_.load(std::memory_order_relaxed); }
  // As FilterBuilder::error.
  const std::string& error() const { return error_; }
  const FilterOptions& options() const { return options_; }

  // The next FinishTo writes a filter that does, because keys, options or a seed are missing.
  bool MatchesEverything() const {
    return !options_valid_ || has_given_up() || !seed_error_.empty();
  }

  // Makes the next FinishTo write a filter that matches everything.
  void SetOutOfMemory() { MatchEverything(support::kOutOfMemory); }
  // The same for another reason, which error() returns.
  void MatchEverything(std::string_view reason);

  // The next FinishTo records these bytes as Extension::ranges. They must be there until then.
  void RecordRanges(std::string_view field) { extension_.ranges = field; }

  const Extension& extension() const { return extension_; }
  // The bytes behind the payload.
  uint64_t end_bytes() const { return EndBytes(extension_); }

  // The shape of a filter of so many keys, at least one. The options must be valid.
  FilterShape ShapeOf(uint64_t num_keys) const {
    return shape_of_keys_(options_.format, num_keys, options_.bits_per_key, num_probes_,
                          max_payload_bytes_, end_bytes());
  }

  // The filter of the keys so far.
  FinishPlan Plan() const;
  // The same in this shape, which TableShape or StandaloneShape gave for this number of keys.
  FinishPlan PlanOf(const FilterShape& shape) const;

  // Moves all keys of `other`, which has the same format and seed, here. What other lost, this has
  // lost, too.
  void TakeKeysFrom(FilterWriter* other);

  // From now on, for HashesAreIntact: a checksum of hashes as they are added.
  void KeepChecksum() {
    keeps_checksum_ = true;
    long_key_bytes_ = 0;
  }
  // False: a hash is no longer what it was when it was added. Needs KeepChecksum before the first
  // key.
  bool HashesAreIntact() const;

  // Writes plan.num_bytes bytes and starts over. The keys are still those of the plan. Needs no
  // memory; without it, kBlocked is slower (payload_builder.h), and blocks of kCompact match every
  // key. The hashes go to `hashes` if it is not null, in place of what was there.
  void FinishTo(const FinishPlan& plan, char* dst, int num_threads = 1,
                BuiltHashes* hashes = nullptr);

  // See HashList. Needs that no key has been added.
  void SetObserver(HashListObserver* observer) { hashes_.SetObserver(observer); }

  // Forgets all keys, and what is to be said of them and of the last filter. With random_seed,
  // draws the next seed.
  void Reset() {
    ForgetKeys();
    ForgetFinishedFilter();
  }

 private:
  void AddAnyKey(std::string_view key);

  void Append(uint64_t hash) {
    if (hashes_.size() == 0) ForgetFinishedFilter();
    // Once memory was refused, the filter matches everything, and asking again takes long.
    if (num_not_kept_ != 0 || !hashes_.Append(hash)) {
      num_not_kept_.fetch_add(1, std::memory_order_relaxed);
      return SetOutOfMemory();
    }
    if (keeps_checksum_) checksum_ ^= hash;  // of what is in the list: a lost key is no corruption
  }

  void ForgetKeys();
  // From now on, error() is that of the next one.
  void ForgetFinishedFilter() {
    if (options_valid_ && !has_given_up()) support::SetError(seed_error_, &error_);
  }

  void DrawOwnSeed();

  FilterOptions options_;
  uint64_t max_payload_bytes_;
  ShapeFunction shape_of_keys_;
  size_t long_key_bytes_ = kMaxShortKeyBytes + 1;  // keys from here on take the long way; 0: all do
  KeyHasher hasher_;  // with the seed of the options, or the one drawn for the next filter
  HashList hashes_;
  int num_probes_ = 1;
  bool options_valid_ = false;
  std::atomic<bool> has_given_up_{false};
  std::atomic<size_t> num_not_kept_{0};
  bool has_previous_prefix_ = false;
  bool keeps_checksum_ = false;
  uint64_t previous_prefix_hash_ = 0;
  uint64_t checksum_ = 0;   // XOR of the hashes
  std::string seed_error_;  // of the next filter
  std::string error_;
  Extension extension_;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_
