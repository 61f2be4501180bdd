// AVX2: RocksDB's Bloom filter, eight probes at a time (local_bloom.h). Queries use the code that
// RocksDB has when it is compiled for AVX2, which packages are not; in addition, they know k.
#if defined(__x86_64__)

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/unrolled.h"
#include "src/filter/cpu/avx2.h"
#include "src/filter/stock/local_bloom.h"

namespace bloomline::stock {
namespace {

using kernels::HasBits;
using kernels::kProbesPer256Bits;
using kernels::Load256;
using kernels::OnesInFirstLanes;
using kernels::PayloadView;

// Probes first to first + 7 in 8 lanes.
BLOOMLINE_AVX2_INLINE __m256i EightProbes(__m256i probe_hash, int first) {
  return _mm256_mullo_epi32(probe_hash, Load256(kGoldenPowers.powers + first));
}

// kStops: whether a missing bit ends the query. In a batch it must not: if half of the keys are
// stored, that branch is mispredicted, and a key takes twice as long.
template <bool kStops>
BLOOMLINE_AVX2_INLINE bool BlockMayMatch(kernels::Bits512 block, int num_probes,
                                         __m256i probe_hash) {
  bool has_bits = HasBits(block, EightProbes(probe_hash, 0), OnesInFirstLanes(num_probes));
  for (int first = kProbesPer256Bits; first < num_probes; first += kProbesPer256Bits) {
    if (kStops && !has_bits) return false;
    has_bits &=
        HasBits(block, EightProbes(probe_hash, first), OnesInFirstLanes(num_probes - first));
  }
  return has_bits;
}

// The upper half of a hash in all lanes.
BLOOMLINE_AVX2_INLINE __m256i ProbeHashInAllLanes(const uint64_t* hash) {
  return kernels::Broadcast32(reinterpret_cast<const char*>(hash) + sizeof(*hash) / 2);
}

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX2 static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch<true>(kernels::LoadBlock(LocalBloomBlock(filter, hash)),
                               K == 0 ? filter.num_probes : K,
                               _mm256_set1_epi32(static_cast<int>(LocalBloomProbeHash(hash))));
  }
};

struct QueryMany {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes,
                                 bool* may_match) {
    const PayloadView filter = caller_filter;  // the answers could alias the caller's
    for (size_t i = 0; i < n; ++i) {
      may_match[i] =
          BlockMayMatch<false>(kernels::LoadBlock(LocalBloomBlock(filter, hashes[i])),
                               K == 0 ? filter.num_probes : K, ProbeHashInAllLanes(hashes + i));
    }
  }
};

}  // namespace

LocalBloomKernel Avx2LocalBloom() {
  return {kernels::UnrolledFunction<QueryOne>, kernels::RunForEach<QueryMany>};
}

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
