// `bloomline size` knows two of keys, rate (or bits per key) and memory, and computes the third for
// every format.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "bloomline/sizing.h"
#include "src/cli/ribbon_sizes.h"
#include "src/cli/subcommands.h"
#include "src/filter/options/formats.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/support/quoted.h"
#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::cli {
namespace {

struct SizeRequest {
  std::optional<uint64_t> num_keys;
  std::optional<uint64_t> capacity;  // keys that the filter is sized for; none: num_keys
  std::optional<double> rate;
  std::optional<double> bits_per_key;
  std::optional<uint64_t> memory_bytes;
};

struct SizeRow {
  Format format = Format::kBlocked;
  std::string name;
  std::string problem;  // if not empty: why the figures below are missing
  std::string note;
  uint64_t num_keys = 0;  // the keys that the filter is sized for
  double bits_per_key = 0;
  uint64_t bytes = 0;
  std::optional<int> num_probes;
  std::optional<double> rate;             // with num_keys keys
  std::optional<double> overfilled_rate;  // with num_keys of a request that also has a capacity
};

// The number of keys that the filter is sized for, if the request has one.
std::optional<uint64_t> SizedFor(const SizeRequest& request) {
  return request.capacity ? request.capacity : request.num_keys;
}

double BitsPerKey(uint64_t bytes, uint64_t num_keys) {
  return 8 * static_cast<double>(bytes) / static_cast<double>(num_keys);
}

// Returns the option bits_per_key of a filter of this format that meets the request, or nothing,
// with the reason in row->problem.
std::optional<double> ChooseBitsPerKey(Format format, const SizeRequest& request, SizeRow* row) {
  if (request.rate) {
    row->problem = ValidateFalsePositiveRate(format, *request.rate);
    if (!row->problem.empty()) return std::nullopt;
    const std::optional<uint64_t> num_keys = SizedFor(request);
    return num_keys ? BitsPerKeyForRate(format, *request.rate, *num_keys)
                    : BitsPerKeyForFalsePositiveRate(format, *request.rate);
  }
  FilterOptions options;
  options.format = format;
  if (request.bits_per_key) {
    options.bits_per_key = *request.bits_per_key;
  } else {
    options.bits_per_key =
        BitsPerKeyForFilterBytes(format, *request.num_keys, *request.memory_bytes);
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
    if (std::isnan(options.bits_per_key)) {
      row->problem = tool::BytesText(*request.memory_bytes) + " for " +
                     tool::Counted(*request.num_keys, "key", "keys") + " is too little; a " +
                     FormatName(format) + " filter needs at least " +
                     tool::BytesText(FilterBytes(format, *request.num_keys, allowed.min)) +
                     ", with bits_per_key=" + tool::NumberText(allowed.min, 0);
      return std::nullopt;
    }
    if (options.bits_per_key == allowed.max) row->note = "cannot use more memory";
  }
  row->problem = options.Validate();
  if (!row->problem.empty()) return std::nullopt;
  return options.bits_per_key;
}

// RocksDB describes a Ribbon filter by the bits of a Bloom filter with the same rate.
std::string RibbonNote(Format format, double memory_bits) {
  const std::string bits = tool::NumberText(filter::BitsOfMemory(format, memory_bits), 2);
  return "in RocksDB, set bits_per_key=" + bits + ", as in ribbonfilter:" + bits;
}

SizeRow FormatRow(Format format, const SizeRequest& request) {
  SizeRow row;
  row.format = format;
  row.name = FormatName(format);
  const std::optional<double> bits_per_key = ChooseBitsPerKey(format, request, &row);
  if (!bits_per_key) return row;
  row.num_keys = SizedFor(request) ? *SizedFor(request)
                                   : Capacity(format, *request.memory_bytes, *bits_per_key);
  if (row.num_keys == 0) {
    row.problem = "memory is " + tool::BytesText(*request.memory_bytes) +
                  "; the smallest filter takes " +
                  tool::BytesText(FilterBytes(format, 1, *bits_per_key));
    return row;
  }
  row.bytes = FilterBytes(format, row.num_keys, *bits_per_key);
  row.bits_per_key = BitsPerKey(row.bytes, row.num_keys);
  const int num_probes = OptimalNumProbes(format, *bits_per_key);
  if (num_probes != 0) row.num_probes = num_probes;
  // LevelDB has a filter for each 2 KiB of data, so its 32-bit hash has enough values.
  constexpr uint64_t kManyKeys = 1000;
  const uint64_t of_filter =
      format == Format::kClassic ? std::min(row.num_keys, kManyKeys) : row.num_keys;
  row.rate = FalsePositiveRateWithKeys(format, *bits_per_key, of_filter, of_filter);
  const bool is_ribbon = !filter::RowOf(format).bits_are_memory;
  if (request.capacity && !is_ribbon && format != Format::kCompact) {  // these fit the actual keys
    const double load = static_cast<double>(*request.num_keys) / static_cast<double>(row.num_keys);
    const uint64_t held = of_filter == row.num_keys
                              ? *request.num_keys
                              : static_cast<uint64_t>(load * static_cast<double>(of_filter));
    row.overfilled_rate = FalsePositiveRateWithKeys(format, *bits_per_key, of_filter, held);
  }
  const auto add_note = [&](const std::string& note) {
    if (!note.empty()) row.note += (row.note.empty() ? "" : "; ") + note;
  };
  add_note(RibbonLimitNote({format, *bits_per_key}, row.num_keys));
  if (is_ribbon) {
    // RocksDB itself adds what few keys need.
    add_note(RibbonNote(format, request.rate ? BitsPerKeyForFalsePositiveRate(format, *request.rate)
                                             : *bits_per_key));
  }
  return row;
}

// Returns what a request lacks, or has too much; empty: nothing.
std::string Validate(const SizeRequest& request) {
  const bool sized_by_keys = request.num_keys.has_value();
  const int given = sized_by_keys + request.rate.has_value() + request.bits_per_key.has_value() +
                    request.memory_bytes.has_value();
  if (given != 2 || (request.rate && request.bits_per_key)) {
    return "give two of --keys, --memory and --fpr (or --bits-per-key instead of --fpr), for "
           "example --keys 5e9 --fpr 1%; see bloomline size --help";
  }
  if (request.capacity && (!sized_by_keys || request.memory_bytes)) {
    return "--capacity is the number of keys that filters are sized for: give --keys, the number "
           "that they hold, and --fpr or --bits-per-key with it";
  }
  return "";
}

// Returns a row for each format, those of the engines first. Needs a request that Validate accepts.
std::vector<SizeRow> FormatRows(const SizeRequest& request) {
  std::vector<SizeRow> rows;
  for (const bool is_static : {false, true}) {
    for (const filter::FormatRow& format : filter::kFormats) {
      if (format.is_static == is_static) rows.push_back(FormatRow(format.format, request));
    }
  }
  return rows;
}

// ---- The output.

// Names the engine if only its files contain such filters.
std::string TitleOf(const SizeRow& row) {
  const filter::FormatRow& format = filter::RowOf(row.format);
  if (format.is_static) return row.name;
  return row.name + (format.in_leveldb ? " (LevelDB's)" : " (RocksDB's)");
}

tool::Json RowJson(const SizeRow& row) {
  tool::Json json{{"name", row.name}};
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  json["num_keys"] = row.num_keys;
  json["bits_per_key"] = row.bits_per_key;
  json["bytes"] = row.bytes;
  json["num_probes"] = tool::OrNull(row.num_probes);
  json["false_positive_rate"] = tool::OrNull(row.rate);
  if (row.overfilled_rate) json["overfilled_false_positive_rate"] = *row.overfilled_rate;
  if (!row.note.empty()) json["note"] = row.note;
  return json;
}

void PrintJson(const SizeRequest& request, const std::vector<SizeRow>& rows) {
  tool::Json json;
  json["request"] = {{"num_keys", tool::OrNull(request.num_keys)},
                     {"capacity", tool::OrNull(request.capacity)},
                     {"false_positive_rate", tool::OrNull(request.rate)},
                     {"bits_per_key", tool::OrNull(request.bits_per_key)},
                     {"memory_bytes", tool::OrNull(request.memory_bytes)}};
  json["formats"] = tool::Json::array();
  for (const SizeRow& row : rows) json["formats"].push_back(RowJson(row));
  tool::Print(json);
}

void PrintTable(const SizeRequest& request, const std::vector<SizeRow>& rows) {
  const bool overfilled = request.capacity.has_value();
  std::vector<std::vector<std::string>> cells = {
      {"format", "keys", "bits/key", "memory", overfilled ? "more" : "probes", "false positives"}};
  for (const SizeRow& row : rows) {
    if (!row.problem.empty()) continue;
    const std::string probes = row.num_probes ? std::to_string(*row.num_probes) : "-";
    const std::string held = row.overfilled_rate ? tool::RateText(*row.overfilled_rate) : "-";
    cells.push_back({TitleOf(row), tool::CountText(row.num_keys),
                     tool::NumberText(row.bits_per_key, 2), tool::BytesText(row.bytes),
                     overfilled ? held : probes, row.rate ? tool::RateText(*row.rate) : "-"});
  }
  std::cout << tool::TextTable(cells);
  if (overfilled) {
    std::cout << "more: false positives with " << tool::Counted(*request.num_keys, "key", "keys")
              << "\n";
  } else {
    std::cout << "probes: bits that a query tests\n";
  }
  std::cout << "In databases, blocked and compact work only where bloomline is loaded.\n";
  for (const SizeRow& row : rows) {
    const std::string& remark = row.problem.empty() ? row.note : row.problem;
    if (!remark.empty()) std::cout << row.name << ": " << remark << '\n';
  }
}

void PrintError(const std::string& error) { std::cerr << "bloomline size: " << error << '\n'; }

int Run(const SizeRequest& request, bool json) {
  const std::string error = Validate(request);
  if (!error.empty()) {
    PrintError(error);
    return tool::kExitImpossible;
  }
  const std::vector<SizeRow> rows = FormatRows(request);
  const auto has_problem = [](const SizeRow& row) { return !row.problem.empty(); };
  if (std::all_of(rows.begin(), rows.end(), has_problem)) {
    for (const SizeRow& row : rows) PrintError(row.name + ": " + row.problem);
    return tool::kExitImpossible;
  }
  if (json) {
    PrintJson(request, rows);
  } else {
    PrintTable(request, rows);
  }
  return tool::kExitOk;
}

}  // namespace

void AddSizeCommand(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("size", "Computes memory, keys or FPR from the other two");
  auto request = std::make_shared<SizeRequest>();
  auto json = std::make_shared<bool>(false);
  tool::AddQuantity(command, "--keys", &request->num_keys, tool::ParseCount,
                    "Number of keys, for example 5e9 or 5G");
  tool::AddQuantity(command, "--fpr", &request->rate, tool::ParseRate,
                    "False-positive rate, for example 0.01 or 1%");
  tool::AddQuantity(command, "--memory", &request->memory_bytes, tool::ParseBytes,
                    "Memory, for example 4G or 512MiB (K, KB and KiB are 1024\n"
                    "bytes; M, G, T: powers of 1024)");
  tool::AddQuantity(
      command, "--bits-per-key", &request->bits_per_key,
      [](const std::string& text, std::string* error) {
        using Limits = std::numeric_limits<double>;
        const auto bits = tool::ParseNumber(text, Limits::min(), Limits::max(), error);
        if (!bits) *error = support::Quoted(text) + "; allowed: more than 0, for example 9.5";
        return bits;
      },
      "Memory in bits per key, instead of --fpr");
  tool::AddQuantity(command, "--capacity", &request->capacity, tool::ParseCount,
                    "Design capacity, if different from --keys");
  command->add_flag("--json", *json, "Print JSON");
  command->footer(
      "Example:\n"
      "    bloomline size --keys 5e9 --fpr 1%");
  command->callback([=] { *exit_code = Run(*request, *json); });
}

}  // namespace bloomline::cli
