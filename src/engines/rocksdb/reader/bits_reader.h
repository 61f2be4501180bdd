// The reader that RocksDB queries, one for each filter.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_READER_BITS_READER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_READER_BITS_READER_H_

#include <string_view>

#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline::engine {

// Returns a reader of filter bytes in the trailer container (docs/format.md, section 5), or of a
// filter of RocksDB. Any bytes are safe: those that are not understood match everything; no bytes
// match nothing. On CPUs where only RocksDB has the hash of its filters, it is RocksDB's reader.
// The reader points only at the bytes, which must outlive it, and adds its queries to `counts`.
// If `is_former_compact` is not null, *is_former_compact is set to whether the filter is compact,
// of bloomline before 0.4. Thread-safe.
FilterBitsReader* NewRocksDBBitsReader(std::string_view filter,
                                       filter::FilterCounts* counts = filter::UnlabelledCounts(),
                                       bool* is_former_compact = nullptr);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_READER_BITS_READER_H_
