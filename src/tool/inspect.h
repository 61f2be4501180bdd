// What can be told of filter bytes without their keys.
#ifndef BLOOMLINE_TOOL_INSPECT_H_
#define BLOOMLINE_TOOL_INSPECT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomline::tool {

struct Inspection {
  std::string why_always_matches;  // not empty: the filter matches every key, and nothing below
  std::string layout;
  uint64_t payload_bytes = 0;
  uint64_t num_lines = 0;  // 0: not in lines
  uint32_t line_bytes = 0;
  int num_probes = 0;  // 0: none
  uint64_t seed = 0;
  // Of Bloom filters: the share of set bits, what an absent key meets there by theory, and the keys
  // that so many bits speak of. Nothing of the last where all bits are set.
  std::optional<double> fill;
  std::optional<double> rate_from_fill;
  std::optional<double> keys_from_fill;
  uint64_t num_random_keys = 0;  // asked
  double random_match_rate = 0;  // the share of them that matched
};

// Bytes of FilterBuilder::Finish, or any others. Reads all of them once and asks num_random_keys.
Inspection Inspect(std::string_view filter, uint64_t num_random_keys);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_INSPECT_H_
