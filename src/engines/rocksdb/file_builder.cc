#include "src/engines/rocksdb/file_builder.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "rocksdb/table.h"
#include "src/engines/rocksdb/bits/bits_builder.h"
#include "src/engines/rocksdb/bits/verified_builder.h"
#include "src/engines/rocksdb/metrics/counted_builder.h"
#include "src/engines/rocksdb/ranges/range_builder.h"
#include "src/engines/rocksdb/stock/own_builder.h"
#include "src/filter/bits/hash.h"
#include "src/filter/ranges/asked_ranges.h"
#include "src/filter/ranges/range_entries.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBuildingContext;

// Distinguishes the families of one policy; 0 is none.
uint32_t FamilyNumber(std::string_view column_family) {
  return static_cast<uint32_t>(filter::Hash64(column_family, 0)) | 1;
}

template <typename Builder, typename... Arguments>
RocksDBBitsBuilder* NewCountedBuilder(const FilterBuildingContext& context,
                                      filter::FilterCounts* counts, const Arguments&... arguments) {
  if (context.table_options.detect_filter_construct_corruption) {
    return new CountedBuilder<VerifiedBuilder<Builder>>(counts, arguments...);
  }
  return new CountedBuilder<Builder>(counts, arguments...);
}

RocksDBBitsBuilder* NewRangeBuilder(const PolicySettings& settings, const FilterOptions& options,
                                    const FilterBuildingContext& context, int num_levels_below,
                                    const filter::AskedByFamily& asked_by_family,
                                    filter::FilterCounts* counts) {
  filter::RangeEntryOptions entries;
  entries.is_auto = settings.ranges.is_auto;
  entries.kinds = settings.ranges.kinds;
  entries.memory = settings.ranges.memory;
  entries.num_levels_below = num_levels_below;
  entries.family = FamilyNumber(context.column_family_name);
  const filter::AskedRanges* const asked = asked_by_family.Find(entries.family);
  if (asked != nullptr && entries.is_auto) entries.sample = filter::SampledPlaces(*asked);
  return NewCountedBuilder<RangeBitsBuilder>(context, counts, options, context.info_log, entries);
}

RocksDBBitsBuilder* NewCounted(const PolicySettings& settings, const FilterOptions& options,
                               const FilterBuildingContext& context, int num_levels_below,
                               const filter::AskedByFamily& asked, filter::FilterCounts* counts) {
  if (settings.ranges.has_entries()) {
    return NewRangeBuilder(settings, options, context, num_levels_below, asked, counts);
  }
  return NewCountedBuilder<RocksDBBitsBuilder>(context, counts, options, context.info_log);
}

}  // namespace

ROCKSDB_NAMESPACE::FilterBitsBuilder* NewFileBuilder(const PolicySettings& settings,
                                                     const FilterOptions& options,
                                                     const FilterBuildingContext& context,
                                                     int num_levels_below,
                                                     const filter::AskedByFamily& asked,
                                                     filter::FilterCounts* counts) {
  RocksDBBitsBuilder* const builder =
      NewCounted(settings, options, context, num_levels_below, asked, counts);
  builder->UseTableOptions(context.table_options);
  builder->LimitFilterBytes(settings.options.max_filter_bytes);
  return builder;
}

ROCKSDB_NAMESPACE::FilterBitsBuilder* NewStockFileBuilder(const StockPolicies& policies,
                                                          Format format, double bits_per_key,
                                                          const FilterBuildingContext& context,
                                                          filter::FilterCounts* counts) {
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy =
      policies.Get(format, bits_per_key);
  std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder;
  if (policy != nullptr) builder.reset(policy->GetBuilderWithContext(context));
  if (builder == nullptr) {
    ReportUselessFilter(context.info_log, "a RocksDB file gets no filter",
                        "RocksDB makes no builder of its own");
    return nullptr;
  }
  return new CountedBuilder<OwnBuilder>(counts, policy, std::move(builder),
                                        context.table_options.partition_filters);
}

}  // namespace bloomline
