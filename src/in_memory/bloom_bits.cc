#include "src/in_memory/bloom_bits.h"

#include <algorithm>
#include <cmath>

#include "src/in_memory/small_blocks.h"

namespace bloomline::in_memory {
namespace {

// How many cache lines have how many bits set.
struct LineCounts {
  explicit LineCounts(const BloomBits& bits) {
    bits.kernel->atomic.count_blocks(bits.data, bits.shape.num_lines, lines_with);
  }
  double SetBits() const {
    double bits = 0;
    for (uint64_t ones = 0; ones <= kernels::kBlockBits; ++ones) {
      bits += static_cast<double>(ones) * static_cast<double>(lines_with[ones]);
    }
    return bits;
  }
  uint64_t lines_with[kernels::kBlockBits + 1] = {};
};

StandardBits AsStandard(const kernels::BlockedFilter& lines) {
  return {const_cast<char*>(lines.data), lines.num_blocks * kernels::kBlockBits, lines.num_probes};
}

bool StandardMayMatch(const kernels::BlockedFilter& lines, uint64_t hash) {
  return StandardMayMatchHash(AsStandard(lines), hash);
}

bool StandardAdd(const kernels::BlockedFilter& lines, uint64_t hash) {
  return StandardAddHash(AsStandard(lines), hash);
}

}  // namespace

void AddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    bits.kernel->blocked.add_many(bits.lines(), n, hashes, changed);
  } else if (bits.shape.layout == BloomLayout::kStandard) {
    StandardAddHashes(bits.standard(), n, hashes, changed);
  } else {
    SmallBlocksAddHashes(bits, n, hashes, changed);
  }
}

void AtomicAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    bits.kernel->atomic.add_many(bits.lines(), n, hashes, changed);
  } else if (bits.shape.layout == BloomLayout::kStandard) {
    StandardAtomicAddHashes(bits.standard(), n, hashes, changed);
  } else {
    SmallBlocksAddHashes(bits, n, hashes, changed);
  }
}

void MayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_match) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    bits.kernel->blocked.may_match_many(bits.lines(), n, hashes, may_match);
  } else if (bits.shape.layout == BloomLayout::kStandard) {
    StandardMayMatchHashes(bits.standard(), n, hashes, may_match);
  } else {
    SmallBlocksMayMatchHashes(bits, n, hashes, may_match);
  }
}

void AtomicMayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes,
                          bool* may_match) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    bits.kernel->atomic.may_match_many(bits.lines(), n, hashes, may_match);
  } else if (bits.shape.layout == BloomLayout::kStandard) {
    StandardMayMatchHashes(bits.standard(), n, hashes, may_match);
  } else {
    SmallBlocksMayMatchHashes(bits, n, hashes, may_match);
  }
}

OneKeyFunctions FunctionsOf(const BloomBits& bits) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    const kernels::BlockedKernel& kernel = bits.kernel->blocked;
    return {kernel.may_match_for(bits.shape.num_probes), kernel.add_for(bits.shape.num_probes)};
  }
  if (bits.shape.layout == BloomLayout::kStandard) return {StandardMayMatch, StandardAdd};
  return SmallBlocksFunctions(bits.shape.layout, bits.shape.num_probes);
}

uint64_t EstimatedNumKeys(const BloomBits& bits) {
  const double num_bits = static_cast<double>(bits.num_bits());
  const double set = LineCounts(bits).SetBits();
  if (set == 0) return 0;
  // If all bits are set: as if half a bit were not.
  const double log_empty = std::log(std::max(1 - set / num_bits, 0.5 / num_bits));
  // ln of the probability that a key leaves a given bit alone. With blocks: that the key falls into
  // another block, or that none of its probes hits the bit.
  const double k = bits.shape.num_probes;
  double log_left_alone = k * std::log1p(-1 / num_bits);
  const double block_bits = BlockBits(bits.shape.layout);
  if (block_bits != 0) {
    const double hit = -std::expm1(k * std::log1p(-1 / block_bits));
    log_left_alone = std::log1p(-hit * block_bits / num_bits);
  }
  return static_cast<uint64_t>(std::max(1.0, std::round(log_empty / log_left_alone)));
}

double EstimatedFalsePositiveRate(const BloomBits& bits) {
  const int k = bits.shape.num_probes;
  if (IsSmallBlocks(bits.shape.layout)) return SmallBlocksFalsePositiveRate(bits);
  const LineCounts counts(bits);
  if (bits.shape.layout == BloomLayout::kStandard) {
    return std::pow(counts.SetBits() / static_cast<double>(bits.num_bits()), k);
  }
  double sum = 0;
  for (uint64_t ones = 1; ones <= kernels::kBlockBits; ++ones) {
    sum += static_cast<double>(counts.lines_with[ones]) *
           std::pow(static_cast<double>(ones) / double{kernels::kBlockBits}, k);
  }
  return sum / static_cast<double>(bits.shape.num_lines);
}

}  // namespace bloomline::in_memory
