// `bloomline db`, which holds the subcommands.
#include "src/db/subcommands.h"

namespace bloomline::db {

void AddDbCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "db", "Examines, or rewrites, the filters of LevelDB or RocksDB databases");
  command->footer(
      "The database may be in use: only rewrite locks or writes anything. If files are\n"
      "replaced meanwhile, the new ones are read. A damaged file is an error; the others\n"
      "are still read.\n"
      "Exit code: 0 done; 1 a damaged file, or keys that were not checked (verify); 2\n"
      "an invalid request, or one that no filter can meet (advise); 4 a lost key\n"
      "(verify, rewrite), or a file without the required filters (inspect --require).");
  command->require_subcommand(1);
  AddInspectCommand(command, exit_code);
  AddMeasureCommand(command, exit_code);
  AddVerifyCommand(command, exit_code);
  AddAdviseCommand(command, exit_code);
  AddRewriteCommand(command, exit_code);
}

}  // namespace bloomline::db
