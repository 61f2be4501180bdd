// The subcommands of `bloomline`. Each function adds its subcommand to the command line; the
// subcommand sets *exit_code when it runs.
#ifndef BLOOMLINE_CLI_SUBCOMMANDS_H_
#define BLOOMLINE_CLI_SUBCOMMANDS_H_

#include <CLI/CLI.hpp>

namespace bloomline::cli {

void AddSizeCommand(CLI::App* app, int* exit_code);
void AddBuildCommand(CLI::App* app, int* exit_code);
void AddQueryCommand(CLI::App* app, int* exit_code);
void AddInspectCommand(CLI::App* app, int* exit_code);

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SUBCOMMANDS_H_
