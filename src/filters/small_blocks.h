// Bloom filters whose keys have all their bits in 128 or 64 bits of a line (docs/format.md, section
// 3.6): a block is one or two words, so a key is a mask, compared or set at once.
#ifndef BLOOMLINE_FILTERS_SMALL_BLOCKS_H_
#define BLOOMLINE_FILTERS_SMALL_BLOCKS_H_

#include <cstdint>

#include "src/kernels/kernel.h"
#include "src/kernels/little_endian.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::filters {

template <uint32_t kBlockBits>
struct SmallBlocks {
  static constexpr uint32_t kWords = kBlockBits / 64;
  static constexpr uint64_t kBlocksPerLine = kernels::kLineBits / kBlockBits;

  struct Mask {
    uint64_t words[kWords] = {};
  };

  static char* Block(const kernels::BlockedLines& lines, uint64_t hash) {
    const uint64_t block = kernels::ScaledTo(lines.num_lines * kBlocksPerLine, hash);
    return const_cast<char*>(lines.data) + block * (kBlockBits / 8);
  }

  static Mask MaskOf(uint64_t hash, int num_probes) {
    const kernels::ProbePair pair = kernels::BlockedPair(hash);
    Mask mask;
    for (int j = 0; j < num_probes; ++j) {
      const uint32_t bit = kernels::SmallBlockBit<kBlockBits>(kernels::Probe(pair, j));
      mask.words[bit / 64] |= uint64_t{1} << bit % 64;
    }
    return mask;
  }

  static bool MayContain(const kernels::BlockedLines& lines, uint64_t hash) {
    const char* block = Block(lines, hash);
    const Mask mask = MaskOf(hash, lines.num_probes);
    uint64_t missing = 0;
    for (uint32_t i = 0; i < kWords; ++i) {
      missing |= mask.words[i] & ~kernels::LoadLittleEndian64(block + 8 * i);
    }
    return missing == 0;
  }

  // True if that changed a bit.
  static bool Add(const kernels::BlockedLines& lines, uint64_t hash) {
    char* block = Block(lines, hash);
    const Mask mask = MaskOf(hash, lines.num_probes);
    uint64_t missing = 0;
    for (uint32_t i = 0; i < kWords; ++i) {
      const uint64_t word = kernels::LoadLittleEndian64(block + 8 * i);
      missing |= mask.words[i] & ~word;
      kernels::StoreLittleEndian64(word | mask.words[i], block + 8 * i);
    }
    return missing != 0;
  }
};

}  // namespace bloomline::filters

#endif  // BLOOMLINE_FILTERS_SMALL_BLOCKS_H_
