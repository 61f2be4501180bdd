// The library's own builder of the filters of RocksDB's Ribbon policy, several times faster than
// RocksDB's, with the same bytes.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_RIBBON_BITS_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_RIBBON_BITS_BUILDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/engines/rocksdb/stock/stock_builder.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::engine {

// With optimize_filters_for_memory, a policy of RocksDB sums up by how much the rates of its
// filters differ from their targets, in 2^-32. Thread-safe.
using MemoryBalance = std::atomic<int64_t>;

class RibbonBitsBuilder : public StockBuilder {
 public:
  // RocksDB's own builder stays in charge where memory is charged to the block cache
  // (CacheEntryRole::kFilterConstruction) and where filters are checked
  // (detect_filter_construct_corruption): it alone does this for Ribbon filters. On POWER its
  // filters have another hash.
  static bool Serves(const FilterBuildingContext& context);

  // `stock` is RocksDB's builder, of `policy`, for a filter of this format, kRibbon or kBloom; it
  // gets no keys, and says what does not depend on them. `balance` belongs to the policy. `counts`
  // may be null.
  RibbonBitsBuilder(std::shared_ptr<const FilterPolicy> policy,
                    std::unique_ptr<FilterBitsBuilder> stock, Format format, double bits_per_key,
                    const BlockBasedTableOptions& options, std::shared_ptr<MemoryBalance> balance,
                    filter::FilterCounts* counts);

  void AddKey(const Slice& key) noexcept override {
    const std::string_view bytes = key.ToStringView();
    writer_.AddHash(bytes.size() <= stock::kMaxShortKeyBytes ? stock::ShortRocksDBHash64(bytes)
                                                             : stock::RocksDBHash64(bytes));
  }
  void AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept BLOOMLINE_OVERRIDE_SINCE_9_6 {
    writer_.AddKeyAndPrefix(key.ToStringView(), alt.ToStringView());
  }
  size_t EstimateEntriesAdded() noexcept override { return writer_.num_keys(); }

 protected:
  Slice Build(std::unique_ptr<const char[]>* buf, Status* status, BuildFacts* facts) override;

 private:
  const std::shared_ptr<MemoryBalance> balance_;  // null without optimize_filters_for_memory
  filter::FilterWriter writer_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_RIBBON_BITS_BUILDER_H_
