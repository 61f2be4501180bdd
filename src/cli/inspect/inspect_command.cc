// bloomline inspect: the command line and the output of inspect.h.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/cli/inspect/foreign_file.h"
#include "src/cli/inspect/inspect.h"
#include "src/cli/shared/commands.h"
#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/shared/quantity_option.h"
#include "src/redis/layout.h"

namespace bloomline::cli {
namespace {

// redis-cli ends its output with a newline and, on a terminal, puts it in quotes.
std::string_view Trimmed(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

// The header of a SharedBloomFilter, the text that `redis-cli GET` prints.
bool IsRedisHeader(std::string_view bytes) {
  constexpr std::string_view kStart = "bloomline-shared-bloom ";
  return Trimmed(bytes).substr(0, kStart.size()) == kStart;
}

std::optional<Facts> InspectRedisHeader(std::string_view bytes, std::string* error) {
  redis::Layout layout;
  if (!redis::DecodeHeader(Trimmed(bytes), &layout)) {
    *error = "it is not the header of a filter on Redis that this version knows";
    return std::nullopt;
  }
  const uint64_t num_bytes = layout.shard_bytes() * layout.num_shards;
  return Facts{
      {"kind", "SharedBloomFilter", "header", "of a SharedBloomFilter in Redis"},
      {"capacity", layout.capacity, "capacity", CountText(layout.capacity) + " keys"},
      RateFact("false_positive_rate", "false positives at capacity", layout.false_positive_rate),
      {"seed", layout.seed, "seed", std::to_string(layout.seed)},
      CountFact("num_probes", "probes", static_cast<uint64_t>(layout.num_probes)),
      {"block_bytes", layout.block_bytes, "block", std::to_string(layout.block_bytes) + " bytes"},
      {"num_shards", layout.num_shards, "shards",
       CountText(layout.num_shards) + " of " + BytesText(layout.shard_bytes())},
      {"shard_bytes", layout.shard_bytes(), "", ""},
      {"bytes", num_bytes, "bytes", CountText(num_bytes)}};
}

struct InspectOptions {
  std::vector<std::string> paths;
  std::optional<uint64_t> max_pipe_bytes;
  bool json = false;
};

std::optional<Facts> InspectFile(const std::string& path, const InspectOptions& options,
                                 std::string* error) {
  WholeInput file;
  const uint64_t max_pipe_bytes = options.max_pipe_bytes.value_or(kDefaultMaxPipeBytes);
  if (!OpenFilterFile(path, max_pipe_bytes, &file, error)) return std::nullopt;
  if (IsSaved(file.bytes())) return InspectSavedFilter(file, error);
  std::string why;
  std::optional<Facts> facts = IsRedisHeader(file.bytes()) ? InspectRedisHeader(file.bytes(), &why)
                                                           : InspectBytes(file.bytes(), &why);
  if (!facts) *error = NotAFilter(file, why);
  return facts;
}

int Run(const InspectOptions& options) {
  const bool is_one = options.paths.size() == 1;
  Json list = Json::array();
  int exit_code = kExitOk;
  for (const std::string& path : options.paths) {
    std::string error;
    const std::optional<Facts> facts = InspectFile(path, options, &error);
    if (!facts) {
      PrintError("bloomline inspect: " + error);
      exit_code = kExitFailure;
      continue;
    }
    if (!is_one && !options.json) PrintLine(path + ":");
    Json json;
    if (!is_one) json["path"] = path;
    for (const Fact& fact : *facts) {
      json[fact.name] = fact.value;
      if (!options.json && !fact.label.empty()) {
        PrintLine((is_one ? "" : "  ") + fact.label + ": " + fact.text);
      }
    }
    list.push_back(std::move(json));
  }
  if (options.json && !is_one) Print(list);
  if (options.json && is_one && !list.empty()) Print(list.front());
  return exit_code;
}

}  // namespace

void AddInspectCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "inspect", "Describes files: bytes from FilterBuilder::Finish, or saved filters");
  auto options = std::make_shared<InspectOptions>();
  command->add_option("FILE", options->paths, "The files; - is standard input")->required();
  AddQuantity(command, "--max-pipe", &options->max_pipe_bytes, ParseBytes,
              "The most that is read into memory from a pipe, for example 4GiB [1GiB]");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n"
      "    bloomline inspect numbers.filter");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::cli
