// Queries of the filters that RocksDB itself wrote, by bloomline's kernels: the same answers, with
// SIMD chosen at run time; packages of RocksDB are compiled without SIMD.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_

#include <string_view>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// The reader of a filter without bloomline's trailer. Null if the filter is not understood: it must
// match every key, or has at most 5 bytes, as RocksDB writes for a partition without entries. On
// CPUs where only RocksDB has the hash of its filters, RocksDB's own reader.
ROCKSDB_NAMESPACE::FilterBitsReader* NewStockBitsReader(std::string_view filter,
                                                        filter::FilterCounts* counts);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_
