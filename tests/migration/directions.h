// Migrations from one filter to another and back, step by step.
#ifndef BLOOMLINE_TESTS_MIGRATION_DIRECTIONS_H_
#define BLOOMLINE_TESTS_MIGRATION_DIRECTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/migration/subject.h"

namespace bloomline::tests {

struct Direction {
  Engine engine = Engine::kRocksDB;
  Mode mode;
  // The filters of the database and the new ones; or more, for a database that changed often.
  std::vector<Filter> filters;
};

// RocksDB's, in the order of a direction's modes.
const std::vector<Mode>& AllModes();

std::string Describe(const Direction& direction);
std::vector<Direction> LevelDBDirections();
std::vector<Direction> RocksDBDirections(bool every_mode);

// With two filters, the steps of an operator: open with the new filters, write, rewrite; open with
// the old ones, write, rewrite. With more: each writes a part, then each reads, rewrites, reads.
void Migrate(const Direction& direction, const Setup& setup, Report* report);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_DIRECTIONS_H_
