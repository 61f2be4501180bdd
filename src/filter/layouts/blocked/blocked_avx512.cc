// AVX-512: blocked filters, a block in one register.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/avx512_ones.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/block_query_avx512.h"
#include "src/filter/layouts/blocked/blocked_kernel.h"

namespace bloomline::kernels {
namespace {

struct PlainLoad {
  BLOOMLINE_AVX512_INLINE static __m256i Half(const char* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  BLOOMLINE_AVX512_INLINE static __m512i Block(const char* p) { return _mm512_loadu_si512(p); }
};

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX512 static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch<PlainLoad>(BlockOf(filter, hash), K == 0 ? filter.num_probes : K, hash);
  }
};

// Two keys with k <= 8, eight probes each: the probes whose bit is 0. One permutation looks up the
// words of both blocks.
BLOOMLINE_AVX512_INLINE __mmask16 TwoKeysZeroBits(const char* block0, const char* block1,
                                                  const uint64_t* hashes) {
  const __m512i lower_halves = _mm512_set_epi32(2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i second_block =
      _mm512_set_epi32(16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i multipliers = _mm512_broadcast_i64x4(
      _mm256_load_si256(reinterpret_cast<const __m256i*>(kProbeMultipliers)));
  const __m512i both =
      _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(hashes)));
  const __m512i a = _mm512_permutexvar_epi32(lower_halves, both);
  const __m512i b = _mm512_rol_epi32(a, 16);
  const __m512i probes = _mm512_add_epi32(a, _mm512_mullo_epi32(multipliers, b));
  const __m512i word = _mm512_or_si512(_mm512_srli_epi32(probes, 28), second_block);
  const __m512i words =
      _mm512_permutex2var_epi32(_mm512_loadu_si512(block0), word, _mm512_loadu_si512(block1));
  const __m512i bits = _mm512_rorv_epi32(words, _mm512_srli_epi32(probes, 23));
  return _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1));
}

BLOOMLINE_AVX512 void MayMatchMany(const PayloadView& caller_filter, size_t n,
                                   const uint64_t* hashes, bool* may_match) {
  const PayloadView filter = caller_filter;
  size_t i = 0;
  // Two hashes are loaded at once, which waits until both have been stored. In a short batch they
  // were stored right before: one by one, four keys take 3.3 instead of 4.2 ns each, eight as long.
  if (filter.num_probes <= 8 && n >= 8) {
    const uint32_t used = FirstLanes(filter.num_probes);
    for (; i + 2 <= n; i += 2) {
      const uint32_t zero =
          TwoKeysZeroBits(BlockOf(filter, hashes[i]), BlockOf(filter, hashes[i + 1]), hashes + i);
      may_match[i] = (zero & used) == 0;
      may_match[i + 1] = (zero >> 8 & used) == 0;
    }
  }
  for (; i < n; ++i) {
    may_match[i] =
        BlockMayMatch<PlainLoad>(BlockOf(filter, hashes[i]), filter.num_probes, hashes[i]);
  }
}

template <bool kPrefetch>
struct Insert {
  static constexpr bool kPrefetches = kPrefetch;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t) {
    _mm512_storeu_si512(block, _mm512_or_si512(_mm512_loadu_si512(block), ones));
  }
};

struct Add {
  static constexpr bool kPrefetches = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t i, bool* changed) {
    const __m512i before = _mm512_loadu_si512(block);
    const __m512i missing = _mm512_andnot_si512(before, ones);
    changed[i] = _mm512_test_epi64_mask(missing, missing) != 0;
    _mm512_storeu_si512(block, _mm512_or_si512(before, ones));
  }
};

// A prefetch costs 7 % where the blocks are in the cache, and saves 13 % at 1e6 keys and 20 % at
// 1e7 (db_bench_ext/run_filters). Of fewer than kInsertAhead keys none can be prefetched in time.
void InsertMany(const PayloadView& filter, size_t n, const uint64_t* hashes) {
  if (filter.num_blocks * kBlockBytes > kCachedBytes && n >= kInsertAhead) {
    RunForEach<OnKeys<Insert<true>>>(filter, n, hashes);
  } else {
    RunForEach<OnKeys<Insert<false>>>(filter, n, hashes);
  }
}

// The positions must come back from memory, as in ForEachKey: 2.5 instead of 3.2 ns per key. GCC 12
// would keep them in registers, and broadcasting from there takes the shuffle unit.
struct AddOne {
  template <int K>
  BLOOMLINE_AVX512 static bool Run(const PayloadView& filter, uint64_t hash) {
    PreparedKey<WholeRegistersOfProbes(K)> key;
    StorePositions<WholeRegistersOfProbes(K)>(hash, key.positions);
    asm("" : "+m"(key));
    const __m512i ones = OnesAt(key.positions, K == 0 ? filter.num_probes : K);
    bool changed;
    Add::Run(WritableBlockOf(filter, hash), ones, 0, &changed);
    return changed;
  }
};

}  // namespace

BlockedKernel Avx512Blocked() {
  BlockedKernel kernel;
  kernel.may_match = QueryOne::Run<0>;
  kernel.may_match_for = UnrolledFunction<QueryOne>;
  kernel.may_match_many = MayMatchMany;
  kernel.insert_many = InsertMany;
  kernel.add_many = RunForEach<OnKeys<Add, bool*>>;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
