// The cases of the faults test: databases are opened, flushed, compacted and read while
// one operation after the other fails.
#ifndef BLOOMLINE_TESTS_FAULTS_FAILURES_UNIT_H_
#define BLOOMLINE_TESTS_FAULTS_FAILURES_UNIT_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/faults/fault_points.h"
#include "tests/faults/store.h"

namespace bloomline::tests {

// The engine's work during which faults happen.
enum class Phase { kOpen, kFlush, kCompact, kGet, kFlip };
const char* Name(Phase phase);

struct Unit {
  Engine engine;
  FilterKind filter;
  Phase phase;
};

std::string Describe(const Unit& unit);

struct Totals {
  uint64_t cases;
  uint64_t faults[kNumFaultyOperations][kNumFaults];
  uint64_t failed_allocations;
  uint64_t flips;
  uint64_t without_fault;  // cases whose fault did not happen
  uint64_t refused_opens;
  uint64_t refused_writes;
  uint64_t found;   // under faults: Gets of acknowledged keys with the right value
  uint64_t errors;  // Gets with an error
  uint64_t lost;    // Gets that did not find the key
  uint64_t wrong_values;
  uint64_t found_after;  // after the faults, in the database opened again
  uint64_t lost_after;
  uint64_t torn_manifests;  // databases that LevelDB, with any filters, cannot open again
  uint64_t ended;           // processes that ended out of memory, as LevelDB's policy must
  uint64_t crashes;
  uint64_t failures;
};

// In memory shared by the test and the processes it starts.
struct Shared {
  Totals totals;
  bool counted;  // the unit's operations and allocations without faults are counted
  uint64_t operations[kNumFaultyOperations];
  uint64_t allocations;
  uint64_t table_bytes;                // kFlip
  std::atomic<uint64_t> next;          // the next case
  std::atomic<bool> running;           // that case is running
  std::atomic<bool> may_end;           // the process may end in this case
  std::atomic<uint64_t> acknowledged;  // keys acknowledged in this case
};

// Runs the cases of a unit from shared->next on, in a process that may end in any of them.
// `sample`: about how many places for each kind of operation and fault; 0: all.
void RunCases(const Unit& unit, uint64_t sample, const std::string& directory, Shared* shared);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_FAILURES_UNIT_H_
