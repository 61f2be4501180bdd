// The policies of a cell, and mistakes planted in a policy, which the matrix must find.
#ifndef BLOOMLINE_TESTS_ENGINES_MATRIX_FILTERS_H_
#define BLOOMLINE_TESTS_ENGINES_MATRIX_FILTERS_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

#include "tests/engines/matrix/cell.h"

namespace bloomline::matrix {

enum class Defect {
  kNone,
  kReader,     // a reader answers "no" to 1 of 1000 stored entries
  kBatch,      // a batched query answers "no" to the last of at least 32 entries
  kPrefix,     // a builder drops 1 of 8 prefixes
  kDuplicate,  // a builder remembers its last entry over partitions (facebook/rocksdb#4024)
};

// Returns false if there is no such defect; *error then says what is allowed.
bool ParseDefect(const std::string& name, Defect* defect, std::string* error);

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

// The policy of a cell: its builders are those of `filter`, its readers bloomline's. Null, and
// *error set, if RocksDB or bloomline refuse its options.
Policy NewCellPolicy(Filter filter, Defect defect, std::string* error);

// RocksDB's own Bloom filters, written and read without bloomline, with so many bits that they
// have next to no false positives. Partitions end where those of the cell's policy end. What is
// wrong with this policy, too, is wrong in RocksDB.
Policy NewReferencePolicy(Filter filter, std::string* error);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ENGINES_MATRIX_FILTERS_H_
