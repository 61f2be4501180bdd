// One cell: a database is written, compacted and reopened, and read at each stage.
#ifndef BLOOMLINE_TESTS_ENGINES_MATRIX_RUN_CELL_H_
#define BLOOMLINE_TESTS_ENGINES_MATRIX_RUN_CELL_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tests/engines/matrix/cell.h"
#include "tests/engines/matrix/reads.h"

namespace bloomline::matrix {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

// The policy of a cell. Null, and *error set, if RocksDB or bloomline refuse its options.
Policy NewCellPolicy(Filter filter, std::string* error);

// RocksDB's own Bloom filters, written and read without bloomline, with so many bits that they
// have next to no false positives. Partitions end where those of the cell's policy end. What is
// wrong with this policy, too, is wrong in RocksDB.
Policy NewReferencePolicy(Filter filter, std::string* error);

// What is wrong with how filters were used: not queried although RocksDB queries them, or no
// missing key excluded. Empty if nothing is.
std::string WrongUse(const Cell& cell, const Report& report);

// The same cell, Gets and seed give the same writes and reads with every policy.
Report RunCell(const Cell& cell, uint64_t gets, uint64_t seed, const Policy& policy);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ENGINES_MATRIX_RUN_CELL_H_
