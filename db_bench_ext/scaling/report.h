// Tables and CSV of the scale bench.
#ifndef BLOOMLINE_DB_BENCH_EXT_SCALING_REPORT_H_
#define BLOOMLINE_DB_BENCH_EXT_SCALING_REPORT_H_

#include <string>
#include <vector>

#include "db_bench_ext/scaling/subjects.h"

namespace bloomline::bench {

std::string TableHead(uint64_t num_keys);
std::string TableRow(const Row& row);

// Speed of several threads as a multiple of one thread's; empty if one thread was measured.
std::string ThreadScaling(const std::vector<Row>& rows);

// A line for each filter that lost keys, and for each false-positive rate more than 3 % off theory.
std::string Failures(const std::vector<Row>& rows);

std::string Csv(const std::vector<Row>& rows);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SCALING_REPORT_H_
