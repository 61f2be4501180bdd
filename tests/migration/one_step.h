// One step on a database that other processes made: perhaps with another version of RocksDB.
#ifndef BLOOMLINE_TESTS_MIGRATION_ONE_STEP_H_
#define BLOOMLINE_TESTS_MIGRATION_ONE_STEP_H_

#include <set>
#include <string>

#include "tests/migration/subject.h"

namespace bloomline::tests {

struct OneStep {
  std::string path;
  Filter filter = Filter::kNone;
  Mode mode;
  std::string action = "check";  // or "write" the next phase, or "rewrite"; then check
  uint64_t phases = 0;           // of the model, already written
  std::set<Filter> writers;      // of the tables that are there
};

// False if there is no such filter of RocksDB.
bool FilterOf(const std::string& name, Filter* filter);

void RunOneStep(const OneStep& step, const Setup& setup, Report* report);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_ONE_STEP_H_
