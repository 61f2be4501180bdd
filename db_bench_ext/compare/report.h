// Results as text tables and as CSV.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_REPORT_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_REPORT_H_

#include <string>
#include <vector>

#include "db_bench_ext/compare/measure.h"

namespace bloomline::bench {

// Explains the columns of the tables.
std::string Legend();

// The table of one engine and one bits_per_key: a row per key set and policy.
std::string Table(const Engine& engine, const std::vector<Result>& results);

// Header line and one line per result, units in the column names; empty where there is no filter.
std::string Csv(const std::vector<Result>& results);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_REPORT_H_
