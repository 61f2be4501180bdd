// Queries of the filters that RocksDB itself wrote, by bloomline's kernels: the same answers, with
// SIMD chosen at run time; packages of RocksDB are compiled without SIMD.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_

#include <string_view>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// The reader of a filter without bloomline's trailer. Null if its kind is not known here, so that
// RocksDB's own reader has to read it.
ROCKSDB_NAMESPACE::FilterBitsReader* NewStockBitsReader(std::string_view filter,
                                                        filter::FilterCounts* counts);

// Whether a filter that stock::DecodeStockFilter does not understand is of a known kind, and only
// its lengths are wrong. RocksDB's own reader accepts some of these, and reads outside of the
// filter: a Bloom filter without a whole block, and a legacy one whose blocks, counted in 32 bits,
// seem to fit. To 1 to 5 bytes it answers "no", to the others "may match". It writes 5 bytes for a
// partition without entries (format_version 4 and 5): "no" is right there, and the lengths of such
// a filter are right.
bool HasWrongLengths(std::string_view filter);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_READER_H_
