// Lines at a terminal. Names in files may be written by others: a newline in one would begin a line
// that looks like this program's own, and control characters would erase others.
#ifndef BLOOMLINE_CLI_SHARED_TERMINAL_H_
#define BLOOMLINE_CLI_SHARED_TERMINAL_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::cli {

// Replaces each byte outside printable characters in UTF-8 by '?'.
std::string Printable(std::string_view text);

// Columns of a screen, and of messages.
constexpr size_t kColumns = 80;

// `text` with its longer lines broken at spaces to at most `columns`; a word may have more.
std::string Wrapped(const std::string& text, size_t columns);

// Hands the content of std::cout to the system. Returns false if the system does not take it, now
// or before.
bool FlushOutput();

// To stdout and to stderr, with a newline behind it.
void PrintLine(std::string_view text);
void PrintError(std::string_view text);

// The first num_left columns are left-aligned, the others right-aligned. A row may have fewer cells
// than others; one with a single cell is the heading of a section and does not widen its column.
// Each line ends with a newline. Cells are shown as Printable says.
std::string TextTable(std::vector<std::vector<std::string>> rows, size_t num_left = 1);

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SHARED_TERMINAL_H_
