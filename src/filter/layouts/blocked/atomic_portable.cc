// Blocked filters that several threads change, one bit at a time: the specification.
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/atomic_kernel.h"
#include "src/filter/layouts/blocked/atomic_words.h"

namespace bloomline::kernels {
namespace {

uint64_t* WordsOf(const PayloadView& filter, uint64_t hash) {
  return reinterpret_cast<uint64_t*>(WritableBlockOf(filter, hash));
}

struct QueryMany {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t* words = WordsOf(filter, hashes[i]);
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
      uint64_t* words = WordsOf(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
      uint64_t masks[kWordsPerBlock] = {};
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        const uint32_t bit = BlockedBit(Probe(pair, j));
        masks[bit / kWordBits] |= WordMask(bit);
      }
      uint32_t lacking = 0;
#pragma GCC unroll 8
      for (uint32_t w = 0; w < kWordsPerBlock; ++w) {
        lacking |= ((masks[w] & ~LoadAtomic(words + w)) != 0 ? 1u : 0u) << w;
      }
      changed[i] = lacking != 0;
      OrAtomicWords(words, masks, lacking);
    }
  }
};

}  // namespace

AtomicKernel PortableAtomic() {
  AtomicKernel kernel;
  kernel.may_match_many = RunForEach<QueryMany>;
  kernel.add_many = RunForEach<Add>;
  kernel.count_blocks = CountBlocksByFill;
  return kernel;
}

}  // namespace bloomline::kernels
