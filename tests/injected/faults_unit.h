// The cases of the faults test: databases that are opened, flushed, compacted and read while one
// operation after the other fails.
#ifndef BLOOMLINE_TESTS_INJECTED_FAULTS_UNIT_H_
#define BLOOMLINE_TESTS_INJECTED_FAULTS_UNIT_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/injected/fault_points.h"
#include "tests/injected/store.h"

namespace bloomline::tests {

// During which work of the engine faults come.
enum class Phase { kOpen, kFlush, kCompact, kGet, kFlip, kUncheckedFlip };
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
  uint64_t without_fault;  // cases whose fault did not come
  uint64_t refused_opens;
  uint64_t refused_writes;
  uint64_t found;   // Gets while faults came, of acknowledged keys
  uint64_t errors;  // the same
  uint64_t lost;    // the same, and the answer was not found
  uint64_t wrong_values;
  uint64_t found_after;  // when they were gone and the database was opened again
  uint64_t lost_after;
  uint64_t torn_manifests;   // databases that LevelDB cannot open after one, whatever the filters
  uint64_t unchecked_flips;  // without checksums
  uint64_t unchecked_lost;
  uint64_t ended;  // processes, for want of memory, as LevelDB's policy must
  uint64_t crashes;
  uint64_t failures;
};

// In memory that the test and the processes it starts share.
struct Shared {
  Totals totals;
  bool counted;  // of the unit at hand: operations and allocations without faults
  uint64_t operations[kNumFaultyOperations];
  uint64_t allocations;
  uint64_t table_first;  // kFlip: the bytes to flip
  uint64_t table_last;
  std::atomic<uint64_t> next;          // case
  std::atomic<bool> running;           // that one
  std::atomic<bool> may_end;           // the process, in this case
  std::atomic<uint64_t> acknowledged;  // keys, in this case
};

// Runs the cases of a unit from shared->next on, in a process that may end at any of them.
// `sample`: about so many places for each kind of operation and fault; 0: all.
void RunCases(const Unit& unit, uint64_t sample, const std::string& directory, Shared* shared);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_FAULTS_UNIT_H_
