// What else happens to databases on the way.
#ifndef BLOOMLINE_TESTS_MIGRATION_OTHER_H_
#define BLOOMLINE_TESTS_MIGRATION_OTHER_H_

#include "tests/migration/subject.h"

namespace bloomline::tests {

// RocksDB's OPTIONS files, loaded by programs with and without bloomline.
void LoadOptionsFiles(const Setup& setup, Report* report);

// LevelDB databases without a usable MANIFEST or CURRENT, after RepairDB with either policy.
void RepairLevelDB(const Setup& setup, Report* report);

// LevelDB databases opened by RocksDB, and those of RocksDB before 7.0.
void OpenLevelDBWithRocksDB(const Setup& setup, Report* report);

// A compaction with default options leaves old filters; the one with which an operator ends a
// migration does not.
void CompactByDefault(const Setup& setup, Report* report);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_OTHER_H_
