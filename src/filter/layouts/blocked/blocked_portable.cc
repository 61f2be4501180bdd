// Blocked filters, one bit at a time: the specification.
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/unrolled.h"
#include "src/filter/layouts/blocked/blocked.h"

namespace bloomline::kernels {
namespace {

// Tests every bit. The place of the first zero cannot be predicted, and a mispredicted branch costs
// more than testing the remaining bits.
inline bool BlockMayMatch(const char* block, int num_probes, uint64_t hash) {
  const ProbePair pair = BlockedPair(hash);
  bool all_set = true;
#pragma GCC unroll 16
  for (int j = 0; j < num_probes; ++j) all_set &= TestBit(block, BlockedBit(Probe(pair, j)));
  return all_set;
}

struct QueryOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch(BlockFor(filter, hash), K == 0 ? filter.num_probes : K, hash);
  }
};

struct Insert {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      if (i + kInsertAhead < n) PrefetchForWrite(BlockFor(filter, hashes[i + kInsertAhead]));
      char* block = WritableBlockFor(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) SetBit(block, BlockedBit(Probe(pair, j)));
    }
  }
};

struct AddOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    char* block = WritableBlockFor(filter, hash);
    const ProbePair pair = BlockedPair(hash);
    const int num_probes = K == 0 ? filter.num_probes : K;
    bool changed = false;
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      const uint32_t bit = BlockedBit(Probe(pair, j));
      changed |= !TestBit(block, bit);
      SetBit(block, bit);
    }
    return changed;
  }
};

}  // namespace

BlockedKernel PortableBlocked() { return OneByOneKernel<QueryOne, Insert, AddOne>(); }

}  // namespace bloomline::kernels
