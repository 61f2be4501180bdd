#include "src/filter/layouts/blocked/atomic_blocks.h"

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/unrolled.h"

namespace bloomline::kernels {
namespace {

uint64_t* BlockWords(const PayloadView& filter, uint64_t hash) {
  return reinterpret_cast<uint64_t*>(WritableBlockFor(filter, hash));
}

// Sets the masks' bits in those words of a block that lack any. Other words are not written, so
// threads that add keys which are present already do not take the cache line from each other.
// Returns true if a word lacked some.
bool OrAtomicWords(uint64_t* block, const uint64_t* masks) {
  uint32_t lacking = 0;
#pragma GCC unroll 8
  for (uint32_t w = 0; w < kWordsPerBlock; ++w) {
    lacking |= ((masks[w] & ~LoadAtomic(block + w)) != 0 ? 1u : 0u) << w;
  }
  const bool changes = lacking != 0;
  for (; lacking != 0; lacking &= lacking - 1) {
    const int word = __builtin_ctz(lacking);
    OrAtomic(block + word, masks[word]);
  }
  return changes;
}

struct QueryMany {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t* words = BlockWords(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
      bool all_set = true;
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = BlockedBit(Probe(pair, j));
        all_set &= (LoadAtomic(words + bit / kWordBits) & WordMask(bit)) != 0;
      }
      may_match[i] = all_set;
    }
  }
};

struct Add {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* changed) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      uint64_t* words = BlockWords(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
      uint64_t masks[kWordsPerBlock] = {};
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = BlockedBit(Probe(pair, j));
        masks[bit / kWordBits] |= WordMask(bit);
      }
      changed[i] = OrAtomicWords(words, masks);
    }
  }
};

}  // namespace

void AtomicMayMatchMany(const PayloadView& filter, size_t n, const uint64_t* hashes,
                        bool* may_match) {
  RunForEach<QueryMany>(filter, n, hashes, may_match);
}

void AtomicAddMany(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* changed) {
  RunForEach<Add>(filter, n, hashes, changed);
}

void CountBlocksByFill(const char* data, uint64_t num_blocks, uint64_t* blocks_with) {
  const auto* words = reinterpret_cast<const uint64_t*>(data);
  for (uint64_t block = 0; block < num_blocks; ++block) {
    int count = 0;
    for (uint64_t i = 0; i < kWordsPerBlock; ++i) {
      count += __builtin_popcountll(LoadAtomic(words + block * kWordsPerBlock + i));
    }
    ++blocks_with[count];
  }
}

}  // namespace bloomline::kernels
