#include "src/filter/layouts/flat/flat.h"

#include "src/filter/bits/bits.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/unrolled.h"

namespace bloomline::kernels {
namespace {

uint32_t NumBits(const FlatFilter& filter) { return 8 * static_cast<uint32_t>(filter.num_blocks); }

// Tests every bit, for the reason given in blocked_portable.cc.
struct Query {
  template <int K>
  static bool Run(const FlatFilter& filter, uint64_t hash) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const uint32_t num_bits = NumBits(filter);
    const ProbePair pair = FlatPair(hash);
    bool all_set = true;
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      all_set &= TestBit(filter.data, FlatBit(Probe(pair, j), num_bits));
    }
    return all_set;
  }
};

struct Insert {
  template <int K>
  static void Run(const FlatFilter& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const uint32_t num_bits = NumBits(filter);
    char* payload = const_cast<char*>(filter.data);
    for (size_t i = 0; i < n; ++i) {
      const ProbePair pair = FlatPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        SetBit(payload, FlatBit(Probe(pair, j), num_bits));
      }
    }
  }
};

}  // namespace

bool FlatMayMatch(const FlatFilter& filter, uint64_t hash) {
  return UnrolledFunction<Query>(filter.num_probes)(filter, hash);
}

void FlatInsertMany(const FlatFilter& filter, size_t n, const uint64_t* hashes) {
  RunForEach<Insert>(filter, n, hashes);
}

}  // namespace bloomline::kernels
