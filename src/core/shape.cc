#include "src/core/shape.h"

#include <algorithm>
#include <cmath>

#include "bloomline/sizing.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

using kernels::kLineBytes;

Shape ClassicShape(uint64_t num_keys, double bits_per_key) {
  // A double holds n * bits_per_key exactly up to 2^53 bits; LevelDB's own positions end at 2^32.
  const double bits = std::floor(static_cast<double>(num_keys) * bits_per_key);
  const uint64_t num_bits = bits < 64 ? 64 : static_cast<uint64_t>(bits);
  return {Layout::kClassic, OptimalNumProbes(Format::kClassic, bits_per_key), (num_bits + 7) / 8};
}

Shape FlatShape(uint64_t num_keys, double bits_per_key, int num_probes) {
  const double bytes = std::ceil(static_cast<double>(num_keys) * bits_per_key / 8);
  return {Layout::kFlat, num_probes, static_cast<uint64_t>(bytes)};
}

Shape BlockedShape(uint64_t num_keys, double bits_per_key, int num_probes, uint64_t overhead_bytes,
                   uint64_t max_bytes) {
  const double bytes =
      static_cast<double>(num_keys) * bits_per_key / 8 - static_cast<double>(overhead_bytes);
  const double lines = std::max(1.0, std::ceil(bytes / static_cast<double>(kLineBytes)));
  const uint64_t max_lines = std::max<uint64_t>(1, max_bytes / kLineBytes);
  const uint64_t num_lines =
      lines >= static_cast<double>(max_lines) ? max_lines : static_cast<uint64_t>(lines);
  return {Layout::kBlocked, num_probes, num_lines * kLineBytes};
}

Shape StandaloneShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                      uint64_t max_payload_bytes) {
  if (format == Format::kClassic) {
    Shape shape = ClassicShape(num_keys, bits_per_key);
    shape.payload_bytes = std::min(shape.payload_bytes, max_payload_bytes);
    return shape;
  }
  return BlockedShape(num_keys, bits_per_key, num_probes, kTrailerBytes, max_payload_bytes);
}

Shape SmallSetShape(uint64_t num_keys, double bits_per_key, int flat_num_probes,
                    int blocked_num_probes) {
  if (num_keys <= kMaxFlatKeys) return FlatShape(num_keys, bits_per_key, flat_num_probes);
  return BlockedShape(num_keys, bits_per_key, blocked_num_probes, 0, UINT64_MAX);
}

}  // namespace bloomline::core
