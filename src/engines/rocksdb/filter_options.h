#ifndef BLOOMLINE_ENGINES_ROCKSDB_FILTER_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_FILTER_OPTIONS_H_

#include "bloomline/rocksdb.h"

namespace bloomline {

// RocksDB's conventions below 1 bit per key (rocksdb/filter_policy.h): below 0.5 no filters are
// written, and 0.5 to 1 counts as 1. Normalized returns the options to validate and to build with.
bool WritesFilters(const FilterOptions& options);
FilterOptions Normalized(FilterOptions options);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_FILTER_OPTIONS_H_
