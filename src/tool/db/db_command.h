// The subcommands of `bloomline db`. Each adds itself to the command line, and sets *exit_code if
// it runs.
#ifndef BLOOMLINE_TOOL_DB_DB_COMMAND_H_
#define BLOOMLINE_TOOL_DB_DB_COMMAND_H_

#include <CLI/CLI.hpp>

namespace bloomline::tool::db {

void AddInspectCommand(CLI::App* db, int* exit_code);
void AddMeasureCommand(CLI::App* db, int* exit_code);
void AddVerifyCommand(CLI::App* db, int* exit_code);
void AddAdviseCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_DB_COMMAND_H_
