// bloomline size: the command line and the output of size.h.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "bloomline/level_sizing.h"
#include "src/cli/shared/commands.h"
#include "src/cli/shared/json.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/shared/quantity_option.h"
#include "src/cli/size/size.h"

namespace bloomline::cli {
namespace {

// False for the standard Bloom filter of the comparison, whose k is a fraction.
bool HasWholeProbes(const SizeRow& row) {
  return row.num_probes && *row.num_probes == std::floor(*row.num_probes);
}

Json RowJson(const SizeRow& row) {
  Json json{{"name", row.name}};
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  json["num_keys"] = row.num_keys;
  json["bits_per_key"] = row.bits_per_key;
  json["bytes"] = row.bytes;
  json["num_probes"] =
      HasWholeProbes(row) ? Json(static_cast<int>(*row.num_probes)) : OrNull(row.num_probes);
  json["max_lines_per_query"] = OrNull(row.max_lines_per_query);
  json["false_positive_rate"] = OrNull(row.rate);
  if (row.overfilled_rate) json["overfilled_false_positive_rate"] = *row.overfilled_rate;
  if (row.num_shards) {
    json["num_shards"] = *row.num_shards;
    json["shard_bytes"] = *row.shard_bytes;
    json["block_bytes"] = *row.block_bytes;
  }
  if (!row.note.empty()) json["note"] = row.note;
  return json;
}

struct SizeRows {
  std::vector<SizeRow> formats, changing, references;
};

void PrintJson(const SizeRequest& request, const SizeRows& all) {
  Json json;
  json["request"] = {{"num_keys", OrNull(request.num_keys)},
                     {"capacity", OrNull(request.capacity)},
                     {"false_positive_rate", OrNull(request.rate)},
                     {"bits_per_key", OrNull(request.bits_per_key)},
                     {"memory_bytes", OrNull(request.memory_bytes)},
                     {"key_bytes", request.key_bytes}};
  for (const auto& [name, rows] : {std::pair("formats", &all.formats),
                                   {"changing", &all.changing},
                                   {"references", &all.references}}) {
    json[name] = Json::array();
    for (const SizeRow& row : *rows) json[name].push_back(RowJson(row));
  }
  Print(json);
}

std::string ProbesText(const SizeRow& row) {
  if (!row.num_probes) return "-";
  return NumberText(*row.num_probes, HasWholeProbes(row) ? 0 : 1);
}

std::string LinesText(const SizeRow& row) {
  if (!row.max_lines_per_query) return "-";
  return (*row.max_lines_per_query > 1 ? "1 to " : "") + std::to_string(*row.max_lines_per_query);
}

void AppendRows(const std::vector<SizeRow>& rows, bool overfilled,
                std::vector<std::vector<std::string>>* cells) {
  for (const SizeRow& row : rows) {
    if (!row.problem.empty()) continue;
    cells->push_back({TitleOf(row.name), CountText(row.num_keys), NumberText(row.bits_per_key, 2),
                      BytesText(row.bytes), ProbesText(row), LinesText(row),
                      row.rate ? RateText(*row.rate) : "-"});
    if (overfilled) {
      cells->back().push_back(row.overfilled_rate ? RateText(*row.overfilled_rate) : "-");
    }
  }
}

void PrintTable(const SizeRequest& request, const SizeRows& all) {
  std::vector<std::vector<std::string>> cells = {
      {"format", "keys", "bits/key", "memory", "probes", "lines/query", "false positives"}};
  const bool overfilled = request.capacity.has_value();
  if (overfilled) cells[0].push_back("with " + CountText(*request.num_keys) + " keys");
  const auto begin_section = [&](const char* title) {
    cells.push_back(std::vector<std::string>(cells[0].size()));
    cells.back()[0] = title;
  };
  AppendRows(all.formats, overfilled, &cells);
  begin_section("keys are added later:");
  AppendRows(all.changing, overfilled, &cells);
  begin_section("to compare with:");
  AppendRows(all.references, overfilled, &cells);
  std::cout << TextTable(cells)
            << "probes: bits that a query tests; lines/query: cache lines that it reads\n"
            << kOwnFormats;
  for (const std::vector<SizeRow>* rows : {&all.formats, &all.changing}) {
    for (const SizeRow& row : *rows) {
      const std::string& remark = row.problem.empty() ? row.note : row.problem;
      if (!remark.empty()) std::cout << row.name << ": " << remark << '\n';
    }
  }
}

int Run(const SizeRequest& request, bool json) {
  if (IsRefused(Validate(request))) return kExitImpossible;
  const std::vector<SizeRow> formats = FormatRows(request);
  if (IsImpossible(formats)) return kExitImpossible;
  const SizeRows rows = {formats, ChangingRows(request), ReferenceRows(request)};
  json ? PrintJson(request, rows) : PrintTable(request, rows);
  return kExitOk;
}

void AddLevelOptions(CLI::App* command, SizeRequest* request) {
  const auto parse_levels = [](const std::string& text, std::string* error) {
    return ParseWhole(text, 1, kMaxLevels, error);
  };
  const auto up_to = [](double max) {
    return [=](const std::string& text, std::string* error) {
      return ParseNumber(text, 1, max, error);
    };
  };
  AddQuantity(command, "--levels", &request->num_levels, parse_levels,
              "Divide the memory among this many levels of an LSM tree, for example 5");
  AddQuantity(command, "--level-ratio", &request->level_ratio, up_to(kMaxLevelSizeRatio),
              "How many times as many keys a level has as the one before it [10]");
  AddQuantity(command, "--level0-runs", &request->first_level_runs, up_to(kMaxFirstLevelRuns),
              "Sorted runs in the first level, for example 4 files in level 0 [1]");
  AddQuantity(command, "--wasted-reads", &request->wasted_reads, ParseRate,
              "With --levels, instead of --bits-per-key: expected wasted reads per Get of a "
              "missing key, for example 0.01 or 1%");
}

}  // namespace

void AddSizeCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "size", "Computes memory, keys or false-positive rate of a filter from the other two");
  auto request = std::make_shared<SizeRequest>();
  auto json = std::make_shared<bool>(false);
  AddQuantity(command, "--keys", &request->num_keys, ParseCount,
              "Number of keys, for example 5e9 or 5G");
  AddQuantity(command, "--fpr", &request->rate, ParseRate,
              "False-positive rate, for example 0.01 or 1%");
  AddQuantity(command, "--memory", &request->memory_bytes, ParseBytes,
              "Memory, for example 4GiB or 500MB");
  command
      ->add_option("--bits-per-key", request->bits_per_key,
                   "Memory in bits per key, instead of --fpr")
      ->type_name("");
  AddQuantity(command, "--capacity", &request->capacity, ParseCount,
              "Design capacity, if different from --keys");
  command
      ->add_option("--key-bytes", request->key_bytes,
                   "Length of a key, for the structures that store keys")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30))
      ->capture_default_str()
      ->type_name("");
  command->add_flag("--json", *json, "Print JSON");
  AddLevelOptions(command, request.get());
  command->callback([=] {
    const bool has_levels = request->num_levels || request->level_ratio ||
                            request->first_level_runs || request->wasted_reads;
    const double bits = request->bits_per_key.value_or(1);
    if (!(bits > 0 && std::isfinite(bits))) {
      IsRefused("--bits-per-key is " + NumberText(bits, 0) + "; allowed: more than 0");
      *exit_code = kExitImpossible;
      return;
    }
    *exit_code = has_levels ? RunLevelSize(*request, *json) : Run(*request, *json);
  });
}

}  // namespace bloomline::cli
