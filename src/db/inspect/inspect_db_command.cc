// bloomline db inspect: the command line. inspection.h inspects.
#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include "src/cli/shared/commands.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/shared/quantity_option.h"
#include "src/db/inputs.h"
#include "src/db/inspect/inspection.h"
#include "src/db/inspect/requirement.h"
#include "src/db/report.h"
#include "src/db/table_filters.h"

namespace bloomline::db {
namespace {

using Cells = std::vector<std::vector<std::string>>;

std::string BitsOrDash(double bits) { return bits >= 0 ? cli::NumberText(bits, 2) : "-"; }

std::vector<std::string> GroupCells(const std::string& name, const Group& group) {
  return {name,
          KindsText(group.kinds),
          cli::CountText(group.files),
          KeysText(group.num_keys + group.keys_without_filter, group.keys_estimated),
          cli::BytesText(group.filter_bytes),
          BitsOrDash(group.bits_per_key()),
          RateOrDash(group.rate()),
          cli::NumberText(group.runs, 2),
          RateOrDash(group.wasted_reads)};
}

void PrintGroups(const FamilyGroups& family) {
  Cells cells = {
      {"level", "filter", "files", "keys", "filters", "bits/key", "FPR", "runs", "wasted"}};
  for (const Group& level : family.levels) {
    cells.push_back(GroupCells(LevelText(level.level), level));
  }
  if (family.levels.size() != 1) cells.push_back(GroupCells("all", family.all));
  std::cout << cli::TextTable(cells, 2);
}

void PrintRanges(const FamilyGroups& family) {
  if (family.all.ranges.files == 0) return;
  Cells cells = {{"level", "entries for ranges", "files", "memory", "share of memory"}};
  const auto add = [&](const std::string& name, const RangeFacts& ranges) {
    if (ranges.files == 0) return;
    cells.push_back({name, ranges.kinds.Text(), cli::CountText(ranges.files),
                     cli::BytesText(ranges.entry_bytes), RateOrDash(ranges.share())});
  };
  for (const Group& level : family.levels) add(LevelText(level.level), level.ranges);
  if (family.levels.size() != 1) add("all", family.all.ranges);
  std::cout << cli::TextTable(cells, 2);
}

void PrintWrapped(const std::string& text) {
  std::cout << cli::Wrapped(cli::Printable(text), cli::kColumns) << '\n';
}

// An option string may be long without a space.
void PrintPolicy(const RunningPolicy& policy) {
  std::string line = "running policy (" + policy.from + "): ";
  std::istringstream options(cli::Printable(policy.name));
  for (std::string option; std::getline(options, option, ';');) {
    if (!options.eof()) option += ';';
    if (line.size() + option.size() > cli::kColumns) {
      std::cout << line << '\n';
      line = "  ";
    }
    line += option;
  }
  std::cout << line << '\n';
}

// "1 of 4 files (25 %; 10 % of the data)"
std::string FilesOfAll(uint64_t files, uint64_t bytes, const Group& all) {
  return cli::CountText(files) + " of " + cli::CountText(all.files) + " files (" +
         ShareText(files, all.files) + "; " + ShareText(bytes, all.bytes) + " of the data)";
}

void PrintRemarks(const std::vector<InspectedFile>& files, const FamilyGroups& family) {
  const Group& all = family.all;
  if (all.files_without_filter != 0) {
    cli::PrintLine("without filter: " +
                   FilesOfAll(all.files_without_filter, all.bytes_without_filter, all));
  }
  if (all.ignored_files != 0) {
    cli::PrintLine("ignored by the running policy: " +
                   FilesOfAll(all.ignored_files, all.ignored_bytes, all));
  }
  for (const auto& [name, count] : all.names) {
    // The column "filter" says whose they are.
    if (name == engine_filters::kRocksDBName || name == engine_filters::kLevelDBName) {
      continue;
    }
    cli::PrintLine("filters named " + name + ": " + FilesText(count));
  }
  if (all.partitioned_files != 0) {
    cli::PrintLine("partitioned filters: " + FilesText(all.partitioned_files) + ", " +
                   cli::CountText(all.num_filters) + " filters in all");
  }
  std::map<std::string, uint64_t> reasons;
  std::map<std::string, uint64_t> extractors;
  for (const size_t i : family.files) {
    const FileFacts& facts = files[i].facts;
    if (!files[i].ignored.empty()) ++reasons["ignored: " + files[i].ignored];
    if (!facts.why_unknown.empty()) ++reasons["not understood: " + facts.why_unknown];
    if (facts.has_filter() && facts.prefix_extractor == filter::kRangeExtractorName) {
      ++extractors["whole keys, " +
                   std::string(facts.ranges.files == 0 ? "without entries" : "and entries") +
                   " for ranges (prefix extractor bloomline.ranges)"];
    } else if (facts.has_filter() && facts.prefixes) {
      ++extractors[(facts.whole_keys ? "whole keys, and prefixes of " : "prefixes only, of ") +
                   facts.prefix_extractor];
    }
  }
  for (const auto& [text, count] : extractors) {
    PrintWrapped("filters of " + text + ": " + FilesText(count));
  }
  for (const auto& [text, count] : reasons) PrintWrapped(FilesText(count) + ": " + text);
}

void PrintFiles(const Inputs& inputs, const std::vector<InspectedFile>& files) {
  Cells cells = {{"file", "filter", "level", "data", "keys", "filters", "bits/key", "FPR"}};
  for (size_t i = 0; i < files.size(); ++i) {
    const FileRef& ref = inputs.files[i];
    if (ref.state != FileState::kDone) continue;
    const directory::TableFile& file = inputs.file(ref);
    const FileFacts& facts = files[i].facts;
    Group group;
    group.Add(files[i], file.bytes);
    cells.push_back({FileText(inputs, ref), KindsText(facts.kinds), LevelText(file.level),
                     cli::BytesText(file.bytes), KeysText(facts.num_keys, facts.keys_estimated),
                     facts.has_filter() ? cli::BytesText(facts.filter_bytes) : "none",
                     BitsOrDash(group.bits_per_key()), RateOrDash(files[i].rate())});
  }
  if (cells.size() > 1) std::cout << '\n' << cli::TextTable(cells, 2);
}

cli::Json FileJson(const Inputs& inputs, const FileRef& ref, const InspectedFile& inspected) {
  const directory::TableFile& file = inputs.file(ref);
  const FileFacts& facts = inspected.facts;
  Group group;
  group.Add(inspected, file.bytes);
  return {{"path", file.path},
          {"number", file.number},
          {"column_family", inputs.column_family(ref).name},
          {"level", LevelJson(file.level)},
          {"bytes", file.bytes},
          {"engine", EngineName(facts.engine)},
          {"format_version", facts.format_version},
          {"comparator", facts.comparator},
          {"filter_kind", KindName(facts.kind)},
          {"filter_name", facts.filter_name},
          {"filter_policy", facts.filter_policy},
          {"layouts", KindsJson(facts.kinds)},
          {"filters", facts.num_filters},
          {"filter_bytes", facts.filter_bytes},
          {"num_keys", facts.num_keys},
          {"num_keys_estimated", facts.keys_estimated},
          {"bits_per_key", RateOrNull(group.bits_per_key())},
          {"expected_false_positive_rate", RateOrNull(inspected.rate())},
          {"share_of_gets", inspected.coverage},
          {"whole_keys", facts.whole_keys},
          {"prefixes", facts.prefixes},
          {"prefix_extractor", facts.prefix_extractor},
          {"ignored", cli::TextOrNull(inspected.ignored)},
          {"ranges", RangesJson(facts.ranges)},
          {"problem", cli::TextOrNull(facts.why_unknown)}};
}

void PrintInspection(const Inputs& inputs, const Inspection& inspection, bool with_files) {
  const auto& [files, groups, policies] = inspection;
  for (size_t g = 0; g < groups.size(); ++g) {
    const FamilyGroups& family = groups[g];
    const directory::Database& database = inputs.databases[family.database];
    if (g != 0) std::cout << '\n';
    cli::PrintLine(DatabaseTitle(database, family.column_family) + ": " +
                   EngineName(database.engine) + ", " + FilesText(family.all.files) + ", " +
                   cli::BytesText(family.all.bytes));
    if (!policies[g].name.empty()) {
      PrintPolicy(policies[g]);
    }
    if (family.all.files == 0) continue;
    PrintGroups(family);
    PrintRanges(family);
    PrintRemarks(files, family);
  }
  if (with_files) PrintFiles(inputs, files);
}

// Returns one document with the files of all databases and all their facts.
cli::Json InspectionJson(const Inputs& inputs, const Inspection& inspection) {
  const auto family = [&](size_t g) -> cli::Json {
    const FamilyGroups& groups = inspection.groups[g];
    cli::Json levels = cli::Json::array();
    for (const Group& level : groups.levels) levels.push_back(GroupJson(level));
    return {{"running_policy", cli::TextOrNull(inspection.policies[g].name)},
            {"levels", std::move(levels)},
            {"all", GroupJson(groups.all)}};
  };
  return DocumentOf(inputs, inspection, true, family, [&](size_t i) {
    return FileJson(inputs, inputs.files[i], inspection.files[i]);
  });
}

struct InspectOptions {
  CommonOptions common;
  std::string policy;
  std::optional<Requirement> required;
  bool files = false;
};

int Run(const InspectOptions& options) {
  constexpr size_t kFewFiles = 10;
  Inputs inputs = OpenInputs(options.common);
  const Inspection inspection = Inspect(&inputs, options.common, "inspect", options.policy);
  std::vector<size_t> misses;
  if (options.required.has_value()) {
    misses = FilesThatMiss(*options.required, inputs, inspection.files);
  }
  if (options.common.json) {
    cli::Json json = InspectionJson(inputs, inspection);
    if (options.required.has_value()) {
      json["required"] = MissesJson(*options.required, inputs, misses);
    }
    AddProblems(inputs, &json);
    cli::Print(json);
  } else {
    PrintInspection(inputs, inspection, options.files || inputs.files.size() <= kFewFiles);
    if (options.required.has_value()) {
      PrintMisses(*options.required, inputs, inspection.files, misses, options.files);
    }
  }
  const int exit_code = ReportProblems(inputs, "inspect");
  return exit_code == cli::kExitOk && !misses.empty() ? cli::kExitFailure : exit_code;
}

}  // namespace

void AddInspectCommand(CLI::App* db, int* exit_code) {
  CLI::App* command = db->add_subcommand(
      "inspect", "What filters the files have: kinds, bits per key, expected rates");
  auto options = std::make_shared<InspectOptions>();
  AddCommonOptions(command, &options->common);
  command
      ->add_option("--policy", options->policy,
                   "The filter policy that the database runs with, as an option string "
                   "(bloomfilter:10) or a name; files whose filters it would ignore are counted. "
                   "Default: that of the newest OPTIONS file")
      ->type_name("");
  cli::AddQuantity(command, "--require", &options->required, Requirement::Parse,
                   "FORMAT or FORMAT:BITS: list the files whose filters are not of this format, or "
                   "do not have these bits per key, and exit with 1 if there are any");
  command->add_flag("--files", options->files, "List each file. Up to ten files are always listed");
  command->footer(
      "Example:\n    bloomline db inspect /var/lib/app/db\n\n"
      "Does not read the data, except for LevelDB's first blocks, to count keys. Rates are those "
      "of theory; `db measure` queries the filters. 'runs': how many files a Get of a missing key "
      "queries on average, below 1 where the files cover only some of the keys. 'wasted reads': "
      "how many reads false positives cost such a Get on average; 100 % is one read.\n"
      "Exit code: 0 done; 1 a file cannot be read or is damaged, or does not have the filters "
      "that --require names; 2 an invalid request.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db
