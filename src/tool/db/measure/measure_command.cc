// bloomline db measure: the command line; what it measures is in measurement.h.
#include <memory>

#include "src/tool/commands.h"
#include "src/tool/db/common.h"
#include "src/tool/db/db_command.h"
#include "src/tool/db/measure/measure_options.h"
#include "src/tool/db/measure/measure_output.h"

namespace bloomline::tool::db {
namespace {

struct Options {
  CommonOptions common;
  MeasureOptions measure;
  bool files = false;
};

int Run(const Options& options) {
  constexpr size_t kFewFiles = 10;
  Inputs inputs = OpenInputs(options.common);
  const Inspection inspection = Inspect(&inputs, options.common, "measure", "");
  const auto results = Measure(&inputs, options.common, options.measure, "measure", inspection);
  const auto families = GroupMeasurement(inputs, inspection, results);
  if (options.common.json) {
    Json json = MeasurementJson(inputs, inspection, results, families);
    json["samples"] = options.measure.samples;
    json["seed"] = options.measure.seed;
    AddProblems(inputs, &json);
    Print(json);
  } else {
    PrintMeasurement(inputs, inspection, results, families,
                     options.files || inputs.files.size() <= kFewFiles);
  }
  return ReportProblems(inputs, "measure");
}

}  // namespace

void AddMeasureCommand(CLI::App* db, int* exit_code) {
  CLI::App* command = db->add_subcommand(
      "measure",
      "The false-positive rate that the filters really have, by queries of missing keys");
  auto options = std::make_shared<Options>();
  AddCommonOptions(command, &options->common);
  AddMeasureOptions(command, &options->measure);
  command->add_flag("--files", options->files, "List each file. Up to ten files are always listed");
  command->footer(
      "Missing keys are 'adjacent' to stored ones: of the same length, and the next number, digit\n"
      "or byte; or 'elsewhere': random keys of the same shape, keys of other files, and in "
      "LevelDB\n"
      "keys of other blocks. The stored keys beside each were read, so it is known to be missing.\n"
      "In parentheses: the 95 % confidence interval. Filters that hold only prefixes are queried\n"
      "for prefixes. About --samples keys of each file are read; the others are skipped. 'runs'\n"
      "and 'wasted reads': see `db inspect --help`.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::tool::db
