#ifndef BLOOMLINE_DB_ADVISE_ADVISE_COMMAND_H_
#define BLOOMLINE_DB_ADVISE_ADVISE_COMMAND_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

// Adds `bloomline db advise`, which sets *exit_code when it runs.
void AddAdviseCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_ADVISE_COMMAND_H_
