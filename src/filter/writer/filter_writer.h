// Collects the hashes of the keys of one filter after another, and writes each: bloomline's with
// their trailer (trailer.h), and RocksDB's own. The caller chooses the shape (layout_table.h), or
// lets Plan do so. FilterBuilder is the public class; engine adaptors use this one directly, so
// that AddKey inlines.
#ifndef BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_
#define BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/hash_list.h"
#include "src/filter/kernel/layout_row.h"

namespace bloomline::filter {

// Why a filter matches every key, whatever its shape should have been.
enum class WriterFault { kNone, kNoSeed, kNoMemory };
// One sentence; empty for kNone.
const char* FaultText(WriterFault fault);

// ((AddKey | AddHash | AddPrefix | AddKeyAndPrefix | TakeKeysFrom | TakeHashes)* (Plan? FinishTo |
// Reset))*. Not thread-safe. If a function threw bad_alloc, the next filter matches every key, so
// that none lacks one.
class FilterWriter {
 public:
  // Filters with bloomline's trailer. The options were validated by the caller. If they are
  // refused, each filter must have the shape FilterShape(), and then matches every key.
  explicit FilterWriter(const FilterOptions& options);
  // Filters in RocksDB's tables: `plan` is the PlanRow of the options' format. RocksDB's own
  // filters end in its five bytes and have no seed.
  FilterWriter(const FilterOptions& options, const LayoutRow& plan);

  void AddKey(std::string_view key) {
    if (key.size() >= first_long_size_) return AddAnyKey(key);
    AddHash(hasher_.ShortKey(key));
  }

  // The seed of the next filter's hashes: that of the options, or the one drawn.
  uint64_t seed() const { return hasher_.seed(); }

  // The hash for AddHash.
  uint64_t HashOf(std::string_view key) const {
    return hash_ == HashFunction::kXxh3 ? hasher_(key) : HashOfRocksDB(key);
  }
  // Like AddKey. Inline for adaptors that hash inline.
  void AddHash(uint64_t hash) {
    if (!hashes_.AppendIfNewAndEasy(hash)) AppendNew(hash);
  }

  // A prefix of the key before. Left out if it is the last prefix, as RocksDB does before 9.6.
  void AddPrefix(std::string_view prefix);
  // Both at once, as RocksDB does from 9.6 on: see FilterBuilder::AddKeyAndPrefix.
  void AddKeyAndPrefix(std::string_view key, std::string_view prefix);

  // Other threads may call these while keys are added.
  size_t num_keys() const { return hashes_.size(); }
  // The fault of the next filter, whose shape should be FilterShape() unless this is kNone.
  WriterFault fault() const { return fault_.load(std::memory_order_relaxed); }

  const FilterOptions& options() const { return options_; }
  // Null without one.
  const LayoutRow* plan() const { return plan_; }
  // The number of bytes after a payload of this shape.
  size_t end_bytes(const FilterShape& shape = FilterShape()) const;

  // Moves all keys of `other`, which has the same format and seed, here. Keys that the other lost
  // are lost here, too.
  void TakeKeysFrom(FilterWriter* other);
  // The same for hashes, as AddHash takes them.
  void TakeHashes(HashList* hashes);

  // The shape of the next filter within these limits; needs plan(). The number of keys and their
  // bits are the writer's. A layout that may have no solution is solved here, by the active kernel
  // or by that of a test; then only FinishTo or Reset may follow.
  FilterShape Plan(ShapeRequest limits, const kernels::Kernel* kernel = nullptr);

  // Writes shape.payload_bytes() + end_bytes(shape) bytes, and starts over. The shape is that of
  // num_keys() keys, without blocks if there are no keys. RocksDB takes its own filters without
  // blocks for filters without keys. Returns the fault of this filter. A filter without a solution
  // has another shape, in as many bytes.
  WriterFault FinishTo(const FilterShape& shape, char* dst, int num_threads = 1);

  // Forgets all keys and faults. With random_seed, draws the next seed.
  void Reset();

 private:
  void AddAnyKey(std::string_view key);
  void AppendNew(uint64_t hash);
  uint64_t HashOfRocksDB(std::string_view key) const;
  bool has_trailer() const { return plan_ == nullptr || plan_->write_end == nullptr; }
  void Solve(const ShapeRequest& request, const kernels::Kernel& kernel, FilterShape* shape);
  void WritePayload(FilterShape* shape, int num_threads, char* dst);
  void WriteEnd(const FilterShape& shape, size_t end_bytes, char* dst) const;

  void Append(uint64_t hash) {
    if (hashes_.size() == 0) first_hash_ = hash;
    try {
      hashes_.Append(hash);
    } catch (const std::bad_alloc&) {
      fault_ = WriterFault::kNoMemory;
      throw;
    }
  }

  FilterOptions options_;
  const LayoutRow* const plan_;
  const HashFunction hash_;
  const size_t first_long_size_;  // 0 if the hash is not XXH3
  KeyHasher hasher_;  // with the seed of the options, or the one drawn for the next filter
  HashList hashes_;
  uint64_t first_hash_ = 0;
  std::optional<uint64_t> previous_prefix_hash_;
  std::unique_ptr<Solution> solution_;  // has taken the hashes
  std::atomic<WriterFault> fault_{WriterFault::kNone};
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_FILTER_WRITER_H_
