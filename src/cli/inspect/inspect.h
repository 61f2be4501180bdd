// The facts that the bytes of a filter show without its keys.
#ifndef BLOOMLINE_CLI_INSPECT_INSPECT_H_
#define BLOOMLINE_CLI_INSPECT_INSPECT_H_

#include <cstdint>
#include <optional>
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
// keys. Returns nothing, with the reason in *why, for bytes that are not a filter: for the library
// they match every key.
std::optional<Facts> InspectBytes(std::string_view filter, std::string* why);

// The same for a file that Save of BloomFilter, ScalableBloomFilter or CountingBloomFilter wrote.
// Returns nothing, with the reason in *error, if it is damaged.
std::optional<Facts> InspectSavedFilter(const WholeInput& file, std::string* error);

// ---- Facts that apply to filters of all kinds.

inline Fact CountFact(const std::string& name, const std::string& label, uint64_t count) {
  return {name, count, label, CountText(count)};
}

inline Fact RateFact(const std::string& name, const std::string& label, double rate) {
  return {name, rate, label, RateText(rate)};
}

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_INSPECT_INSPECT_H_
