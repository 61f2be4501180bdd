#include "src/filter/format/table_shape.h"

#include <algorithm>
#include <cmath>

#include "src/filter/format/leveldb_codes.h"
#include "src/filter/format/num_probes.h"
#include "src/filter/format/trailer.h"

namespace bloomline::filter {
namespace {

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

}  // namespace bloomline::filter
