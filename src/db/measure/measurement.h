// The measurement of all files.
#ifndef BLOOMLINE_DB_MEASURE_MEASUREMENT_H_
#define BLOOMLINE_DB_MEASURE_MEASUREMENT_H_

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "src/db/inputs.h"
#include "src/db/inspect/inspection.h"
#include "src/db/measure/measure_file.h"

namespace bloomline::db {

// ---- Confidence intervals of measured rates.

struct Interval {
  double low = 0;
  double high = 1;
};

// Wilson's interval of 95 % for a rate that was measured by `queries` queries, which may be an
// effective number. Right for rates near 0 and for few queries, too.
inline Interval ConfidenceInterval(double rate, double queries) {
  constexpr double z = 1.959964;
  if (!(queries > 0)) return {};
  const double center = (rate + z * z / (2 * queries)) / (1 + z * z / queries);
  const double half = z / (1 + z * z / queries) *
                      std::sqrt(rate * (1 - rate) / queries + z * z / (4 * queries * queries));
  // Rounded, the ends would be 1.7e-16 and the like.
  return {rate > 0 ? std::max(0.0, center - half) : 0, rate < 1 ? std::min(1.0, center + half) : 1};
}

// The mean of rates with weights, and as many queries of one filter as tell as much about it.
class WeightedRate {
 public:
  void Add(double weight, double rate, double queries) {
    if (!(queries > 0) || !(weight > 0)) return;
    weights_ += weight;
    rates_ += weight * rate;
    squares_ += weight * weight / queries;
  }
  double weight() const { return weights_; }
  double rate() const { return weights_ > 0 ? rates_ / weights_ : std::nan(""); }
  double queries() const { return squares_ > 0 ? weights_ * weights_ / squares_ : 0; }

 private:
  double weights_ = 0;
  double rates_ = 0;
  double squares_ = 0;
};

// Adds --samples and --seed.
void AddMeasureOptions(CLI::App* command, MeasureOptions* options);

// Measures all files whose inspection is done; the others keep their state. Results are as
// Inputs::files. options.seed and a file's number give its random keys, whatever the threads.
std::vector<MeasureResult> Measure(Inputs* inputs, const CommonOptions& common,
                                   const MeasureOptions& options, const std::string& name,
                                   const Inspection& inspection);

// Rates of several files: weighted by how many Gets query each.
struct MeasuredGroup {
  int level = -1;
  uint64_t files = 0;  // with filters that were measured
  WeightedRate adjacent;
  WeightedRate elsewhere;
  WeightedRate expected;  // in theory
  uint64_t queries_adjacent = 0;
  uint64_t queries_elsewhere = 0;
  double runs = 0;  // as Group::runs
  // Per Get of a missing key; files that were not measured count with their expected rate, those
  // without filter with 1. NaN: unknown.
  double wasted_reads = 0;
};

struct MeasuredFamily {
  std::vector<MeasuredGroup> levels;  // as FamilyGroups::levels
  MeasuredGroup all;
  std::map<std::string, uint64_t> not_measured;  // files, by reason
};

// The rate that a file has for missing keys: of those adjacent to stored ones, or if there were
// too few, of those elsewhere. NaN: not measured.
double MeasuredRate(const MeasureResult& result);

// As Inspection::groups.
std::vector<MeasuredFamily> GroupMeasurement(const Inputs& inputs, const Inspection& inspection,
                                             const std::vector<MeasureResult>& results);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_MEASURE_MEASUREMENT_H_
