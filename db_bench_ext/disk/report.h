// Results as text and CSV.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_REPORT_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_REPORT_H_

#include <string>

#include "db_bench_ext/disk/measure.h"

namespace bloomline::bench {

// What the columns mean and how the databases were made.
std::string Legend(const Plan& plan, const Results& results);

// For each layout: filters by level and wasted reads, beside the model.
std::string DatabaseTables(const Plan& plan, const Results& results);

// For each regime: every workload with every policy.
std::string RegimeTables(const Plan& plan, const Results& results);

// Speeds of each policy in all regimes, as multiples of built-in Bloom's and of Ribbon's.
std::string SummaryTables(const Plan& plan, const Results& results);

std::string Csv(const Results& results);
std::string LevelsCsv(const Results& results);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_REPORT_H_
