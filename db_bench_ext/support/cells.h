// Cells of text tables and of CSV.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_CELLS_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_CELLS_H_

#include <cmath>
#include <string>
#include <vector>

#include "db_bench_ext/support/timing.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"

namespace bloomline::bench {

using Cells = std::vector<std::string>;
using cli::NumberText;

// "-" if there is no value.
inline std::string Cell(double value, int digits, const char* unit = "") {
  return std::isnan(value) ? "-" : NumberText(value, digits) + unit;
}

// Empty if there is no value.
inline std::string CsvCell(double value, int digits) {
  return std::isnan(value) ? "" : NumberText(value, digits);
}

// Three cells: median, minimum, maximum.
inline std::string CsvCells(const Spread& spread, int digits) {
  return CsvCell(spread.median, digits) + "," + CsvCell(spread.min, digits) + "," +
         CsvCell(spread.max, digits);
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_CELLS_H_
