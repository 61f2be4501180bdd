#include "src/db/engine_filters/double_hashing.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "bloomline/filter_theory.h"
#include "src/filter/stock/legacy_bloom.h"

namespace bloomline::engine_filters {
namespace {

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  uint32_t operator()() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return static_cast<uint32_t>(z >> 32);
  }

 private:
  uint64_t state_ = 0;
};

// A random hash whose step is `residue` modulo `bits`.
uint32_t HashWithStep(uint64_t residue, uint64_t bits, Random* random) {
  const uint64_t multiples = (UINT32_MAX - residue) / bits + 1;
  const auto step = static_cast<uint32_t>(residue + bits * ((*random)() * multiples >> 32));
  return step << 17 | step >> 15;
}

// Simulates as many filters at a time as Word has bits: bit i of words[p] is bit p of filter i. A
// query asks all of them at once, which makes a simulation 30 times faster.
// position(hash, i) is that of a hash's probe number i.
template <typename Word, typename Position>
DoubleHashing Simulate(uint64_t num_keys, size_t num_bits, size_t block_bits, int num_probes,
                       Position position) {
  constexpr size_t kNumFilters = 8 * sizeof(Word);
  constexpr uint64_t kMinQueries = 200000;
  constexpr uint64_t kMaxQueries = 1000000;
  constexpr uint64_t kEnoughMatches = 20000;
  std::vector<Word> words(num_bits);
  std::vector<uint64_t> ones(kNumFilters * (num_bits / block_bits));  // of each block
  const uint64_t insertions = kNumFilters * num_keys * static_cast<uint64_t>(num_probes);
  // As much time for queries as for a new set of filters.
  const uint64_t queries_per_set =
      std::clamp<uint64_t>((insertions + num_bits) / 4, 2000, kMinQueries);
  Random random;
  uint64_t queries = 0;
  uint64_t matches = 0;
  double fill = 0;
  double fill_power = 0;
  double num_blocks = 0;
  while (queries < kMinQueries || (matches < kEnoughMatches && queries < kMaxQueries)) {
    std::fill(words.begin(), words.end(), Word{0});
    std::fill(ones.begin(), ones.end(), 0);
    for (uint64_t i = 0; i < num_keys; ++i) {
      for (size_t filter = 0; filter < kNumFilters; ++filter) {
        const auto bit = static_cast<Word>(Word{1} << filter);
        const uint32_t hash = random();
        for (int probe = 0; probe < num_probes; ++probe) {
          const auto p = static_cast<size_t>(position(hash, probe));
          if ((words[p] & bit) == 0) ++ones[p / block_bits * kNumFilters + filter];
          words[p] |= bit;
        }
      }
    }
    for (uint64_t query = 0; query < queries_per_set; ++query) {
      // Few steps are harmful, so each occurs as often.
      const uint32_t hash = HashWithStep((queries + query) % block_bits, block_bits, &random);
      Word all = static_cast<Word>(~Word{0});
      for (int probe = 0; probe < num_probes && all != 0; ++probe) {
        all &= words[static_cast<size_t>(position(hash, probe))];
      }
      matches += static_cast<uint64_t>(__builtin_popcountll(all));
    }
    queries += queries_per_set;
    for (const uint64_t block_ones : ones) {
      const double of_block = static_cast<double>(block_ones) / static_cast<double>(block_bits);
      fill += of_block;
      fill_power += std::pow(of_block, num_probes);
    }
    num_blocks += static_cast<double>(ones.size());
  }
  return {static_cast<double>(matches) / static_cast<double>(queries * kNumFilters),
          fill / num_blocks, fill_power / num_blocks};
}

// P(a missing key has the 32-bit hash of one of n stored ones).
double SameHash(uint64_t num_keys) {
  return -std::expm1(static_cast<double>(num_keys) * std::log1p(-1.0 / 4294967296.0));
}

DoubleHashing Independent(uint64_t num_keys, double rate, double num_blocks, double block_bits,
                          int num_probes) {
  const double empty = num_probes * std::log1p(-1 / block_bits);
  const double fill =
      -std::expm1(static_cast<double>(num_keys) * std::log1p(std::expm1(empty) / num_blocks));
  const double same_hash = SameHash(num_keys);
  return {same_hash + (1 - same_hash) * rate, fill, rate};
}

// Fuller filters than this, in probes per bit, are full: 1 - e^-8 of the bits are set.
constexpr double kFull = 8;

// The blocks of a legacy filter: as many as are simulated, with this mean number of keys.
DoubleHashing SimulateLegacy(uint64_t num_keys, uint64_t num_blocks, int log2_block_bytes,
                             int num_probes) {
  const stock::Remainder block_of(num_blocks);
  const int log2_bits = log2_block_bytes + 3;
  const uint32_t mask = (uint32_t{1} << log2_bits) - 1;
  const auto num_bits = static_cast<size_t>(num_blocks << log2_bits);
  return Simulate<uint64_t>(
      num_keys, num_bits, size_t{1} << log2_bits, num_probes, [&](uint32_t hash, int i) {
        const uint32_t h = hash + static_cast<uint32_t>(i) * stock::Step(hash);
        return block_of(hash) << log2_bits | (h & mask);
      });
}

}  // namespace

DoubleHashing ClassicDoubleHashing(uint64_t num_keys, uint64_t num_bits, int num_probes) {
  constexpr uint64_t kPositions = uint64_t{1} << 32;
  constexpr uint64_t kMaxBits = 1 << 24;
  constexpr uint64_t kMaxKeys = 1000000;
  constexpr double kMaxInsertions = 1 << 21;  // of 64 filters at a time
  const double probes = static_cast<double>(num_keys) * num_probes;
  if (num_bits > kMaxBits || num_keys > kMaxKeys ||
      probes > kFull * static_cast<double>(num_bits)) {
    const uint64_t bits = std::min(num_bits, kPositions);
    return Independent(num_keys, ExactStandardFalsePositiveRate(num_keys, bits, num_probes), 1,
                       static_cast<double>(bits), num_probes);
  }
  static auto* const known = new Remembered<std::tuple<uint64_t, uint64_t, int>, DoubleHashing>;
  return known->Get({num_keys, num_bits, num_probes}, [&] {
    const stock::Remainder remainder(num_bits);
    const auto position = [&](uint32_t hash, int i) {
      return remainder(hash + static_cast<uint32_t>(i) * stock::Step(hash));
    };
    // The more keys, the less do filters differ.
    const bool small = 64 * probes <= kMaxInsertions;
    const auto bits = static_cast<size_t>(num_bits);
    return small ? Simulate<uint64_t>(num_keys, bits, bits, num_probes, position)
                 : Simulate<uint8_t>(num_keys, bits, bits, num_probes, position);
  });
}

DoubleHashing LegacyDoubleHashing(uint64_t num_keys, uint64_t num_blocks, int log2_block_bytes,
                                  int num_probes) {
  const double block_bits = std::ldexp(1.0, log2_block_bytes + 3);
  const double load = static_cast<double>(num_keys) / static_cast<double>(num_blocks);
  constexpr int kMaxLog2 = 12;
  if (log2_block_bytes > kMaxLog2 || load * num_probes > kFull * block_bits) {
    const double rate = ExactStandardFalsePositiveRate(
        static_cast<uint64_t>(std::ceil(std::min(load, 1e18))), static_cast<uint64_t>(block_bits),
        std::min(num_probes, kMaxProbes));
    return Independent(num_keys, rate, static_cast<double>(num_blocks), block_bits, num_probes);
  }
  static auto* const known =
      new Remembered<std::tuple<uint64_t, uint64_t, int, int>, DoubleHashing>;
  const auto simulated = [&](uint64_t keys, uint64_t blocks) {
    return known->Get({keys, blocks, log2_block_bytes, num_probes},
                      [&] { return SimulateLegacy(keys, blocks, log2_block_bytes, num_probes); });
  };
  // RocksDB's numbers of blocks are odd. Of more blocks than these, these are enough.
  const uint64_t enough_blocks = (uint64_t{1} << (16 - log2_block_bytes - 3)) | 1;
  if (num_blocks <= enough_blocks) return simulated(num_keys, num_blocks);
  // Files differ in their numbers of keys, so only some loads are simulated, 2 % apart.
  const double keys = load * static_cast<double>(enough_blocks);
  const double step = std::exp2(std::floor(std::log2(std::max(keys, 64.0))) - 6);
  const double below = std::floor(keys / step) * step;
  const double part = (keys - below) / step;
  const auto value = [](double low, double high, double share) {
    return low > 0 ? low * std::pow(high / low, share) : high * share;
  };
  const DoubleHashing high = simulated(static_cast<uint64_t>(below + step), enough_blocks);
  const DoubleHashing low =
      below > 0 ? simulated(static_cast<uint64_t>(below), enough_blocks) : DoubleHashing{0, 0, 0};
  const double same_hash = SameHash(num_keys);
  const double rate = value(low.rate, high.rate, part);
  return {same_hash + (1 - same_hash) * rate, value(low.fill, high.fill, part),
          value(low.fill_power, high.fill_power, part)};
}

}  // namespace bloomline::engine_filters
