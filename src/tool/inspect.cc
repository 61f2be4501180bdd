#include "src/tool/inspect.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "bloomline/filter.h"
#include "src/core/format.h"

namespace bloomline::tool {
namespace {

using core::Layout;

const char* LayoutName(Layout layout) {
  switch (layout) {
    case Layout::kClassic:
      return "classic";
    case Layout::kBlocked:
      return "blocked";
    case Layout::kFlat:
      return "flat";
    case Layout::kCompact:
    case Layout::kCompactHalfLines:
      return "compact";
    case Layout::kAlwaysMatch:
      break;
  }
  return "always match";
}

uint64_t NumSetBits(const char* data, uint64_t num_bytes) {
  uint64_t set = 0;
  for (uint64_t i = 0; i < num_bytes; ++i) {
    set += static_cast<uint64_t>(__builtin_popcount(static_cast<unsigned char>(data[i])));
  }
  return set;
}

// A Bloom filter is one unit whose bits all probes share, a blocked one many.
void InspectBits(const core::Payload& payload, Inspection* result) {
  const uint64_t unit_bytes =
      payload.layout == Layout::kBlocked ? payload.line_bytes : payload.num_bytes;
  const uint64_t num_units = payload.num_bytes / unit_bytes;
  const double unit_bits = 8 * static_cast<double>(unit_bytes);
  const double num_probes = payload.parameter;
  double fill = 0;
  double rate = 0;
  double keys = 0;
  for (uint64_t i = 0; i < num_units; ++i) {
    const uint64_t set = NumSetBits(payload.data + i * unit_bytes, unit_bytes);
    const double share = static_cast<double>(set) / unit_bits;
    fill += share;
    rate += std::pow(share, num_probes);
    // n keys leave each bit clear with probability (1 - 1/m)^(nk).
    keys += std::log1p(-share) / (num_probes * std::log1p(-1 / unit_bits));
  }
  result->fill = fill / static_cast<double>(num_units);
  result->rate_from_fill = rate / static_cast<double>(num_units);
  if (std::isfinite(keys)) result->keys_from_fill = keys;
}

double RandomMatchRate(std::string_view filter, uint64_t num_keys) {
  const FilterView view = FilterView::Open(filter);
  std::mt19937_64 random(1);
  constexpr size_t kBatch = 256;
  uint64_t numbers[kBatch][2];
  std::string_view keys[kBatch];
  bool may_match[kBatch];
  uint64_t matches = 0;
  for (uint64_t asked = 0; asked < num_keys; asked += kBatch) {
    const size_t count = std::min<uint64_t>(kBatch, num_keys - asked);
    for (size_t i = 0; i < count; ++i) {
      numbers[i][0] = random();
      numbers[i][1] = random();
      keys[i] = {reinterpret_cast<const char*>(numbers[i]), sizeof(numbers[i])};
    }
    view.MayMatch(count, keys, may_match);
    matches += static_cast<uint64_t>(std::count(may_match, may_match + count, true));
  }
  return static_cast<double>(matches) / static_cast<double>(num_keys);
}

}  // namespace

Inspection Inspect(std::string_view filter, uint64_t num_random_keys) {
  Inspection result;
  const core::Payload payload = core::DecodeStandalone(filter, &result.why_always_matches);
  result.layout = LayoutName(payload.layout);
  if (payload.layout == Layout::kAlwaysMatch) return result;
  result.payload_bytes = payload.num_bytes;
  if (payload.line_bytes > 1) {
    result.num_lines = payload.num_lines;
    result.line_bytes = payload.line_bytes;
  }
  result.seed = payload.seed;
  if (!core::IsCompact(payload.layout)) {
    result.num_probes = static_cast<int>(payload.parameter);
    if (payload.num_bytes != 0) InspectBits(payload, &result);
  }
  result.num_random_keys = num_random_keys;
  result.random_match_rate = RandomMatchRate(filter, num_random_keys);
  return result;
}

}  // namespace bloomline::tool
