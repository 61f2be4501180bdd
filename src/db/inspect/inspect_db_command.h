#ifndef BLOOMLINE_DB_INSPECT_INSPECT_DB_COMMAND_H_
#define BLOOMLINE_DB_INSPECT_INSPECT_DB_COMMAND_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

// Adds `bloomline db inspect`, which sets *exit_code when it runs.
void AddInspectCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_INSPECT_INSPECT_DB_COMMAND_H_
