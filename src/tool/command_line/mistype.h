// What is wrong with a command line that names a command or an option that does not exist.
#ifndef BLOOMLINE_TOOL_COMMAND_LINE_MISTYPE_H_
#define BLOOMLINE_TOOL_COMMAND_LINE_MISTYPE_H_

#include <CLI/CLI.hpp>
#include <string>

namespace bloomline::tool {

// One sentence about the first unknown command or option, with the one that was probably meant.
// Empty if all exist: then something else is wrong.
std::string ExplainMistype(const CLI::App& app, int argc, const char* const* argv);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_COMMAND_LINE_MISTYPE_H_
