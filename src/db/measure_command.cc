// bloomline db measure: the command line; what it measures is in measurement.h.
#include <algorithm>
#include <iostream>
#include <memory>

#include "src/db/subcommands.h"
#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"
#include "src/db/survey/measurement.h"
#include "src/db/survey/report.h"
#include "src/tool/json.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::db {
namespace {

// "0.957 % (0.05)", with the longer half of the confidence interval; for few queries "0 % of 12".
std::string MeasuredText(const WeightedRate& rate) {
  constexpr uint64_t kFewQueries = 1000;
  if (!(rate.queries() > 0)) return "-";
  if (rate.num_queries() < kFewQueries) {
    return tool::RateText(rate.rate()) + " of " + tool::CountText(rate.num_queries());
  }
  const auto [low, high] = ConfidenceInterval(rate.rate(), rate.queries());
  const double half = std::max(high - rate.rate(), rate.rate() - low);
  const std::string text = tool::RateText(half, 2);
  return tool::RateText(rate.rate()) + " (" + text.substr(0, text.find(' ')) + ")";
}

tool::Json MeasuredJson(const WeightedRate& rate) {
  const auto [low, high] = ConfidenceInterval(rate.rate(), rate.queries());
  return {{"queries", rate.num_queries()},
          {"false_positive_rate", NumberOrNull(rate.rate())},
          {"low", NumberOrNull(low)},
          {"high", NumberOrNull(high)}};
}

void PrintMeasurement(const Inputs& inputs, const Inspection& inspection,
                      const std::vector<MeasureResult>& results) {
  for (size_t g = 0; g < inspection.groups.size(); ++g) {
    const FamilyGroups& family = inspection.groups[g];
    if (g != 0) std::cout << '\n';
    tool::PrintLine(DatabaseTitle(inputs, family) + ": " +
                    EngineTitle(inputs.databases[family.database]));
    PrintLevels(family, {"level", "adjacent FPR", "elsewhere FPR", "expected", "runs", "wasted"}, 1,
                [&](const std::string& name, const Group& group) -> Cells {
                  const MeasuredGroup measured = MeasuredRates(group, inspection, results);
                  return {
                      name,
                      MeasuredText(measured.adjacent),
                      MeasuredText(measured.elsewhere),
                      RateOrDash(measured.expected.rate()),
                      tool::NumberText(group.runs, 2) +
                          (group.unfiltered_runs == 0
                               ? ""
                               : ", " + tool::NumberText(group.unfiltered_runs, 2) + " unfiltered"),
                      RateOrDash(measured.wasted_reads)};
                });
    PrintFacts(inspection.files, family.all);
    const MeasuredGroup all = MeasuredRates(family.all, inspection, results);
    for (const auto& [reason, files] : all.by_bytes) {
      PrintWrapped("adjacent by their bytes: " + FilesText(files) + ": " + reason);
    }
    for (const auto& [reason, files] : all.not_measured) {
      if (reason != kNoFilter) PrintWrapped("not measured: " + FilesText(files) + ": " + reason);
    }
    // Up to 2.5 times the expected rate is usual.
    const double least = ConfidenceInterval(all.adjacent.rate(), all.adjacent.queries()).first;
    if (family.all.layouts.count(engine_filters::FilterLayout::kClassic) != 0 &&
        least > 4 * all.expected.rate()) {
      PrintWrapped(
          "LevelDB's hash is weak for keys that differ only in their last bytes, which causes the "
          "false positives for adjacent keys. More bits do not help; bloomline's filters do, or "
          "keys whose length is not a multiple of 4.");
    }
  }
}

void PrintEachFile(const Inputs& inputs, const Inspection& inspection,
                   const std::vector<MeasureResult>& results) {
  PrintFiles(
      inputs, DoneFiles(inputs), {"file", "level", "adjacent FPR", "elsewhere FPR", "expected"}, 1,
      [&](size_t i) -> Cells {
        const double expected = inspection.files[i].facts.expected_rate;
        return {LevelText(inputs.files[i].level), MeasuredText(WeightedRate(results[i].adjacent)),
                MeasuredText(WeightedRate(results[i].elsewhere)),
                results[i].keys_read == 0 ? "-" : RateOrDash(expected)};
      });
}

tool::Json FamilyJson(const FamilyGroups& family, const Inspection& inspection,
                      const std::vector<MeasureResult>& results) {
  tool::Json json = LevelsJson(family, [&](const Group& group) -> tool::Json {
    const MeasuredGroup measured = MeasuredRates(group, inspection, results);
    return {{"level", LevelJson(group.level)},
            {"files", measured.files},
            {"adjacent", MeasuredJson(measured.adjacent)},
            {"elsewhere", MeasuredJson(measured.elsewhere)},
            {"expected_false_positive_rate", NumberOrNull(measured.expected.rate())},
            {"runs", group.runs},
            {"unfiltered_runs", group.unfiltered_runs},
            {"wasted_reads", NumberOrNull(measured.wasted_reads)}};
  });
  const auto not_measured = MeasuredRates(family.all, inspection, results).not_measured;
  json["not_measured"] = ListJson(not_measured, [](const auto& files) -> tool::Json {
    return {{"reason", files.first}, {"files", files.second}};
  });
  return json;
}

tool::Json FileJson(const SurveyedFile& file, const FileFacts& facts, const MeasureResult& result) {
  return {{"path", file.path},
          {"level", LevelJson(file.level)},
          {"layouts", LayoutsJson(facts.layouts)},
          {"keys_read", result.keys_read},
          {"of_prefixes", result.of_prefixes},
          {"whole_file", result.whole_file},
          {"key_order", result.by_bytes.empty() ? "comparator" : "bytes"},
          {"adjacent", MeasuredJson(WeightedRate(result.adjacent))},
          {"elsewhere", MeasuredJson(WeightedRate(result.elsewhere))},
          {"expected_false_positive_rate", NumberOrNull(facts.expected_rate)},
          {"not_measured", tool::TextOrNull(result.not_measured)}};
}

struct Options {
  CommonOptions common;
  MeasureOptions measure;
  bool files = false;
};

int Run(const Options& options) {
  Inputs inputs = OpenInputs(options.common);
  const Inspection inspection = Inspect(&inputs, options.common, "inspect", "");
  const auto results = Measure(&inputs, options.common, options.measure, "measure", inspection);
  if (options.common.json) {
    const auto family = [&](size_t g) {
      return FamilyJson(inspection.groups[g], inspection, results);
    };
    tool::Json json = DocumentOf(inputs, inspection, family, [&](size_t i) {
      return FileJson(inputs.files[i], inspection.files[i].facts, results[i]);
    });
    json["samples"] = options.measure.samples;
    json["seed"] = options.measure.seed;
    AddProblems(inputs, &json);
    tool::Print(json);
  } else {
    PrintMeasurement(inputs, inspection, results);
    const bool lists_files = options.files || inputs.files.size() <= kFewFiles;
    if (lists_files) PrintEachFile(inputs, inspection, results);
  }
  return ReportProblems(inputs, "measure");
}

}  // namespace

void AddMeasureCommand(CLI::App* db, int* exit_code) {
  CLI::App* command =
      db->add_subcommand("measure", "Measures the FPR with queries of missing keys");
  auto options = std::make_shared<Options>();
  AddCommonOptions(command, &options->common);
  AddMeasureOptions(command, &options->measure);
  command->add_flag("--files", options->files, "List each file; up to ten are always listed");
  command->footer(
      "Example:\n"
      "    bloomline db measure /var/lib/app/db\n\n"
      "The stored keys beside each missing key are read, so it is known to be missing;\n"
      "if this program does not know the comparator, all keys of the file are read.\n"
      "Below 1,000 queries, their number is printed instead of the interval.\n"
      "`db inspect --help` explains 'runs' and 'wasted'. bloomline-db-measure(1) says more.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db
