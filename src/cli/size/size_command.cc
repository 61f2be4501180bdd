// bloomline size: the command line and the output of size.h.
#include <cmath>
#include <iostream>
#include <memory>

#include "bloomline/level_sizing.h"
#include "src/cli/shared/commands.h"
#include "src/cli/shared/json.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/shared/terminal.h"
#include "src/cli/size/size.h"
#include "src/cli/subcommands.h"

namespace bloomline::cli {
namespace {

Json RowJson(const SizeRow& row) {
  Json json{{"name", row.name}};
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  json["num_keys"] = row.num_keys;
  json["bits_per_key"] = row.bits_per_key;
  json["bytes"] = row.bytes;
  json["num_probes"] = OrNull(row.num_probes);
  json["false_positive_rate"] = OrNull(row.rate);
  if (row.overfilled_rate) json["overfilled_false_positive_rate"] = *row.overfilled_rate;
  if (!row.note.empty()) json["note"] = row.note;
  return json;
}

void PrintJson(const SizeRequest& request, const std::vector<SizeRow>& rows) {
  Json json;
  json["request"] = {{"num_keys", OrNull(request.num_keys)},
                     {"capacity", OrNull(request.capacity)},
                     {"false_positive_rate", OrNull(request.rate)},
                     {"bits_per_key", OrNull(request.bits_per_key)},
                     {"memory_bytes", OrNull(request.memory_bytes)}};
  json["formats"] = Json::array();
  for (const SizeRow& row : rows) json["formats"].push_back(RowJson(row));
  Print(json);
}

void PrintTable(const SizeRequest& request, const std::vector<SizeRow>& rows) {
  const bool overfilled = request.capacity.has_value();
  std::vector<std::vector<std::string>> cells = {
      {"format", "keys", "bits/key", "memory", overfilled ? "more" : "probes", "false positives"}};
  for (const SizeRow& row : rows) {
    if (!row.problem.empty()) continue;
    const std::string probes = row.num_probes ? std::to_string(*row.num_probes) : "-";
    const std::string held = row.overfilled_rate ? RateText(*row.overfilled_rate) : "-";
    cells.push_back({TitleOf(row.name), CountText(row.num_keys), NumberText(row.bits_per_key, 2),
                     BytesText(row.bytes), overfilled ? held : probes,
                     row.rate ? RateText(*row.rate) : "-"});
  }
  std::cout << TextTable(cells);
  if (overfilled) {
    std::cout << "more: false positives with " << CountText(*request.num_keys) << " keys\n";
  } else {
    std::cout << "probes: bits that a query tests\n";
  }
  std::cout << kOwnFormats;
  for (const SizeRow& row : rows) {
    const std::string& remark = row.problem.empty() ? row.note : row.problem;
    if (!remark.empty()) std::cout << row.name << ": " << remark << '\n';
  }
}

int Run(const SizeRequest& request, bool json) {
  if (IsRefused(Validate(request))) return kExitImpossible;
  const std::vector<SizeRow> rows = FormatRows(request);
  if (IsImpossible(rows)) return kExitImpossible;
  if (json) {
    PrintJson(request, rows);
  } else {
    PrintTable(request, rows);
  }
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
              "Levels of an LSM tree to divide the memory among");
  AddQuantity(command, "--level-ratio", &request->level_ratio, up_to(kMaxLevelSizeRatio),
              "Keys of a level per key of the one before it [10]");
  AddQuantity(command, "--level0-runs", &request->first_level_runs, up_to(kMaxFirstLevelRuns),
              "Sorted runs in the first level (level 0's files) [1]");
  AddQuantity(command, "--wasted-reads", &request->wasted_reads, ParseRate,
              "Expected wasted reads per Get of a missing key, for\n"
              "example 1%; with --levels, instead of --bits-per-key");
}

}  // namespace

void AddSizeCommand(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("size", "Computes memory, keys or FPR from the other two");
  auto request = std::make_shared<SizeRequest>();
  auto json = std::make_shared<bool>(false);
  AddQuantity(command, "--keys", &request->num_keys, ParseCount,
              "Number of keys, for example 5e9 or 5G");
  AddQuantity(command, "--fpr", &request->rate, ParseRate,
              "False-positive rate, for example 0.01 or 1%");
  AddQuantity(command, "--memory", &request->memory_bytes, ParseBytes,
              "Memory, for example 4G or 500MB (K, M, G, T: powers of\n"
              "1024; kB, MB, GB, TB: powers of 1000)");
  command->add_option("--bits-per-key", request->bits_per_key,
                      "Memory in bits per key, instead of --fpr");
  AddQuantity(command, "--capacity", &request->capacity, ParseCount,
              "Design capacity, if different from --keys");
  command->add_flag("--json", *json, "Print JSON");
  AddLevelOptions(command, request.get());
  command->footer(
      "Example:\n"
      "    bloomline size --keys 5e9 --fpr 1%");
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
