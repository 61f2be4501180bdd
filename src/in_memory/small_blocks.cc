#include "src/in_memory/small_blocks.h"

#include <cmath>

#include "src/filter/kernels/blocked/atomic_words.h"
#include "src/filter/kernels/probe_sequence.h"
#include "src/filter/kernels/unrolled.h"

namespace bloomline::in_memory {
namespace {

using kernels::BlockedFilter;
using kernels::LoadAtomic;
using kernels::ProbePair;

template <uint32_t kBlockBits>
struct Blocks {
  static constexpr uint32_t kWords = kBlockBits / kernels::kWordBits;
  static constexpr uint64_t kPerLine = kernels::kBlockBits / kBlockBits;

  struct Mask {
    uint64_t words[kWords] = {};
  };

  static uint64_t* BlockOf(const BlockedFilter& lines, uint64_t hash) {
    const uint64_t block = kernels::ScaledTo(lines.num_blocks * kPerLine, hash);
    return reinterpret_cast<uint64_t*>(const_cast<char*>(lines.data)) + block * kWords;
  }

  static Mask MaskOf(uint64_t hash, int num_probes) {
    const ProbePair pair = kernels::BlockedPair(hash);
    Mask mask;
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      const uint32_t bit = kernels::SmallBlockBit<kBlockBits>(kernels::Probe(pair, j));
      mask.words[bit / kernels::kWordBits] |= kernels::WordMask(bit);
    }
    return mask;
  }

  struct AddOne {
    template <int K>
    static bool Run(const BlockedFilter& lines, uint64_t hash) {
      const Mask mask = MaskOf(hash, K == 0 ? lines.num_probes : K);
      uint64_t* block = BlockOf(lines, hash);
      bool changed = false;
      for (uint32_t w = 0; w < kWords; ++w) {
        if ((mask.words[w] & ~LoadAtomic(block + w)) == 0) continue;
        kernels::OrAtomic(block + w, mask.words[w]);
        changed = true;
      }
      return changed;
    }
  };

  struct Add {
    template <int K>
    static void Run(const BlockedFilter& lines, size_t n, const uint64_t* hashes, bool* changed) {
      for (size_t i = 0; i < n; ++i) changed[i] = AddOne::template Run<K>(lines, hashes[i]);
    }
  };

  struct QueryOne {
    template <int K>
    static bool Run(const BlockedFilter& lines, uint64_t hash) {
      const Mask mask = MaskOf(hash, K == 0 ? lines.num_probes : K);
      const uint64_t* block = BlockOf(lines, hash);
      uint64_t missing = 0;
      for (uint32_t w = 0; w < kWords; ++w) missing |= mask.words[w] & ~LoadAtomic(block + w);
      return missing == 0;
    }
  };

  struct Query {
    template <int K>
    static void Run(const BlockedFilter& lines, size_t n, const uint64_t* hashes, bool* may_match) {
      for (size_t i = 0; i < n; ++i) may_match[i] = QueryOne::template Run<K>(lines, hashes[i]);
    }
  };

  static double FalsePositiveRate(const BloomBits& bits) {
    uint64_t blocks_with[kBlockBits + 1] = {};
    const auto* words = reinterpret_cast<const uint64_t*>(bits.data);
    const uint64_t num_blocks = bits.shape.num_lines * kPerLine;
    for (uint64_t block = 0; block < num_blocks; ++block) {
      int set = 0;
      for (uint32_t w = 0; w < kWords; ++w) {
        set += __builtin_popcountll(LoadAtomic(words + block * kWords + w));
      }
      ++blocks_with[set];
    }
    double sum = 0;
    for (uint32_t set = 1; set <= kBlockBits; ++set) {
      sum += static_cast<double>(blocks_with[set]) *
             std::pow(static_cast<double>(set) / kBlockBits, bits.shape.num_probes);
    }
    return sum / static_cast<double>(num_blocks);
  }
};

}  // namespace

void SmallBlocksAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  if (bits.shape.layout == BloomLayout::kBlocked128) {
    kernels::RunUnrolled<Blocks<128>::Add>(bits.shape.num_probes, bits.lines(), n, hashes, changed);
  } else {
    kernels::RunUnrolled<Blocks<64>::Add>(bits.shape.num_probes, bits.lines(), n, hashes, changed);
  }
}

void SmallBlocksMayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes,
                               bool* may_match) {
  if (bits.shape.layout == BloomLayout::kBlocked128) {
    kernels::RunUnrolled<Blocks<128>::Query>(bits.shape.num_probes, bits.lines(), n, hashes,
                                             may_match);
  } else {
    kernels::RunUnrolled<Blocks<64>::Query>(bits.shape.num_probes, bits.lines(), n, hashes,
                                            may_match);
  }
}

OneKeyFunctions SmallBlocksFunctions(BloomLayout layout, int num_probes) {
  using kernels::UnrolledFunction;
  if (layout == BloomLayout::kBlocked128) {
    return {UnrolledFunction<Blocks<128>::QueryOne>(num_probes),
            UnrolledFunction<Blocks<128>::AddOne>(num_probes)};
  }
  return {UnrolledFunction<Blocks<64>::QueryOne>(num_probes),
          UnrolledFunction<Blocks<64>::AddOne>(num_probes)};
}

double SmallBlocksFalsePositiveRate(const BloomBits& bits) {
  return bits.shape.layout == BloomLayout::kBlocked128 ? Blocks<128>::FalsePositiveRate(bits)
                                                       : Blocks<64>::FalsePositiveRate(bits);
}

}  // namespace bloomline::in_memory
