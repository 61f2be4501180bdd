// NEON: blocked filters, eight probes at a time.
#include "src/filter/cpu/has_neon.h"

#if defined(BLOOMLINE_HAS_NEON)

#include "src/filter/cpu/blocks.h"
#include "src/filter/cpu/neon_probes.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/blocked/block_query_neon.h"
#include "src/filter/layouts/blocked/blocked_kernel.h"

namespace bloomline::kernels {
namespace {

struct QueryOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch(LoadBlock(BlockOf(filter, hash)), K == 0 ? filter.num_probes : K, hash);
  }
};

// Which bits of which bytes of its block a key sets.
template <int kCapacity>
struct KeyBits {
  static_assert(kCapacity % kProbesPerStep == 0);
  uint16_t bytes[kCapacity];
  uint16_t masks[kCapacity];

  BLOOMLINE_ALWAYS_INLINE explicit KeyBits(uint64_t hash) {
    const ProbePairs pairs = BlockedPairs(hash);
    for (int first = 0; first < kCapacity; first += kProbesPerStep) {
      const uint16x8_t tops = EightProbes(pairs, first);
      vst1q_u16(bytes + first, BlockedBytes(tops));
      vst1q_u16(masks + first, MasksOf(BlockedBits(tops), vdupq_n_u16(1)));
    }
  }

  BLOOMLINE_ALWAYS_INLINE void Set(int num_probes, char* block) {
    // Otherwise GCC 12 takes the numbers out of the registers one by one, which takes longer, and
    // adds the block's offset to each.
    __asm__("" : "+m"(bytes), "+m"(masks), "+r"(block));
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      block[bytes[j]] = static_cast<char>(block[bytes[j]] | static_cast<char>(masks[j]));
    }
  }
};

struct Insert {
  template <int K>
  static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes) {
    const PayloadView filter = caller_filter;  // the payload's bytes could alias the caller's
    for (size_t i = 0; i < n; ++i) {
      if (i + kInsertAhead < n) PrefetchForWrite(BlockOf(filter, hashes[i + kInsertAhead]));
      KeyBits<WholeRegistersOfProbes(K)> key(hashes[i]);
      key.Set(K == 0 ? filter.num_probes : K, WritableBlockOf(filter, hashes[i]));
    }
  }
};

struct AddOne {
  template <int K>
  static bool Run(const PayloadView& filter, uint64_t hash) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    char* block = WritableBlockOf(filter, hash);
    const bool changed = !BlockMayMatch(LoadBlock(block), num_probes, hash);
    if (changed) KeyBits<WholeRegistersOfProbes(K)>(hash).Set(num_probes, block);
    return changed;
  }
};

}  // namespace

BlockedKernel NeonBlocked() {
  BlockedKernel kernel;
  kernel.may_match = QueryOne::Run<0>;
  kernel.may_match_for = UnrolledFunction<QueryOne>;
  kernel.may_match_many = RunForEach<QueryBlocks<LoadBlock>>;
  kernel.insert_many = RunForEach<Insert>;
  kernel.add_many = RunForEach<OneByOne<AddOne>>;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
