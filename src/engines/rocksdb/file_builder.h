// Builders for the filters of a file.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_FILE_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_FILE_BUILDER_H_

#include "bloomline/filter_options.h"
#include "rocksdb/filter_policy.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/options/policy_settings.h"
#include "src/engines/rocksdb/stock/stock_policies.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/ranges/asked_ranges.h"

namespace bloomline {

// Both return a builder for the file of the context. The caller owns it, and it counts what it
// builds.

// In a format of bloomline. `options` are checked, and so are the settings, which add range
// entries, chosen by the ranges that were asked for, and a limit of bytes. It follows the options
// of the table. There are num_levels_below levels with data below the file's.
ROCKSDB_NAMESPACE::FilterBitsBuilder* NewFileBuilder(
    const PolicySettings& settings, const FilterOptions& options,
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context, int num_levels_below,
    const filter::AskedByFamily& asked, filter::FilterCounts* counts);

// In a format of RocksDB, by RocksDB's builder. Null if RocksDB has none for these options; the log
// of the context and stderr then say so.
ROCKSDB_NAMESPACE::FilterBitsBuilder* NewStockFileBuilder(
    const StockPolicies& policies, Format format, double bits_per_key,
    const ROCKSDB_NAMESPACE::FilterBuildingContext& context, filter::FilterCounts* counts);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_FILE_BUILDER_H_
