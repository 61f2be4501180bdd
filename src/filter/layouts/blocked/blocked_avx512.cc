// AVX-512: blocked filters. Bits are set in a block that is one register. Queries stay in registers
// of 256 bits, eight probes at a time: in 512 bits a key takes twice as long, if an Intel processor
// has not multiplied in 512 bits right before (docs/rejected.md).
#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include "src/filter/bits/unrolled.h"
#include "src/filter/cpu/avx512.h"
#include "src/filter/layouts/blocked/blocked.h"
#include "src/filter/layouts/blocked/blocked_probes_avx2.h"

namespace bloomline::kernels {
namespace {

// The bits of probes first to first + 7, each as bit 0 of a lane.
BLOOMLINE_AVX512_INLINE __m256i ProbedBits(Bits512 block, ProbePairs pairs, int first) {
  const __m256i probes = EightProbes(pairs, first);
  const __m256i words =
      _mm256_permutex2var_epi32(block.low, _mm256_srli_epi32(probes, 28), block.high);
  // The rotation uses the lowest 5 bits of the 9, so no mask is needed.
  return _mm256_rorv_epi32(words, _mm256_srli_epi32(probes, 23));
}

// A return after the first zero would be a branch: if half of the keys are stored, a key in a batch
// would take 12 instead of 6 ns at k = 9.
BLOOMLINE_AVX512_INLINE bool BlockMayMatch(Bits512 block, int num_probes, ProbePairs pairs) {
  __m256i bits = ProbedBits(block, pairs, 0);
  if (num_probes <= kProbesPer256Bits) {
    return _mm256_testc_si256(bits, OnesInFirstLanes(num_probes)) != 0;
  }
#pragma GCC unroll 4
  for (int first = kProbesPer256Bits; first < num_probes; first += kProbesPer256Bits) {
    constexpr int kAndWhereAsked = 0xD0;  // a & (b | ~c)
    bits = _mm256_ternarylogic_epi32(bits, ProbedBits(block, pairs, first),
                                     OnesInFirstLanes(num_probes - first), kAndWhereAsked);
  }
  return _mm256_testc_si256(bits, _mm256_set1_epi32(1)) != 0;
}

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX512 static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch(LoadBlock(BlockFor(filter, hash)), K == 0 ? filter.num_probes : K,
                         BlockedPairs(_mm256_set1_epi32(static_cast<int>(hash))));
  }
};

struct QueryMany {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const PayloadView& caller_filter, size_t n,
                                   const uint64_t* hashes, bool* may_match) {
    const PayloadView filter = caller_filter;  // the answers could alias the caller's
#pragma GCC unroll 4
    for (size_t i = 0; i < n; ++i) {
      may_match[i] =
          BlockMayMatch(LoadBlock(BlockFor(filter, hashes[i])), K == 0 ? filter.num_probes : K,
                        BlockedPairs(Broadcast32(hashes + i)));
    }
  }
};

struct QueryBlocks {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const char* const* blocks, int num_probes, size_t n,
                                   const uint64_t* hashes, bool* may_match) {
#pragma GCC unroll 4
    for (size_t i = 0; i < n; ++i) {
      may_match[i] = BlockMayMatch(LoadBlock(blocks[i]), K == 0 ? num_probes : K,
                                   BlockedPairs(Broadcast32(hashes + i)));
    }
  }
};

// The first kPositions positions of a hash in its block. In registers of 256 bits: most filters
// have at most eight probes, and AddKeys takes 0.97 times as long with them on Zen 4.
template <int kPositions>
BLOOMLINE_AVX512_INLINE void StorePositions(uint64_t hash, uint32_t* positions) {
  const __m256i a = _mm256_set1_epi32(static_cast<int>(hash));
  const ProbePairs pairs = {a, _mm256_rol_epi32(a, 16)};
  for (int first = 0; first < kPositions; first += kProbesPer256Bits) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(positions + first),
                       _mm256_srli_epi32(EightProbes(pairs, first), 23));
  }
}

// A one at each of the positions. Lane i has bits 32 i to 32 i + 31. It shifts its top bit down to
// a position by 32 i + 31 - position. Outside 0..31, taken as unsigned, that gives zero.
BLOOMLINE_AVX512_INLINE __m512i OnesAt(const uint32_t* positions, int num_probes) {
  const __m512i last_bits = _mm512_set_epi32(511, 479, 447, 415, 383, 351, 319, 287,  //
                                             255, 223, 191, 159, 127, 95, 63, 31);
  const __m512i top_bit = _mm512_set1_epi32(INT32_MIN);
  __m512i ones = _mm512_setzero_si512();
#pragma GCC unroll 16
  for (int j = 0; j < num_probes; ++j) {
    const __m512i position = _mm512_set1_epi32(static_cast<int>(positions[j]));
    const __m512i distance = _mm512_sub_epi32(last_bits, position);
    ones = _mm512_or_si512(ones, _mm512_srlv_epi32(top_bit, distance));
  }
  return ones;
}

// A prepared key. Its positions are in memory because broadcasting from there costs no shift unit.
template <int kPositions>
struct alignas(kPositions * sizeof(uint32_t)) PreparedKey {
  uint32_t positions[kPositions];
};

// Calls F::Run(block, ones, i, args...) for each of n hashes in order. kNumProbes is 0 for any
// num_probes. Each key is prepared some keys ahead, unless there are fewer: a position that is read
// right after it was written would wait for the store, with six probes 8.9 instead of 5.8 clock
// cycles per key. With F::kPrefetches, its block is prefetched then, and keys are more ahead.
template <typename F, int kNumProbes, typename... Args>
BLOOMLINE_AVX512_INLINE void ForEachKey(char* data, uint64_t num_blocks, int num_probes, size_t n,
                                        const uint64_t* hashes, Args... args) {
  constexpr int kPositions = WholeRegistersOfProbes(kNumProbes);
  constexpr size_t kAhead = F::kPrefetches ? kInsertAhead : 16;
  if (kNumProbes != 0) num_probes = kNumProbes;
  if (n < kAhead) {
    for (size_t i = 0; i < n; ++i) {
      PreparedKey<kPositions> key;
      StorePositions<kPositions>(hashes[i], key.positions);
      char* block = data + BlockIndex(hashes[i], num_blocks) * kBlockBytes;
      F::Run(block, OnesAt(key.positions, num_probes), i, args...);
    }
    return;
  }
  PreparedKey<kPositions> keys[kAhead];
  char* blocks[kAhead];
  const size_t num_steps = n + kAhead;
  for (size_t step = 0; step < num_steps; ++step) {
    const size_t slot = step % kAhead;
    if (step >= kAhead) {
      F::Run(blocks[slot], OnesAt(keys[slot].positions, num_probes), step - kAhead, args...);
    }
    if (step < n) {
      StorePositions<kPositions>(hashes[step], keys[slot].positions);
      blocks[slot] = data + BlockIndex(hashes[step], num_blocks) * kBlockBytes;
      if (F::kPrefetches) PrefetchForWrite(blocks[slot]);
    }
  }
}

// ForEachKey in the form that RunUnrolled takes.
template <typename F, typename... Args>
struct OnKeys {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes,
                                   Args... args) {
    ForEachKey<F, K>(const_cast<char*>(filter.data), filter.num_blocks, filter.num_probes, n,
                     hashes, args...);
  }
};

template <bool kPrefetch>
struct Insert {
  static constexpr bool kPrefetches = kPrefetch;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t) {
    _mm512_storeu_si512(block, _mm512_or_si512(_mm512_loadu_si512(block), ones));
  }
};

struct InsertAndReport {
  static constexpr bool kPrefetches = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t i, bool* changed) {
    const __m512i before = _mm512_loadu_si512(block);
    const __m512i missing = _mm512_andnot_si512(before, ones);
    changed[i] = _mm512_test_epi64_mask(missing, missing) != 0;
    _mm512_storeu_si512(block, _mm512_or_si512(before, ones));
  }
};

// Prefetching costs 7 % if the blocks are in the cache, and saves 13 % at 1e6 keys and 20 % at 1e7
// (db_bench_ext/run --part filters). With fewer than kInsertAhead keys, no prefetch is early
// enough.
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
    InsertAndReport::Run(WritableBlockFor(filter, hash), ones, 0, &changed);
    return changed;
  }
};

}  // namespace

BlockedKernel Avx512Blocked() {
  BlockedKernel kernel;
  kernel.may_match = QueryOne::Run<0>;
  kernel.may_match_for = UnrolledFunction<QueryOne>;
  kernel.may_match_many = RunForEach<QueryMany>;
  kernel.may_match_blocks_for = UnrolledFunction<QueryBlocks>;
  kernel.insert_many = InsertMany;
  kernel.add_many = RunForEach<OnKeys<InsertAndReport, bool*>>;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
