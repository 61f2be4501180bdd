// The report of a bench: each result is a line of a text table and of a CSV file.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_REPORT_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_REPORT_H_

#include <cmath>
#include <string>
#include <vector>

#include "db_bench_ext/support/timing.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::bench {

using Cells = std::vector<std::string>;
using tool::NumberText;

// "-" if there is no value.
std::string Cell(double value, int digits, const char* unit = "");
// Empty if there is no value, else with ten digits.
std::string CsvCell(double value);
// Three cells: median, minimum, maximum.
std::string CsvCells(const Spread& spread);

// Each column has a name in the CSV. A column without a heading is not in the table. All rows of a
// report have the same columns.
class Row {
 public:
  Row& Word(const std::string& column, const std::string& heading, const std::string& word);
  // The table shows scale * value with these digits.
  Row& Number(const std::string& column, const std::string& heading, double value, int digits = 0,
              double scale = 1);
  Row& Count(const std::string& column, const std::string& heading, uint64_t count) {
    return Number(column, heading, static_cast<double>(count));
  }
  // Three columns of the CSV; the table has the median.
  Row& Rounds(const std::string& column, const std::string& heading, const Spread& spread,
              int digits = 0, double scale = 1);

 private:
  friend std::string Table(const std::vector<Row>& rows, size_t num_left);
  friend std::string Csv(const std::vector<Row>& rows);

  void Show(const std::string& heading, const std::string& cell);

  Cells headings_, cells_;
  std::string names_, values_;  // of the CSV
};

// The first num_left columns are aligned on the left.
std::string Table(const std::vector<Row>& rows, size_t num_left);
std::string Csv(const std::vector<Row>& rows);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_REPORT_H_
