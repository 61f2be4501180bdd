// Shapes of keys that nobody made for a bench.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_LISTS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_LISTS_H_

#include <string>
#include <vector>

#include "db_bench_ext/databases/range_shapes.h"

namespace bloomline::bench::ranges {

// The list of files that support/key_list.sh printed: lines of a path, a space and a size. To be
// set before the shapes are used.
std::string& FileListPath();

// Files, words (package wamerican), domain names (package publicsuffix).
std::vector<Shape> RealLists();

}  // namespace bloomline::bench::ranges

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_RANGE_LISTS_H_
