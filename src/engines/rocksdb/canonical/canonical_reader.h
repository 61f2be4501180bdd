// The reader of a policy with a canonicalizer.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_CANONICAL_READER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_CANONICAL_READER_H_

#include <string_view>

#include "src/engines/rocksdb/canonical/named_canonicalizer.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// As NewRocksDBBitsReader (bits_reader.h). Filters of another canonicalizer or of none, such as
// RocksDB's own, match everything, as all filters do if the canonicalizer is unknown. The reader
// keeps the canonicalizer alive: it may outlive its policy.
ROCKSDB_NAMESPACE::FilterBitsReader* NewCanonicalBitsReader(std::string_view filter,
                                                            CanonicalizerPtr canonicalizer,
                                                            filter::FilterCounts* counts);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_CANONICAL_CANONICAL_READER_H_
