// Columns of text.
#ifndef BLOOMLINE_TOOL_TEXT_TABLE_H_
#define BLOOMLINE_TOOL_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace bloomline::tool {

// The first num_left columns are left-aligned, the others right-aligned. A row may have fewer cells
// than others; one with a single cell is the heading of a section and does not widen its column.
// Each line ends with a newline. Cells are shown as printable.h says.
std::string TextTable(std::vector<std::vector<std::string>> rows, size_t num_left = 1);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_TEXT_TABLE_H_
