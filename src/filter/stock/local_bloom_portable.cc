// RocksDB's Bloom filter, one bit at a time: the specification.
#include "src/filter/bits/bits.h"
#include "src/filter/bits/blocks.h"
#include "src/filter/bits/unrolled.h"
#include "src/filter/stock/local_bloom.h"

namespace bloomline::stock {
namespace {

using kernels::PayloadView;

// Tests every bit, as blocked_portable.cc does and for its reason.
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

struct QueryMany {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
    for (size_t i = 0; i < n; ++i) may_match[i] = QueryOne::Run<K>(filter, hashes[i]);
  }
};

void MayMatchMany(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  kernels::RunUnrolled<QueryMany>(filter.num_probes, filter, n, hashes, may_match);
}

struct Insert {
  template <int K>
  static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      if (i + kernels::kInsertAhead < n) {
        kernels::PrefetchForWrite(LocalBloomBlock(filter, hashes[i + kernels::kInsertAhead]));
      }
      char* const block = const_cast<char*>(LocalBloomBlock(filter, hashes[i]));
      const uint32_t probe_hash = LocalBloomProbeHash(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) kernels::SetBit(block, LocalBloomBit(probe_hash, j));
    }
  }
};

void InsertMany(const PayloadView& filter, size_t n, const uint64_t* hashes) {
  kernels::RunUnrolled<Insert>(filter.num_probes, filter, n, hashes);
}

}  // namespace

LocalBloomKernel PortableLocalBloom() {
  return {kernels::UnrolledFunction<QueryOne>, MayMatchMany, InsertMany};
}

}  // namespace bloomline::stock
