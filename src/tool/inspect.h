// What can be told of a filter without its keys.
#ifndef BLOOMLINE_TOOL_INSPECT_H_
#define BLOOMLINE_TOOL_INSPECT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/tool/json.h"

namespace bloomline::tool {

// A line of what is printed; without `label` it is in the JSON only.
struct Fact {
  std::string name;
  Json value;
  std::string label;
  std::string text;
};
using Facts = std::vector<Fact>;

// Bytes of FilterBuilder::Finish, or any others. Reads all of them once and asks a million random
// keys.
Facts InspectBytes(std::string_view filter);

// A file that Save of BloomFilter, ScalableBloomFilter or CountingBloomFilter wrote, by its first
// bytes.
bool IsSavedFilter(std::string_view first_bytes);

// Nothing, and *error, if it is damaged.
std::optional<Facts> InspectSavedFilter(const std::string& path, std::string_view first_bytes,
                                        std::string* error);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_INSPECT_H_
