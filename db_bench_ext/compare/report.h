// Results as tables for people and as CSV for programs.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_REPORT_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_REPORT_H_

#include <string>
#include <vector>

#include "db_bench_ext/compare/measure.h"

namespace bloomline::bench {

// How to read the tables.
std::string Legend();

// One table: rows are key set x policy, of one engine and one bits_per_key.
std::string Table(const Engine& engine, const std::vector<Result>& results);

// Header line and one line per result, units in the column names; empty where there is no filter.
std::string Csv(const std::vector<Result>& results);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_REPORT_H_
