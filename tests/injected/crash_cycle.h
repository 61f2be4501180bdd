// One cycle of the crash test: a process that writes is killed, and another one looks at what it
// left behind.
#ifndef BLOOMLINE_TESTS_INJECTED_CRASH_CYCLE_H_
#define BLOOMLINE_TESTS_INJECTED_CRASH_CYCLE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/injected/kill_points.h"
#include "tests/injected/store.h"
#include "tests/key_shapes.h"

namespace bloomline::tests {

// What the second process found.
struct Findings {
  uint64_t present_queried;
  uint64_t lost;   // acknowledged, and the answer was no
  uint64_t wrong;  // another value, an error, a file that is neither the old nor the new one
  uint64_t missing_queried;
  uint64_t missing_found;
  FilterCounts filters;  // of missing keys
  bool finished;
  char error[512];  // the first thing that was wrong
};

// In memory that the processes of a cycle share, so that nothing of it dies with one of them.
struct Shared {
  // Keys, or saves of a file, whose write has returned and said that it succeeded: as many as are
  // in the store for certain, from the first one on.
  std::atomic<uint64_t> acknowledged;
  Activity activity;
  std::atomic<int> building;  // filters, at the moment
  std::atomic<int> saving;
  char error[512];  // why the writing process gave up
  Findings findings;
};

enum class KillBy { kTime, kFilter, kFileOperation };
const char* Name(KillBy by);

struct KillPlan {
  KillBy by = KillBy::kTime;
  uint64_t delay_us = 0;    // kTime
  uint64_t nth_filter = 1;  // kFilter: as the policy's code begins for the n-th time, or ends
  bool as_it_ends = false;
  KillPoint point;  // kFileOperation
};

struct DatabaseCycle {
  StoreOptions writer;  // engine and filter; the rest is filled in
  FilterKind reader = FilterKind::kBlocked;
  Durability durability = Durability::kLog;
  KeyShape shape = KeyShape::kUuid;
};

// Never returns: killed, or an exit status that is not 0, with shared->error.
[[noreturn]] void WriteDatabase(const DatabaseCycle& cycle, const KillPlan& plan,
                                const std::string& path, Shared* shared);
// Fills shared->findings.
void VerifyDatabase(const DatabaseCycle& cycle, const std::string& path, Shared* shared);

enum class SavedKind {
  kBlocked,
  kStandard,
  kBlocked128,
  kBlocked64,
  kScalable,
  kCounting,
  kPartitionedBlocked,
  kPartitionedCompact,
};
constexpr int kNumSavedKinds = 8;
const char* Name(SavedKind kind);

// `directory` has the file "filter" and nothing else but what a killed process left.
[[noreturn]] void SaveFilters(SavedKind kind, const KillPlan& plan, const std::string& directory,
                              Shared* shared);
// Sets shared->acknowledged to the save that is in the file. `scratch`: another directory.
void VerifyFilter(SavedKind kind, const std::string& directory, const std::string& scratch,
                  Shared* shared);

// Sets *error of the findings, if it is the first one.
void Complain(Shared* shared, const std::string& text);
[[noreturn]] void GiveUp(Shared* shared, const std::string& text);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_CRASH_CYCLE_H_
