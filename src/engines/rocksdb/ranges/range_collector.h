// Makes range filters while RocksDB writes tables.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_COLLECTOR_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_COLLECTOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "bloomline/rocksdb_range_filter.h"
#include "bloomline/version.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/ranges/asked_ranges.h"
#include "src/filter/ranges/range_entries.h"

namespace bloomline::engine {

// The class behind every RangeFilter. Thread-safe once it has its options.
class RangeCollectors final : public RangeFilter {
 public:
  // Configurable::GetOptions finds this object by this name. The class name is not enough: a
  // process may have two versions of bloomline.
  static constexpr char kOwnName[] = "BloomlineRangeFilter " BLOOMLINE_VERSION_STRING;

  explicit RangeCollectors(const RangeFilterOptions& options);

  // Of the options; empty if they are valid. Else no table gets a filter.
  const std::string& error() const { return error_; }

  // An iterator asked about a table.
  void CountAsked(bool is_skipped) {
    (is_skipped ? num_skipped_ : num_read_).fetch_add(1, std::memory_order_relaxed);
    of_process_->Add(filter::Count::kTablesAsked, 1, is_skipped ? 0 : 1);
  }
  filter::AskedRanges& asked_ranges() { return asked_ranges_; }

  Counts counts() const override;
  ROCKSDB_NAMESPACE::TablePropertiesCollector* CreateTablePropertiesCollector(
      Context context) noexcept override;

 private:
  // Those of a text, before a table is made.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                                             const OptionMap& options, OptionMap* unused) override;
  const void* GetOptionsPtr(const std::string& name) const override;
  void ReadOptions();

  RangeFilterOptions options_;
  filter::RangeEntryOptions entries_;
  std::string error_;
  filter::FilterCounts* const of_process_;
  std::atomic<uint64_t> num_read_{0};
  std::atomic<uint64_t> num_skipped_{0};
  filter::AskedRanges asked_ranges_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_COLLECTOR_H_
