// The builders that RocksDB calls: what all share, and a FilterWriter behind RocksDB's interface.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_BITS_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_BITS_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "bloomline/filter_options.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/table_plan.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::engine {

// A builder whose filters are counted, and recognised when they are opened (policy_counts.h).
// Counting costs nothing per key. One builder makes all partitions of a partitioned filter, so
// every Finish leaves it empty:
//   ((AddKey | AddKeyAndAlt)* Finish MaybePostVerify?)*
class CountedBuilder : public FilterBitsBuilder {
 public:
  // `counts` may be null.
  explicit CountedBuilder(filter::FilterCounts* counts) : counts_(counts) {}

  Slice Finish(std::unique_ptr<const char[]>* buf) noexcept final { return Finish(buf, nullptr); }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) noexcept final;

 protected:
  // Finish without counting. Sets *facts if the filter matches everything or has fewer bits.
  struct BuildFacts {
    bool was_limited = false;  // by max_filter_bytes
    filter::UselessReason reason = filter::UselessReason::kOptions;
  };
  virtual Slice Build(std::unique_ptr<const char[]>* buf, Status* status, BuildFacts* facts) = 0;

 private:
  filter::FilterCounts* const counts_;
};

class RocksDBBitsBuilder : public CountedBuilder {
 public:
  // The options are those of a policy, which has validated them. `log` may be null; otherwise it
  // must outlive the builder.
  explicit RocksDBBitsBuilder(const FilterOptions& options, Logger* log = nullptr,
                              filter::FilterCounts* counts = nullptr);

  // Follows the options of the table: with optimize_filters_for_memory, filters fill the memory
  // that RocksDB allocates for them; without partitions, a filter without entries is empty.
  void UseTableOptions(const BlockBasedTableOptions& options);

  void LimitFilterBytes(uint64_t max_filter_bytes) { sizes_.max_filter_bytes = max_filter_bytes; }

  void AddKey(const Slice& key) noexcept override;
  void AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept BLOOMLINE_OVERRIDE_SINCE_9_6;
  // RocksDB 10.9 and later call this from another thread while keys are added. 9.6 and later make
  // no filter of a partition for which it is 0, and then query another partition's filter; they
  // also end a partition when this has grown enough. It is 1 if the filter matches everything
  // without any key.
  size_t EstimateEntriesAdded() noexcept override;
  Status MaybePostVerify(const Slice&) noexcept override { return Status::OK(); }
  size_t ApproximateNumEntries(size_t bytes) noexcept override;
  size_t CalculateSpace(size_t num_entries) noexcept BLOOMLINE_OVERRIDE_SINCE_10_9;
  double EstimatedFpRate(size_t num_entries, size_t bytes) noexcept BLOOMLINE_OVERRIDE_SINCE_10_9;

 protected:
  // A full filter without entries is empty: RocksDB 9.10 and later expect that, earlier versions do
  // not call Finish then. A partition is never empty. Without whole keys it has no entries if all
  // its keys are outside the domain of the prefix extractor. If it then has no bytes, MultiGet
  // takes those keys for missing, or aborts if RocksDB has assertions
  // (PartitionedFilterBlockReader::MayMatch, 7.0 to 11.9). RocksDB's own Ribbon filters do this,
  // and in late versions its Bloom filters.
  //
  // Plans the filter once, gets memory for it, and has the writer fill it.
  Slice Build(std::unique_ptr<const char[]>* buf, Status* status, BuildFacts* facts) override;

  // The hash of an entry of the next filter.
  uint64_t Hash(const Slice& entry) const { return writer_.HashOf(entry.ToStringView()); }

 private:
  filter::FilterWriter writer_;
  SizeOptions sizes_;
  const TablePlan plan_{sizes_, *writer_.plan()};
  bool is_partition_ = true;  // unless UseTableOptions knows better
  Logger* const log_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_BITS_BUILDER_H_
