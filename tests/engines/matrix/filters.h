// The policies of a cell.
#ifndef BLOOMLINE_TESTS_ENGINES_MATRIX_FILTERS_H_
#define BLOOMLINE_TESTS_ENGINES_MATRIX_FILTERS_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

#include "tests/engines/matrix/cell.h"

namespace bloomline::matrix {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

// The policy of a cell. Null, and *error set, if RocksDB or bloomline refuse its options.
Policy NewCellPolicy(Filter filter, std::string* error);

// RocksDB's own Bloom filters, written and read without bloomline, with so many bits that they
// have next to no false positives. Partitions end where those of the cell's policy end. What is
// wrong with this policy, too, is wrong in RocksDB.
Policy NewReferencePolicy(Filter filter, std::string* error);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ENGINES_MATRIX_FILTERS_H_
