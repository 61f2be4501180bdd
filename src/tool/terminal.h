// Formats lines for a terminal. Names in files may come from other people: a newline in a name
// would begin a line that looks like this program's own, and control characters would erase lines.
#ifndef BLOOMLINE_TOOL_TERMINAL_H_
#define BLOOMLINE_TOOL_TERMINAL_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::tool {

// Replaces each byte outside printable characters in UTF-8 by '?'.
std::string Printable(std::string_view text);

// The width of a screen and of messages.
constexpr size_t kColumns = 80;

// Breaks lines of `text` at spaces to at most `columns`. A longer word is broken behind semicolons,
// as option strings have; without these it stays whole.
std::string Wrapped(const std::string& text, size_t columns);

// Flushes std::cout. Returns false if the system did not take the output, now or before; errno is
// then that of the first call that failed, or 0 if it is unknown.
bool FlushOutput();

// Print the text and a newline to stdout or to stderr.
void PrintLine(std::string_view text);
void PrintError(std::string_view text);

// The first num_left columns are left-aligned, the others right-aligned. A row may have fewer cells
// than others; one with a single cell is the heading of a section and does not widen its column.
// Each line ends with a newline. Printable replaces bytes in cells.
std::string TextTable(std::vector<std::vector<std::string>> rows, size_t num_left = 1);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_TERMINAL_H_
