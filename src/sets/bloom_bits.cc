#include "src/sets/bloom_bits.h"

#include <algorithm>
#include <cmath>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/unrolled.h"
#include "src/filter/table/kernel_table.h"

namespace bloomline::sets {
namespace {

using kernels::PayloadView;
using kernels::ProbePair;
using kernels::UnrolledFunction;

// ---- Words of 64 bits, which several threads read and set by relaxed atomic operations.

constexpr uint32_t kWordBits = 64;
static_assert(__atomic_always_lock_free(sizeof(uint64_t), nullptr),
              "an atomic operation with a lock would be slow");

// Words begin at multiples of 8. On i386 a uint64_t may not, and Clang would call a function.
using AtomicWord __attribute__((aligned(8))) = uint64_t;

inline uint64_t LoadAtomic(const uint64_t* word) {
  return __atomic_load_n(static_cast<const AtomicWord*>(word), __ATOMIC_RELAXED);
}

// This takes 20 clock cycles and waits for the previous operation. It does not return the old
// value, which would take a loop.
inline void OrAtomic(uint64_t* word, uint64_t mask) {
  __atomic_fetch_or(static_cast<AtomicWord*>(word), mask, __ATOMIC_RELAXED);
}

// Bit number `bit` of a payload in its word, as an integer access to the word's bytes sees it.
inline uint64_t WordMask(uint64_t bit) {
  return kernels::LittleEndian(uint64_t{1} << (bit % kWordBits));
}

inline uint64_t* Words(const PayloadView& lines) {
  return reinterpret_cast<uint64_t*>(const_cast<char*>(lines.data));
}

// Counts the bits that are set in word(0), word(1) and so on.
template <typename GetWord>
double CountBits(const BloomBits& bits, GetWord word) {
  uint64_t set = 0;
  for (uint64_t i = 0; i < bits.num_bits() / kWordBits; ++i) {
    set += static_cast<uint64_t>(__builtin_popcountll(word(i)));
  }
  return static_cast<double>(set);
}

// ---- The standard layout, whose probes range over all lines: docs/format.md, section 3.6.

inline uint64_t Position(const PayloadView& bits, uint64_t hash, int j) {
  return kernels::StandardBit(hash, j, bits.num_blocks * kernels::kBlockBits);
}

inline uint64_t* Word(const PayloadView& bits, uint64_t position) {
  return Words(bits) + position / kWordBits;
}

inline bool IsSet(const PayloadView& bits, uint64_t position) {
  return (LoadAtomic(Word(bits, position)) & WordMask(position)) != 0;
}

// These set the mask's bit and return true if it was not set.
inline bool SetBit(uint64_t* word, uint64_t mask) {
  const bool is_new = (*word & mask) == 0;
  *word |= mask;
  return is_new;
}

inline bool SetBitAtomically(uint64_t* word, uint64_t mask) {
  if ((LoadAtomic(word) & mask) != 0) return false;
  OrAtomic(word, mask);
  return true;
}

template <bool (*kSet)(uint64_t* word, uint64_t mask)>
bool StandardAdd(const PayloadView& bits, uint64_t hash) {
  bool is_new = false;
  for (int j = 0; j < bits.num_probes; ++j) {
    const uint64_t position = Position(bits, hash, j);
    is_new |= kSet(Word(bits, position), WordMask(position));
  }
  return is_new;
}

template <bool (*kSet)(uint64_t* word, uint64_t mask)>
void StandardAddMany(const PayloadView& bits, size_t n, const uint64_t* hashes, bool* changed) {
  for (size_t i = 0; i < n; ++i) changed[i] = StandardAdd<kSet>(bits, hashes[i]);
}

bool StandardMayMatch(const PayloadView& bits, uint64_t hash) {
  for (int j = 0; j < bits.num_probes; ++j) {
    if (!IsSet(bits, Position(bits, hash, j))) return false;
  }
  return true;
}

// Goes probe by probe over all keys. In a full filter, each probe rules out half of the missing
// keys.
void StandardMayMatchMany(const PayloadView& bits, size_t n, const uint64_t* hashes,
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
      const bool is_set = IsSet(bits, positions[i]);
      // No branch on is_set: if the key drops out, its next probe is overwritten, and the line
      // prefetched for it is already in the cache.
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

template <bool (*kSet)(uint64_t* word, uint64_t mask)>
constexpr BitFunctions StandardFunctions() {
  return {
      {StandardMayMatch, StandardAdd<kSet>}, StandardMayMatchMany, nullptr, StandardAddMany<kSet>};
}

// ---- Blocks of 512, 128 or 64 bits: docs/format.md, sections 3.3 and 3.7.
//
// The same code serves one thread and many. Atomic loads cost the same as others, and only words
// that lack bits are written.
template <uint32_t kBits>
struct Blocks {
  static constexpr uint32_t kWords = kBits / kWordBits;
  static constexpr uint64_t kPerLine = kernels::kBlockBits / kBits;

  static uint64_t* BlockOf(const PayloadView& lines, uint64_t hash) {
    return Words(lines) + kernels::BlockIndex(hash, lines.num_blocks * kPerLine) * kWords;
  }

  // Tests every bit. The place of the first zero cannot be predicted.
  struct BlockQuery {
    template <int K>
    static BLOOMLINE_ALWAYS_INLINE bool Run(const PayloadView& lines, uint64_t hash) {
      const int num_probes = K == 0 ? lines.num_probes : K;
      const uint64_t* block = BlockOf(lines, hash);
      const ProbePair pair = kernels::BlockedPair(hash);
      bool all_set = true;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = kernels::BitInBlock<kBits>(kernels::Probe(pair, j));
        all_set &= (LoadAtomic(block + bit / kWordBits) & WordMask(bit)) != 0;
      }
      return all_set;
    }
  };

  // Words that lack no bit are not written, so threads that add present keys do not take the cache
  // line from each other.
  struct BlockAdd {
    template <int K>
    static BLOOMLINE_ALWAYS_INLINE bool Run(const PayloadView& lines, uint64_t hash) {
      const int num_probes = K == 0 ? lines.num_probes : K;
      uint64_t* block = BlockOf(lines, hash);
      const ProbePair pair = kernels::BlockedPair(hash);
      alignas(64) uint64_t masks[kWords] = {};
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = kernels::BitInBlock<kBits>(kernels::Probe(pair, j));
        masks[bit / kWordBits] |= WordMask(bit);
      }
      bool changes = false;
      if constexpr (kWords <= 2) {
        for (uint32_t w = 0; w < kWords; ++w) {
          if ((masks[w] & ~LoadAtomic(block + w)) == 0) continue;
          OrAtomic(block + w, masks[w]);
          changes = true;
        }
      } else {  // such a branch for each of eight words, which cannot be predicted, takes 15 ns
                // more
        uint32_t lacking = 0;
#pragma GCC unroll 8
        for (uint32_t w = 0; w < kWords; ++w) {
          lacking |= ((masks[w] & ~LoadAtomic(block + w)) != 0 ? 1u : 0u) << w;
        }
        changes = lacking != 0;
        for (; lacking != 0; lacking &= lacking - 1) {
          const int word = __builtin_ctz(lacking);
          OrAtomic(block + word, masks[word]);
        }
      }
      return changes;
    }
  };

  static BitFunctions Functions(int num_probes) {
    return {{UnrolledFunction<BlockQuery>(num_probes), UnrolledFunction<BlockAdd>(num_probes)},
            UnrolledFunction<kernels::OneByOne<BlockQuery>>(num_probes),
            nullptr,
            UnrolledFunction<kernels::OneByOne<BlockAdd>>(num_probes)};
  }
};

BitFunctions FunctionsFor(const BloomShape& shape, Threads threads) {
  const int num_probes = shape.num_probes;
  switch (shape.layout) {
    case BloomLayout::kBlocked: {
      if (threads == Threads::kMany) return Blocks<kernels::kBlockBits>::Functions(num_probes);
      const kernels::BlockedKernel& blocked = kernels::ActiveKernel().blocked;
      return {{blocked.may_match_for(num_probes), blocked.add_for(num_probes)},
              blocked.may_match_many,
              blocked.may_match_blocks_for(num_probes),
              blocked.add_many};
    }
    case BloomLayout::kStandard:
      return threads == Threads::kMany ? StandardFunctions<SetBitAtomically>()
                                       : StandardFunctions<SetBit>();
    case BloomLayout::kBlocked128:
      return Blocks<128>::Functions(num_probes);
    case BloomLayout::kBlocked64:
      break;
  }
  return Blocks<64>::Functions(num_probes);
}

// The number of distinct keys that set `set` bits of a filter of this shape.
double NumKeysOfSetBits(const BloomBits& bits, double set) {
  const double num_bits = static_cast<double>(bits.num_bits());
  // If all bits are set, the estimate assumes that half a bit is not.
  const double log_empty = std::log(std::max(1 - set / num_bits, 0.5 / num_bits));
  // ln of the probability that a key leaves a given bit alone. With blocks, that means that the key
  // falls into another block, or that none of its probes hits the bit.
  const double k = bits.shape.num_probes;
  double log_left_alone = k * std::log1p(-1 / num_bits);
  const double block_bits = BlockBits(bits.shape.layout);
  if (block_bits != 0) {
    const double hit = -std::expm1(k * std::log1p(-1 / block_bits));
    log_left_alone = std::log1p(-hit * block_bits / num_bits);
  }
  return log_empty / log_left_alone;
}

double NumSetBits(const BloomBits& bits) {
  return CountBits(bits,
                   [words = Words(bits.lines())](uint64_t i) { return LoadAtomic(words + i); });
}

}  // namespace

BloomBits::BloomBits(const BloomShape& bits_shape, char* bits_data, Threads threads)
    : shape(bits_shape), data(bits_data), functions(FunctionsFor(bits_shape, threads)) {}

template <bool kToAdd>
void PrefetchStandard(const PayloadView& bits, uint64_t hash) {
  for (int j = 0; j < (kToAdd ? bits.num_probes : 1); ++j) {
    __builtin_prefetch(Word(bits, Position(bits, hash, j)), kToAdd);
  }
}
template void PrefetchStandard<true>(const PayloadView& bits, uint64_t hash);
template void PrefetchStandard<false>(const PayloadView& bits, uint64_t hash);

void CopyBits(const BloomBits& from, char* to) {
  const uint64_t* words = Words(from.lines());
  auto* copies = reinterpret_cast<uint64_t*>(to);
  for (uint64_t i = 0; i < from.num_bits() / kWordBits; ++i) copies[i] = LoadAtomic(words + i);
}

uint64_t EstimatedNumKeys(const BloomBits& bits) {
  const double set = NumSetBits(bits);
  if (set == 0) return 0;
  return static_cast<uint64_t>(std::max(1.0, std::round(NumKeysOfSetBits(bits, set))));
}

uint64_t EstimatedNumSharedKeys(const BloomBits& a, const BloomBits& b) {
  const double set_in_union = CountBits(a, [words = Words(a.lines()), others = Words(b.lines())](
                                               uint64_t i) { return words[i] | others[i]; });
  const double num_shared = NumKeysOfSetBits(a, NumSetBits(a)) +
                            NumKeysOfSetBits(b, NumSetBits(b)) - NumKeysOfSetBits(a, set_in_union);
  return static_cast<uint64_t>(std::max(0.0, std::round(num_shared)));
}

double EstimatedFalsePositiveRate(const BloomBits& bits) {
  const double num_bits = static_cast<double>(bits.num_bits());
  const int num_probes = bits.shape.num_probes;
  const int block_bits = BlockBits(bits.shape.layout);
  if (block_bits == 0) return std::pow(NumSetBits(bits) / num_bits, num_probes);
  uint64_t blocks_with[kernels::kBlockBits + 1] = {};
  const auto words_of_block = static_cast<uint64_t>(block_bits) / kWordBits;
  const uint64_t* const words = Words(bits.lines());
  for (uint64_t first = 0; first < bits.num_bits() / kWordBits; first += words_of_block) {
    int set = 0;
    for (uint64_t word = first; word < first + words_of_block; ++word) {
      set += __builtin_popcountll(LoadAtomic(words + word));
    }
    ++blocks_with[set];
  }
  double sum = 0;
  for (int set = 1; set <= block_bits; ++set) {
    sum += static_cast<double>(blocks_with[set]) *
           std::pow(static_cast<double>(set) / block_bits, num_probes);
  }
  return sum * block_bits / num_bits;
}

}  // namespace bloomline::sets
