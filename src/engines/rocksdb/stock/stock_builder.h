// Builders of RocksDB's own filters.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_BUILDER_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "src/engines/rocksdb/builder/bits_builder.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/useless_filter.h"
#include "src/filter/stock/stock_filter.h"

namespace bloomline::engine {

// A builder of RocksDB's filters that never loses a key.
//
// RocksDB's Ribbon builder, and in late versions its Bloom builder, gives no bytes to a partition
// without entries: with whole_key_filtering=false, one whose keys are all outside the prefix
// extractor's domain. MultiGet queries such a partition all the same, and takes its keys for
// missing (7.8.3, partitioned_filter_block.cc; with assertions it aborts). So a partition without
// entries gets a filter that matches every key.
//
// With optimize_filters_for_memory, RocksDB's Bloom builder may make a filter smaller by a
// sixteenth to a quarter, down to whole blocks, if a balance in its policy allows that rate
// (XXPH3FilterBitsBuilder::AllocateMaybeRounding). A filter of one block may then lose it, and the
// reader takes it for a filter without keys. Such a filter gets the same replacement. The policy
// stays until its builder ends.
class StockBuilder : public CountedBuilder {
 public:
  // `policy` made the builder.
  StockBuilder(std::shared_ptr<const FilterPolicy> policy, std::unique_ptr<FilterBitsBuilder> stock,
               bool is_partition, filter::FilterCounts* counts = nullptr)
      : CountedBuilder(counts),
        is_partition_(is_partition),
        policy_(std::move(policy)),
        stock_(std::move(stock)) {}

  // Exceptions go to RocksDB, as without this class: noexcept would cost a fifteenth of a build.
  void AddKey(const Slice& key) override { stock_->AddKey(key); }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override { stock_->AddKeyAndAlt(key, alt); }
#endif
  size_t EstimateEntriesAdded() noexcept override { return stock_->EstimateEntriesAdded(); }
  Status MaybePostVerify(const Slice& filter) noexcept override {
    return stock_->MaybePostVerify(filter);
  }
  size_t ApproximateNumEntries(size_t bytes) noexcept override {
    return stock_->ApproximateNumEntries(bytes);
  }
#if BLOOMLINE_ROCKSDB_VERSION >= 1009
  size_t CalculateSpace(size_t num_entries) noexcept override {
    return stock_->CalculateSpace(num_entries);
  }
  double EstimatedFpRate(size_t num_entries, size_t bytes) noexcept override {
    return stock_->EstimatedFpRate(num_entries, bytes);
  }
#else
  // RocksDB of these versions calls neither.
  size_t CalculateSpace(size_t) BLOOMLINE_OVERRIDE_SINCE_10_9 { return 0; }
  double EstimatedFpRate(size_t, size_t) BLOOMLINE_OVERRIDE_SINCE_10_9 { return 0; }
#endif

 protected:
  Slice Build(std::unique_ptr<const char[]>* buf, Status* status, BuildFacts*) override {
    const bool has_entries = stock_->EstimateEntriesAdded() != 0;
    const Slice filter = stock_->Finish(buf, status);
    const bool loses_keys = has_entries && filter.size() <= stock::kMetadataBytes;
    return loses_keys || (filter.empty() && is_partition_) ? AlwaysMatch() : filter;
  }

  const bool is_partition_;

 private:
  const std::shared_ptr<const FilterPolicy> policy_;
  const std::unique_ptr<FilterBitsBuilder> stock_;  // uses the policy
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_BUILDER_H_
