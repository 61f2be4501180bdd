#ifndef BLOOMLINE_DB_REWRITE_REWRITE_COMMAND_H_
#define BLOOMLINE_DB_REWRITE_REWRITE_COMMAND_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

// Adds `bloomline db rewrite`, which sets *exit_code when it runs.
void AddRewriteCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_REWRITE_COMMAND_H_
