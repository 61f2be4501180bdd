#include "src/format/shape.h"

#include <algorithm>
#include <cmath>

#include "src/format/num_probes.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

using kernels::kLineBytes;

Shape ClassicShape(uint64_t num_keys, double bits_per_key) {
  // A double holds n * bits_per_key exactly up to 2^53 bits; LevelDB's own positions end at 2^32.
  constexpr double kMaxBits = 9223372036854775808.0;  // 2^63
  const double bits = std::min(kMaxBits, std::floor(static_cast<double>(num_keys) * bits_per_key));
  const uint64_t num_bits = bits < 64 ? 64 : static_cast<uint64_t>(bits);
  return {Layout::kClassic, static_cast<uint32_t>(OptimalNumProbes(Format::kClassic, bits_per_key)),
          (num_bits + 7) / 8, 1};
}

Shape FlatShape(uint64_t num_keys, double bits_per_key, int num_probes) {
  constexpr double kMaxBytes = 9223372036854775808.0;  // 2^63
  const double bytes =
      std::min(kMaxBytes, std::ceil(static_cast<double>(num_keys) * bits_per_key / 8));
  return {Layout::kFlat, static_cast<uint32_t>(num_probes), static_cast<uint64_t>(bytes), 1};
}

namespace {

// Whole lines that hold num_keys * bits_per_key bits less the overhead: at least one, at most
// max_bytes.
uint64_t NumLines(uint64_t num_keys, double bits_per_key, uint64_t overhead_bytes,
                  uint64_t max_bytes, uint64_t line_bytes) {
  const double bytes =
      static_cast<double>(num_keys) * bits_per_key / 8 - static_cast<double>(overhead_bytes);
  const double lines = std::max(1.0, std::ceil(bytes / static_cast<double>(line_bytes)));
  const uint64_t max_lines = std::max<uint64_t>(1, max_bytes / line_bytes);
  return lines >= static_cast<double>(max_lines) ? max_lines : static_cast<uint64_t>(lines);
}

}  // namespace

Shape BlockedShape(uint64_t num_keys, double bits_per_key, int num_probes, uint64_t overhead_bytes,
                   uint64_t max_bytes) {
  const uint64_t num_lines =
      NumLines(num_keys, bits_per_key, overhead_bytes, max_bytes, kLineBytes);
  return {Layout::kBlocked, static_cast<uint32_t>(num_probes), num_lines * kLineBytes, kLineBytes};
}

Shape CompactShape(uint64_t num_keys, double bits_per_key, uint64_t overhead_bytes,
                   uint64_t max_bytes) {
  constexpr double kFullLinesFromBitsPerKey = 6.4;
  constexpr double kSlotsBelowMean = 20;
  const uint64_t line_bytes =
      bits_per_key >= kFullLinesFromBitsPerKey ? kLineBytes : kLineBytes / 2;
  const uint64_t num_lines =
      NumLines(num_keys, bits_per_key, overhead_bytes, max_bytes, line_bytes);
  const double mean_keys = std::floor(static_cast<double>(8 * line_bytes) / bits_per_key);
  const bool lanes = line_bytes == kLineBytes;
  const double base_slots =
      std::clamp(mean_keys - kSlotsBelowMean, static_cast<double>(lanes ? kMinLanesBaseSlots : 1),
                 static_cast<double>(lanes ? kMaxLanesBaseSlots : kMaxBaseSlots));
  return {lanes ? Layout::kCompactLanes : Layout::kPackedCompact, static_cast<uint32_t>(base_slots),
          num_lines * line_bytes, static_cast<uint32_t>(line_bytes)};
}

Shape StandaloneShape(Format format, uint64_t num_keys, double bits_per_key, int num_probes,
                      uint64_t max_payload_bytes) {
  if (format == Format::kCompact) {
    return CompactShape(num_keys, bits_per_key, kTrailerBytes, max_payload_bytes);
  }
  return BlockedShape(num_keys, bits_per_key, num_probes, kTrailerBytes, max_payload_bytes);
}

Shape SmallSetShape(uint64_t num_keys, double bits_per_key, int flat_num_probes,
                    int blocked_num_probes) {
  if (num_keys <= kMaxFlatKeys) return FlatShape(num_keys, bits_per_key, flat_num_probes);
  return BlockedShape(num_keys, bits_per_key, blocked_num_probes, 0, UINT64_MAX);
}

Shape SmallSetCompactShape(uint64_t num_keys, double bits_per_key) {
  constexpr uint64_t kMaxKeysOfOneLine = 60;   // of up to 70 slots
  constexpr uint64_t kMeanKeysOfSeveral = 40;  // and its load varies
  const uint64_t bytes = FlatShape(num_keys, bits_per_key, kMinProbes).payload_bytes;
  const uint64_t for_keys =
      num_keys <= kMaxKeysOfOneLine ? 1 : (num_keys + kMeanKeysOfSeveral - 1) / kMeanKeysOfSeveral;
  const uint64_t num_lines = std::max(for_keys, (bytes + kLineBytes - 1) / kLineBytes);
  const uint64_t line_bytes = bytes / num_lines;
  if (line_bytes < kMinCompactLineBytes || num_lines > uint64_t{kMaxLevelDBCompactLines}) return {};
  return {Layout::kPackedCompact, kLevelDBBaseSlots, num_lines * line_bytes,
          static_cast<uint32_t>(line_bytes)};
}

}  // namespace bloomline::core
