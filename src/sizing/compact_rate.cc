#include "src/sizing/compact_rate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/kernels/compact/compact_lanes.h"
#include "src/sizing/linear_systems.h"
#include "src/sizing/packed_rate.h"

namespace bloomline::core {
namespace {

// P(of n random equations in `unknowns` unknowns, j depend on the others), for j = 0 to kMaxLeft;
// the last entry counts more than that, too.
constexpr size_t kMaxLeft = 24;
std::array<double, kMaxLeft + 1> DependentProbabilities(uint64_t num_keys, unsigned unknowns) {
  std::array<double, kMaxLeft + 1> left = {};
  left[0] = 1;
  for (uint64_t i = 0; i < num_keys; ++i) {
    const auto depends = [&](size_t j) {
      const int rank = static_cast<int>(i) - static_cast<int>(j);
      return std::min(1.0, std::ldexp(1.0, rank - static_cast<int>(unknowns)));
    };
    for (size_t j = kMaxLeft; j > 0; --j) {
      const double stays = j == kMaxLeft ? 1 : 1 - depends(j);
      left[j] = left[j] * stays + left[j - 1] * depends(j - 1);
    }
    left[0] *= 1 - depends(0);
  }
  return left;
}

// P(the three variable slots of one attempt solve the `left` dependent equations).
double VariableSlotsProbability(size_t left) {
  double probability = left > 3 ? 0 : 1;
  for (size_t i = 0; i < left && i < 3; ++i) {
    probability *= 1 - std::ldexp(1.0, static_cast<int>(i) - 3);
  }
  return probability;
}

// Assumes that a failure at one number of slots affects the next one through the rank alone.
double LanesBlockRate(uint64_t num_keys, uint32_t base_slots) {
  if (num_keys > kernels::kMaxSlots) return 1;
  const uint64_t last_slots =
      std::min<uint64_t>(kernels::kMaxSlots, base_slots + kernels::kNumCodes - 1);
  uint64_t slots = std::max<uint64_t>(num_keys, base_slots);
  std::array<double, kMaxLeft + 1> left =
      DependentProbabilities(num_keys, static_cast<unsigned>(slots) - 3);
  double rate = 0;
  for (; slots <= last_slots; ++slots) {
    const kernels::LaneLayout& layout = kernels::kLaneTables.layouts[slots];
    const auto code = static_cast<unsigned>(slots - base_slots);
    const double tries = kernels::HasManyTries(code) ? kernels::kManyTries : kernels::kFewTries;
    const double partial = PartialColumnProbability(num_keys, layout.partial_slots,
                                                    layout.partial_share, layout.partial_slots);
    const bool in_tail = slots <= kernels::kLaneSlots;
    const double solved_rate =
        std::exp2(-static_cast<double>(layout.full_rows)) * (1 - layout.partial_share / 512.0);
    for (size_t j = 0; j <= 3; ++j) {
      const double variable = VariableSlotsProbability(j) * (in_tail ? 1 : partial);
      double solved = 1 - std::pow(1 - variable, tries);
      if (in_tail) solved *= 1 - std::pow(1 - partial, 1u << kernels::kTailTryBits);
      rate += left[j] * solved * solved_rate;
      left[j] *= 1 - solved;
    }
    for (size_t j = 1; j <= kMaxLeft; ++j) {
      const double fewer = left[j] * (1 - std::ldexp(1.0, -static_cast<int>(j)));
      left[j] -= fewer;
      left[j - 1] += fewer;
    }
  }
  for (const double unsolved : left) rate += unsolved;
  return rate;
}

}  // namespace

double CompactBlockRate(uint64_t num_keys, uint32_t block_bytes, uint32_t base_slots) {
  return block_bytes == kernels::kBlockBytes && base_slots >= kernels::kMinLanesBase
             ? LanesBlockRate(num_keys, base_slots)
             : PackedBlockRate(num_keys, block_bytes, base_slots);
}

}  // namespace bloomline::core
