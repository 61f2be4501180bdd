// AVX-512: blocked filters. Bits are set in a block that is one register; a query has two.
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

BLOOMLINE_AVX512_INLINE Bits512 LoadBlock(const char* block) {
  return {Load256(block), Load256(block + kBytesPer256Bits)};
}

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX512 static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch(LoadBlock(BlockOf(filter, hash)), K == 0 ? filter.num_probes : K,
                         BlockedPairs(_mm256_set1_epi32(static_cast<int>(hash))));
  }
};

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
  kernel.may_match_many = RunForEach<BlocksMayMatch<LoadBlock>>;
  kernel.insert_many = InsertMany;
  kernel.add_many = RunForEach<OnKeys<Add, bool*>>;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
