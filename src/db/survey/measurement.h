// Measures the false-positive rates of all files.
#ifndef BLOOMLINE_DB_SURVEY_MEASUREMENT_H_
#define BLOOMLINE_DB_SURVEY_MEASUREMENT_H_

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"
#include "src/db/tables/table.h"

namespace bloomline::db {

// Queries of missing keys and false positives.
struct Queries {
  uint64_t queries = 0;
  uint64_t matches = 0;

  void Add(bool match) {
    ++queries;
    if (match) ++matches;
  }
  double rate() const { return Quotient(matches, queries); }
};

struct MeasureResult {
  Queries adjacent;        // for missing keys adjacent to stored ones
  Queries elsewhere;       // for missing keys elsewhere
  uint64_t keys_read = 0;  // distinct keys; prefixes if the filters hold nothing else
  bool of_prefixes = false;
  bool whole_file = true;  // false: some blocks were skipped
  std::string by_bytes;    // why keys are adjacent by their bytes, not by the comparator; or empty
  std::string not_measured;  // why the file was not measured; empty: it was
};

constexpr char kNoFilter[] = "no filter";  // why a file was not measured

struct MeasureOptions {
  uint64_t samples = 100000;
  uint64_t seed = 1;
  bool only_weak_hashes = false;  // measures only files with FileFacts::has_weak_hash
};

// Both ends of Wilson's 95 % interval for a rate measured with `queries` queries, which may be an
// effective number. It also holds for rates near 0 and few queries. NaN without queries.
inline std::pair<double, double> ConfidenceInterval(double rate, double queries) {
  if (!(queries > 0)) return {std::nan(""), std::nan("")};
  constexpr double z = 1.959964;
  const double center = (rate + z * z / (2 * queries)) / (1 + z * z / queries);
  const double half = z / (1 + z * z / queries) *
                      std::sqrt(rate * (1 - rate) / queries + z * z / (4 * queries * queries));
  // Rounded, the ends would be 1.7e-16 and the like.
  return {rate > 0 ? std::max(0.0, center - half) : 0, rate < 1 ? std::min(1.0, center + half) : 1};
}

// The mean of rates with weights, and the number of queries of one filter that would give the same
// precision.
class WeightedRate {
 public:
  WeightedRate() = default;
  explicit WeightedRate(const Queries& queries) { Add(1, queries.rate(), queries.queries); }

  void Add(double weight, double rate, uint64_t queries) {
    if (queries == 0 || !(weight > 0)) return;
    weights_ += weight;
    rates_ += weight * rate;
    squares_ += weight * weight / static_cast<double>(queries);
    num_queries_ += queries;
  }
  double rate() const { return weights_ > 0 ? rates_ / weights_ : std::nan(""); }
  double queries() const { return squares_ > 0 ? weights_ * weights_ / squares_ : 0; }
  uint64_t num_queries() const { return num_queries_; }  // the total

 private:
  double weights_ = 0;
  double rates_ = 0;
  double squares_ = 0;
  uint64_t num_queries_ = 0;
};

// Adds --samples and --seed.
void AddMeasureOptions(CLI::App* command, MeasureOptions* options);

// Measures all files whose inspection is done; the others keep their state. Returns a result for
// each of Inputs::files; files that vanished or failed meanwhile have no queries. options.seed and
// a file's number determine its random keys, whatever the number of threads.
std::vector<MeasureResult> Measure(Inputs* inputs, const CommonOptions& common,
                                   const MeasureOptions& options, const std::string& name,
                                   const Inspection& inspection);

// The rates of a group's files, weighted by how many Gets query each.
struct MeasuredGroup {
  uint64_t files = 0;  // files whose filters were measured
  WeightedRate adjacent;
  WeightedRate elsewhere;
  WeightedRate expected;  // in theory
  // Per Get of a missing key. Files that were not measured count with their expected rate, files
  // without a filter with 1. NaN: unknown.
  double wasted_reads = 0;
  // The number of files for each reason that MeasureResult names.
  std::map<std::string, uint64_t> by_bytes;
  std::map<std::string, uint64_t> not_measured;
};

MeasuredGroup MeasuredRates(const Group& group, const Inspection& inspection,
                            const std::vector<MeasureResult>& results);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_MEASUREMENT_H_
