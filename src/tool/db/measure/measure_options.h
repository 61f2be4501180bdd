// Options of the commands that measure.
#ifndef BLOOMLINE_TOOL_DB_MEASURE_MEASURE_OPTIONS_H_
#define BLOOMLINE_TOOL_DB_MEASURE_MEASURE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>

#include "src/tool/db/measure/measure_file.h"
#include "src/tool/quantity.h"
#include "src/tool/quantity_option.h"

namespace bloomline::tool::db {

inline void AddMeasureOptions(CLI::App* command, MeasureOptions* options) {
  command
      ->add_option("--samples", options->samples,
                   "About how many missing keys of each kind each file is queried for")
      ->check(CLI::Range(uint64_t{100}, uint64_t{1000000000}))
      ->capture_default_str()
      ->type_name("");
  AddQuantity(command, "--seed", &options->seed, ParseSeed, "Seed of the random keys [1]");
}

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_MEASURE_MEASURE_OPTIONS_H_
