// `bloomline db` and its subcommands. Each function adds its command to the command line; a
// subcommand sets *exit_code when it runs.
#ifndef BLOOMLINE_DB_SUBCOMMANDS_H_
#define BLOOMLINE_DB_SUBCOMMANDS_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

void AddDbCommand(CLI::App* app, int* exit_code);

void AddInspectCommand(CLI::App* db, int* exit_code);
void AddMeasureCommand(CLI::App* db, int* exit_code);
void AddVerifyCommand(CLI::App* db, int* exit_code);
void AddAdviseCommand(CLI::App* db, int* exit_code);
void AddRewriteCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SUBCOMMANDS_H_
