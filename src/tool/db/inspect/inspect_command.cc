// bloomline db inspect: the command line; what it finds is in inspect_file.h and groups.h.
#include <memory>

#include "src/tool/commands.h"
#include "src/tool/db/common.h"
#include "src/tool/db/db_command.h"
#include "src/tool/db/inspect/inspect_output.h"
#include "src/tool/db/inspect/inspection.h"

namespace bloomline::tool::db {
namespace {

struct InspectOptions {
  CommonOptions common;
  std::string policy;
  bool files = false;
};

int Run(const InspectOptions& options) {
  constexpr size_t kFewFiles = 10;
  Inputs inputs = OpenInputs(options.common);
  const Inspection inspection = Inspect(&inputs, options.common, "inspect", options.policy);
  if (options.common.json) {
    Json json = InspectionJson(inputs, inspection.files, inspection.policies, inspection.groups);
    AddProblems(inputs, &json);
    Print(json);
  } else {
    PrintInspection(inputs, inspection.files, inspection.policies, inspection.groups,
                    options.files || inputs.files.size() <= kFewFiles);
  }
  return ReportProblems(inputs, "inspect");
}

}  // namespace

void AddInspectCommand(CLI::App* db, int* exit_code) {
  CLI::App* command = db->add_subcommand(
      "inspect", "What filters the files have: names, layouts, bits per key, expected rates");
  auto options = std::make_shared<InspectOptions>();
  AddCommonOptions(command, &options->common);
  command
      ->add_option("--policy", options->policy,
                   "The filter policy that the database runs with, as an option string "
                   "(bloomfilter:10) or a name; files whose filters it would ignore are counted. "
                   "Default: that of the newest OPTIONS file")
      ->type_name("");
  command->add_flag("--files", options->files, "List each file. Up to ten files are always listed");
  command->footer(
      "Does not read the data, except for LevelDB's first blocks, to count keys. Rates are those\n"
      "of theory; `db measure` queries the filters. 'runs': how many files a Get of a missing key\n"
      "queries on average, below 1 where the files cover only some of the keys. 'wasted reads':\n"
      "how many reads false positives cost such a Get on average; 100 % is one read.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::tool::db
