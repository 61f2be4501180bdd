#include "src/engines/rocksdb/budget/budget_bits.h"

#include <algorithm>

namespace bloomline {
namespace {

// The mean of the growth since each file was written. Files being written again count as new, and
// so do files that were there before the account.
double GrowthSinceWritten(const FileSums& sums) {
  const auto keys = static_cast<double>(sums.live_keys());
  const double new_share = 1 - static_cast<double>(sums.dated_keys) / keys;
  const double growth = static_cast<double>(sums.dated_shares) / FileSums::kAllKeys + new_share;
  return std::clamp(growth, 1 / kMaxGrowth, kMaxGrowth);
}

}  // namespace

double BitsWithin(uint64_t memory_bytes, double max_bits, const FileSums& sums) {
  if (sums.live_keys() == 0 || memory_bytes == 0) return max_bits;
  const double memory_bits = 8 * static_cast<double>(memory_bytes);
  const double mean = memory_bits / static_cast<double>(sums.live_keys());
  const auto settled_keys = static_cast<double>(sums.keys + sums.unfiltered_keys);
  const double excess_bits = 8 * static_cast<double>(sums.bytes) - mean * settled_keys;
  const double excess = excess_bits / memory_bits;
  const double brake = std::clamp(kBrake * (excess - kTolerance), 0.0, 1.0);
  const double undated =
      (settled_keys - static_cast<double>(sums.dated_keys)) / static_cast<double>(sums.live_keys());
  const double less = undated * std::clamp(excess + kMargin, 0.0, 1.0);
  return std::clamp(mean / GrowthSinceWritten(sums) * (1 - brake) * (1 - less), 0.0, max_bits);
}

}  // namespace bloomline
