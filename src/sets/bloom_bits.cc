#include "src/sets/bloom_bits.h"

#include <algorithm>
#include <cmath>

#include "src/filter/bits/unrolled.h"
#include "src/filter/layouts/blocked/atomic_blocks.h"

namespace bloomline::sets {
namespace {

using kernels::LoadAtomic;
using kernels::PayloadView;
using kernels::ProbePair;
using kernels::RunUnrolled;
using kernels::UnrolledFunction;

// How many cache lines have how many bits set.
struct LineCounts {
  explicit LineCounts(const BloomBits& bits) {
    kernels::CountBlocksByFill(bits.data, bits.shape.num_lines, lines_with);
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

// The standard layout, whose probes range over all lines: docs/format.md, section 3.6.

inline uint64_t Position(const PayloadView& bits, uint64_t hash, int j) {
  return kernels::StandardBit(kernels::WideProbe(kernels::StandardPair(hash), j),
                              bits.num_blocks * kernels::kBlockBits);
}

inline uint64_t* Word(const PayloadView& bits, uint64_t position) {
  return reinterpret_cast<uint64_t*>(const_cast<char*>(bits.data)) + position / kernels::kWordBits;
}

// set(word, mask) sets the bit of the mask and returns true if it was not set.
template <typename Set>
inline void AddKeys(const PayloadView& bits, size_t n, const uint64_t* hashes, bool* changed,
                    Set set) {
  for (size_t i = 0; i < n; ++i) {
    bool is_new = false;
    for (int j = 0; j < bits.num_probes; ++j) {
      const uint64_t position = Position(bits, hashes[i], j);
      is_new |= set(Word(bits, position), kernels::WordMask(position));
    }
    changed[i] = is_new;
  }
}

void StandardAddHashes(const PayloadView& bits, size_t n, const uint64_t* hashes, bool* changed) {
  AddKeys(bits, n, hashes, changed, [](uint64_t* word, uint64_t mask) {
    const bool is_new = (*word & mask) == 0;
    *word |= mask;
    return is_new;
  });
}

void StandardAtomicAddHashes(const PayloadView& bits, size_t n, const uint64_t* hashes,
                             bool* changed) {
  AddKeys(bits, n, hashes, changed, [](uint64_t* word, uint64_t mask) {
    if ((kernels::LoadAtomic(word) & mask) != 0) return false;
    kernels::OrAtomic(word, mask);
    return true;
  });
}

bool StandardAdd(const PayloadView& bits, uint64_t hash) {
  bool changed;
  StandardAddHashes(bits, 1, &hash, &changed);
  return changed;
}

bool StandardMayMatch(const PayloadView& bits, uint64_t hash) {
  for (int j = 0; j < bits.num_probes; ++j) {
    const uint64_t position = Position(bits, hash, j);
    if ((kernels::LoadAtomic(Word(bits, position)) & kernels::WordMask(position)) == 0) {
      return false;
    }
  }
  return true;
}

// Other threads may set bits meanwhile. At most kBatchKeys hashes.
//
// Probe by probe for all keys. In a full filter, half of the missing keys drop out at each probe.
void StandardMayMatchHashes(const PayloadView& bits, size_t n, const uint64_t* hashes,
                            bool* may_match) {
  size_t alive[kernels::kBatchKeys];
  uint64_t positions[kernels::kBatchKeys];
  for (size_t i = 0; i < n; ++i) {
    alive[i] = i;
    positions[i] = Position(bits, hashes[i], 0);
    may_match[i] = false;
  }
  size_t num_alive = n;
  for (int next = 1; next <= bits.num_probes; ++next) {
    size_t kept = 0;
    for (size_t i = 0; i < num_alive; ++i) {
      const size_t key = alive[i];
      const uint64_t* word = Word(bits, positions[i]);
      const bool is_set = (kernels::LoadAtomic(word) & kernels::WordMask(positions[i])) != 0;
      // No branch on is_set: the next probe of a key that drops out is overwritten, and the line
      // prefetched for it is in the cache already.
      alive[kept] = key;
      if (next < bits.num_probes) {
        positions[kept] = Position(bits, hashes[key], next);
        __builtin_prefetch(is_set ? Word(bits, positions[kept]) : word);
      }
      kept += is_set ? 1 : 0;
    }
    num_alive = kept;
  }
  for (size_t i = 0; i < num_alive; ++i) may_match[alive[i]] = true;
}

// Blocks of 128 or 64 bits: docs/format.md, section 3.7. A block is two words or one, so a key is a
// mask that is compared or set at once.
//
// One code serves BloomFilter and AtomicBloomFilter: all operations are relaxed atomic ones. Atomic
// loads cost the same as others, and only words that lack bits are written.
template <uint32_t kBlockBits>
struct Blocks {
  static constexpr uint32_t kWords = kBlockBits / kernels::kWordBits;
  static constexpr uint64_t kPerLine = kernels::kBlockBits / kBlockBits;

  struct Mask {
    uint64_t words[kWords] = {};
  };

  static uint64_t* BlockOf(const PayloadView& lines, uint64_t hash) {
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
    static bool Run(const PayloadView& lines, uint64_t hash) {
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
    static void Run(const PayloadView& lines, size_t n, const uint64_t* hashes, bool* changed) {
      for (size_t i = 0; i < n; ++i) changed[i] = AddOne::template Run<K>(lines, hashes[i]);
    }
  };

  struct QueryOne {
    template <int K>
    static bool Run(const PayloadView& lines, uint64_t hash) {
      const Mask mask = MaskOf(hash, K == 0 ? lines.num_probes : K);
      const uint64_t* block = BlockOf(lines, hash);
      uint64_t missing = 0;
      for (uint32_t w = 0; w < kWords; ++w) missing |= mask.words[w] & ~LoadAtomic(block + w);
      return missing == 0;
    }
  };

  struct Query {
    template <int K>
    static void Run(const PayloadView& lines, size_t n, const uint64_t* hashes, bool* may_match) {
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

void AddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  switch (bits.shape.layout) {
    case BloomLayout::kBlocked:
      return bits.kernel->blocked.add_many(bits.lines(), n, hashes, changed);
    case BloomLayout::kStandard:
      return StandardAddHashes(bits.lines(), n, hashes, changed);
    case BloomLayout::kBlocked128:
      return RunUnrolled<Blocks<128>::Add>(bits.shape.num_probes, bits.lines(), n, hashes, changed);
    case BloomLayout::kBlocked64:
      return RunUnrolled<Blocks<64>::Add>(bits.shape.num_probes, bits.lines(), n, hashes, changed);
  }
}

void AtomicAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    kernels::AtomicAddMany(bits.lines(), n, hashes, changed);
  } else if (bits.shape.layout == BloomLayout::kStandard) {
    StandardAtomicAddHashes(bits.lines(), n, hashes, changed);
  } else {
    AddHashes(bits, n, hashes, changed);
  }
}

void MayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_match) {
  const int num_probes = bits.shape.num_probes;
  switch (bits.shape.layout) {
    case BloomLayout::kBlocked:
      return bits.kernel->blocked.may_match_many(bits.lines(), n, hashes, may_match);
    case BloomLayout::kStandard:
      return StandardMayMatchHashes(bits.lines(), n, hashes, may_match);
    case BloomLayout::kBlocked128:
      return RunUnrolled<Blocks<128>::Query>(num_probes, bits.lines(), n, hashes, may_match);
    case BloomLayout::kBlocked64:
      return RunUnrolled<Blocks<64>::Query>(num_probes, bits.lines(), n, hashes, may_match);
  }
}

void AtomicMayMatchHashes(const BloomBits& bits, size_t n, const uint64_t* hashes,
                          bool* may_match) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    kernels::AtomicMayMatchMany(bits.lines(), n, hashes, may_match);
  } else {
    MayMatchHashes(bits, n, hashes, may_match);
  }
}

OneKeyFunctions FunctionsOf(const BloomBits& bits) {
  const int num_probes = bits.shape.num_probes;
  switch (bits.shape.layout) {
    case BloomLayout::kBlocked:
      return {bits.kernel->blocked.may_match_for(num_probes),
              bits.kernel->blocked.add_for(num_probes)};
    case BloomLayout::kStandard:
      return {StandardMayMatch, StandardAdd};
    case BloomLayout::kBlocked128:
      return {UnrolledFunction<Blocks<128>::QueryOne>(num_probes),
              UnrolledFunction<Blocks<128>::AddOne>(num_probes)};
    case BloomLayout::kBlocked64:
      break;
  }
  return {UnrolledFunction<Blocks<64>::QueryOne>(num_probes),
          UnrolledFunction<Blocks<64>::AddOne>(num_probes)};
}

void PrefetchStandardForAdd(const PayloadView& bits, uint64_t hash) {
  for (int j = 0; j < bits.num_probes; ++j) {
    __builtin_prefetch(Word(bits, Position(bits, hash, j)), 1);
  }
}

void PrefetchStandardForQuery(const PayloadView& bits, uint64_t hash) {
  __builtin_prefetch(Word(bits, Position(bits, hash, 0)));
}

namespace {

// The number of distinct keys after which `set` bits of a filter of this shape are set.
double NumKeysOfSetBits(const BloomBits& bits, double set) {
  const double num_bits = static_cast<double>(bits.num_bits());
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
  return log_empty / log_left_alone;
}

}  // namespace

uint64_t EstimatedNumKeys(const BloomBits& bits) {
  const double set = LineCounts(bits).SetBits();
  if (set == 0) return 0;
  return static_cast<uint64_t>(std::max(1.0, std::round(NumKeysOfSetBits(bits, set))));
}

uint64_t EstimatedNumSharedKeys(const BloomBits& a, const BloomBits& b) {
  const auto* words = reinterpret_cast<const uint64_t*>(a.data);
  const auto* other_words = reinterpret_cast<const uint64_t*>(b.data);
  uint64_t set_in_union = 0;
  for (uint64_t i = 0; i < a.num_bytes() / sizeof(uint64_t); ++i) {
    set_in_union += static_cast<uint64_t>(__builtin_popcountll(words[i] | other_words[i]));
  }
  const double num_shared = NumKeysOfSetBits(a, LineCounts(a).SetBits()) +
                            NumKeysOfSetBits(b, LineCounts(b).SetBits()) -
                            NumKeysOfSetBits(a, static_cast<double>(set_in_union));
  return static_cast<uint64_t>(std::max(0.0, std::round(num_shared)));
}

double EstimatedFalsePositiveRate(const BloomBits& bits) {
  const int k = bits.shape.num_probes;
  if (bits.shape.layout == BloomLayout::kBlocked128) return Blocks<128>::FalsePositiveRate(bits);
  if (bits.shape.layout == BloomLayout::kBlocked64) return Blocks<64>::FalsePositiveRate(bits);
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

}  // namespace bloomline::sets
