// Lines at a terminal. What files name may be another's text: a newline in it would begin a line
// that looks like this program's own, and control characters would erase others.
#ifndef BLOOMLINE_TOOL_PRINTABLE_H_
#define BLOOMLINE_TOOL_PRINTABLE_H_

#include <string>
#include <string_view>

namespace bloomline::tool {

// '?' for each byte that is of no printable character in UTF-8.
std::string Printable(std::string_view text);

// To stdout and to stderr, with a newline behind it.
void PrintLine(std::string_view text);
void PrintError(std::string_view text);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_PRINTABLE_H_
