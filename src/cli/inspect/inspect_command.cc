// bloomline inspect: the facts that the bytes of a filter show without its keys.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/filter.h"
#include "src/cli/inspect/foreign_file.h"
#include "src/cli/subcommands.h"
#include "src/filter/table/layout_table.h"
#include "src/redis/redis_layout.h"
#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"
#include "src/tool/whole_input.h"

namespace bloomline::cli {
namespace {

// One line of output. A fact without `label` is in the JSON only.
struct Fact {
  std::string name;
  tool::Json value;
  std::string label;
  std::string text;
};
using Facts = std::vector<Fact>;

Fact CountFact(const std::string& name, const std::string& label, uint64_t count) {
  return {name, count, label, tool::CountText(count)};
}

Fact RateFact(const std::string& name, const std::string& label, double rate) {
  return {name, rate, label, tool::RateText(rate)};
}

// ---- Static filters.

// Appends the fraction of a million random keys that match.
template <typename Filter>
void AppendRandomMatchRate(const Filter& filter, Facts* facts) {
  constexpr uint64_t kNumKeys = 1000000;
  constexpr size_t kBatch = 256;
  std::mt19937_64 random(1);
  uint64_t numbers[kBatch][2];
  std::string_view keys[kBatch];
  bool may_match[kBatch];
  uint64_t matches = 0;
  for (uint64_t queried = 0; queried < kNumKeys; queried += kBatch) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(kBatch, kNumKeys - queried));
    for (size_t i = 0; i < count; ++i) {
      numbers[i][0] = random();
      numbers[i][1] = random();
      keys[i] = {reinterpret_cast<const char*>(numbers[i]), sizeof(numbers[i])};
    }
    filter.MayMatch(count, keys, may_match);
    matches += static_cast<uint64_t>(std::count(may_match, may_match + count, true));
  }
  facts->push_back({"num_random_keys", kNumKeys, "", ""});
  facts->push_back(RateFact("random_match_rate",
                            "false positives among " + tool::CountText(kNumKeys) + " random keys",
                            static_cast<double>(matches) / static_cast<double>(kNumKeys)));
}

uint64_t NumSetBits(const char* data, uint64_t num_bytes) {
  uint64_t set = 0;
  for (uint64_t i = 0; i < num_bytes; ++i) {
    set += static_cast<uint64_t>(__builtin_popcount(static_cast<unsigned char>(data[i])));
  }
  return set;
}

// Appends the facts that follow from the set bits of a Bloom filter. All probes of a key go to one
// unit: a block of a blocked filter, or the whole of another filter.
void AppendFill(const filter::Payload& payload, Facts* facts) {
  const uint64_t unit_bytes = payload.has_blocks() ? payload.block_bytes : payload.payload_bytes();
  const uint64_t num_units = payload.payload_bytes() / unit_bytes;
  const double unit_bits = 8 * static_cast<double>(unit_bytes);
  const double num_probes = payload.num_probes;
  double fill = 0;
  double rate = 0;
  double keys = 0;
  for (uint64_t i = 0; i < num_units; ++i) {
    const uint64_t set = NumSetBits(payload.data + i * unit_bytes, unit_bytes);
    const double unit_fill = static_cast<double>(set) / unit_bits;
    fill += unit_fill;
    rate += std::pow(unit_fill, num_probes);
    // n keys leave each bit clear with probability (1 - 1/m)^(nk).
    keys += std::log1p(-unit_fill) / (num_probes * std::log1p(-1 / unit_bits));
  }
  const double units = static_cast<double>(num_units);
  facts->push_back(RateFact("fill", "bits set", fill / units));
  if (std::isfinite(keys)) {  // it is infinite if a unit is full
    facts->push_back({"num_keys_from_fill", keys, "keys, estimated from the bits set",
                      "about " + tool::CountText(static_cast<uint64_t>(keys + 0.5))});
  }
  facts->push_back(RateFact("false_positive_rate_from_fill",
                            "false positives, estimated from the bits set", rate / units));
}

// Inspects the bytes of FilterBuilder::Finish: reads all once, and queries a million random keys.
// Returns nothing, with the reason in *why, for bytes that are not a filter, which the library
// takes for one that matches every key.
std::optional<Facts> InspectBytes(std::string_view filter, std::string* why) {
  const StaticFilter decoded = DecodeStatic(filter);
  const auto& [payload, reason, is_understood] = decoded;
  if (!is_understood) {
    *why = reason;
    return std::nullopt;
  }
  const bool always_matches = payload.always_matches();
  Facts facts;
  facts.push_back({"bytes", filter.size(), "bytes", tool::CountText(filter.size())});
  const char* const layout = filter::LayoutRowFor(payload.layout).name;
  facts.push_back({"layout", layout, "layout", layout});
  facts.push_back({"always_matches", always_matches, "", ""});
  if (always_matches) {
    facts.push_back({"why", reason, "it matches every key", reason});
    return facts;
  }
  facts.push_back({"payload_bytes", payload.payload_bytes(), "", ""});
  const bool bloom = filter::IsBloom(payload);
  if (bloom && payload.has_blocks()) {
    facts.push_back({"num_blocks", payload.num_blocks, "blocks",
                     tool::CountText(payload.num_blocks) + " of " +
                         std::to_string(payload.block_bytes) + " bytes"});
    facts.push_back({"block_bytes", payload.block_bytes, "", ""});
  }
  if (bloom) {
    facts.push_back(CountFact("num_probes", "probes", static_cast<uint64_t>(payload.num_probes)));
  }
  facts.push_back({"seed", payload.seed, "seed", std::to_string(payload.seed)});
  if (payload.payload_bytes() == 0)
    facts.push_back({"num_keys", 0, "keys", "none, so it matches nothing"});
  if (bloom && payload.payload_bytes() != 0) AppendFill(payload, &facts);
  AppendRandomMatchRate(FilterView::Open(filter), &facts);
  return facts;
}

// ---- Saved filters.

const char* LayoutName(BloomLayout layout) {
  switch (layout) {
    case BloomLayout::kBlocked:
      return "blocked";
    case BloomLayout::kStandard:
      return "standard";
    case BloomLayout::kBlocked128:
      return "blocked, 128 bits";
    case BloomLayout::kBlocked64:
      return "blocked, 64 bits";
  }
  return "unknown";
}

Fact KindFact(const std::string& kind) { return {"kind", kind, "saved", kind}; }

Fact CapacityFact(uint64_t capacity) {
  return {"capacity", capacity, "capacity",
          capacity == 0 ? "not stated" : tool::Counted(capacity, "key", "keys")};
}

// Appends the facts that BloomFilterBase and ScalableBloomFilter share.
template <typename Filter>
void AppendEstimates(const Filter& filter, Facts* facts) {
  facts->push_back(CountFact("num_bits", "bits", filter.num_bits()));
  facts->push_back(CapacityFact(filter.capacity()));
  facts->push_back(CountFact("num_keys", "keys added that changed a bit", filter.num_keys()));
  facts->push_back(CountFact("estimated_num_keys", "keys, estimated from the bits set",
                             filter.EstimatedNumKeys()));
  facts->push_back(RateFact("estimated_false_positive_rate",
                            "false positives, estimated from the bits set",
                            filter.EstimatedFalsePositiveRate()));
  AppendRandomMatchRate(filter, facts);
}

Facts FactsOf(const BloomFilterBase& filter) {
  Facts facts = {KindFact("BloomFilter"),
                 {"layout", LayoutName(filter.layout()), "layout", LayoutName(filter.layout())},
                 CountFact("num_probes", "probes", static_cast<uint64_t>(filter.num_probes())),
                 {"seed", filter.seed(), "seed", std::to_string(filter.seed())}};
  AppendEstimates(filter, &facts);
  return facts;
}

Facts FactsOf(const ScalableBloomFilter& filter) {
  const ScalableBloomFilterOptions& options = filter.options();
  Facts facts = {
      KindFact("ScalableBloomFilter"),
      {"layout", LayoutName(options.layout), "layout", LayoutName(options.layout)},
      {"seed", options.seed, "seed", std::to_string(options.seed)},
      CountFact("num_stages", "stages", filter.num_stages()),
      RateFact("bound", "bound of the false-positive rate", options.false_positive_rate)};
  AppendEstimates(filter, &facts);
  return facts;
}

Facts FactsOf(const CountingBloomFilter& filter) {
  Facts facts = {
      KindFact("CountingBloomFilter"),
      {"num_counters", filter.num_counters(), "counters",
       tool::CountText(filter.num_counters()) + " of " + std::to_string(filter.counter_bits()) +
           " bits"},
      {"counter_bits", filter.counter_bits(), "", ""},
      CountFact("num_probes", "probes", static_cast<uint64_t>(filter.num_probes())),
      {"seed", filter.seed(), "seed", std::to_string(filter.seed())},
      CapacityFact(filter.capacity()),
      CountFact("num_keys", "keys, including repeats", filter.num_keys()),
      CountFact("num_saturated_counters", "saturated counters", filter.num_saturated_counters())};
  AppendRandomMatchRate(filter, &facts);
  return facts;
}

// Inspects a file that Save of BloomFilter, ScalableBloomFilter or CountingBloomFilter wrote.
// Returns nothing, with the reason in *error, if it is damaged.
std::optional<Facts> InspectSavedFilter(const tool::WholeInput& file, std::string* error) {
  return UseSaved(file, error, [](auto filter) {
    return filter == nullptr ? std::nullopt : std::optional(FactsOf(*filter));
  });
}

// ---- The header of a filter on Redis, and the command.

// Removes what redis-cli adds: a newline at the end and, on a terminal, quotes.
std::string_view AsStored(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

// The header of a SharedBloomFilter, the text that `redis-cli GET` prints.
bool IsRedisHeader(std::string_view bytes) {
  constexpr std::string_view kStart = "bloomline-shared-bloom ";
  return AsStored(bytes).substr(0, kStart.size()) == kStart;
}

std::optional<Facts> InspectRedisHeader(std::string_view bytes, std::string* error) {
  redis::RedisLayout layout;
  if (!redis::DecodeHeader(AsStored(bytes), &layout)) {
    *error = "it is not the header of a filter on Redis that this version knows";
    return std::nullopt;
  }
  const uint64_t num_bytes = layout.shard_bytes() * layout.num_shards;
  return Facts{
      {"kind", "SharedBloomFilter", "header", "of a SharedBloomFilter in Redis"},
      {"capacity", layout.capacity, "capacity", tool::Counted(layout.capacity, "key", "keys")},
      RateFact("false_positive_rate", "false positives at capacity", layout.false_positive_rate),
      {"seed", layout.seed, "seed", std::to_string(layout.seed)},
      CountFact("num_probes", "probes", static_cast<uint64_t>(layout.num_probes)),
      {"block_bytes", layout.block_bytes, "block", std::to_string(layout.block_bytes) + " bytes"},
      {"num_shards", layout.num_shards, "shards",
       tool::CountText(layout.num_shards) + " of " + tool::BytesText(layout.shard_bytes())},
      {"shard_bytes", layout.shard_bytes(), "", ""},
      {"bytes", num_bytes, "bytes", tool::CountText(num_bytes)}};
}

struct InspectOptions {
  std::vector<std::string> paths;
  std::optional<uint64_t> max_pipe_bytes;
  bool json = false;
};

std::optional<Facts> InspectFile(const std::string& path, const InspectOptions& options,
                                 std::string* error) {
  tool::WholeInput file;
  const uint64_t max_pipe_bytes = options.max_pipe_bytes.value_or(tool::kDefaultMaxPipeBytes);
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
  tool::Json list = tool::Json::array();
  int exit_code = tool::kExitOk;
  for (const std::string& path : options.paths) {
    std::string error;
    const std::optional<Facts> facts = InspectFile(path, options, &error);
    if (!facts) {
      tool::PrintError("bloomline inspect: " + error);
      exit_code = tool::kExitFailure;
      continue;
    }
    if (!is_one && !options.json) tool::PrintLine(path + ":");
    tool::Json json;
    if (!is_one) json["path"] = path;
    for (const Fact& fact : *facts) {
      json[fact.name] = fact.value;
      if (!options.json && !fact.label.empty()) {
        tool::PrintLine((is_one ? "" : "  ") + fact.label + ": " + fact.text);
      }
    }
    list.push_back(std::move(json));
  }
  if (options.json && !is_one) tool::Print(list);
  if (options.json && is_one && !list.empty()) tool::Print(list.front());
  return exit_code;
}

}  // namespace

void AddInspectCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand("inspect", "Describes the filters in files");
  auto options = std::make_shared<InspectOptions>();
  command->add_option("FILE", options->paths, "Files from 'build', Finish or Save; -: stdin")
      ->required();
  tool::AddQuantity(command, "--max-pipe", &options->max_pipe_bytes, tool::ParseBytes,
                    "The most to read into memory from a pipe [1GiB]");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n"
      "    bloomline inspect numbers.filter");
  command->callback([=] { *exit_code = Run(*options); });
}

}  // namespace bloomline::cli
