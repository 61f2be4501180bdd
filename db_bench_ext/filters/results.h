// Collects what Google Benchmark reports: medians of the rounds of each case.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_RESULTS_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_RESULTS_H_

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "db_bench_ext/filters/case.h"

namespace bloomline::bench {

// Times are nanoseconds per key, one for each round.
struct CaseResult {
  std::vector<double> ns;
  std::vector<double> finish_ns;  // of builds, the part of Finish
  std::vector<double> fprs;       // of queries for absent keys
  double written_bits_per_key = 0;
};

class Results : public benchmark::BenchmarkReporter {
 public:
  explicit Results(const std::map<std::string, Case>& cases) : cases_(cases) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  bool empty() const { return results_.empty(); }
  // Each line names a benchmark that failed, and why.
  const std::string& errors() const { return errors_; }

  // Each is NaN if the case was not run.
  double Ns(const Case& c) const;
  double Fpr(const Case& c) const;
  double WrittenBitsPerKey(const Case& c) const;

  std::string Csv(size_t key_bytes) const;
  // Every case on a line, for people.
  std::string List() const;

 private:
  const CaseResult* Find(const Case& c) const;

  const std::map<std::string, Case>& cases_;
  std::map<Case, CaseResult> results_;
  std::string errors_;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_RESULTS_H_
