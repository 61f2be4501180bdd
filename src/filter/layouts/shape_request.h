// The inputs of a filter's size, and arithmetic for them that saturates instead of wrapping.
#ifndef BLOOMLINE_FILTER_LAYOUTS_SHAPE_REQUEST_H_
#define BLOOMLINE_FILTER_LAYOUTS_SHAPE_REQUEST_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bloomline::filter {

// num_keys counts duplicates. The compact layouts do not use num_probes. The container takes
// overhead_bytes of the memory that the keys pay for.
struct ShapeRequest {
  uint64_t num_keys;
  double bits_per_key;
  int num_probes = 0;
  uint64_t overhead_bytes = 0;
  uint64_t max_bytes = UINT64_MAX;
};

// A double holds n * bits_per_key exactly up to 2^53.
inline uint64_t Saturated(double number) {
  constexpr double kMax = 9223372036854775808.0;  // 2^63
  return static_cast<uint64_t>(std::min(kMax, number));
}

constexpr uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Bytes that hold the keys' bits, rounded up, without overhead.
inline uint64_t WholeBytes(const ShapeRequest& request) {
  return Saturated(std::ceil(static_cast<double>(request.num_keys) * request.bits_per_key / 8));
}

// Whole blocks that hold the keys' bits less the overhead: at least one, at most max_bytes.
inline uint64_t WholeBlocks(const ShapeRequest& request, uint64_t block_bytes) {
  const double bytes = static_cast<double>(request.num_keys) * request.bits_per_key / 8 -
                       static_cast<double>(request.overhead_bytes);
  const double blocks = std::max(1.0, std::ceil(bytes / static_cast<double>(block_bytes)));
  const uint64_t max_blocks = std::max<uint64_t>(1, request.max_bytes / block_bytes);
  return blocks >= static_cast<double>(max_blocks) ? max_blocks : static_cast<uint64_t>(blocks);
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_SHAPE_REQUEST_H_
