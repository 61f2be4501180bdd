// Blocked filters, one bit at a time: the specification.
#include "src/filter/cpu/bits.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/blocked_kernel.h"

namespace bloomline::kernels {
namespace {

// Tests every bit. Where the first zero is cannot be predicted, and a mispredicted branch costs
// more than testing the bits behind it.
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
    return BlockMayMatch(BlockOf(filter, hash), K == 0 ? filter.num_probes : K, hash);
  }
};

struct QueryMany {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    for (size_t i = 0; i < n; ++i) may_match[i] = QueryOne::Run<K>(filter, hashes[i]);
  }
};

void MayMatchMany(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  RunUnrolled<QueryMany>(filter.num_probes, filter, n, hashes, may_match);
}

struct Insert {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      if (i + kInsertAhead < n) PrefetchForWrite(BlockOf(filter, hashes[i + kInsertAhead]));
      char* block = WritableBlockOf(filter, hashes[i]);
      const ProbePair pair = BlockedPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) SetBit(block, BlockedBit(Probe(pair, j)));
    }
  }
};

void InsertMany(const PayloadView& filter, size_t n, const uint64_t* hashes) {
  RunUnrolled<Insert>(filter.num_probes, filter, n, hashes);
}

struct AddOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    char* block = WritableBlockOf(filter, hash);
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

struct Add {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* changed) {
    for (size_t i = 0; i < n; ++i) changed[i] = AddOne::Run<K>(filter, hashes[i]);
  }
};

void AddMany(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* changed) {
  RunUnrolled<Add>(filter.num_probes, filter, n, hashes, changed);
}

}  // namespace

BlockedKernel PortableBlocked() {
  BlockedKernel kernel;
  kernel.may_match = QueryOne::Run<0>;
  kernel.may_match_for = UnrolledFunction<QueryOne>;
  kernel.may_match_many = MayMatchMany;
  kernel.insert_many = InsertMany;
  kernel.add_many = AddMany;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels
