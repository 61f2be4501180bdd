// bloomline db advise: the command line. advice.h has the figures.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/db/advise/advise_output.h"
#include "src/db/subcommands.h"
#include "src/db/survey/inputs.h"
#include "src/db/survey/measurement.h"
#include "src/db/survey/report.h"
#include "src/db/survey/situation.h"
#include "src/tool/commands.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"
#include "src/tool/whole_input.h"

namespace bloomline::db {
namespace {

// The situation with measured rates, where files were measured.
model::Situation MeasuredSituation(const Inputs& inputs, const Inspection& inspection,
                                   const FamilyGroups& groups,
                                   const std::vector<MeasureResult>& measured) {
  model::Situation situation = SituationOf(inputs, groups);
  for (size_t i = 0; i < groups.levels.size(); ++i) {
    const double rate = MeasuredRates(groups.levels[i], inspection, measured).wasted_reads;
    const bool is_skipped = situation.skips_last_level && i + 1 == groups.levels.size();
    model::Level& level = situation.levels[i];
    level.wasted_reads =
        std::isnan(rate) || is_skipped ? groups.levels[i].runs : level.Wasted(rate);
  }
  return situation;
}

struct AdviseOptions {
  CommonOptions common;
  MeasureOptions measure;
  std::string stats;
  std::string policy;
  std::optional<uint64_t> cache_bytes;
  bool all_choices = false;
  model::Request request;
};

std::vector<FamilyAdvice> AdviseFamilies(const AdviseOptions& options, const Statistics* statistics,
                                         const Inspection& inspection, Inputs* inputs) {
  const std::vector<MeasureResult> measured =
      Measure(inputs, options.common, options.measure, "measure", inspection);
  uint64_t all_keys = 0;
  for (const FamilyGroups& groups : inspection.groups) all_keys += groups.all.all_keys();
  std::vector<FamilyAdvice> families(inspection.groups.size());
  for (size_t g = 0; g < families.size(); ++g) {
    const FamilyGroups& groups = inspection.groups[g];
    FamilyAdvice& family = families[g];
    family.title = DatabaseTitle(*inputs, groups);
    const MeasuredGroup rates = MeasuredRates(groups.all, inspection, measured);
    family.keys_estimated = groups.all.keys_estimated;
    family.keys_unknown = groups.all.keys_unknown;
    family.not_measured = groups.all.files.size() - groups.all.files_without_filter - rates.files;
    if (rates.files != 0) {
      family.queries = rates.adjacent.num_queries() + rates.elsewhere.num_queries();
    }
    family.situation = MeasuredSituation(*inputs, inspection, groups, measured);
    family.request = options.request;
    if (family.request.memory_bytes && all_keys > 0) {  // memory is divided in proportion to keys
      family.request.memory_bytes =
          static_cast<uint64_t>(static_cast<double>(*options.request.memory_bytes) *
                                Quotient(groups.all.all_keys(), all_keys));
    }
    if (family.no_tables()) {
      family.error = groups.unread_files == 0 ? "there are no table files yet"
                                              : "no table can be read; allowed: at least one";
      continue;
    }
    if (family.keys_unknown) {
      family.error = std::string("there are ") + kNoSequenceNumbers;
      continue;
    }
    model::Advise(family.situation, family.request, &family.advice, &family.error);
    if (!family.error.empty()) continue;
    if (inputs->databases[groups.database].is_goleveldb) family.advice.choices.clear();
    const uint64_t cache_bytes = options.cache_bytes.value_or(0);
    family.remarks = Remarks(family, *inputs, inspection, g, statistics, cache_bytes);
    family.cache_options = CacheOptions(family, *inputs, inspection, g, cache_bytes);
  }
  return families;
}

// Returns kExitOk, or another exit code, with a message on stderr.
int ReadStatistics(const std::string& path, Statistics* statistics) {
  std::string error;
  tool::WholeInput input;
  const bool is_read = input.Open(path, tool::kDefaultMaxPipeBytes, &error);
  statistics->from = input.name();
  if (is_read && ReadStatistics(std::string(input.bytes()), statistics, &error)) {
    return tool::kExitOk;
  }
  tool::PrintError("bloomline db advise: --stats: " + error);
  return is_read ? tool::kExitImpossible : tool::kExitFailure;
}

int Run(const AdviseOptions& options) {
  int exit_code = tool::kExitOk;
  std::optional<Statistics> statistics;
  // We read it before the database is measured, which may take minutes.
  if (!options.stats.empty()) exit_code = ReadStatistics(options.stats, &statistics.emplace());
  if (exit_code != tool::kExitOk) return exit_code;
  Inputs inputs = OpenInputs(options.common, PebbleUse::kRefuse);
  const Inspection inspection = Inspect(&inputs, options.common, "inspect", options.policy);
  const bool is_one_family = inspection.groups.size() == 1;
  if (statistics) statistics->runs = is_one_family ? inspection.groups[0].all.runs : std::nan("");
  const Statistics* const of_family = statistics && is_one_family ? &*statistics : nullptr;
  const std::vector<FamilyAdvice> families =
      AdviseFamilies(options, of_family, inspection, &inputs);
  if (options.common.json) {
    tool::Json json =
        DocumentOf(inputs, inspection, [&](size_t g) { return AdviceJson(families[g]); });
    json["statistics"] = statistics ? StatisticsJson(*statistics) : tool::Json(nullptr);
    AddProblems(inputs, &json);
    tool::Print(json);
  } else if (statistics && !is_one_family) {
    PrintStatistics(*statistics);
    std::cout << "These are of all column families together.\n\n";
  }
  std::set<std::string> remarks;
  std::map<size_t, std::set<std::string>> environments;  // by database: its process has only one
  for (size_t i = 0; i < families.size(); ++i) {
    const FamilyAdvice& family = families[i];
    if (family.no_tables()) continue;
    environments[inspection.groups[i].database].insert(
        family.advice.choices.empty() ? "" : family.advice.Chosen(family.request).environment);
  }
  for (size_t i = 0; i < families.size(); ++i) {
    if (!options.common.json) {
      if (i != 0) std::cout << '\n';
      PrintAdvice(families[i], of_family, environments[inspection.groups[i].database].size() == 1,
                  options.all_choices, &remarks);
    }
    if (families[i].error.empty() || families[i].no_tables()) continue;
    tool::PrintError("bloomline db advise: " + families[i].title + ": " + families[i].error);
    exit_code = tool::kExitImpossible;
  }
  const int problems = ReportProblems(inputs, "advise");
  return problems == tool::kExitOk ? exit_code : problems;
}

}  // namespace

void AddAdviseCommand(CLI::App* db, int* exit_code) {
  CLI::App* command =
      db->add_subcommand("advise", "Compares the filters with others; says what to set");
  auto options = std::make_shared<AdviseOptions>();
  AddCommonOptions(command, &options->common);
  CLI::Option* memory =
      tool::AddQuantity(command, "--memory", &options->request.memory_bytes, tool::ParseBytes,
                        "Memory for all column families' filters, such as 2GiB");
  tool::AddQuantity(command, "--wasted-reads", &options->request.wasted_reads, tool::ParseRate,
                    "Wasted reads per Get of a missing key: 0.1% is one in\n"
                    "a thousand Gets; 0.1 is 10 %")
      ->excludes(memory);
  tool::AddQuantity(
      command, "--choice", &options->request.choice,
      [](const std::string& text, std::string* error) {
        return tool::ParseWhole(text, 1, 100, error);
      },
      "Show how to apply this choice [1]");
  command->add_flag("--all", options->all_choices, "Print all choices, not only six");
  command
      ->add_option("--stats", options->stats, "A file with RocksDB's statistics as text (-: stdin)")
      ->type_name("FILE");
  AddPolicyArgument(command, &options->policy);
  AddMeasureOptions(command, &options->measure);
  tool::AddQuantity(command, "--cache", &options->cache_bytes, tool::ParseBytes,
                    "The size of the block cache, for example 8GiB");
  command->footer(
      "Example:\n"
      "    bloomline db advise --memory 2GiB /var/lib/app/db\n\n"
      "'same memory': these choices take at most the memory of the present filters;\n"
      "'same wasted reads': they waste at most as many reads. 'wasted': how many blocks\n"
      "false positives make a Get of a missing key read on average; 100 % is one block.\n"
      "bloomline-db-advise(1) says more.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db
