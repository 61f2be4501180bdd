// RocksDB's Bloom filter, one bit at a time: the specification.
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/unrolled.h"
#include "src/filter/stock/local_bloom.h"

namespace bloomline::stock {
namespace {

using kernels::PayloadView;

// Tests every bit, for the reason given in blocked_portable.cc.
struct QueryOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    const char* const block = LocalBloomBlock(filter, hash);
    const int num_probes = K == 0 ? filter.num_probes : K;
    const uint32_t probe_hash = LocalBloomProbeHash(hash);
    bool all_set = true;
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      all_set &= kernels::TestBit(block, LocalBloomBit(probe_hash, j));
    }
    return all_set;
  }
};

}  // namespace

LocalBloomKernel PortableLocalBloom() {
  return {kernels::UnrolledFunction<QueryOne>, kernels::RunForEach<kernels::OneByOne<QueryOne>>};
}

}  // namespace bloomline::stock
