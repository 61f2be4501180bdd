#include "src/sizing/packed_rate.h"

#include <algorithm>
#include <cmath>

#include "src/kernels/packed/packed_block.h"
#include "src/sizing/linear_systems.h"

namespace bloomline::core {

double PackedBlockRate(uint64_t num_keys, uint32_t block_bytes, uint32_t base_slots) {
  const uint64_t last_slots =
      std::min<uint64_t>(kernels::kMaxSlots, base_slots + kernels::kMatchAllCode - 1);
  const uint64_t first_slots = std::max<uint64_t>(num_keys, base_slots);
  // For one seed: equations that have a solution in s slots have one in more slots, too. The
  // partial bit changes with s, so it is a new draw each time. Seeds are independent of each other.
  double fits_before = 0;   // P(the full columns fit in s - 1 slots)
  double waiting = 0;       // P(they fit, but no partial column did so far)
  double solved = 0;        // P(solved so far)
  double all_unsolved = 1;  // by any seed number
  double rate = 0;
  constexpr double kNegligible = 1e-9;
  for (uint64_t slots = first_slots; slots <= last_slots && all_unsolved > kNegligible; ++slots) {
    const unsigned s = static_cast<unsigned>(slots);
    const kernels::PackedShape shape = kernels::PackedShapeOf(block_bytes, s);
    const double fits =
        std::max(fits_before, ConsistencyProbabilities(num_keys, s, shape.full_columns)[num_keys]);
    const double partial_fits =
        PartialColumnProbability(num_keys, shape.partial_slots, shape.threshold, num_keys);
    const double candidates = waiting + fits - fits_before;
    solved += candidates * partial_fits;
    waiting = candidates * (1 - partial_fits);
    fits_before = fits;
    const double still_unsolved = std::pow(1 - solved, static_cast<double>(kernels::kNumSeeds));
    rate += (all_unsolved - still_unsolved) * std::exp2(-static_cast<double>(shape.full_columns)) *
            (1 - shape.threshold / 512.0);
    all_unsolved = still_unsolved;
  }
  return rate + all_unsolved;
}

}  // namespace bloomline::core
