// AVX-512: blocked filters that several threads change, a block in one register.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/avx512_ones.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/atomic_kernel.h"
#include "src/filter/layouts/blocked/atomic_words.h"
#include "src/filter/layouts/blocked/block_query_avx512.h"

namespace bloomline::kernels {
namespace {

// By loads of 16 bytes, for the reason given in atomic_avx2.cc.
BLOOMLINE_AVX512_INLINE __m256i LoadAtomic32Bytes(const char* p) {
  __m128i low, high;
  const auto* halves = reinterpret_cast<const __m128i*>(p);
  __asm__ volatile("vmovdqa %1, %0" : "=x"(low) : "m"(halves[0]));
  __asm__ volatile("vmovdqa %1, %0" : "=x"(high) : "m"(halves[1]));
  return _mm256_set_m128i(high, low);
}

BLOOMLINE_AVX512_INLINE Bits512 LoadAtomicBlock(const char* block) {
  return {LoadAtomic32Bytes(block), LoadAtomic32Bytes(block + kBytesPer256Bits)};
}

struct Add {
  static constexpr bool kPrefetches = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t i, bool* changed) {
    const Bits512 halves = LoadAtomicBlock(block);
    const __m512i before = _mm512_inserti64x4(_mm512_castsi256_si512(halves.low), halves.high, 1);
    const __m512i missing = _mm512_andnot_si512(before, ones);
    const uint32_t lacking = _mm512_test_epi64_mask(missing, missing);
    alignas(64) uint64_t masks[kWordsPerBlock];
    _mm512_store_si512(masks, ones);
    changed[i] = lacking != 0;
    OrAtomicWords(reinterpret_cast<uint64_t*>(block), masks, lacking);
  }
};

}  // namespace

AtomicKernel Avx512Atomic() {
  AtomicKernel kernel;
  kernel.may_match_many = RunForEach<BlocksMayMatch<LoadAtomicBlock>>;
  kernel.add_many = RunForEach<OnKeys<Add, bool*>>;
  kernel.count_blocks = Avx2Atomic().count_blocks;  // by POPCNT, nothing wider
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
