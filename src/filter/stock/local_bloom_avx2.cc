// AVX2: RocksDB's Bloom filter, eight probes at a time (local_bloom.h). Queries have the same code
// as RocksDB's own when that is compiled for AVX2, which packages are not, and in addition a known
// k.
#if defined(__x86_64__)

#include "src/filter/bits/blocks.h"
#include "src/filter/bits/unrolled.h"
#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/cpu/avx2_probes.h"
#include "src/filter/stock/local_bloom.h"

namespace bloomline::stock {
namespace {

using kernels::kProbesPer256Bits;
using kernels::Load256;
using kernels::OnesInFirstLanes;
using kernels::PayloadView;

// Probes first to first + 7 in 8 lanes.
BLOOMLINE_AVX2_INLINE __m256i EightProbes(__m256i probe_hash, int first) {
  return _mm256_mullo_epi32(probe_hash, Load256(kGoldenPowers.powers + first));
}

// Whether the bits of eight probes are set. Probes where `ones` is 0 do not count.
BLOOMLINE_AVX2_INLINE bool HasBits(const char* block, __m256i probes, __m256i ones) {
  // Top 4 bits: which of 16 words. The permutation uses 3 of them; the sign bit chooses the half.
  const __m256i word = _mm256_srli_epi32(probes, 28);
  const __m256 low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(Load256(block), word));
  const __m256 high = _mm256_castsi256_ps(
      _mm256_permutevar8x32_epi32(Load256(block + kernels::kBytesPer256Bits), word));
  const __m256 words = _mm256_blendv_ps(low, high, _mm256_castsi256_ps(probes));
  const __m256i bits = _mm256_and_si256(_mm256_srli_epi32(probes, 23), _mm256_set1_epi32(31));
  return kernels::WordsHaveBits(_mm256_castps_si256(words), bits, ones);
}

// kStops: whether a missing bit ends the query. In a batch it must not: if half of the keys are
// stored, that branch is mispredicted, and a key takes twice as long.
template <bool kStops>
BLOOMLINE_AVX2_INLINE bool BlockMayMatch(const char* block, int num_probes, __m256i probe_hash) {
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
    return BlockMayMatch<true>(LocalBloomBlock(filter, hash), K == 0 ? filter.num_probes : K,
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
          BlockMayMatch<false>(LocalBloomBlock(filter, hashes[i]), K == 0 ? filter.num_probes : K,
                               ProbeHashInAllLanes(hashes + i));
    }
  }
};

void MayMatchMany(const PayloadView& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  kernels::RunUnrolled<QueryMany>(filter.num_probes, filter, n, hashes, may_match);
}

// A ring, as in blocked_avx2.cc.
struct Insert {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n,
                                 const uint64_t* hashes) {
    constexpr int kCapacity = kernels::WholeRegistersOfProbes(K);
    constexpr size_t kAhead = kernels::kInsertAhead;
    const PayloadView filter = caller_filter;
    char* blocks[kAhead];
    kernels::ByteBits<kCapacity> bits[kAhead];
    for (size_t i = 0; i < n + kAhead; ++i) {
      const size_t place = i % kAhead;
      if (i >= kAhead) bits[place].SetFirst(K == 0 ? filter.num_probes : K, blocks[place]);
      if (i >= n) continue;
      blocks[place] = const_cast<char*>(LocalBloomBlock(filter, hashes[i]));
      kernels::PrefetchForWrite(blocks[place]);
      const __m256i probe_hash = ProbeHashInAllLanes(hashes + i);
      for (int first = 0; first < kCapacity; first += kProbesPer256Bits) {
        const __m256i probes = EightProbes(probe_hash, first);
        bits[place].StoreEight(first, _mm256_srli_epi32(probes, 26), _mm256_srli_epi32(probes, 23));
      }
    }
  }
};

void InsertMany(const PayloadView& filter, size_t n, const uint64_t* hashes) {
  kernels::RunUnrolled<Insert>(filter.num_probes, filter, n, hashes);
}

}  // namespace

LocalBloomKernel Avx2LocalBloom() {
  return {kernels::UnrolledFunction<QueryOne>, MayMatchMany, InsertMany};
}

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
