#include <cmath>
#include <numeric>
#include <sstream>

#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/support/cells.h"

namespace bloomline::bench {
namespace {

// Rounds query different keys, so their false-positive rates are averaged.
double Mean(const std::vector<double>& values) {
  if (values.empty()) return NAN;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void Results::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string& name = run.run_name.function_name;
    const auto known = cases_.find(name);
    if (run.run_type != Run::RT_Iteration || known == cases_.end()) continue;
    const auto counter = [&run](const char* counter_name) {
      const auto found = run.counters.find(counter_name);
      return found == run.counters.end() ? NAN : found->second.value;
    };
    // Not SkipWithError, whose result has another name from Google Benchmark 1.8 on.
    if (counter(kLostCounter) > 0) {
      errors_ += name + ": a key was lost\n";
      continue;
    }
    CaseResult& result = results_[known->second];
    const double keys = counter(kKeysCounter) * static_cast<double>(run.iterations);
    result.ns.push_back(1e9 * run.real_accumulated_time / keys);
    if (const double fpr = counter(kFprCounter); !std::isnan(fpr)) result.fprs.push_back(fpr);
    if (const double ns = counter(kFinishCounter); !std::isnan(ns)) result.finish_ns.push_back(ns);
    result.written_bits_per_key = counter(kWrittenBitsCounter);
  }
}

const CaseResult* Results::Find(const Case& c) const {
  const auto found = results_.find(c);
  return found == results_.end() ? nullptr : &found->second;
}

double Results::Ns(const Case& c) const {
  const CaseResult* result = Find(c);
  return result == nullptr ? NAN : Median(result->ns);
}

double Results::Fpr(const Case& c) const {
  const CaseResult* result = Find(c);
  return result == nullptr ? NAN : Mean(result->fprs);
}

double Results::WrittenBitsPerKey(const Case& c) const {
  const CaseResult* result = Find(c);
  return result == nullptr ? NAN : result->written_bits_per_key;
}

std::string Results::Csv(size_t key_bytes) const {
  std::ostringstream out;
  out << "kind,subject,keys,bits_per_key,key_bytes,hit_percent,mode,offset,threads,rounds,"
         "ns_per_key_median,ns_per_key_min,ns_per_key_max,finish_ns_per_key_median,fpr,"
         "written_bits_per_key\n";
  for (const auto& [c, result] : results_) {
    out << KindName(c.kind) << ',' << c.subject << ',' << c.num_keys << ',' << c.bits_per_key << ','
        << key_bytes << ',' << c.hit_percent << ',' << ModeName(c.mode) << ',' << c.offset << ','
        << c.threads << ',' << result.ns.size() << ',' << CsvCells(SpreadOf(result.ns), 4) << ','
        << CsvCell(Median(result.finish_ns), 4) << ',' << CsvCell(Mean(result.fprs), 8) << ','
        << CsvCell(result.written_bits_per_key, 4) << '\n';
  }
  return out.str();
}

std::string Results::List() const {
  std::ostringstream out;
  for (const auto& [c, result] : results_) {
    out << c.Name() << "  " << NumberText(Median(result.ns), 3) << " ns/key";
    if (!result.fprs.empty()) out << "  FPR " << NumberText(100 * Mean(result.fprs), 3) << " %";
    if (!std::isnan(result.written_bits_per_key)) {
      out << "  " << NumberText(result.written_bits_per_key, 3) << " bits/key";
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace bloomline::bench
