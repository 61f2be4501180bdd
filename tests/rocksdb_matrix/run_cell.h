// One cell: a database is written, compacted and reopened, and read at each stage.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_RUN_CELL_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_RUN_CELL_H_

#include <cstdint>

#include "tests/rocksdb_matrix/cell.h"
#include "tests/rocksdb_matrix/filters.h"
#include "tests/rocksdb_matrix/report.h"

namespace bloomline::matrix {

// The same cell, Gets and seed give the same writes and reads with every policy.
Report RunCell(const Cell& cell, uint64_t gets, uint64_t seed, const Policy& policy);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_RUN_CELL_H_
