#include "src/engine_filters/rates.h"

#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "bloomline/filter_theory.h"
#include "src/engine_filters/double_hashing_rate.h"
#include "src/errors/out_of_memory.h"
#include "src/kernels/little_endian.h"

namespace bloomline::engine_filters {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

int Log2(uint64_t power) { return __builtin_ctzll(power); }

double RibbonRate(const RibbonShape& shape) {
  const double lower =
      static_cast<double>(uint64_t{shape.upper_start} * RibbonShape::kRowsPerBlock) /
      shape.num_starts;
  return std::ldexp(std::min(lower, 1.0), 1 - static_cast<int>(shape.columns)) +
         std::ldexp(std::max(0.0, 1 - lower), -static_cast<int>(shape.columns));
}

double ComputedRate(const FilterFacts& facts, uint64_t num_keys) {
  switch (facts.layout) {
    case Layout::kUnknown:
    case Layout::kAlwaysMatch:
      return 1;
    case Layout::kNoKeys:
      return 0;
    case Layout::kBloomlineFlat:
      return ExactStandardFalsePositiveRate(num_keys, 8 * facts.payload_bytes, facts.num_probes);
    case Layout::kBloomlineBlocked:
    case Layout::kRocksDBBloom:
      return ExactBlockedFalsePositiveRate(num_keys, facts.num_blocks, facts.num_probes);
    case Layout::kBloomlineSmallSet:
      return ExactSmallSetFalsePositiveRate(num_keys, facts.num_blocks,
                                            static_cast<uint32_t>(facts.block_bytes));
    case Layout::kBloomlineCompact:
      return ExactCompactFalsePositiveRate(num_keys, facts.num_blocks,
                                           static_cast<uint32_t>(facts.block_bytes));
    case Layout::kClassic:
      return num_keys == 0 ? 0 : ClassicRate(num_keys, 8 * facts.payload_bytes, facts.num_probes);
    case Layout::kRocksDBLegacy:
      return num_keys == 0 ? 0
                           : LegacyRate(num_keys, facts.num_blocks, Log2(facts.block_bytes),
                                        facts.num_probes);
    case Layout::kRocksDBRibbon:
      return RibbonRate(*facts.ribbon);
  }
  return kNaN;
}

// What was computed before. The filters of a LevelDB table are of few sizes, and each costs
// milliseconds.
class Memory {
 public:
  template <typename Compute>
  double Get(const FilterFacts& facts, uint64_t num_keys, Compute compute) {
    const Key key(facts.layout, facts.num_probes, facts.num_blocks, facts.block_bytes, num_keys);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = rates_.find(key);
      if (found != rates_.end()) return found->second;
    }
    const double rate = compute();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (rates_.size() >= kMaxRates) rates_.clear();
    rates_.emplace(key, rate);
    return rate;
  }

 private:
  using Key = std::tuple<Layout, int, uint64_t, uint64_t, uint64_t>;
  static constexpr size_t kMaxRates = 10000;

  std::mutex mutex_;
  std::map<Key, double> rates_;
};

// Calls block_fill(fraction of bits set) for each block.
template <typename BlockFill>
void ForEachBlock(const FilterFacts& facts, uint64_t block_bytes, BlockFill block_fill) {
  const char* const end = facts.data + facts.payload_bytes / block_bytes * block_bytes;
  for (const char* block = facts.data; block != end; block += block_bytes) {
    uint64_t ones = 0;
    uint64_t i = 0;
    for (; i + 8 <= block_bytes; i += 8) {
      ones += static_cast<uint64_t>(__builtin_popcountll(kernels::LoadLittleEndian64(block + i)));
    }
    for (; i < block_bytes; ++i) {
      ones += static_cast<uint64_t>(__builtin_popcount(static_cast<unsigned char>(block[i])));
    }
    block_fill(static_cast<double>(ones) / static_cast<double>(8 * block_bytes));
  }
}

// The bits of one block as its queries see it; 0 if the layout is no Bloom filter.
uint64_t BloomBlockBytes(const FilterFacts& facts) {
  switch (facts.layout) {
    case Layout::kBloomlineFlat:
    case Layout::kClassic:
      return facts.payload_bytes;
    case Layout::kBloomlineBlocked:
    case Layout::kRocksDBBloom:
    case Layout::kRocksDBLegacy:
      return facts.block_bytes;
    default:
      return 0;
  }
}

// How many times higher the rate of double hashing is than that of independent probes.
double DoubleHashingFactor(const FilterFacts& facts) {
  const auto num_keys = static_cast<uint64_t>(std::round(KeysFromBits(facts)));
  if (num_keys == 0) return 1;
  const double independent =
      facts.layout == Layout::kClassic
          ? ExactStandardFalsePositiveRate(num_keys, 8 * facts.payload_bytes, facts.num_probes)
          : 0;
  return independent > 0 ? ExpectedRate(facts, num_keys) / independent : 1;
}

}  // namespace

double ExpectedRate(const FilterFacts& facts, uint64_t num_keys) {
  static Memory* const memory = new Memory;
  return core::OrIfOutOfMemory(kNaN, [&] {
    return memory->Get(facts, num_keys, [&] { return ComputedRate(facts, num_keys); });
  });
}

double RateFromBits(const FilterFacts& facts) {
  if (facts.layout == Layout::kRocksDBRibbon || facts.layout == Layout::kUnknown ||
      facts.layout == Layout::kAlwaysMatch || facts.layout == Layout::kNoKeys) {
    return ExpectedRate(facts, 1);
  }
  const uint64_t block_bytes = BloomBlockBytes(facts);
  if (block_bytes == 0) return kNaN;
  double sum = 0;
  uint64_t num_blocks = 0;
  ForEachBlock(facts, block_bytes, [&](double fill) {
    sum += std::pow(fill, facts.num_probes);
    ++num_blocks;
  });
  return std::min(1.0, sum / static_cast<double>(num_blocks) * DoubleHashingFactor(facts));
}

double KeysFromBits(const FilterFacts& facts) {
  if (facts.layout == Layout::kNoKeys) return 0;
  const uint64_t block_bytes = BloomBlockBytes(facts);
  if (block_bytes == 0) return kNaN;
  double sum = 0;
  double num_blocks = 0;
  ForEachBlock(facts, block_bytes, [&](double fill) {
    sum += fill;
    ++num_blocks;
  });
  // A key hits one block, and of its bits a fraction h: 1 - fill = (1 - h / blocks)^n.
  const double bits = static_cast<double>(8 * block_bytes);
  const double hit = -std::expm1(facts.num_probes * std::log1p(-1 / bits));
  return std::log1p(-sum / num_blocks) / std::log1p(-hit / num_blocks);
}

}  // namespace bloomline::engine_filters
