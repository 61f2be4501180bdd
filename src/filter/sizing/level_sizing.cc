#include "bloomline/level_sizing.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "src/filter/options/formats.h"
#include "src/filter/rates/rates.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using filter::IsRuns;
using filter::kNotANumber;
using filter::LevelKeys;

bool IsCount(int num_levels) { return num_levels >= 1 && num_levels <= kMaxLevels; }
// Sums, products and ratios of these are finite.
constexpr double kMinKeys = 1e-30, kMaxKeys = 1e30;
bool IsKeys(double keys) { return keys == 0 || (keys >= kMinKeys && keys <= kMaxKeys); }
bool IsBudget(Format format, double bits_per_key) {
  return filter::IsKnown(format) && bits_per_key >= 0 &&
         bits_per_key <= AllowedBitsPerKey(format).max;
}

double Sum(const double* values, int num_levels) {
  double sum = 0;
  for (int i = 0; i < num_levels; ++i) sum += values[i];
  return sum;
}

double RunsAt(const double* runs_of_level, int i) {
  return runs_of_level == nullptr ? 1 : runs_of_level[i];
}

// Returns what is wrong with the arrays, or copies them to one and returns an empty string.
std::string ToLevels(const double* keys_of_level, const double* runs_of_level, int num_levels,
                     LevelKeys* levels) {
  if (!IsCount(num_levels)) {
    return support::StrCat("number of levels is ", num_levels, "; allowed: 1 to ", kMaxLevels);
  }
  for (int i = 0; i < num_levels; ++i) {
    const double keys = keys_of_level[i];
    const double runs = RunsAt(runs_of_level, i);
    levels[i] = {keys, runs};
    if (!IsKeys(keys)) {
      return support::StrCat("number of keys of level ", i, " is ", keys, "; allowed: 0, or ",
                             kMinKeys, " to ", kMaxKeys);
    }
    if (!IsRuns(runs)) {
      return support::StrCat("number of runs of level ", i, " is ", runs,
                             "; allowed: ", filter::kMinRuns, " to ", filter::kMaxRuns);
    }
  }
  if (!(Sum(keys_of_level, num_levels) > 0)) {
    return "no level has keys; allowed: at least one with more than 0";
  }
  return {};
}

}  // namespace

bool KeysOfLevels(int num_levels, double level_size_ratio, double* keys_of_level) {
  if (!IsCount(num_levels) || !filter::IsLevelSizeRatio(level_size_ratio)) return false;
  double keys = 1;
  for (int i = num_levels - 1; i >= 0; --i) {
    keys_of_level[i] = keys;
    keys /= level_size_ratio;
  }
  const double sum = Sum(keys_of_level, num_levels);
  for (int i = 0; i < num_levels; ++i) {
    keys_of_level[i] /= sum;
    if (keys_of_level[i] < kMinKeys) keys_of_level[i] = 0;  // as good as none, and allowed
  }
  return true;
}

bool SpreadBitsByLevel(Format format, double bits_per_key, const double* keys_of_level,
                       const double* runs_of_level, int num_levels, double* bits_of_level) {
  LevelKeys levels[kMaxLevels];
  if (!IsBudget(format, bits_per_key) ||
      !ToLevels(keys_of_level, runs_of_level, num_levels, levels).empty()) {
    return false;
  }
  double spread[kMaxLevels];
  const double memory = filter::MemoryBits(format, bits_per_key) * Sum(keys_of_level, num_levels);
  filter::DivideMemory(format, memory, levels, num_levels, spread);
  // With levels of one size, and bits per key where the rate is not convex, equal bits may be as
  // good as the search's tolerance, or better.
  double uniform[kMaxLevels];
  std::fill(uniform, uniform + num_levels, bits_per_key);
  const bool better_uniform = filter::IsAllowed(format, bits_per_key) &&
                              WastedReads(format, uniform, runs_of_level, num_levels) <=
                                  WastedReads(format, spread, runs_of_level, num_levels);
  std::copy_n(better_uniform ? uniform : spread, num_levels, bits_of_level);
  return true;
}

double WastedReads(Format format, const double* bits_of_level, const double* runs_of_level,
                   int num_levels) {
  if (!filter::IsKnown(format) || !IsCount(num_levels)) return kNotANumber;
  double sum = 0;
  for (int i = 0; i < num_levels; ++i) {
    const double runs = RunsAt(runs_of_level, i);
    const double bits = bits_of_level[i];
    if ((bits != 0 && !filter::IsAllowed(format, bits)) || !IsRuns(runs)) return kNotANumber;
    sum += runs * (bits == 0 ? 1 : filter::EngineRate(format, bits));
  }
  return sum;
}

double AverageBitsPerKey(const double* keys_of_level, const double* bits_of_level, int num_levels) {
  LevelKeys levels[kMaxLevels];
  if (!ToLevels(keys_of_level, nullptr, num_levels, levels).empty()) return kNotANumber;
  double bits = 0;
  for (int i = 0; i < num_levels; ++i) {
    if (!(bits_of_level[i] >= 0 && bits_of_level[i] <= kMaxBitsPerKey)) return kNotANumber;
    bits += keys_of_level[i] * bits_of_level[i];
  }
  return bits / Sum(keys_of_level, num_levels);
}

double BitsPerKeyForWastedReads(Format format, double wasted_reads, const double* keys_of_level,
                                const double* runs_of_level, int num_levels) {
  if (!filter::IsKnown(format) || !(wasted_reads > 0)) return kNotANumber;
  constexpr int kStepsPerBit = 1000;
  const filter::Divider divider(
      {0, AllowedBitsPerKey(format).max}, kStepsPerBit, [&](double bits_per_key) {
        double bits[kMaxLevels];
        filter::Division division;
        division.bits_per_key = bits_per_key;
        division.wasted_reads =
            SpreadBitsByLevel(format, bits_per_key, keys_of_level, runs_of_level, num_levels, bits)
                ? WastedReads(format, bits, runs_of_level, num_levels)
                : std::numeric_limits<double>::infinity();
        return division;
      });
  const std::optional<filter::Division> division = divider.For(wasted_reads);
  return division ? division->bits_per_key : kNotANumber;
}

double BitsPerKeyForLevelBytes(Format format, uint64_t filter_bytes, const double* keys_of_level,
                               int num_levels) {
  LevelKeys levels[kMaxLevels];
  if (!filter::IsKnown(format) || !ToLevels(keys_of_level, nullptr, num_levels, levels).empty()) {
    return kNotANumber;
  }
  const double memory = 8 * static_cast<double>(filter_bytes) / Sum(keys_of_level, num_levels);
  return std::min(filter::BitsOfMemory(format, memory), AllowedBitsPerKey(format).max);
}

std::string ValidateLevels(Format format, double bits_per_key, const double* keys_of_level,
                           const double* runs_of_level, int num_levels) {
  if (!filter::IsKnown(format)) return FilterOptions{format}.Validate();
  if (!IsBudget(format, bits_per_key)) {
    return support::StrCat("bits per key is ", bits_per_key, "; allowed by level in ",
                           FormatName(format), " filters: 0 to ", AllowedBitsPerKey(format).max);
  }
  LevelKeys levels[kMaxLevels];
  return ToLevels(keys_of_level, runs_of_level, num_levels, levels);
}

}  // namespace bloomline
