// `bloomline db`, which holds the subcommands.
#ifndef BLOOMLINE_DB_DB_COMMAND_H_
#define BLOOMLINE_DB_DB_COMMAND_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

// Each subcommand sets *exit_code when it runs.
void AddDbCommand(CLI::App* app, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_DB_COMMAND_H_
