// One cycle of the crash test: a writing process is killed, and a second one checks the database
// that it left.
#ifndef BLOOMLINE_TESTS_FAULTS_CRASH_CYCLE_H_
#define BLOOMLINE_TESTS_FAULTS_CRASH_CYCLE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/faults/kill_points.h"
#include "tests/faults/store.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests {

// The findings of the second process.
struct Findings {
  uint64_t present_queried;
  uint64_t lost;   // acknowledged keys that were not found
  uint64_t wrong;  // another value, an error
  uint64_t missing_queried;
  uint64_t missing_found;
  FilterCounts filters;  // of missing keys
  bool finished;
  char error[512];  // the first error
};

// In memory shared by the processes of a cycle, so that it survives each of them.
struct Shared {
  // Number of keys whose write has returned success. They must be in the store, from the first one
  // on.
  std::atomic<uint64_t> acknowledged;
  char error[512];  // why the writing process failed
  Findings findings;
};

enum class KillBy { kTime, kFilter, kFileOperation };

struct KillPlan {
  KillBy by = KillBy::kTime;
  uint64_t delay_us = 0;    // kTime
  uint64_t nth_filter = 1;  // kFilter: when the policy's code begins or ends for the n-th time
  bool as_it_ends = false;
  KillPoint point;  // kFileOperation
};

struct DatabaseCycle {
  StoreOptions writer;  // engine and filter; the other fields are set later
  FilterKind reader = FilterKind::kBlocked;
  Durability durability = Durability::kLog;
  KeyShape shape = KeyShape::kUuid;
};

// Never returns: the process is killed, or exits with a status other than 0 and sets shared->error.
[[noreturn]] void WriteDatabase(const DatabaseCycle& cycle, const KillPlan& plan,
                                const std::string& path, Shared* shared);
// Fills shared->findings.
void VerifyDatabase(const DatabaseCycle& cycle, const std::string& path, Shared* shared);

// Keeps the first error of the findings.
void Complain(Shared* shared, const std::string& text);
[[noreturn]] void GiveUp(Shared* shared, const std::string& text);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_CRASH_CYCLE_H_
