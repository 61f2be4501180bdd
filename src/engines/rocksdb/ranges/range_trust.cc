#include "src/engines/rocksdb/ranges/range_trust.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>

#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/engines/rocksdb/ranges/self_test.h"
#include "src/engines/rocksdb/ranges/tested_versions.h"
#include "src/support/out_of_memory.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

enum class Trust : int {
  kUndecided,
  kNoDatabase,  // the next extractor tries again
  kTesting,
  kNoTokens,
  kTestedVersion,
  kPassed,
  kFailed
};

// Without destructors: extractors may outlive static objects.
std::atomic<Trust> trust{Trust::kUndecided};
const std::string* outcome = nullptr;  // of the self-test; written before kPassed and kFailed
thread_local bool is_testing_thread = false;

// Of a self-test without a database.
constexpr int kMaxTries = 4;

// Whoever sets the variable wants tests, so a value that is not known asks for them, too.
bool IsForced() {
  const char* const text = std::getenv("BLOOMLINE_RANGE_SELF_TEST");
  if (text == nullptr || *text == '\0') return false;
  static bool is_checked = false;
  if (!is_checked && std::string_view(text) != "always") {
    std::fprintf(
        stderr,
        "bloomline: BLOOMLINE_RANGE_SELF_TEST is %s, which counts as always; allowed: always\n",
        support::Quoted(text).c_str());
  }
  is_checked = true;
  return true;
}

// In one thread at a time.
Trust Decide() {
  if (UINTPTR_MAX < TokenBlocks::kFirst) return Trust::kNoTokens;
  const std::string version = ROCKSDB_NAMESPACE::GetRocksVersionAsString(true);
  const bool is_forced = IsForced();
  if (IsTestedVersion(version) && !is_forced && ExtractorIdsAreUnique()) {
    return Trust::kTestedVersion;
  }
  const TestingThread here;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::string difference;
  if (ExtractorIdsAreUnique()) {
    bool has_database = false;
    difference = TestCallsForRanges(&has_database);
    static int num_tries = 0;
    if (!has_database && ++num_tries < kMaxTries) return Trust::kNoDatabase;
  } else {
    difference = "the system gives no random number for the ids of extractors";
  }
  const auto microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  char time[32];
  std::snprintf(time, sizeof(time), " in %.1f ms", static_cast<double>(microseconds) / 1e3);
  auto text = std::make_unique<std::string>(
      difference.empty() ? "passed by RocksDB " + version + time
                         : "failed with RocksDB " + version + ": " + difference);
  outcome = text.release();
  if (difference.empty()) return Trust::kPassed;
  std::fprintf(stderr, "bloomline: filters reject no range: the self-test %s\n", outcome->c_str());
  return Trust::kFailed;
}

// The last logger that hashes to each place. Two that share one take turns in it, and may then
// repeat lines.
constexpr size_t kNumLoggers = 64;
std::atomic<const void*> loggers[kNumLoggers];

}  // namespace

bool IsTestedVersion(std::string_view version) {
  TestedVersion running = {};
  int end = 0;
  // std::string: sscanf needs the end, and a view may have none.
  const std::string text(version);
  if (std::sscanf(text.c_str(), "%d.%d.%d%n", &running.major, &running.minor, &running.last_patch,
                  &end) != 3 ||
      static_cast<size_t>(end) != text.size()) {
    return false;
  }
  for (const TestedVersion& tested : kTestedVersions) {
    if (tested.major == running.major && tested.minor == running.minor) {
      return running.last_patch >= 0 && running.last_patch <= tested.last_patch;
    }
  }
  return false;
}

TestingThread::TestingThread() { is_testing_thread = true; }
TestingThread::~TestingThread() { is_testing_thread = false; }

void DecideRangeTrust() {
  if (is_testing_thread) return;
  Trust now = trust.load(std::memory_order_relaxed);
  do {
    if (now != Trust::kUndecided && now != Trust::kNoDatabase) return;
  } while (!trust.compare_exchange_weak(now, Trust::kTesting, std::memory_order_acquire));
  trust.store(support::OrIfOutOfMemory(Trust::kUndecided, Decide), std::memory_order_release);
}

bool RangesAreTrusted() {
  const Trust now = trust.load(std::memory_order_relaxed);
  return now == Trust::kTestedVersion || now == Trust::kPassed || is_testing_thread;
}

std::string RangeTrustText() {
  switch (trust.load(std::memory_order_acquire)) {
    case Trust::kUndecided:
      return "not done: out of memory";
    case Trust::kNoDatabase:
      return "not done yet: no database in memory";
    case Trust::kTesting:
      return "in progress";
    case Trust::kNoTokens:
      return "not needed: with addresses of 32 bits, filters reject no range";
    case Trust::kTestedVersion:
      return "not needed: RocksDB " + ROCKSDB_NAMESPACE::GetRocksVersionAsString(true) +
             " was tested";
    case Trust::kPassed:
    case Trust::kFailed:
      return *outcome;
  }
  return "";
}

void LogRangeTrust(ROCKSDB_NAMESPACE::Logger* log) {
  if (log == nullptr || is_testing_thread) return;
  const Trust now = trust.load(std::memory_order_acquire);
  if (now != Trust::kPassed && now != Trust::kFailed) return;
  std::atomic<const void*>& last = loggers[std::hash<const void*>()(log) / 16 % kNumLoggers];
  if (last.exchange(log, std::memory_order_relaxed) == log) return;
  // A logger may find no memory. The caller is a flush or a compaction, which goes on.
  support::OrIfOutOfMemory(0, [&] {
    ROCKSDB_NAMESPACE::Info(log, "bloomline: self-test of ranges %s%s", outcome->c_str(),
                            now == Trust::kPassed ? "" : "; filters reject no range");
    return 0;
  });
}

}  // namespace bloomline
