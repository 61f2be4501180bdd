#include "src/filters/atomic_bits.h"

#include "src/filters/small_blocks.h"
#include "src/kernels/lines.h"
#include "src/kernels/probe_sequence.h"
#include "src/kernels/unrolled.h"

namespace bloomline::filters {
namespace {

using kernels::ProbePair;
using kernels::WidePair;

constexpr int kWordBits = 64;
constexpr int kWordsPerLine = static_cast<int>(kernels::kLineBits) / kWordBits;

// Bit i of a word in the number that an integer access to its eight bytes gives.
inline uint64_t Mask(uint64_t bit) {
  const uint64_t mask = uint64_t{1} << (bit % kWordBits);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(mask);
#else
  return mask;
#endif
}

inline uint64_t Load(const uint64_t* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

inline uint64_t* Line(const BloomBits& bits, uint64_t hash) {
  return reinterpret_cast<uint64_t*>(const_cast<char*>(kernels::Line(bits.lines(), hash)));
}

// An atomic OR takes 20 clock cycles and waits for the one before, a load a fraction of one; so
// words that have the bits already are left alone. Nobody asks for the OR's result: that would make
// it a loop.
inline void Or(uint64_t* word, uint64_t mask) { __atomic_fetch_or(word, mask, __ATOMIC_RELAXED); }

struct AddBlocked {
  template <int K>
  static void Run(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
    const int num_probes = K == 0 ? bits.shape.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      uint64_t* line = Line(bits, hashes[i]);
      const ProbePair pair = kernels::BlockedPair(hashes[i]);
      uint64_t masks[kWordsPerLine] = {};
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = kernels::BlockedBit(kernels::Probe(pair, j));
        masks[bit / kWordBits] |= Mask(bit);
      }
      // Which words lack bits, found without branches, for half of them do.
      unsigned lacking = 0;
#pragma GCC unroll 8
      for (int w = 0; w < kWordsPerLine; ++w) {
        lacking |= ((masks[w] & ~Load(line + w)) != 0 ? 1u : 0u) << w;
      }
      changed[i] = lacking != 0;
      for (; lacking != 0; lacking &= lacking - 1) {
        const int w = __builtin_ctz(lacking);
        Or(line + w, masks[w]);
      }
    }
  }
};

struct AskBlocked {
  template <int K>
  static void Run(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_contain) {
    const int num_probes = K == 0 ? bits.shape.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t* line = Line(bits, hashes[i]);
      const ProbePair pair = kernels::BlockedPair(hashes[i]);
      bool all_set = true;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = kernels::BlockedBit(kernels::Probe(pair, j));
        all_set &= (Load(line + bit / kWordBits) & Mask(bit)) != 0;
      }
      may_contain[i] = all_set;
    }
  }
};

// f(word, mask) for the probes of a key in kUnblocked, until it returns false.
template <typename F>
inline void ForEachProbe(const BloomBits& bits, uint64_t hash, F f) {
  const WidePair pair = kernels::UnblockedPair(hash);
  for (int j = 0; j < bits.shape.num_probes; ++j) {
    const uint64_t bit = kernels::UnblockedBit(kernels::WideProbe(pair, j), bits.num_bits());
    if (!f(reinterpret_cast<uint64_t*>(bits.data) + bit / kWordBits, Mask(bit))) return;
  }
}

void AddUnblocked(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  for (size_t i = 0; i < n; ++i) {
    changed[i] = false;
    ForEachProbe(bits, hashes[i], [&](uint64_t* word, uint64_t mask) {
      if ((Load(word) & mask) == 0) {
        Or(word, mask);
        changed[i] = true;
      }
      return true;
    });
  }
}

void AskUnblocked(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* may_contain) {
  for (size_t i = 0; i < n; ++i) {
    ForEachProbe(bits, hashes[i], [&](const uint64_t* word, uint64_t mask) {
      return may_contain[i] = (Load(word) & mask) != 0;
    });
  }
}

}  // namespace

void AtomicAddHashes(const BloomBits& bits, size_t n, const uint64_t* hashes, bool* changed) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    kernels::RunUnrolled<AddBlocked>(bits.shape.num_probes, bits, n, hashes, changed);
  } else if (bits.shape.layout == BloomLayout::kUnblocked) {
    AddUnblocked(bits, n, hashes, changed);
  } else {
    AddToSmallBlocks(bits, n, hashes, changed);
  }
}

void AtomicHashesMayContain(const BloomBits& bits, size_t n, const uint64_t* hashes,
                            bool* may_contain) {
  if (bits.shape.layout == BloomLayout::kBlocked) {
    kernels::RunUnrolled<AskBlocked>(bits.shape.num_probes, bits, n, hashes, may_contain);
  } else if (bits.shape.layout == BloomLayout::kUnblocked) {
    AskUnblocked(bits, n, hashes, may_contain);
  } else {
    AskSmallBlocks(bits, n, hashes, may_contain);
  }
}

void AtomicCopy(const BloomBits& from, const BloomBits& to) {
  const auto* source = reinterpret_cast<const uint64_t*>(from.data);
  auto* destination = reinterpret_cast<uint64_t*>(to.data);
  const uint64_t num_words = from.num_bytes() / sizeof(uint64_t);
  for (uint64_t i = 0; i < num_words; ++i) destination[i] = Load(source + i);
}

}  // namespace bloomline::filters
