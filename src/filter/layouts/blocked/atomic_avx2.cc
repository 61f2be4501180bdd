// AVX2: blocked filters that several threads change, a block in two registers.
#if defined(__x86_64__)

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/atomic_kernel.h"
#include "src/filter/layouts/blocked/atomic_words.h"
#include "src/filter/layouts/blocked/block_query_avx2.h"

namespace bloomline::kernels {
namespace {

// Each word as it was at one moment. A CPU that has AVX loads 16 aligned bytes at once (Intel SDM
// 3A, 9.1.1; AMD APM 2, 7.3.2). In assembly, because to the compiler an access of this size is not
// atomic.
BLOOMLINE_AVX2_INLINE __m256i LoadAtomic32Bytes(const char* p) {
  __m128i low, high;
  const auto* halves = reinterpret_cast<const __m128i*>(p);
  __asm__ volatile("vmovdqa %1, %0" : "=x"(low) : "m"(halves[0]));
  __asm__ volatile("vmovdqa %1, %0" : "=x"(high) : "m"(halves[1]));
  return _mm256_set_m128i(high, low);
}

BLOOMLINE_AVX2_INLINE Bits512 LoadAtomicBlock(const char* block) {
  return {LoadAtomic32Bytes(block), LoadAtomic32Bytes(block + kBytesPer256Bits)};
}

// The words of `bits` that have a one which `other` lacks, as bits 0 to 3.
BLOOMLINE_AVX2_INLINE uint32_t WordsLacking(__m256i other, __m256i bits) {
  const __m256i same = _mm256_cmpeq_epi64(_mm256_andnot_si256(other, bits), _mm256_setzero_si256());
  return ~static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(same))) & 0xF;
}

struct Add {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const PayloadView& filter, size_t n, const uint64_t* hashes,
                                 bool* changed) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      char* block = WritableBlockOf(filter, hashes[i]);
      Bits512 bits = {_mm256_setzero_si256(), _mm256_setzero_si256()};
      const ProbePair pair = BlockedPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) SetBit(BlockedBit(Probe(pair, j)), &bits);
      const Bits512 before = LoadAtomicBlock(block);
      const uint32_t lacking =
          WordsLacking(before.low, bits.low) | WordsLacking(before.high, bits.high) << 4;
      alignas(kBytesPer256Bits) uint64_t masks[kWordsPerBlock];
      _mm256_store_si256(reinterpret_cast<__m256i*>(masks), bits.low);
      _mm256_store_si256(reinterpret_cast<__m256i*>(masks + 4), bits.high);
      changed[i] = lacking != 0;
      OrAtomicWords(reinterpret_cast<uint64_t*>(block), masks, lacking);
    }
  }
};

BLOOMLINE_AVX2 void CountBlocks(const char* data, uint64_t num_blocks, uint64_t* blocks_with) {
  CountBlocksByFill(data, num_blocks, blocks_with);
}

}  // namespace

AtomicKernel Avx2Atomic() {
  AtomicKernel kernel;
  kernel.may_match_many = BlocksMayMatch<LoadAtomicBlock>::Run;
  kernel.add_many = RunForEach<Add>;
  kernel.count_blocks = CountBlocks;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
