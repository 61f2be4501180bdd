// Builds RocksDB's Bloom filter with bloomline's kernels: the same bytes as RocksDB's own builder
// (FastLocalBloomBitsBuilder, table/block_based/filter_policy.cc), in less time.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_BLOOM_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_BLOOM_BUILDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "rocksdb/table.h"
#include "src/engines/rocksdb/cache_charge.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/writer/hash_list.h"

namespace bloomline {

// By how much the filters of a policy with optimize_filters_for_memory have a higher rate than they
// should have, in units of 2^-32: BloomLikeFilterPolicy::aggregate_rounding_balance_.
using StockBalance = std::atomic<int64_t>;

// ((AddKey | AddKeyAndAlt)* Finish MaybePostVerify?)*. Throws nothing: out of memory, a filter
// matches every key.
class StockBloomBuilder : public ROCKSDB_NAMESPACE::FilterBitsBuilder {
 public:
  using Slice = ROCKSDB_NAMESPACE::Slice;
  using Status = ROCKSDB_NAMESPACE::Status;

  // Options for which RocksDB writes this filter, and for which this class does. It leaves
  // detect_filter_construct_corruption to RocksDB, and everything on POWER.
  static bool Builds(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& options) {
    return stock::kHashesAsRocksDB && options.format_version >= 5 &&
           !options.detect_filter_construct_corruption;
  }

  // `own` is RocksDB's builder of this filter: what a filter without keys is depends on its
  // version. `balance` is used with optimize_filters_for_memory.
  StockBloomBuilder(std::unique_ptr<FilterBitsBuilder> own, int millibits_per_key,
                    const ROCKSDB_NAMESPACE::BlockBasedTableOptions& options,
                    std::shared_ptr<StockBalance> balance);

  void AddKey(const Slice& key) override;
  void AddKeyAndAlt(const Slice& key, const Slice& alt) BLOOMLINE_OVERRIDE_SINCE_9_6;
  size_t EstimateEntriesAdded() override;
  Slice Finish(std::unique_ptr<const char[]>* buf) override { return Finish(buf, nullptr); }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override;
  Status MaybePostVerify(const Slice&) override { return Status::OK(); }
  size_t ApproximateNumEntries(size_t bytes) override;
  size_t CalculateSpace(size_t num_entries) BLOOMLINE_OVERRIDE_SINCE_10_9;
  double EstimatedFpRate(size_t num_entries, size_t bytes) BLOOMLINE_OVERRIDE_SINCE_10_9;

 private:
  struct Memory {
    std::unique_ptr<const char[]> buffer;
    char* bytes = nullptr;  // where the filter begins, zeroed; null: out of memory
    uint64_t payload_bytes = 0;
  };

  void Append(uint64_t hash);
  int NumProbes(uint64_t num_keys, uint64_t payload_bytes) const;
  double Rate(uint64_t num_keys, uint64_t payload_bytes) const;
  Memory Allocate(uint64_t num_keys, uint64_t payload_bytes) const;
  Memory AllocateWholly(uint64_t num_keys, uint64_t payload_bytes) const;
  void ForgetKeys();

  const std::unique_ptr<FilterBitsBuilder> own_;
  const int millibits_;
  const std::shared_ptr<StockBalance> balance_;  // null: no optimize_filters_for_memory
  ConstructionCharge charge_;
  filter::HashList hashes_;
  bool is_out_of_memory_ = false;
  bool has_previous_alt_ = false;
  uint64_t previous_alt_hash_ = 0;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_BLOOM_BUILDER_H_
