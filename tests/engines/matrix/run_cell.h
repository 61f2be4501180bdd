// One cell: a database is written, compacted and reopened, and read at each stage.
#ifndef BLOOMLINE_TESTS_ENGINES_MATRIX_RUN_CELL_H_
#define BLOOMLINE_TESTS_ENGINES_MATRIX_RUN_CELL_H_

#include <cstdint>
#include <string>

#include "tests/engines/matrix/cell.h"
#include "tests/engines/matrix/filters.h"
#include "tests/engines/matrix/reads.h"

namespace bloomline::matrix {

// What is wrong with how filters were used: not queried although RocksDB queries them, or no
// missing key excluded. Empty if nothing is.
std::string WrongUse(const Cell& cell, const Report& report);

// The same cell, Gets and seed give the same writes and reads with every policy.
Report RunCell(const Cell& cell, uint64_t gets, uint64_t seed, const Policy& policy);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ENGINES_MATRIX_RUN_CELL_H_
