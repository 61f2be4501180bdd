#include "src/tool/text_table.h"

#include <algorithm>

#include "src/tool/printable.h"

namespace bloomline::tool {

std::string TextTable(std::vector<std::vector<std::string>> rows, size_t num_left) {
  std::vector<size_t> widths;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = Printable(cell);
    widths.resize(std::max(widths.size(), row.size()));
    if (row.size() == 1) continue;
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    if (row.size() == 1) {
      text += row[0] + '\n';
      continue;
    }
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < num_left ? row[i] + space : space + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace bloomline::tool
