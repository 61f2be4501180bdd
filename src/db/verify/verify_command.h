#ifndef BLOOMLINE_DB_VERIFY_VERIFY_COMMAND_H_
#define BLOOMLINE_DB_VERIFY_VERIFY_COMMAND_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

// Adds `bloomline db verify`, which sets *exit_code when it runs.
void AddVerifyCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_VERIFY_VERIFY_COMMAND_H_
