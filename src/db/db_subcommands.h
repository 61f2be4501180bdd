// `bloomline db` and its subcommands. Each adds itself to the command line, and sets *exit_code if
// it runs.
#ifndef BLOOMLINE_DB_DB_SUBCOMMANDS_H_
#define BLOOMLINE_DB_DB_SUBCOMMANDS_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

void AddDbCommand(CLI::App* app, int* exit_code);

void AddInspectCommand(CLI::App* db, int* exit_code);
void AddMeasureCommand(CLI::App* db, int* exit_code);
void AddVerifyCommand(CLI::App* db, int* exit_code);
void AddAdviseCommand(CLI::App* db, int* exit_code);
void AddRewriteCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_DB_SUBCOMMANDS_H_
