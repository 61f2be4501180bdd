// The policies that are compared, and what they promise.
#include "bloomline/level_sizing.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/disk/disk.h"
#include "src/cli/shared/quantity.h"

namespace bloomline::bench::disk {
namespace {

constexpr double kBits = 10;
// A Ribbon filter of Bloom's rate at this many bits takes 10.
constexpr double kRibbonBloomBits = 14.6;

Policy ByLevel(const std::string& name, double bits_per_key) {
  return {name, Filter::kCompact, bits_per_key, true};
}

Format FormatOf(Filter filter) {
  switch (filter) {
    case Filter::kBloom:
      return Format::kBloom;
    case Filter::kRibbon:
      return Format::kRibbon;
    case Filter::kCompact:
      return Format::kCompact;
    default:
      return Format::kBlocked;
  }
}

// Keys of the levels from level 1 on.
std::array<double, kNumLevels> LevelKeys() {
  std::array<double, kNumLevels> keys;
  KeysOfLevels(kNumLevels, kLevelSizeRatio, keys.data());
  return keys;
}

}  // namespace

std::vector<Policy> AllPolicies() {
  const double rate = FalsePositiveRate(Format::kBlocked, kBits);
  const double same_waste = BitsPerKeyForWastedReads(Format::kCompact, kNumLevels * rate,
                                                     LevelKeys().data(), nullptr, kNumLevels);
  return {
      NoFilter(),
      BuiltinBloom(kBits),
      BloomByLevel(kBits),
      BuiltinRibbon(kBits),
      {"builtin-ribbon-10bits", Filter::kRibbon, kRibbonBloomBits},
      RibbonByLevel(kBits),
      Blocked(kBits),
      Compact(kBits),
      CompactOfSameRate(kBits),
      ByLevel("by-level", kBits),
      ByLevel("by-level-7bits", CompactBitsOfBloomsRate(kBits)),
      ByLevel("by-level-same-waste", same_waste),
  };
}

std::vector<Policy> SweepPolicies(const std::vector<double>& bits_per_key) {
  std::vector<Policy> policies = {BuiltinBloom(kBits)};
  for (const double bits : bits_per_key)
    policies.push_back({"compact-" + cli::NumberText(bits, 1), Filter::kCompact, bits});
  for (const double bits : bits_per_key)
    policies.push_back(ByLevel("by-level-" + cli::NumberText(bits, 1), bits));
  return policies;
}

std::array<double, kNumLevels> ModelRates(const Policy& policy) {
  std::array<double, kNumLevels> rates;
  rates.fill(1);
  if (!policy.HasFilter()) return rates;
  const Format format = FormatOf(policy.filter);
  std::array<double, kNumLevels> bits;
  bits.fill(policy.bits_per_key);
  if (policy.by_level)
    SpreadBitsByLevel(format, policy.bits_per_key, LevelKeys().data(), kNumLevels, bits.data());
  for (size_t i = 0; i < kNumLevels; ++i)
    rates[i] = bits[i] == 0 ? 1 : FalsePositiveRate(format, bits[i]);
  return rates;
}

}  // namespace bloomline::bench::disk
