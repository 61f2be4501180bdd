// Results in memory shared by processes: every database is opened in a process of its own, because
// RocksDB's threads do not survive a fork.
#ifndef BLOOMLINE_TESTS_MIGRATION_REPORT_H_
#define BLOOMLINE_TESTS_MIGRATION_REPORT_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "tests/migration/check.h"

namespace bloomline::tests {

struct Totals {
  std::atomic<uint64_t> steps{0};
  std::atomic<uint64_t> keys{0};
  std::atomic<uint64_t> wrong{0};
  std::atomic<uint64_t> missing{0};
  std::atomic<uint64_t> kills{0};         // in the middle of a compaction
  std::atomic<uint64_t> ended_before{0};  // the kill's moment did not come
  std::atomic<uint64_t> faults{0};
  std::atomic<uint64_t> gets_under_faults{0};
  std::atomic<uint64_t> errors_under_faults{0};
  std::atomic<uint64_t> controls{0};
  std::atomic<uint64_t> failures{0};
};

class Report {
 public:
  Report();  // before the first process
  Totals& totals() { return *totals_; }

  void Heading(const std::string& text);
  // A line of the table, and a failure for wrong answers or `problem`.
  void Step(const std::string& name, const Checked& checked, const std::string& problem,
            double seconds);
  void Fail(const std::string& what);
  void Line(const std::string& text);

  // Runs f in a process of its own. Returns true if it was not killed, false after SIGKILL. Another
  // end is a failure; but *aborted, if given, is set after an abort().
  bool InProcess(const std::function<void()>& f, bool* aborted = nullptr);

 private:
  Totals* totals_;
  std::string heading_;
};

class Stopwatch {
 public:
  // Seconds since the last call, or since the beginning.
  double Lap() {
    const auto start = start_;
    start_ = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(start_ - start).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_REPORT_H_
