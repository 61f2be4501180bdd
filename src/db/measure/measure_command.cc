// bloomline db measure: the command line. measurement.h measures.
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "src/cli/shared/commands.h"
#include "src/cli/shared/json.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/db/inputs.h"
#include "src/db/inspect/inspection.h"
#include "src/db/measure/measurement.h"
#include "src/db/report.h"

namespace bloomline::db {
namespace {

using Cells = std::vector<std::vector<std::string>>;

// "0.957 % (0.9-1.01)"
std::string MeasuredText(double rate, double queries) {
  if (!(queries > 0)) return "-";
  const Interval interval = ConfidenceInterval(rate, queries);
  const auto number = [](double value) {
    std::string text = cli::RateText(value);
    text.resize(text.size() - 2);  // without " %"
    return text;
  };
  return cli::RateText(rate) + " (" + number(interval.low) + "-" + number(interval.high) + ")";
}

std::string MeasuredText(const Queries& queries) {
  return MeasuredText(queries.rate(), static_cast<double>(queries.queries));
}

std::string MeasuredText(const WeightedRate& rate) {
  return MeasuredText(rate.rate(), rate.queries());
}

cli::Json MeasuredJson(double rate, double effective, uint64_t queries) {
  const Interval interval = ConfidenceInterval(rate, effective);
  const bool known = effective > 0;
  return {{"queries", queries},
          {"false_positive_rate", known ? cli::Json(rate) : cli::Json(nullptr)},
          {"low", known ? cli::Json(interval.low) : cli::Json(nullptr)},
          {"high", known ? cli::Json(interval.high) : cli::Json(nullptr)}};
}

cli::Json MeasuredJson(const Queries& queries) {
  cli::Json json =
      MeasuredJson(queries.rate(), static_cast<double>(queries.queries), queries.queries);
  json["false_positives"] = queries.matches;
  return json;
}

cli::Json GroupJson(const MeasuredGroup& group) {
  return {{"level", LevelJson(group.level)},
          {"files", group.files},
          {"adjacent",
           MeasuredJson(group.adjacent.rate(), group.adjacent.queries(), group.queries_adjacent)},
          {"elsewhere", MeasuredJson(group.elsewhere.rate(), group.elsewhere.queries(),
                                     group.queries_elsewhere)},
          {"expected_false_positive_rate", RateOrNull(group.expected.rate())},
          {"runs", group.runs},
          {"wasted_reads", RateOrNull(group.wasted_reads)}};
}

void PrintFiles(const Inputs& inputs, const Inspection& inspection,
                const std::vector<MeasureResult>& results) {
  Cells cells = {{"file", "level", "adjacent FPR", "elsewhere FPR", "expected"}};
  for (size_t i = 0; i < results.size(); ++i) {
    const FileRef& ref = inputs.files[i];
    if (ref.state != FileState::kDone) continue;
    const directory::TableFile& file = inputs.file(ref);
    cells.push_back(
        {FileText(inputs, ref), LevelText(file.level), MeasuredText(results[i].adjacent),
         MeasuredText(results[i].elsewhere),
         results[i].keys_read == 0 ? "-" : RateOrDash(inspection.files[i].facts.expected_rate)});
  }
  if (cells.size() > 1) std::cout << '\n' << cli::TextTable(cells);
}

void PrintMeasurement(const Inputs& inputs, const Inspection& inspection,
                      const std::vector<MeasureResult>& results,
                      const std::vector<MeasuredFamily>& families, bool with_files) {
  for (size_t f = 0; f < families.size(); ++f) {
    const MeasuredFamily& family = families[f];
    const FamilyGroups& groups = inspection.groups[f];
    const directory::Database& database = inputs.databases[groups.database];
    if (f != 0) std::cout << '\n';
    cli::PrintLine(DatabaseTitle(database, groups.column_family) + ": " +
                   EngineName(database.engine));
    Cells cells = {{"level", "adjacent FPR", "elsewhere FPR", "expected", "runs", "wasted"}};
    const auto add = [&](const std::string& name, const MeasuredGroup& group) {
      cells.push_back({name, MeasuredText(group.adjacent), MeasuredText(group.elsewhere),
                       RateOrDash(group.expected.rate()), cli::NumberText(group.runs, 2),
                       RateOrDash(group.wasted_reads)});
    };
    for (const MeasuredGroup& level : family.levels) add(LevelText(level.level), level);
    if (family.levels.size() > 1) add("all", family.all);
    if (cells.size() > 1) std::cout << cli::TextTable(cells);
    for (const auto& [reason, files] : family.not_measured) {
      std::cout << cli::Wrapped(cli::Printable("not measured: " + FilesText(files) + ": " + reason),
                                cli::kColumns)
                << '\n';
    }
  }
  if (with_files) PrintFiles(inputs, inspection, results);
}

cli::Json FamilyJson(const MeasuredFamily& family) {
  cli::Json levels = cli::Json::array();
  for (const MeasuredGroup& level : family.levels) levels.push_back(GroupJson(level));
  cli::Json reasons = cli::Json::array();
  for (const auto& [reason, files] : family.not_measured) {
    reasons.push_back({{"reason", reason}, {"files", files}});
  }
  return {{"levels", std::move(levels)},
          {"all", GroupJson(family.all)},
          {"not_measured", std::move(reasons)}};
}

cli::Json FileJson(const directory::TableFile& file, const FileFacts& facts,
                   const MeasureResult& result) {
  return {{"path", file.path},
          {"level", LevelJson(file.level)},
          {"layouts", KindsJson(facts.kinds)},
          {"keys_read", result.keys_read},
          {"of_prefixes", result.of_prefixes},
          {"whole_file", result.whole_file},
          {"adjacent", MeasuredJson(result.adjacent)},
          {"elsewhere", MeasuredJson(result.elsewhere)},
          {"without_neighbour", result.no_neighbour},
          {"expected_false_positive_rate", RateOrNull(facts.expected_rate)},
          {"not_measured", cli::TextOrNull(result.not_measured)}};
}

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
    const auto family = [&](size_t g) { return FamilyJson(families[g]); };
    cli::Json json = DocumentOf(inputs, inspection, false, family, [&](size_t i) {
      return FileJson(inputs.file(inputs.files[i]), inspection.files[i].facts, results[i]);
    });
    json["samples"] = options.measure.samples;
    json["seed"] = options.measure.seed;
    AddProblems(inputs, &json);
    cli::Print(json);
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
      "Example:\n    bloomline db measure /var/lib/app/db\n\n"
      "Missing keys are 'adjacent' to stored ones: of the same length, with the next higher last "
      "byte; or 'elsewhere': random keys of the same shape, or in LevelDB keys of other blocks. "
      "The stored keys beside each were read, so it is known to be missing. "
      "In parentheses: the 95 % confidence interval. Filters that hold only prefixes are queried "
      "for prefixes. About --samples keys of each file are read; the others are skipped. 'runs' "
      "and 'wasted reads': see `db inspect --help`.\n"
      "Exit code: 0 done; 1 a file cannot be read or is damaged; 2 an invalid request.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db
