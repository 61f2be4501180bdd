// bloomline db inspect: the command line. inspection.h has the inspection.
#include <algorithm>
#include <iostream>
#include <memory>

#include "src/db/subcommands.h"
#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"
#include "src/db/survey/kept_policy.h"
#include "src/db/survey/report.h"
#include "src/db/tree/options_file.h"
#include "src/filter/options/formats.h"
#include "src/support/quoted.h"
#include "src/tool/commands.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::db {
namespace {

std::string BitsOrDash(double bits) { return bits >= 0 ? tool::NumberText(bits, 1) : "-"; }

// `keys`: those of `sums`, or all of its group.
std::string KeysOrDash(const FilterSums& sums, uint64_t keys) {
  return sums.keys_unknown ? "-" : KeysText(keys, sums.keys_estimated);
}

tool::Json KeysOrNull(const FilterSums& sums, uint64_t keys) {
  return sums.keys_unknown ? tool::Json(nullptr) : tool::Json(keys);
}

Cells GroupCells(const std::string& name, const Group& group) {
  return {name,
          FormatsText(group.formats),
          tool::CountText(group.files.size()),
          KeysOrDash(group, group.all_keys()),
          tool::BytesText(group.filter_bytes),
          BitsOrDash(group.bits_per_key()),
          RateOrDash(group.rate()),
          tool::NumberText(group.runs, 2),
          RateOrDash(group.wasted_reads)};
}

Cells RangeCells(const std::string& name, const Group& group) {
  const RangeFacts& ranges = group.ranges;
  if (ranges.files == 0) return {};
  const bool is_empty = ranges.kinds.cell_bits.empty() && ranges.kinds.depths.empty();
  return {name, is_empty ? "no entries" : ranges.kinds.Text(), tool::CountText(ranges.files),
          tool::BytesText(ranges.bytes), BitsOrDash(ranges.bits_per_key())};
}

tool::Json RangesJson(const RangeFacts& ranges) {
  if (ranges.files == 0) return nullptr;
  tool::Json json = ranges.kinds.ToJson();
  json["files"] = ranges.files;
  json["bytes"] = ranges.bytes;
  json["bits_per_key"] = NumberOrNull(ranges.bits_per_key());
  return json;
}

void PrintTable(const Inputs& inputs, const std::vector<InspectedFile>& files,
                const std::vector<size_t>& which) {
  PrintFiles(inputs, which,
             {"file", "filter", "level", "size", "keys", "filters", "bits/key", "FPR"}, 2,
             [&](size_t i) -> Cells {
               const SurveyedFile& file = inputs.files[i];
               const FileFacts& facts = files[i].facts;
               return {FormatsText(FormatsOf(facts)),
                       LevelText(file.level),
                       tool::BytesText(file.bytes),
                       KeysOrDash(facts, facts.num_keys),
                       facts.has_filter() ? tool::BytesText(facts.filter_bytes) : "none",
                       BitsOrDash(facts.bits_per_key()),
                       RateOrDash(files[i].rate())};
             });
}

// The cells that rows of files and of levels share.
tool::Json SumsJson(const FilterSums& sums) {
  return {{"layouts", LayoutsJson(sums.layouts)},
          {"filters", sums.num_filters},
          {"filter_bytes", sums.filter_bytes},
          {"num_keys", KeysOrNull(sums, sums.num_keys)},
          {"num_keys_estimated", sums.keys_estimated},
          {"bits_per_key", NumberOrNull(sums.bits_per_key())}};
}

tool::Json GroupJson(const Group& group) {
  tool::Json json{{"level", LevelJson(group.level)},
                  {"files", group.files.size()},
                  {"bytes", group.bytes},
                  {"files_without_filter", group.files_without_filter},
                  {"keys_without_filter", KeysOrNull(group, group.keys_without_filter)},
                  {"ignored_files", group.ignored_files},
                  {"partitioned_files", group.partitioned_files},
                  {"runs", group.runs},
                  {"unfiltered_runs", group.unfiltered_runs},
                  {"expected_false_positive_rate", NumberOrNull(group.rate())},
                  {"expected_wasted_reads", NumberOrNull(group.wasted_reads)},
                  {"ranges", RangesJson(group.ranges)}};
  json.update(SumsJson(group));
  return json;
}

const char* FilterKindName(const FileFacts& facts) {
  constexpr const char* kKinds[] = {"none", "by_offset", "full", "partitioned", "unknown"};
  return facts.is_block_based() ? "block_based" : kKinds[static_cast<size_t>(facts.filter_kind)];
}

tool::Json FileJson(const Inputs& inputs, const SurveyedFile& file,
                    const InspectedFile& inspected) {
  const FileFacts& facts = inspected.facts;
  tool::Json json{{"path", file.path},
                  {"number", file.number},
                  {"column_family", inputs.column_family(file).name},
                  {"level", LevelJson(file.level)},
                  {"bytes", file.bytes},
                  {"engine", EngineName(facts.engine)},
                  {"format_version", facts.format_version},
                  {"comparator", facts.properties.comparator},
                  {"filter_kind", FilterKindName(facts)},
                  {"filter_name", facts.filter_name},
                  {"unknown_filters", facts.unknown_filters},
                  {"filter_policy", facts.properties.filter_policy},
                  {"expected_false_positive_rate", NumberOrNull(inspected.rate())},
                  {"share_of_gets", inspected.coverage},
                  {"whole_keys", facts.whole_keys},
                  {"prefixes", facts.prefixes},
                  {"prefix_extractor", facts.properties.prefix_extractor},
                  {"ignored", tool::TextOrNull(inspected.ignored)},
                  {"problem", tool::TextOrNull(facts.why_unknown)},
                  {"ranges", RangesJson(facts.ranges)}};
  if (!facts.why_unasked.empty()) json["ranges"]["without_use"] = facts.why_unasked;
  json.update(SumsJson(facts));
  return json;
}

void PrintInspection(const Inputs& inputs, const Inspection& inspection) {
  const auto& [files, groups, policies] = inspection;
  for (size_t g = 0; g < groups.size(); ++g) {
    const Group& all = groups[g].all;
    const tree::Database& database = inputs.databases[groups[g].database];
    if (g != 0) std::cout << '\n';
    tool::PrintLine(DatabaseTitle(inputs, groups[g]) + ": " + EngineTitle(database) + ", " +
                    FilesText(all.files.size()) + ", " + tool::BytesText(all.bytes));
    const std::string policy = tree::ShortPolicy(policies[g]);
    if (!policy.empty()) PrintWrapped("running policy: " + policy);
    // LevelDB has no OPTIONS. What --policy names may be a program's own.
    const bool is_of_options = policies[g] == inputs.column_family(groups[g]).filter_policy;
    const std::string why_none = is_of_options ? WhyNoPolicy(policies[g]) : "";
    if (!why_none.empty() && all.ignored_files == 0) PrintWrapped(why_none);
    const KeptFilters kept = FiltersToKeep(inputs, inspection, g);
    if (!kept.policy.empty()) PrintFiltersToKeep(kept);
    PrintLevels(
        groups[g],
        {"level", "filter", "files", "keys", "filters", "bits/key", "FPR", "runs", "wasted"}, 2,
        GroupCells);
    PrintLevels(groups[g], {"level", "range filters", "files", "memory", "bits/key"}, 2,
                RangeCells);
    PrintFacts(files, all);
    if (groups[g].column_family != 0) continue;
    for (const std::string& logs : LogTexts(database)) tool::PrintLine("not counted: " + logs);
  }
}

// ---- --require FORMAT

struct Required {
  std::string name;
  std::optional<Format> format;  // none: block-based
};

std::optional<Required> ParseRequired(const std::string& text, std::string* error) {
  for (const filter::FormatRow& row : filter::kFormats) {
    if (text == row.name) return Required{text, row.format};
  }
  if (text == engine_filters::LayoutName(engine_filters::FilterLayout::kRocksDBBlockBased)) {
    return Required{text, std::nullopt};
  }
  *error =
      support::Quoted(text) + "; allowed: classic, blocked, compact, bloom, ribbon, block-based";
  return std::nullopt;
}

// A file without keys meets any requirement.
bool HasRequired(std::optional<Format> format, const FileFacts& facts) {
  if (!facts.has_filter()) return facts.num_keys == 0;
  if (!facts.unknown_filters.empty()) return false;
  // RocksDB's Ribbon policies write a Bloom filter if that is smaller, as it can be for up to 501
  // keys. In a file of partitions, the last one may have few.
  constexpr uint64_t kMaxKeysOfFallback = 512;
  const bool has_ribbon = facts.layouts.count(engine_filters::FilterLayout::kRocksDBRibbon) != 0;
  std::set<engine_filters::FilterLayout> layouts{engine_filters::FilterLayout::kRocksDBBlockBased};
  if (format) layouts = engine_filters::LayoutsFor(facts.engine, *format);
  layouts.insert(engine_filters::FilterLayout::kNoKeys);
  if (layouts.count(engine_filters::FilterLayout::kRocksDBRibbon) != 0 &&
      (has_ribbon || facts.num_keys <= kMaxKeysOfFallback * facts.num_filters)) {
    layouts.insert(engine_filters::FilterLayout::kRocksDBBloom);
  }
  return std::all_of(facts.layouts.begin(), facts.layouts.end(),
                     [&](const auto& layout) { return layouts.count(layout.first) != 0; });
}

struct InspectDbOptions {
  CommonOptions common;
  std::string policy;
  std::optional<Required> required;
  bool files = false;
};

void PrintText(const InspectDbOptions& options, const Inputs& inputs, const Inspection& inspection,
               const std::vector<size_t>& missing) {
  PrintInspection(inputs, inspection);
  const std::vector<size_t> done = DoneFiles(inputs);
  if (options.files || inputs.files.size() <= kFewFiles) PrintTable(inputs, inspection.files, done);
  if (!options.required) return;
  std::cout << '\n';
  tool::PrintLine("required: " + options.required->name + " filters; missing in " +
                  tool::CountText(missing.size()) + " of " + FilesText(done.size()));
  PrintTable(inputs, inspection.files, missing);
}

int Run(const InspectDbOptions& options) {
  Inputs inputs = OpenInputs(options.common);
  const Inspection inspection = Inspect(&inputs, options.common, "inspect", options.policy);
  std::vector<size_t> missing;
  for (const size_t i : options.required ? DoneFiles(inputs) : std::vector<size_t>()) {
    if (!HasRequired(options.required->format, inspection.files[i].facts)) missing.push_back(i);
  }
  if (options.common.json) {
    const auto family = [&](size_t g) {
      const KeptFilters kept = FiltersToKeep(inputs, inspection, g);
      tool::Json of_family = {
          {"running_policy", tool::TextOrNull(inspection.policies[g])},
          {"policy_to_keep", tool::TextOrNull(kept.policy)},
          {"format_version_to_keep", kept.needs_format_version ? tool::Json(5) : tool::Json()}};
      of_family.update(LevelsJson(inspection.groups[g], GroupJson));
      return of_family;
    };
    tool::Json json = DocumentOf(inputs, inspection, family, [&](size_t i) {
      return FileJson(inputs, inputs.files[i], inspection.files[i]);
    });
    if (options.required) {
      const auto path = [&](size_t i) { return inputs.files[i].path; };
      json["required"] = {{"format", options.required->name},
                          {"missing_in", ListJson(missing, path)}};
    }
    AddProblems(inputs, &json);
    tool::Print(json);
  } else {
    PrintText(options, inputs, inspection, missing);
  }
  const int exit_code = ReportProblems(inputs, "inspect");
  return missing.empty() ? exit_code : tool::kExitCheckFailed;
}

}  // namespace

void AddInspectCommand(CLI::App* db, int* exit_code) {
  CLI::App* command =
      db->add_subcommand("inspect", "Shows the filters: kinds, bits per key, expected FPR");
  auto options = std::make_shared<InspectDbOptions>();
  AddCommonOptions(command, &options->common);
  AddPolicyArgument(command, &options->policy);
  tool::AddQuantity(command, "--require", &options->required, ParseRequired,
                    "List the files with filters of another format,\n"
                    "and exit with 4 if there are any");
  command->add_flag("--files", options->files, "List each file; up to ten are always listed");
  command->footer(
      "Example:\n"
      "    bloomline db inspect /var/lib/app/db\n\n"
      "Reads data blocks only to count keys where no property counts them: some of\n"
      "LevelDB's blocks, and all of them if a key has several entries.\n"
      "'runs': how many files a Get of a missing key queries on average, below 1 if the\n"
      "files cover only some of the keys. 'wasted': how many reads false positives cost\n"
      "such a Get on average; 100 % is one read. bloomline-db-inspect(1) says more.");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::db
