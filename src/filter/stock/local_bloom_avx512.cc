// AVX-512: RocksDB's Bloom filter, a block in one register or two (local_bloom.h). With k <= 8, as
// up to 14 bits per key have, a query stays in registers of 256 bits.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/avx512_ones.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/stock/local_bloom.h"

namespace bloomline::stock {
namespace {

using kernels::kProbesPer512Bits;
using kernels::PayloadView;

// The first n of 16 lanes; n may exceed their number.
BLOOMLINE_AVX512_INLINE __mmask16 FirstLanes(int n) {
  return static_cast<__mmask16>(n < kProbesPer512Bits ? (1u << n) - 1 : 0xFFFF);
}

BLOOMLINE_AVX512_INLINE __m256i EightPowers() {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(kGoldenPowers.powers));
}

// A query of up to 8 probes. The lanes of those that are not asked for have no ones to look for.
BLOOMLINE_AVX512_INLINE bool EightProbesMatch(const char* block, __m256i ones, uint64_t hash) {
  const __m256i probe_hash = _mm256_set1_epi32(static_cast<int>(LocalBloomProbeHash(hash)));
  const __m256i probes = _mm256_mullo_epi32(probe_hash, EightPowers());
  const auto* const halves = reinterpret_cast<const __m256i*>(block);
  const __m256i words = _mm256_permutex2var_epi32(
      _mm256_loadu_si256(halves), _mm256_srli_epi32(probes, 28), _mm256_loadu_si256(halves + 1));
  // The rotation uses the lowest 5 bits of the 9, so no mask is needed.
  const __m256i bits = _mm256_rorv_epi32(words, _mm256_srli_epi32(probes, 23));
  return _mm256_testc_si256(bits, ones) != 0;
}

// One in each of the first n of 8 lanes.
BLOOMLINE_AVX512_INLINE __m256i OnesInFirstOfEight(int n) {
  return _mm256_maskz_set1_epi32(static_cast<__mmask8>((1u << n) - 1), 1);
}

BLOOMLINE_AVX512_INLINE bool ManyProbesMatch(const char* block, int num_probes, uint64_t hash) {
  const __m512i probe_hash = _mm512_set1_epi32(static_cast<int>(LocalBloomProbeHash(hash)));
  const __m512i words = _mm512_loadu_si512(block);
  for (int first = 0;; first += kProbesPer512Bits) {
    const __m512i probes =
        _mm512_mullo_epi32(probe_hash, _mm512_load_si512(kGoldenPowers.powers + first));
    const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(probes, 28), words);
    const __m512i bits = _mm512_rorv_epi32(word, _mm512_srli_epi32(probes, 23));
    const __mmask16 zero = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1));
    const bool has_bits = (zero & FirstLanes(num_probes - first)) == 0;
    // Up to 16 probes, nothing branches on the answer.
    if (num_probes - first <= kProbesPer512Bits) return has_bits;
    if (!has_bits) return false;
  }
}

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX512 static bool Run(const PayloadView& filter, uint64_t hash) {
    const char* const block = LocalBloomBlock(filter, hash);
    if (K != 0 && K <= 8) return EightProbesMatch(block, OnesInFirstOfEight(K), hash);
    return ManyProbesMatch(block, K == 0 ? filter.num_probes : K, hash);
  }
};

BLOOMLINE_AVX512 void MayMatchMany(const PayloadView& caller_filter, size_t n,
                                   const uint64_t* hashes, bool* may_match) {
  const PayloadView filter = caller_filter;  // the answers could alias the caller's
  if (filter.num_probes > 8) {
    for (size_t i = 0; i < n; ++i) {
      may_match[i] =
          ManyProbesMatch(LocalBloomBlock(filter, hashes[i]), filter.num_probes, hashes[i]);
    }
    return;
  }
  const __m256i ones = OnesInFirstOfEight(filter.num_probes);
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = EightProbesMatch(LocalBloomBlock(filter, hashes[i]), ones, hashes[i]);
  }
}

// The bits of a key in its block: the positions of the probes first.
template <int kPositions>
BLOOMLINE_AVX512_INLINE void StorePositions(uint64_t hash, uint32_t* positions) {
  const __m256i probe_hash = _mm256_set1_epi32(static_cast<int>(LocalBloomProbeHash(hash)));
  for (int first = 0; first < kPositions; first += 8) {
    const auto* const powers = reinterpret_cast<const __m256i*>(kGoldenPowers.powers + first);
    const __m256i probes = _mm256_mullo_epi32(probe_hash, _mm256_load_si256(powers));
    _mm256_store_si256(reinterpret_cast<__m256i*>(positions + first),
                       _mm256_srli_epi32(probes, 23));
  }
}

// A ring, as in avx512_ones.h: each key is prepared and its block prefetched some keys ahead.
struct Insert {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const PayloadView& caller_filter, size_t n,
                                   const uint64_t* hashes) {
    constexpr int kPositions = kernels::WholeRegistersOfProbes(K);
    constexpr size_t kAhead = kernels::kInsertAhead;
    const PayloadView filter = caller_filter;
    kernels::PreparedKey<kPositions> keys[kAhead];
    char* blocks[kAhead];
    for (size_t i = 0; i < n + kAhead; ++i) {
      const size_t place = i % kAhead;
      if (i >= kAhead) {
        const __m512i ones = kernels::OnesAt(keys[place].positions, K == 0 ? filter.num_probes : K);
        char* const block = blocks[place];
        _mm512_storeu_si512(block, _mm512_or_si512(_mm512_loadu_si512(block), ones));
      }
      if (i >= n) continue;
      StorePositions<kPositions>(hashes[i], keys[place].positions);
      blocks[place] = const_cast<char*>(LocalBloomBlock(filter, hashes[i]));
      kernels::PrefetchForWrite(blocks[place]);
    }
  }
};

void InsertMany(const PayloadView& filter, size_t n, const uint64_t* hashes) {
  kernels::RunUnrolled<Insert>(filter.num_probes, filter, n, hashes);
}

}  // namespace

LocalBloomKernel Avx512LocalBloom() {
  return {kernels::UnrolledFunction<QueryOne>, MayMatchMany, InsertMany};
}

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
