// AVX2: blocked filters, eight probes at a time. Each of a key's k probes (probe_sequence.h) has 32
// bits, of which the top 9 say which of the 512 bits of the key's block it is for:
//
//   bits of the probe    31 30 29 28 27 26 25 24 23 | 22 .. 0
//   a query              [  word   ] [ bit of it  ] | not used
//   an insertion         [     byte      ] [ bit  ] | not used
//
// Templates have k as K, or K = 0: k is read from the filter (unrolled.h).
#if defined(__x86_64__)

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/cpu/avx2_probes.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/block_query_avx2.h"
#include "src/filter/layouts/blocked/blocked_kernel.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX2_INLINE Bits512 LoadBlock(const char* block) {
  return {Load256(block), Load256(block + kBytesPer256Bits)};
}

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX2 static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch(LoadBlock(BlockOf(filter, hash)), K == 0 ? filter.num_probes : K,
                         BlockedPairs(_mm256_set1_epi32(static_cast<int>(hash))));
  }
};

struct Insert {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n,
                                 const uint64_t* hashes) {
    const PayloadView filter = caller_filter;  // the payload's bytes could alias the caller's
    // A ring: step i sets the bits of key i - kInsertAhead, whose block has arrived by now, and
    // then prepares and prefetches key i in the same place.
    constexpr int kCapacity = WholeRegistersOfProbes(K);
    char* blocks[kInsertAhead];
    ByteBits<kCapacity> bits[kInsertAhead];
    for (size_t i = 0; i < n + kInsertAhead; ++i) {
      const size_t place = i % kInsertAhead;
      if (i >= kInsertAhead) bits[place].SetFirst(K == 0 ? filter.num_probes : K, blocks[place]);
      if (i >= n) continue;
      blocks[place] = WritableBlockOf(filter, hashes[i]);
      PrefetchForWrite(blocks[place]);
      const ProbePairs pairs = BlockedPairs(LowerHalf(hashes + i));
      for (int first = 0; first < kCapacity; first += kProbesPer256Bits) {
        const __m256i probes = EightProbes(pairs, first);
        bits[place].StoreEight(first, _mm256_srli_epi32(probes, 26), _mm256_srli_epi32(probes, 23));
      }
    }
  }
};

// By registers: byte by byte, AddKey takes 8.2 instead of 6.9 ns (Zen 4, docs/rejected.md).
struct AddOne {
  template <int K>
  BLOOMLINE_AVX2 static bool Run(const PayloadView& filter, uint64_t hash) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    auto* block = reinterpret_cast<__m256i*>(WritableBlockOf(filter, hash));
    const Bits512 before = {_mm256_loadu_si256(block), _mm256_loadu_si256(block + 1)};
    Bits512 bits = before;
    const ProbePair pair = BlockedPair(hash);
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) SetBit(BlockedBit(Probe(pair, j)), &bits);
    const __m256i difference = _mm256_or_si256(_mm256_xor_si256(before.low, bits.low),
                                               _mm256_xor_si256(before.high, bits.high));
    _mm256_storeu_si256(block, bits.low);
    _mm256_storeu_si256(block + 1, bits.high);
    return _mm256_testz_si256(difference, difference) == 0;
  }
};

struct Add {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes,
                                 bool* changed) {
    const PayloadView filter = caller_filter;  // as in Insert
    for (size_t i = 0; i < n; ++i) changed[i] = AddOne::Run<K>(filter, hashes[i]);
  }
};

}  // namespace

BlockedKernel Avx2Blocked() {
  BlockedKernel kernel;
  kernel.may_match = QueryOne::Run<0>;
  kernel.may_match_for = UnrolledFunction<QueryOne>;
  kernel.may_match_many = BlocksMayMatch<LoadBlock>::Run;
  kernel.insert_many = RunForEach<Insert>;
  kernel.add_many = RunForEach<Add>;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
