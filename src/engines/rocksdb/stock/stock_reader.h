// Queries of the filters that RocksDB itself wrote, by bloomline's kernels: the same answers, with
// SIMD chosen at run time, where a packaged RocksDB is compiled without.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_

#include <string_view>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// The reader of a filter without bloomline's trailer. Null: RocksDB's own reader has to read it,
// because its kind is not known here.
ROCKSDB_NAMESPACE::FilterBitsReader* NewStockBitsReader(std::string_view filter,
                                                        filter::FilterCounts* counts);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_
