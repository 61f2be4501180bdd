// Columns of text: the first left-aligned, the others right-aligned.
#ifndef BLOOMLINE_TOOL_TEXT_TABLE_H_
#define BLOOMLINE_TOOL_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace bloomline::tool {

// All rows have as many cells as the first, which is the heading. Each line ends with a newline.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_TEXT_TABLE_H_
