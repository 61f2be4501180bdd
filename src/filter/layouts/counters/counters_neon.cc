// NEON: eight counters at a time, each in a lane of 16 bits, at its place in the byte that it is
// in. Probes that hit the same counter compute and store the same.
#include "src/filter/cpu/has_neon.h"

#if defined(BLOOMLINE_HAS_NEON)

#include "src/filter/cpu/neon_probes.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/counters/counter_blocks.h"
#include "src/filter/layouts/counters/counter_kernel.h"

namespace bloomline::kernels {
namespace {

template <int kBits>
struct EightCounters {
  uint16x8_t bytes;  // the numbers of the counters' bytes in the block
  uint16x8_t masks;  // the bits of the counters
  uint16x8_t ones;   // their lowest bits
  uint16x8_t counts;

  BLOOMLINE_ALWAYS_INLINE EightCounters(uint8x16x4_t block, ProbePairs pairs, int first) {
    const uint16x8_t tops = EightProbes(pairs, first);
    const uint16x8_t bits = vbicq_u16(BlockedBits(tops), vdupq_n_u16(kBits - 1));
    bytes = BlockedBytes(tops);
    masks = MasksOf(bits, vdupq_n_u16(Counters<kBits>::kMax));
    ones = MasksOf(bits, vdupq_n_u16(1));
    counts = vandq_u16(LookUp(block, bytes), masks);
  }

  // All ones for counters that are zero, among the first n.
  BLOOMLINE_ALWAYS_INLINE uint16x8_t Zero(int n) const {
    return vcgtq_u16(OnesInFirstLanes(n), counts);
  }
  BLOOMLINE_ALWAYS_INLINE uint16x8_t OneBelowSaturated() const {
    return vceqq_u16(vaddq_u16(counts, ones), masks);
  }
  // 0 for saturated counters.
  BLOOMLINE_ALWAYS_INLINE uint16x8_t Change() const {
    return vbicq_u16(ones, vceqq_u16(counts, masks));
  }
};

BLOOMLINE_ALWAYS_INLINE uint8x16x4_t LoadCounters(const unsigned char* block) {
  return LoadBlock(reinterpret_cast<const char*>(block));
}

// New counts, to be stored.
template <int kBits, int kCapacity>
struct NewCounts {
  uint16_t bytes[kCapacity];
  uint16_t masks[kCapacity];
  uint16_t counts[kCapacity];

  BLOOMLINE_ALWAYS_INLINE void Set(int first, const EightCounters<kBits>& old, uint16x8_t now) {
    vst1q_u16(bytes + first, old.bytes);
    vst1q_u16(masks + first, old.masks);
    vst1q_u16(counts + first, now);
  }

  BLOOMLINE_ALWAYS_INLINE void Store(int num_probes, unsigned char* block) {
    // Otherwise GCC 12 takes the numbers out of the registers one by one, which takes longer.
    __asm__("" : "+m"(bytes), "+m"(masks), "+m"(counts), "+r"(block));
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) {
      unsigned char* byte = block + bytes[j];
      const int others = kBits == 8 ? 0 : *byte & ~masks[j];
      *byte = static_cast<unsigned char>(others | counts[j]);
    }
  }
};

template <int kBits>
struct Query {
  template <int K>
  static void Run(const CounterBlocks& caller_blocks, size_t n, const uint64_t* hashes,
                  bool* may_match) {
    const CounterBlocks blocks = caller_blocks;  // may_match's bytes could alias the caller's
    const int num_probes = K == 0 ? blocks.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      const uint8x16x4_t block = LoadCounters(blocks.Block(hashes[i]));
      const ProbePairs pairs = BlockedPairs(hashes[i]);
      uint16x8_t zero = EightCounters<kBits>(block, pairs, 0).Zero(num_probes);
      for (int first = kProbesPerStep; first < num_probes; first += kProbesPerStep) {
        zero = vorrq_u16(zero, EightCounters<kBits>(block, pairs, first).Zero(num_probes - first));
      }
      may_match[i] = LowerBytes(zero) == 0;
    }
  }
};

template <int kBits>
struct Add {
  template <int K>
  static void Run(const CounterBlocks& caller_blocks, size_t n, const uint64_t* hashes,
                  bool* was_absent, uint64_t* num_saturated) {
    const CounterBlocks blocks = caller_blocks;
    const int num_probes = K == 0 ? blocks.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      unsigned char* data = blocks.Block(hashes[i]);
      const uint8x16x4_t block = LoadCounters(data);
      const ProbePairs pairs = BlockedPairs(hashes[i]);
      uint16x8_t zero = vdupq_n_u16(0);
      uint16x8_t one_below_saturated = vdupq_n_u16(0);
      NewCounts<kBits, WholeRegistersOfProbes(K)> raised;
      for (int first = 0; first < num_probes; first += kProbesPerStep) {
        const EightCounters<kBits> old(block, pairs, first);
        zero = vorrq_u16(zero, old.Zero(num_probes - first));
        one_below_saturated = vorrq_u16(one_below_saturated, old.OneBelowSaturated());
        raised.Set(first, old, vaddq_u16(old.counts, old.Change()));
      }
      if (LowerBytes(one_below_saturated) == 0) {
        was_absent[i] = LowerBytes(zero) != 0;
        raised.Store(num_probes, data);
      } else {  // rare. Saturated counters are counted once, whatever the number of probes there
        PortableCounters().add_many(blocks, 1, hashes + i, was_absent + i, num_saturated);
      }
    }
  }
};

template <int kBits>
struct Remove {
  template <int K>
  static void Run(const CounterBlocks& caller_blocks, size_t n, const uint64_t* hashes,
                  bool* removed) {
    const CounterBlocks blocks = caller_blocks;
    const int num_probes = K == 0 ? blocks.num_probes : K;
    for (size_t i = 0; i < n; ++i) {
      unsigned char* data = blocks.Block(hashes[i]);
      const uint8x16x4_t block = LoadCounters(data);
      const ProbePairs pairs = BlockedPairs(hashes[i]);
      uint16x8_t zero = vdupq_n_u16(0);
      NewCounts<kBits, WholeRegistersOfProbes(K)> lowered;
      for (int first = 0; first < num_probes; first += kProbesPerStep) {
        const EightCounters<kBits> old(block, pairs, first);
        zero = vorrq_u16(zero, old.Zero(num_probes - first));
        lowered.Set(first, old, vsubq_u16(old.counts, old.Change()));
      }
      removed[i] = LowerBytes(zero) == 0;
      if (removed[i]) lowered.Store(num_probes, data);
    }
  }
};

void MayMatchMany(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* may_match) {
  RunOnCounters<Query>(blocks, n, hashes, may_match);
}

void AddMany(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* was_absent,
             uint64_t* num_saturated) {
  RunOnCounters<Add>(blocks, n, hashes, was_absent, num_saturated);
}

void RemoveMany(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* removed) {
  RunOnCounters<Remove>(blocks, n, hashes, removed);
}

}  // namespace

CounterKernel NeonCounters() {
  CounterKernel kernel;
  kernel.may_match_many = MayMatchMany;
  kernel.add_many = AddMany;
  kernel.remove_many = RemoveMany;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(BLOOMLINE_HAS_NEON)
