// Queries every key of a database and judges the answers, and which filters gave them.
#ifndef BLOOMLINE_TESTS_MIGRATION_CHECK_H_
#define BLOOMLINE_TESTS_MIGRATION_CHECK_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/migration/database.h"
#include "tests/migration/model.h"

namespace bloomline::tests {

struct Checked {
  uint64_t keys = 0;     // queries of stored and of deleted keys
  uint64_t wrong = 0;    // not found, another value, found though deleted or missing, an error
  uint64_t errors = 0;   // of these; no key is lost by an error
  uint64_t missing = 0;  // queries of missing keys, below
  uint64_t yes[kNumKinds] = {};  // answers of filters to them
  uint64_t no[kNumKinds] = {};
  double blocks_per_missing = 0;  // data blocks that such a Get reads
  std::string first_wrong;
  std::map<std::string, int> tables;
};

// Of the missing keys, a fifth of the keys' number, half have the prefix of a stored key. Those do
// not count in `yes`, `no` and `blocks_per_missing` where only prefixes are in the filters.
Checked Check(Database* database, const Model& model, const Mode& mode);

// What must be true of the filters after a migration's step: those of `writers` that `reader`
// uses reject missing keys, all others answer nothing but "yes". Empty, or what is wrong.
// `all_are_there`: tables of each writer exist. LevelDB compacts while it is read, so overlapping
// tables of two writers may already be of one.
std::string JudgeFilters(const Checked& checked, Engine engine, Filter reader,
                         const std::set<Filter>& writers, bool all_are_there = true);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_CHECK_H_
