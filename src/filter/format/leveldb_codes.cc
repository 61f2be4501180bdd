#include "src/filter/format/leveldb_codes.h"

#include <algorithm>
#include <cmath>

#include "src/filter/format/num_probes.h"

namespace bloomline::filter {
namespace {

// A double holds n * bits_per_key exactly up to 2^53.
uint64_t Saturated(double number) {
  constexpr double kMax = 9223372036854775808.0;  // 2^63
  return static_cast<uint64_t>(std::min(kMax, number));
}

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

}  // namespace

FilterShape ClassicShape(uint64_t num_keys, double bits_per_key) {
  constexpr uint64_t kMinBits = 64;
  const uint64_t num_bits =
      std::max(kMinBits, Saturated(std::floor(static_cast<double>(num_keys) * bits_per_key)));
  return FilterShape::Classic(CeilDiv(num_bits, 8),
                              OptimalNumProbes(Format::kClassic, bits_per_key));
}

FilterShape FlatShape(uint64_t num_keys, double bits_per_key, int num_probes) {
  return FilterShape::Flat(Saturated(std::ceil(static_cast<double>(num_keys) * bits_per_key / 8)),
                           num_probes);
}

FilterShape SmallSetShape(uint64_t num_keys, double bits_per_key, int flat_num_probes,
                          int blocked_num_probes) {
  if (num_keys <= kMaxFlatKeys) return FlatShape(num_keys, bits_per_key, flat_num_probes);
  // To the nearest block: rounded up, the filter of 2,000 keys at 10 bits would exceed what
  // LevelDB's own tests allow.
  const double blocks =
      static_cast<double>(num_keys) * bits_per_key / static_cast<double>(kernels::kBlockBits);
  return FilterShape::Blocked(Saturated(std::max(1.0, std::floor(blocks + 0.5))),
                              blocked_num_probes);
}

FilterShape SmallSetCompactShape(uint64_t num_keys, double bits_per_key) {
  constexpr uint64_t kMaxKeysOfOneBlock = 56;  // of up to 63 slots
  constexpr uint64_t kMeanKeysOfSeveral = 40;  // and a block's load varies
  const uint64_t bytes = FlatShape(num_keys, bits_per_key, kMinProbes).payload_bytes();
  const uint64_t for_keys =
      num_keys <= kMaxKeysOfOneBlock ? 1 : CeilDiv(num_keys, kMeanKeysOfSeveral);
  const uint64_t num_blocks = std::max(for_keys, CeilDiv(bytes, kMaxSmallSetBlockBytes));
  const uint64_t block_bytes = bytes / num_blocks;
  if (block_bytes < kMinSmallSetBlockBytes || num_blocks > kMaxSmallSetBlocks) {
    return {};
  }
  return FilterShape::SmallSet(num_blocks, static_cast<uint32_t>(block_bytes), 0);
}

char LevelDBCode(const FilterShape& shape) {
  switch (shape.layout) {
    case Layout::kClassic:
      return static_cast<char>(shape.num_probes);
    case Layout::kFlat:
      return static_cast<char>(kFlatCodeBase + shape.num_probes);
    case Layout::kBlocked:
      return static_cast<char>(kBlockedCodeBase + shape.num_probes);
    case Layout::kSmallSet:
      return static_cast<char>(shape.num_blocks == 1
                                   ? kOneBlockCode + int(shape.first_attempt / kAttemptsPerCode)
                                   : kSeveralBlocksCodeBase + int(shape.num_blocks));
    case Layout::kCompact:  // not used in LevelDB
    case Layout::kAlwaysMatch:
      break;
  }
  return kLevelDBAlwaysMatch.back();
}

}  // namespace bloomline::filter
