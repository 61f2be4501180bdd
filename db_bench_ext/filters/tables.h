// The printed tables of filter_bench.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_TABLES_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_TABLES_H_

#include <string>

#include "db_bench_ext/filters/results.h"
#include "db_bench_ext/filters/suite.h"

namespace bloomline::bench {

// All tables. "-" marks what was not run.
std::string Tables(const Suite& suite, const Results& results);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_TABLES_H_
