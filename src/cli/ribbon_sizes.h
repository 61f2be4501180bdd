// Ribbon filters in `bloomline size` and `bloomline build`: the bits for a number of keys, and a
// note on more keys than such a filter can hold.
#ifndef BLOOMLINE_CLI_RIBBON_SIZES_H_
#define BLOOMLINE_CLI_RIBBON_SIZES_H_

#include <cstdint>
#include <string>

#include "bloomline/filter_options.h"
#include "bloomline/sizing.h"
#include "src/filter/options/formats.h"
#include "src/filter/table/layout_table.h"
#include "src/support/bisection.h"

namespace bloomline::cli {

// Bits per key for a rate that is in reach (sizing.h). Ribbon filters of few keys, and of more than
// a million, need more bits than those of a million.
inline double BitsPerKeyForRate(Format format, double rate, uint64_t num_keys) {
  constexpr double kPrecision = 1e-3;
  const double bits = BitsPerKeyForFalsePositiveRate(format, rate);
  if (filter::RowOf(format).bits_are_memory) return bits;
  const auto misses = [=](double bits_per_key) {
    return FalsePositiveRateWithKeys(format, bits_per_key, num_keys, num_keys) > rate;
  };
  const double most = AllowedBitsPerKey(format).max;
  if (!misses(bits) || misses(most)) return bits;
  return support::Bisect(bits, most, misses, kPrecision).fails;
}

// Empty unless there are too many keys.
inline std::string RibbonLimitNote(const FilterOptions& options, uint64_t num_keys) {
  constexpr uint64_t kManyKeys = 1000000;  // a few may have another layout because it is better
  const auto is_bloom = [&](uint64_t n) {
    return filter::IsBloom(filter::StandaloneShape(options.format, {n, options.bits_per_key}));
  };
  const bool is_over = num_keys > kManyKeys && is_bloom(num_keys) && !is_bloom(kManyKeys);
  return is_over ? "with more than 950 million keys, written as blocked" : "";
}

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_RIBBON_SIZES_H_
