// Collects the hashes of the keys of one filter after another, and writes each filter in the
// trailer container (trailer.h). The caller chooses the shape (layout_table.h). FilterBuilder is
// the public class; engine adaptors use this one directly, so that AddKey inlines.
#ifndef BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_
#define BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"
#include "src/filter/writer/hash_list.h"

namespace bloomline::filter {

// Why a filter matches every key, whatever its shape should have been.
enum class WriterFault { kNone, kNoSeed, kNoMemory };
// One sentence; empty for kNone.
const char* FaultText(WriterFault fault);

// ((AddKey | AddHash | AddKeyAndPrefix | TakeKeysFrom)* (FinishTo | Reset))*. Not thread-safe. If a
// function threw bad_alloc, the next filter matches every key, so that none lacks one.
class FilterWriter {
 public:
  // The options were validated by the caller. If ValidateForTrailer refuses them, each filter must
  // have the shape FilterShape(), and then matches every key.
  explicit FilterWriter(const FilterOptions& options);

  void AddKey(std::string_view key) {
    if (key.size() > kMaxShortKeyBytes) return AddAnyKey(key);
    const uint64_t hash = hasher_.ShortKey(key);
    if (!hashes_.AppendIfNewAndEasy(hash)) AddHash(hash);
  }

  // The seed of the next filter's hashes: that of the options, or the one drawn.
  uint64_t seed() const { return hasher_.seed(); }

  // Like AddKey, for a hash that HashOf gave.
  uint64_t HashOf(std::string_view key) const { return hasher_(key); }
  void AddHash(uint64_t hash);

  // See FilterBuilder::AddKeyAndPrefix.
  void AddKeyAndPrefix(std::string_view key, std::string_view prefix);

  // Other threads may call these while keys are added.
  size_t num_keys() const { return hashes_.size(); }
  // The fault of the next filter, whose shape should be FilterShape() unless this is kNone.
  WriterFault fault() const { return fault_.load(std::memory_order_relaxed); }

  const FilterOptions& options() const { return options_; }

  // Moves all keys of `other`, which has the same format and seed, here. Keys that the other lost
  // are lost here, too.
  void TakeKeysFrom(FilterWriter* other);

  // Writes shape.payload_bytes() + kTrailerBytes bytes and starts over. The shape is that of
  // num_keys() keys, without blocks if there are no keys. Returns the fault of this filter.
  WriterFault FinishTo(const FilterShape& shape, char* dst, int num_threads = 1);

  // Forgets all keys and faults. With random_seed, draws the next seed.
  void Reset();

 private:
  void AddAnyKey(std::string_view key);

  void Append(uint64_t hash) {
    try {
      hashes_.Append(hash);
    } catch (const std::bad_alloc&) {
      fault_ = WriterFault::kNoMemory;
      throw;
    }
  }

  FilterOptions options_;
  KeyHasher hasher_;  // with the seed of the options, or the one drawn for the next filter
  HashList hashes_;
  std::optional<uint64_t> previous_prefix_hash_;
  std::atomic<WriterFault> fault_{WriterFault::kNone};
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_
