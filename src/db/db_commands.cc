#include "src/db/db_commands.h"

#include <CLI/CLI.hpp>

namespace bloomline::db {

void AddDbCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "db", "Looks inside the filters of a LevelDB or RocksDB database, which may be in use");
  command->footer(
      "Nothing is locked and nothing is written. Files that the owner of the database removes "
      "meanwhile are skipped. A damaged file is an error; the others go on.\n"
      "Exit code: 0 done; 1 a damaged file, a lost key (verify), or a file without the required "
      "filters (inspect --require); 2 an invalid request.");
  command->require_subcommand(1);
  AddInspectCommand(command, exit_code);
  AddMeasureCommand(command, exit_code);
  AddVerifyCommand(command, exit_code);
  AddAdviseCommand(command, exit_code);
}

}  // namespace bloomline::db
