// The library's own builder of RocksDB's Ribbon filters, several times faster than RocksDB's, with
// the same bytes.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_RIBBON_BITS_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_RIBBON_BITS_BUILDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rocksdb/filter_policy.h"
#include "src/engines/rocksdb/builder/bits_builder.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/stock/builder/ribbon_builder.h"

namespace bloomline::engine {

// With optimize_filters_for_memory, a policy of RocksDB sums up by how much the rates of its
// filters differ from their targets, in 2^-32. Thread-safe.
using MemoryBalance = std::atomic<int64_t>;

class RibbonBitsBuilder : public CountedBuilder {
 public:
  // RocksDB's own builder stays in charge where memory is charged to the block cache
  // (CacheEntryRole::kFilterConstruction) and where filters are checked
  // (detect_filter_construct_corruption): it alone does this for Ribbon filters. On POWER its
  // filters have another hash.
  static bool Serves(const ROCKSDB_NAMESPACE::FilterBuildingContext& context);

  // `stock` is RocksDB's builder, of `policy`; it gets no keys. `balance` belongs to the policy.
  // `counts` may be null.
  RibbonBitsBuilder(std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy,
                    std::unique_ptr<FilterBitsBuilder> stock, double bits_per_key,
                    const ROCKSDB_NAMESPACE::BlockBasedTableOptions& options,
                    std::shared_ptr<MemoryBalance> balance, filter::FilterCounts* counts);

  void AddKey(const Slice& key) noexcept override { builder_.AddKey(key.ToStringView()); }
  void AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept BLOOMLINE_OVERRIDE_SINCE_9_6 {
    builder_.AddKeyAndAlt(key.ToStringView(), alt.ToStringView());
  }
  size_t EstimateEntriesAdded() noexcept override { return builder_.num_entries(); }
  Status MaybePostVerify(const Slice&) noexcept override { return Status::OK(); }
  size_t ApproximateNumEntries(size_t bytes) noexcept override {
    return stock_->ApproximateNumEntries(bytes);
  }
  size_t CalculateSpace(size_t num_entries) noexcept BLOOMLINE_OVERRIDE_SINCE_10_9;
  double EstimatedFpRate(size_t num_entries, size_t bytes) noexcept BLOOMLINE_OVERRIDE_SINCE_10_9;

 protected:
  Slice Build(std::unique_ptr<const char[]>* buf, Status* status, Facts*) override;

 private:
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy_;
  const std::unique_ptr<FilterBitsBuilder> stock_;  // uses the policy
  const bool is_partition_;
  const std::shared_ptr<MemoryBalance> balance_;  // null without optimize_filters_for_memory
  stock::RibbonBuilder builder_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_RIBBON_BITS_BUILDER_H_
