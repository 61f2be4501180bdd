#include "src/engine_filters/double_hashing_rate.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomline/filter_theory.h"
#include "src/engine_filters/bloom_readers.h"
#include "src/kernels/bits.h"

namespace bloomline::engine_filters {
namespace {

// SplitMix64 (Steele, Lea and Flood, 2014).
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

// Builds filters of random hashes and queries them with others, until `enough` matched.
template <typename Insert, typename Reader>
double Simulate(uint64_t num_keys, std::string* payload, Insert insert, const Reader& reader) {
  constexpr uint64_t kEnough = 10000;
  constexpr uint64_t kMaxQueries = 4000000;
  // Filters differ more than their queries do, but building them costs time too.
  const uint64_t queries_per_filter = std::max<uint64_t>(500, 4 * num_keys);
  Random random;
  uint64_t queries = 0;
  uint64_t matches = 0;
  while (matches < kEnough && queries < kMaxQueries) {
    std::fill(payload->begin(), payload->end(), '\0');
    for (uint64_t i = 0; i < num_keys; ++i) insert(random());
    for (uint64_t i = 0; i < queries_per_filter; ++i) matches += reader.MayMatch(random()) ? 1 : 0;
    queries += queries_per_filter;
  }
  return static_cast<double>(matches) / static_cast<double>(queries);
}

// P(a missing key has the 32-bit hash of one of n stored ones).
double SameHash(uint64_t num_keys) {
  return -std::expm1(static_cast<double>(num_keys) * std::log1p(-1.0 / 4294967296.0));
}

double Either(double a, double b) { return a + (1 - a) * b; }

}  // namespace

double ClassicRate(uint64_t num_keys, uint64_t num_bits, int num_probes) {
  constexpr uint64_t kPositions = uint64_t{1} << 32;
  constexpr uint64_t kMaxSimulatedBits = 1 << 19;
  constexpr uint64_t kMaxSimulatedKeys = 20000;
  if (num_bits > kMaxSimulatedBits || num_keys > kMaxSimulatedKeys) {
    return Either(SameHash(num_keys), ExactStandardFalsePositiveRate(
                                          num_keys, std::min(num_bits, kPositions), num_probes));
  }
  std::string payload(num_bits / 8, '\0');
  const ClassicReader<Bytes::kUnsigned> reader{payload.data(), Remainder(num_bits), num_probes};
  const auto insert = [&](uint32_t h) {
    const uint32_t step = Step(h);
    for (int i = 0; i < num_probes; ++i, h += step) {
      kernels::SetBit(payload.data(), reader.num_bits(h));
    }
  };
  return Simulate(num_keys, &payload, insert, reader);
}

double LegacyRate(uint64_t num_keys, uint64_t num_blocks, int log2_block_bytes, int num_probes) {
  // Of many blocks, a part is enough. Its number is odd, as RocksDB makes it.
  constexpr uint64_t kMaxSimulatedBits = 1 << 20;
  const uint64_t most_blocks = (kMaxSimulatedBits >> (log2_block_bytes + 3)) | 1;
  const uint64_t blocks = std::min(num_blocks, most_blocks);
  const double share = static_cast<double>(blocks) / static_cast<double>(num_blocks);
  const auto keys = static_cast<uint64_t>(std::round(static_cast<double>(num_keys) * share));
  if (keys == 0) return SameHash(num_keys);
  // Blocks with so many keys are full.
  if (keys / blocks > (uint64_t{1} << (log2_block_bytes + 8))) return 1;
  std::string payload(blocks << log2_block_bytes, '\0');
  const LegacyBloomReader reader{payload.data(), Remainder(blocks), num_probes, log2_block_bytes};
  const uint32_t mask = (uint32_t{1} << (log2_block_bytes + 3)) - 1;
  const auto insert = [&](uint32_t h) {
    char* const block = payload.data() + (reader.num_blocks(h) << log2_block_bytes);
    const uint32_t step = Step(h);
    for (int i = 0; i < num_probes; ++i, h += step) kernels::SetBit(block, h & mask);
  };
  const double rate = Simulate(keys, &payload, insert, reader);
  return blocks == num_blocks ? rate : Either(SameHash(num_keys), rate);
}

}  // namespace bloomline::engine_filters
