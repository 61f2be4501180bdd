// Whether filters may reject ranges: a RocksDB with other calls than range_extractor.h presumes
// could make a filter reject a range that has keys. Versions that were tested are trusted, others
// after a self-test in the running program.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_TRUST_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_TRUST_H_

#include <atomic>
#include <string>
#include <string_view>

#include "src/filter/metrics/sampling.h"

namespace ROCKSDB_NAMESPACE {
class Logger;
}

namespace bloomline {

// Whether `version`, as in "7.8.3", is one of kTestedVersions.
bool IsTestedVersion(std::string_view version);

// In this thread, while it lives, ranges are trusted, and no self-test begins: the self-test's own
// database makes extractors and queries filters, too. These are not counted.
class TestingThread {
 public:
  TestingThread();
  ~TestingThread();
  TestingThread(const TestingThread&) = delete;
  TestingThread& operator=(const TestingThread&) = delete;

 private:
  const filter::Uncounted uncounted_;
};

// If nothing is decided yet, decides: by the version of the RocksDB that runs; and by the self-test
// if that version was not tested, or if the environment has BLOOMLINE_RANGE_SELF_TEST=always. The
// self-test takes milliseconds, once in a process. A failure puts one line on stderr. Out of
// memory, nothing is decided, and the next call tries again. So it does, up to three times, if
// RocksDB makes no database in memory: linked statically, it can make none before its own static
// objects are there, and a program's static objects may be made first. Never throws; but RocksDB
// ends the process at some of its own allocations that fail (8 of the first 6,000, with 7.8.3), as
// it does in any DB::Open. Thread-safe: while one thread tests, others go on, without trust, so no
// thread waits. So does a child of fork() for all its life if another thread of the parent was
// testing. Without random numbers, no version is trusted (ExtractorIdsAreUnique).
//
// Callers may hold locks. With 7.8.3, one cycle of three threads that wait is left, if a process's
// first extractor is made by SetOptions and the self-test is forced. SetOptions holds the mutex_ of
// its database, and the self-test's DB::Open waits for RocksDB's static timer_mutex. SetDBOptions
// of stats_dump_period_sec, for any database, holds timer_mutex, and waits in Timer::Cancel for the
// task that runs. And that task waits for the mutex_.
void DecideRangeTrust();

// Cost when trusted: a load.
bool RangesAreTrusted();

// What was decided, and why: "passed by RocksDB 12.0.0 in 3.1 ms". Throws if out of memory.
std::string RangeTrustText();

// Logs the self-test's outcome, once for each logger; nothing if the version was tested. `log` may
// be null. Thread-safe. Out of memory, it logs nothing.
void LogRangeTrust(ROCKSDB_NAMESPACE::Logger* log);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_TRUST_H_
