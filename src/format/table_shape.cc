#include "src/format/table_shape.h"

#include <algorithm>

#include "src/format/leveldb_codes.h"
#include "src/format/num_probes.h"
#include "src/format/trailer.h"

namespace bloomline::core {
namespace {

uint64_t FlatBytes(uint64_t num_keys, double bits_per_key) {
  return FlatShape(num_keys, bits_per_key, kMinProbes).payload_bytes();
}

// A blocked filter is no smaller than the largest flat one: more keys never take fewer bytes.
uint64_t MinBlocks(double bits_per_key) {
  return (FlatBytes(kMaxFlatKeys, bits_per_key) + kernels::kBlockBytes - 1) / kernels::kBlockBytes;
}

}  // namespace

FilterShape TableShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                       uint64_t max_payload_bytes) {
  if (format == Format::kBlocked && num_keys <= kMaxFlatKeys) {
    return FlatShape(num_keys, bits_per_key, OptimalStandardNumProbes(bits_per_key));
  }
  FilterShape shape =
      StandaloneShape(format, num_keys, bits_per_key, num_probes, max_payload_bytes);
  if (format == Format::kBlocked) {
    shape.num_blocks = std::max(shape.num_blocks, MinBlocks(bits_per_key));
  }
  return shape;
}

uint64_t MaxTableKeys(Format format, double bits_per_key, uint64_t bytes) {
  const uint64_t payload_bytes = bytes - std::min<uint64_t>(bytes, kTrailerBytes);
  const auto keys_in = [=](uint64_t num_bytes) {
    constexpr double kMaxKeys = 9223372036854775808.0;  // 2^63
    return std::clamp(static_cast<double>(num_bytes) * 8 / bits_per_key, 1.0, kMaxKeys);
  };
  if (format == Format::kBlocked &&
      payload_bytes / kernels::kBlockBytes < MinBlocks(bits_per_key)) {
    const auto max_keys = static_cast<double>(kMaxFlatKeys);
    const auto num_keys = static_cast<uint64_t>(std::min(keys_in(payload_bytes), max_keys));
    // The quotient may have been rounded down below a whole number.
    const bool one_more =
        num_keys < kMaxFlatKeys && FlatBytes(num_keys + 1, bits_per_key) <= payload_bytes;
    return num_keys + (one_more ? 1 : 0);
  }
  // The inverse of StandaloneShape: whole blocks, rounded down.
  const uint64_t block_bytes =
      StandaloneShape(format, 1, bits_per_key, kMinProbes, UINT64_MAX).block_bytes;
  if (payload_bytes < block_bytes) return 1;
  return static_cast<uint64_t>(keys_in(payload_bytes / block_bytes * block_bytes + kTrailerBytes));
}

}  // namespace bloomline::core
