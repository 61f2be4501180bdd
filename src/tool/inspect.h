// What the bytes of a filter show without its keys.
#ifndef BLOOMLINE_TOOL_INSPECT_H_
#define BLOOMLINE_TOOL_INSPECT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/tool/json.h"

namespace bloomline::tool {

// One line of output. Without `label` it is in the JSON only.
struct Fact {
  std::string name;
  Json value;
  std::string label;
  std::string text;
};
using Facts = std::vector<Fact>;

// Inspects the bytes of FilterBuilder::Finish, or any others. Reads all of them once, and queries a
// million random keys.
Facts InspectBytes(std::string_view filter);

// True if the first bytes are those of a file that Save of BloomFilter, ScalableBloomFilter or
// CountingBloomFilter wrote.
bool IsSavedFilter(std::string_view first_bytes);

// Inspects such a file. Returns nothing, with the reason in *error, if it is damaged.
std::optional<Facts> InspectSavedFilter(const std::string& path, std::string_view first_bytes,
                                        std::string* error);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_INSPECT_H_
