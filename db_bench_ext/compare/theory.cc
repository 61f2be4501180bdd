#include "db_bench_ext/compare/theory.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"

namespace bloomline::bench {
namespace {

// RocksDB's FastLocalBloom::ChooseNumProbes, in whole bits per key.
int RocksDBBloomNumProbes(int bits_per_key) {
  constexpr int kLastBitsForProbes[] = {2, 3, 5, 6, 8, 10, 11, 14, 16, 18, 22, 25};
  const int* found =
      std::lower_bound(std::begin(kLastBitsForProbes), std::end(kLastBitsForProbes), bits_per_key);
  if (found != std::end(kLastBitsForProbes))
    return static_cast<int>(found - kLastBitsForProbes) + 1;
  return (bits_per_key * 1000 - 1) / 2000 - 1;
}

}  // namespace

double LevelDBTheory(Policy policy, int bits_per_key, const FilterSummary& filters,
                     uint64_t num_keys) {
  if (policy == Policy::kNone || filters.num_filters == 0 || num_keys == 0) return NAN;
  // In all layouts the last byte of a filter is a code.
  const double payload_bits = 8.0 * static_cast<double>(filters.filter_bytes - filters.num_filters);
  const double keys_per_filter =
      static_cast<double>(num_keys) / static_cast<double>(filters.num_filters);
  const uint64_t n = std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(keys_per_filter)));
  const auto m = static_cast<uint64_t>(
      std::llround(static_cast<double>(n) * payload_bits / static_cast<double>(num_keys)));
  if (policy == Policy::kCompact) {
    // Only for filters of one block and at most 56 keys, as in a default run.
    const uint64_t line_bytes = m / 8;
    return n <= 56 && line_bytes <= 64
               ? ExactSmallSetFalsePositiveRate(n, 1, static_cast<uint32_t>(line_bytes))
               : NAN;
  }
  const int num_probes = policy == Policy::kBloomline
                             ? OptimalStandardNumProbes(bits_per_key)
                             : OptimalNumProbes(Format::kClassic, bits_per_key);
  return ExactStandardFalsePositiveRate(n, m, num_probes);
}

double RocksDBTheory(Policy policy, int bits_per_key, const FilterSummary& /*filters*/,
                     uint64_t /*num_keys*/) {
  if (policy == Policy::kNone) return NAN;
  if (policy == Policy::kCompact) return CompactFalsePositiveRate(bits_per_key);
  const int num_probes = policy == Policy::kBloomline
                             ? OptimalNumProbes(Format::kBlocked, bits_per_key)
                             : RocksDBBloomNumProbes(bits_per_key);
  return BlockedFalsePositiveRate(static_cast<double>(bits_per_key), num_probes);
}

}  // namespace bloomline::bench
