// The subcommands of `bloomline`. Each adds itself to the command line, and sets *exit_code if it
// runs.
#ifndef BLOOMLINE_TOOL_COMMANDS_H_
#define BLOOMLINE_TOOL_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace bloomline::tool {

constexpr int kExitOk = 0;
constexpr int kExitFailure = 1;     // a file that cannot be read
constexpr int kExitImpossible = 2;  // an invalid command line, or an impossible request

void AddSizeCommand(CLI::App* app, int* exit_code);
void AddInspectCommand(CLI::App* app, int* exit_code);
void AddKernelsCommand(CLI::App* app, int* exit_code);
void AddDbCommand(CLI::App* app, int* exit_code);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_COMMANDS_H_
