// What the bytes of a filter show without its keys.
#ifndef BLOOMLINE_TOOL_INSPECT_INSPECT_H_
#define BLOOMLINE_TOOL_INSPECT_INSPECT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/tool/json.h"
#include "src/tool/whole_input.h"

namespace bloomline::tool {

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

// The same for the metadata of a SharedBloomFilter, the text that `redis-cli HGET` prints.
bool IsRedisMetadata(std::string_view bytes);
std::optional<Facts> InspectRedisMetadata(std::string_view bytes, std::string* error);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_INSPECT_INSPECT_H_
