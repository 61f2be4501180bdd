// NEON: blocked filters that several threads change, eight probes at a time.
#include "src/filter/cpu/has_neon.h"

#if defined(BLOOMLINE_HAS_NEON)

#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/neon_probes.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/atomic_kernel.h"
#include "src/filter/layouts/blocked/atomic_words.h"
#include "src/filter/layouts/blocked/block_query_neon.h"

namespace bloomline::kernels {
namespace {

// Each byte as it was at one moment. Nothing relies on that for words: bits are only ever set, and
// each counts by itself. In assembly, because to the compiler an access of this size is not atomic.
BLOOMLINE_ALWAYS_INLINE uint8x16x4_t LoadAtomicBlock(const char* block) {
  register uint8x16_t a __asm__("v16");
  register uint8x16_t b __asm__("v17");
  register uint8x16_t c __asm__("v18");
  register uint8x16_t d __asm__("v19");
  __asm__ volatile("ld1 {v16.2d-v19.2d}, [%4]"
                   : "=w"(a), "=w"(b), "=w"(c), "=w"(d)
                   : "r"(block), "m"(*reinterpret_cast<const char(*)[kBlockBytes]>(block)));
  return {{a, b, c, d}};
}

// Sets the bits of some of eight probes: of each byte of `missing` that is not 0. Such a byte has
// one bit. Fewer than two words of a block get more than one of the bits that a key lacks, so to
// collect the bits of a word first would take longer than to set them one by one.
void OrMissing(uint64_t* words, uint16x8_t tops, uint64_t missing) {
  uint16_t bits[kProbesPerStep];
  vst1q_u16(bits, BlockedBits(tops));
  for (; missing != 0; missing &= missing - 1) {
    const uint32_t bit = bits[__builtin_ctzll(missing) / 8];
    OrAtomic(words + bit / kWordBits, WordMask(bit));
  }
}

struct Add {
  template <int K>
  static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes,
                  bool* changed) {
    const PayloadView filter = caller_filter;
    const int num_probes = K == 0 ? filter.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      char* block = WritableBlockOf(filter, hashes[i]);
      const uint8x16x4_t before = LoadAtomicBlock(block);
      const ProbePairs pairs = BlockedPairs(hashes[i]);
      changed[i] = false;
      for (int first = 0; first < num_probes; first += kProbesPerStep) {
        const uint16x8_t tops = EightProbes(pairs, first);
        const uint64_t missing =
            LowerBytes(MissingBits(before, tops, OnesInFirstLanes(num_probes - first)));
        if (missing == 0) continue;
        changed[i] = true;
        OrMissing(reinterpret_cast<uint64_t*>(block), tops, missing);
      }
    }
  }
};

void CountBlocks(const char* data, uint64_t num_blocks, uint64_t* blocks_with) {
  for (uint64_t i = 0; i < num_blocks; ++i) {
    const uint8x16x4_t block = LoadAtomicBlock(data + i * kBlockBytes);
    const uint8x16_t counts = vaddq_u8(vaddq_u8(vcntq_u8(block.val[0]), vcntq_u8(block.val[1])),
                                       vaddq_u8(vcntq_u8(block.val[2]), vcntq_u8(block.val[3])));
    ++blocks_with[vaddlvq_u8(counts)];
  }
}

}  // namespace

AtomicKernel NeonAtomic() {
  AtomicKernel kernel;
  kernel.may_match_many = RunForEach<QueryBlocks<LoadAtomicBlock>>;
  kernel.add_many = RunForEach<Add>;
  kernel.count_blocks = CountBlocks;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
