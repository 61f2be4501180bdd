// Tables and CSV of the scale bench.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_REPORT_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_REPORT_H_

#include <string>
#include <vector>

#include "db_bench_ext/scaling/subjects.h"

namespace bloomline::bench {

std::string ScaleTableHead(uint64_t num_keys);
std::string ScaleTableRow(const ScaleRow& row);

// How much faster several threads are together than one; empty without several.
std::string ThreadScaling(const std::vector<ScaleRow>& rows);

// Lost keys, and rates more than 3 % off theory, one in a line.
std::string ScaleFailures(const std::vector<ScaleRow>& rows);

std::string ScaleCsv(const std::vector<ScaleRow>& rows);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_REPORT_H_
