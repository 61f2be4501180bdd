#ifndef BLOOMLINE_DB_MEASURE_MEASURE_COMMAND_H_
#define BLOOMLINE_DB_MEASURE_MEASURE_COMMAND_H_

#include <CLI/CLI.hpp>

namespace bloomline::db {

// Adds `bloomline db measure`, which sets *exit_code when it runs.
void AddMeasureCommand(CLI::App* db, int* exit_code);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_MEASURE_MEASURE_COMMAND_H_
