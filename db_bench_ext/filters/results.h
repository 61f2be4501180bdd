// Collects what Google Benchmark reports, and takes the medians of each case's rounds; the printed
// tables.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_RESULTS_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_RESULTS_H_

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "db_bench_ext/filters/suite.h"

namespace bloomline::bench {

// Times are nanoseconds per key, one for each round.
struct CaseResult {
  std::vector<double> ns;
  std::vector<double> finish_ns;  // of builds: the part spent in Finish
  std::vector<double> fprs;       // of queries for missing keys
  double written_bits_per_key = 0;
};

class Results : public benchmark::BenchmarkReporter {
 public:
  explicit Results(const std::map<std::string, Case>& cases) : cases_(cases) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  bool empty() const { return results_.empty(); }
  // A line for each benchmark that failed: its name and the reason.
  const std::string& errors() const { return errors_; }

  // Each is NaN if the case was not run.
  double Ns(const Case& c) const;
  double Fpr(const Case& c) const;
  double WrittenBitsPerKey(const Case& c) const;

  std::string Csv(size_t key_bytes) const;
  // A line of text for each case.
  std::string List() const;

 private:
  const CaseResult* Find(const Case& c) const;

  const std::map<std::string, Case>& cases_;
  std::map<Case, CaseResult> results_;
  std::string errors_;
};

// All tables. "-" marks what was not run.
std::string Tables(const Suite& suite, const Results& results);

// Builds a filter of num_keys in a process of its own for each family of subjects, and returns a
// table of how far its resident memory rose. The keys are made one by one and take none. A sentence
// instead if the system does not tell. Call it before much memory has been used: what this process
// has freed would not count.
std::string PeakMemoryTable(const std::vector<Subject>& subjects, uint64_t num_keys,
                            size_t key_bytes);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_RESULTS_H_
