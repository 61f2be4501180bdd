// `bloomline db`, which holds the subcommands.
#include "src/db/subcommands.h"

namespace bloomline::db {

void AddDbCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "db", "Examines or replaces the filters of LevelDB and RocksDB databases");
  command->footer(
      "The database may be in use, except in rewrite. If files are replaced meanwhile,\n"
      "the new ones are read. A damaged file is an error; the others are still read.\n"
      "Exit code: 0 done; 1 a damaged file, or keys that were not checked (verify); 2\n"
      "an invalid request, or one that no filter can meet (advise); 4 a lost key\n"
      "(verify, rewrite), or a file without the required filters (inspect --require);\n"
      "5 done, but column families without a policy keep their filters (rewrite).");
  command->require_subcommand(1);
  AddInspectCommand(command, exit_code);
  AddMeasureCommand(command, exit_code);
  AddVerifyCommand(command, exit_code);
  AddAdviseCommand(command, exit_code);
  AddRewriteCommand(command, exit_code);
}

}  // namespace bloomline::db
