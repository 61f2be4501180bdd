// The measurement of all files.
#ifndef BLOOMLINE_TOOL_DB_MEASURE_MEASUREMENT_H_
#define BLOOMLINE_TOOL_DB_MEASURE_MEASUREMENT_H_

#include <map>
#include <string>
#include <vector>

#include "src/tool/db/common.h"
#include "src/tool/db/inspect/inspection.h"
#include "src/tool/db/measure/interval.h"
#include "src/tool/db/measure/measure_file.h"

namespace bloomline::tool::db {

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
  size_t database = 0;
  int column_family = 0;
  std::vector<MeasuredGroup> levels;
  MeasuredGroup all;
  std::map<KeyShape, MissingKeyRates> by_shape;
  std::map<std::string, uint64_t> not_measured;  // files, by reason
};

// The rate that a file has for missing keys: of those adjacent to stored ones, or if there were
// too few, of those elsewhere. NaN: not measured.
double MeasuredRate(const MeasureResult& result);

std::vector<MeasuredFamily> GroupMeasurement(const Inputs& inputs, const Inspection& inspection,
                                             const std::vector<MeasureResult>& results);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_MEASURE_MEASUREMENT_H_
