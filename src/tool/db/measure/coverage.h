// How many Gets of missing keys query each file of a database.
#ifndef BLOOMLINE_TOOL_DB_MEASURE_COVERAGE_H_
#define BLOOMLINE_TOOL_DB_MEASURE_COVERAGE_H_

#include <string_view>
#include <vector>

namespace bloomline::tool::db {

// The user keys from the first to the last of a file, and how many keys it has.
struct KeyRange {
  std::string_view first;
  std::string_view last;
  double num_keys = 0;
};

// For each range the fraction of the keys of all ranges that lie in it. That is the fraction of
// Gets that query the file, if missing keys are distributed as stored ones. Between the ends of a
// range, keys are taken as evenly spaced numbers of 8 bytes, after what all keys have in common.
// Both bytewise orders. Time: n^2, and from 4,096 ranges on, n times 4,096.
std::vector<double> Coverage(const std::vector<KeyRange>& ranges);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_MEASURE_COVERAGE_H_
