#include "src/filter/container/shapes.h"

#include <algorithm>
#include <cmath>

#include "bloomline/filter_theory.h"
#include "src/filter/layouts/leveldb_codes.h"
#include "src/filter/layouts/num_probes.h"
#include "src/filter/layouts/small_set/small_set_rate.h"

namespace bloomline::filter {
namespace {

// A double holds n * bits_per_key exactly up to 2^53.
uint64_t Saturated(double number) {
  constexpr double kMax = 9223372036854775808.0;  // 2^63
  return static_cast<uint64_t>(std::min(kMax, number));
}

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Blocks of 32 bytes, for bits per key at which such a block has enough keys for its slots, of
// which it has at least 22.
constexpr uint32_t kSmallBlocksArrangement = 1;
constexpr double kMaxSmallBlocksBitsPerKey = 11;
// They are used where larger blocks, with the trailer, would take so much more than the keys pay
// for, and they alone take not much less: the trailer may not cost most of the accuracy.
constexpr double kMaxRounding = 1.1;
constexpr double kMinPayload = 0.95;

uint64_t FlatBytes(uint64_t num_keys, double bits_per_key) {
  // As RocksDB's own smallest filter: it takes partitions smaller than this one to be pointless.
  constexpr uint64_t kMinFlatBytes = kernels::kBlockBytes;
  return std::max(kMinFlatBytes, FlatShape(num_keys, bits_per_key, kMinProbes).payload_bytes());
}

FilterShape BlockedShape(FilterShape shape, uint64_t num_keys, double bits_per_key) {
  if (num_keys <= kMaxFlatTableKeys) {
    return FilterShape::Flat(FlatBytes(num_keys, bits_per_key),
                             OptimalStandardNumProbes(bits_per_key));
  }
  // More keys never take fewer bytes.
  const uint64_t min_blocks =
      (FlatBytes(kMaxFlatTableKeys, bits_per_key) + kernels::kBlockBytes - 1) /
      kernels::kBlockBytes;
  shape.num_blocks = std::max(shape.num_blocks, min_blocks);
  return shape;
}

FilterShape CompactTableShape(FilterShape shape, uint64_t num_keys, double bits_per_key,
                              uint64_t end_bytes) {
  const double paid_bytes = static_cast<double>(num_keys) * bits_per_key / 8;
  const auto num_bytes = static_cast<double>(shape.payload_bytes() + end_bytes);
  if (shape.num_blocks == 1 || bits_per_key > kMaxSmallBlocksBitsPerKey ||
      num_bytes <= kMaxRounding * paid_bytes) {
    return shape;
  }
  FilterShape small = FilterShape::Compact(1, kSmallBlocksArrangement);
  const double blocks =
      std::ceil((paid_bytes - static_cast<double>(end_bytes)) / small.block_bytes);
  small.num_blocks = static_cast<uint64_t>(std::max(1.0, blocks));
  const bool is_accurate = static_cast<double>(small.payload_bytes()) >= kMinPayload * paid_bytes;
  return is_accurate && small.payload_bytes() < shape.payload_bytes() ? small : shape;
}

}  // namespace

FilterShape StandaloneShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                            uint64_t max_payload_bytes, uint64_t end_bytes) {
  if (format == Format::kCompact) {
    return CompactShape(num_keys, bits_per_key, end_bytes, max_payload_bytes);
  }
  return FilterShape::Blocked(
      NumBlocks(num_keys, bits_per_key, end_bytes, max_payload_bytes, kernels::kBlockBytes),
      num_probes);
}

FilterShape TableShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                       uint64_t max_payload_bytes, uint64_t end_bytes) {
  const FilterShape shape =
      StandaloneShape(format, num_keys, bits_per_key, num_probes, max_payload_bytes, end_bytes);
  return format == Format::kCompact ? CompactTableShape(shape, num_keys, bits_per_key, end_bytes)
                                    : BlockedShape(shape, num_keys, bits_per_key);
}

uint64_t MaxTableKeys(Format format, double bits_per_key, uint64_t bytes, uint64_t end_bytes) {
  const auto bytes_of = [=](uint64_t num_keys) {
    return TableShape(format, num_keys, bits_per_key, kMinProbes, UINT64_MAX, end_bytes)
               .payload_bytes() +
           end_bytes;
  };
  bytes = std::max(bytes, bytes_of(1));
  uint64_t fitting = 1;
  uint64_t too_many = uint64_t{1} << 63;
  while (too_many - fitting > 1) {
    const uint64_t middle = fitting + (too_many - fitting) / 2;
    (bytes_of(middle) <= bytes ? fitting : too_many) = middle;
  }
  return fitting;
}

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

FilterShape LevelDBBloomShape(uint64_t num_keys, double bits_per_key, int flat_num_probes,
                              int blocked_num_probes) {
  if (num_keys <= kMaxFlatKeys) return FlatShape(num_keys, bits_per_key, flat_num_probes);
  // To the nearest block: rounded up, the filter of 2,000 keys at 10 bits would exceed what
  // LevelDB's own tests allow.
  const double blocks =
      static_cast<double>(num_keys) * bits_per_key / static_cast<double>(kernels::kBlockBits);
  return FilterShape::Blocked(Saturated(std::max(1.0, std::floor(blocks + 0.5))),
                              blocked_num_probes);
}

FilterShape LevelDBSmallSetShape(uint64_t num_keys, double bits_per_key) {
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

bool IsSmallSetBetter(uint64_t num_keys, double bits_per_key) {
  const uint64_t n = std::min(num_keys, kTabledKeys);
  const FilterShape shape = LevelDBSmallSetShape(n, bits_per_key);
  if (shape.always_matches()) return false;
  const int num_probes = OptimalStandardNumProbes(bits_per_key);
  const auto flat_bytes =
      static_cast<double>(FlatShape(n, bits_per_key, num_probes).payload_bytes());
  return EstimatedSmallSetRate(n, shape.num_blocks, shape.block_bytes) <
         StandardFalsePositiveRate(8 * flat_bytes / static_cast<double>(n), num_probes);
}

}  // namespace bloomline::filter
