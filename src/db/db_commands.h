// Each adds one command to the command line. *exit_code is set when the command runs.
#ifndef BLOOMLINE_DB_DB_COMMANDS_H_
#define BLOOMLINE_DB_DB_COMMANDS_H_

namespace CLI {
class App;
}

namespace bloomline::db {

void AddDbCommand(CLI::App* app, int* exit_code);

// The subcommands of `bloomline db`.
void AddInspectCommand(CLI::App* db, int* exit_code);
void AddMeasureCommand(CLI::App* db, int* exit_code);
void AddVerifyCommand(CLI::App* db, int* exit_code);
void AddAdviseCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_DB_COMMANDS_H_
