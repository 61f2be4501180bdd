// What the bytes of a filter show without its keys.
#ifndef BLOOMLINE_CLI_INSPECT_INSPECT_H_
#define BLOOMLINE_CLI_INSPECT_INSPECT_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/shared/json.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/shared/whole_input.h"

namespace bloomline::cli {

// One line of output. Without `label` it is in the JSON only.
struct Fact {
  std::string name;
  Json value;
  std::string label;
  std::string text;
};
using Facts = std::vector<Fact>;

// Inspects the bytes of FilterBuilder::Finish. Reads all of them once, and queries a million random
// keys. Nothing, with the reason in *why, for bytes that are no filter: to the library they match
// every key.
std::optional<Facts> InspectBytes(std::string_view filter, std::string* why);

// The same for a file that Save of BloomFilter, ScalableBloomFilter or CountingBloomFilter wrote.
// Nothing, with the reason in *error, if it is damaged.
std::optional<Facts> InspectSavedFilter(const WholeInput& file, std::string* error);

// ---- Facts that apply to filters of all kinds.

inline Fact CountFact(const std::string& name, const std::string& label, uint64_t count) {
  return {name, count, label, CountText(count)};
}

inline Fact RateFact(const std::string& name, const std::string& label, double rate) {
  return {name, rate, label, RateText(rate)};
}

// Appends the fraction of a million random keys that match. may_match_many(n, keys, answers)
// queries the filter.
template <typename MayMatchMany>
void AppendRandomMatchRate(MayMatchMany may_match_many, Facts* facts) {
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
    may_match_many(count, keys, may_match);
    matches += static_cast<uint64_t>(std::count(may_match, may_match + count, true));
  }
  facts->push_back({"num_random_keys", kNumKeys, "", ""});
  facts->push_back(RateFact("random_match_rate",
                            "false positives among " + CountText(kNumKeys) + " random keys",
                            static_cast<double>(matches) / static_cast<double>(kNumKeys)));
}

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_INSPECT_INSPECT_H_
