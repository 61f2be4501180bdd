#include "db_bench_ext/support/report.h"

#include <cstdio>

namespace bloomline::bench {

std::string Cell(double value, int digits, const char* unit) {
  return std::isnan(value) ? "-" : NumberText(value, digits) + unit;
}

std::string CsvCell(double value) {
  if (std::isnan(value)) return "";
  char text[32];
  std::snprintf(text, sizeof(text), "%.10g", value);
  return text;
}

std::string CsvCells(const Spread& spread) {
  return CsvCell(spread.median) + "," + CsvCell(spread.min) + "," + CsvCell(spread.max);
}

Row& Row::Word(const std::string& column, const std::string& heading, const std::string& word) {
  Show(heading, word);
  names_ += column + ",";
  values_ += word + ",";
  return *this;
}

Row& Row::Number(const std::string& column, const std::string& heading, double value, int digits,
                 double scale) {
  Show(heading, Cell(scale * value, digits));
  names_ += column + ",";
  values_ += CsvCell(value) + ",";
  return *this;
}

Row& Row::Rounds(const std::string& column, const std::string& heading, const Spread& spread,
                 int digits, double scale) {
  Show(heading, Cell(scale * spread.median, digits));
  names_ += column + "_median," + column + "_min," + column + "_max,";
  values_ += CsvCells(spread) + ",";
  return *this;
}

void Row::Show(const std::string& heading, const std::string& cell) {
  if (heading.empty()) return;
  headings_.push_back(heading);
  cells_.push_back(cell);
}

std::string Table(const std::vector<Row>& rows, size_t num_left) {
  if (rows.empty()) return "";
  std::vector<Cells> lines = {rows.front().headings_};
  for (const Row& row : rows) lines.push_back(row.cells_);
  return tool::TextTable(lines, num_left);
}

std::string Csv(const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  const auto line = [](const std::string& cells) {
    return cells.substr(0, cells.size() - 1) + "\n";  // without the last comma
  };
  std::string csv = line(rows.front().names_);
  for (const Row& row : rows) csv += line(row.values_);
  return csv;
}

}  // namespace bloomline::bench
