// Collects what Google Benchmark reports, and takes the medians of each case's rounds.
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

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_RESULTS_H_
