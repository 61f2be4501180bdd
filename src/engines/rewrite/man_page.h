// The manual page, from the help text: it has all options.
#ifndef BLOOMLINE_ENGINES_REWRITE_MAN_PAGE_H_
#define BLOOMLINE_ENGINES_REWRITE_MAN_PAGE_H_

#include <string>
#include <string_view>

namespace bloomline::rewrite {

// In the macros of man(7). `help` is the text of --help: a paragraph, "Usage: ", "Example:",
// "Arguments:" and "Options:" with names from column 2 on and texts from column 28 on, paragraphs,
// and "Exit code: ".
std::string ManualPage(std::string_view help);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_MAN_PAGE_H_
