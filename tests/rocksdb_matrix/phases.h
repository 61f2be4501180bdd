// The stages of a cell's database, and whether RocksDB queries filters there.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_PHASES_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_PHASES_H_

#include <string>

#include "tests/rocksdb_matrix/cell.h"
#include "tests/rocksdb_matrix/report.h"

namespace bloomline::matrix {

enum class Phase {
  kLevels,     // files on every level, and a memtable
  kCompacted,  // one level
  kReopened,   // with the later prefix extractor
  kMixed,      // and with a new file, which has the prefixes of that one
  kRewritten,  // all files have
};
constexpr Phase kAllPhases[] = {Phase::kLevels, Phase::kCompacted, Phase::kReopened, Phase::kMixed,
                                Phase::kRewritten};
const char* Name(Phase phase);

// Why the Gets of a phase query no filter; empty if they do.
std::string WhyGetsQueryNone(const Cell& cell, Phase phase);

// What is wrong with how filters were used: not queried although RocksDB queries them, queried
// although it does not, or no missing key excluded. Empty if nothing is.
std::string WrongUse(const Cell& cell, const Report& report);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_PHASES_H_
