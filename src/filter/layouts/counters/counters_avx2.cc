// AVX2: a block of counters is two registers. A hash is two more, with a 1 at the lowest bit of
// each of its counters. Probes that hit the same counter give a single 1.
#if defined(__x86_64__)

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/layouts/counters/counter_blocks.h"
#include "src/filter/layouts/counters/counter_kernel.h"

namespace bloomline::kernels {
namespace {

template <int kBits>
BLOOMLINE_AVX2_INLINE Bits512 OnesOf(uint64_t hash, int num_probes) {
  const ProbePair pair = BlockedPair(hash);
  Bits512 ones = {_mm256_setzero_si256(), _mm256_setzero_si256()};
#pragma GCC unroll 16
  for (int j = 0; j < num_probes; ++j) SetBit(Counters<kBits>::Bit(Probe(pair, j)), &ones);
  return ones;
}

// The lowest bit of each counter becomes 1 if the counter is not zero. Its other bits mean nothing.
template <int kBits>
BLOOMLINE_AVX2_INLINE __m256i NotZero(__m256i half) {
  half = _mm256_or_si256(half, _mm256_srli_epi64(half, 1));
  half = _mm256_or_si256(half, _mm256_srli_epi64(half, 2));
  return kBits == 4 ? half : _mm256_or_si256(half, _mm256_srli_epi64(half, 4));
}

// The same if the counter is saturated.
template <int kBits>
BLOOMLINE_AVX2_INLINE __m256i Saturated(__m256i half) {
  half = _mm256_and_si256(half, _mm256_srli_epi64(half, 1));
  half = _mm256_and_si256(half, _mm256_srli_epi64(half, 2));
  return kBits == 4 ? half : _mm256_and_si256(half, _mm256_srli_epi64(half, 4));
}

BLOOMLINE_AVX2_INLINE Bits512 Load(const unsigned char* block) {
  const auto* halves = reinterpret_cast<const __m256i*>(block);
  return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

BLOOMLINE_AVX2_INLINE void Store(__m256i low, __m256i high, unsigned char* block) {
  auto* halves = reinterpret_cast<__m256i*>(block);
  _mm256_storeu_si256(halves, low);
  _mm256_storeu_si256(halves + 1, high);
}

template <int kBits>
BLOOMLINE_AVX2_INLINE bool NoneIsZero(Bits512 block, Bits512 ones) {
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(NotZero<kBits>(block.low), ones.low),
                      _mm256_andnot_si256(NotZero<kBits>(block.high), ones.high));
  return _mm256_testz_si256(missing, missing) != 0;
}

BLOOMLINE_AVX2_INLINE uint64_t CountOnes(__m256i low, __m256i high) {
  alignas(32) uint64_t words[8];
  Store(low, high, reinterpret_cast<unsigned char*>(words));
  uint64_t count = 0;
  for (const uint64_t word : words) count += static_cast<uint64_t>(_mm_popcnt_u64(word));
  return count;
}

template <int kBits>
struct Query {
  template <int kNumProbes>
  BLOOMLINE_AVX2 static void Run(const CounterBlocks& blocks, size_t n, const uint64_t* hashes,
                                 bool* may_match) {
    for (size_t i = 0; i < n; ++i) {
      const Bits512 ones =
          OnesOf<kBits>(hashes[i], kNumProbes == 0 ? blocks.num_probes : kNumProbes);
      may_match[i] = NoneIsZero<kBits>(Load(blocks.Block(hashes[i])), ones);
    }
  }
};

template <int kBits>
struct Add {
  template <int kNumProbes>
  BLOOMLINE_AVX2 static void Run(const CounterBlocks& blocks, size_t n, const uint64_t* hashes,
                                 bool* was_absent, uint64_t* num_saturated) {
    for (size_t i = 0; i < n; ++i) {
      const Bits512 ones =
          OnesOf<kBits>(hashes[i], kNumProbes == 0 ? blocks.num_probes : kNumProbes);
      unsigned char* data = blocks.Block(hashes[i]);
      const Bits512 before = Load(data);
      was_absent[i] = !NoneIsZero<kBits>(before, ones);
      const __m256i rise_low = _mm256_andnot_si256(Saturated<kBits>(before.low), ones.low);
      const __m256i rise_high = _mm256_andnot_si256(Saturated<kBits>(before.high), ones.high);
      // No counter carries into the next.
      const __m256i low = _mm256_add_epi64(before.low, rise_low);
      const __m256i high = _mm256_add_epi64(before.high, rise_high);
      Store(low, high, data);
      const __m256i saturated_low = _mm256_and_si256(Saturated<kBits>(low), rise_low);
      const __m256i saturated_high = _mm256_and_si256(Saturated<kBits>(high), rise_high);
      const __m256i saturated = _mm256_or_si256(saturated_low, saturated_high);
      if (_mm256_testz_si256(saturated, saturated) == 0) {
        *num_saturated += CountOnes(saturated_low, saturated_high);
      }
    }
  }
};

template <int kBits>
struct Remove {
  template <int kNumProbes>
  BLOOMLINE_AVX2 static void Run(const CounterBlocks& blocks, size_t n, const uint64_t* hashes,
                                 bool* removed) {
    for (size_t i = 0; i < n; ++i) {
      const Bits512 ones =
          OnesOf<kBits>(hashes[i], kNumProbes == 0 ? blocks.num_probes : kNumProbes);
      unsigned char* data = blocks.Block(hashes[i]);
      const Bits512 before = Load(data);
      removed[i] = NoneIsZero<kBits>(before, ones);
      if (!removed[i]) continue;
      const __m256i fall_low = _mm256_andnot_si256(Saturated<kBits>(before.low), ones.low);
      const __m256i fall_high = _mm256_andnot_si256(Saturated<kBits>(before.high), ones.high);
      Store(_mm256_sub_epi64(before.low, fall_low), _mm256_sub_epi64(before.high, fall_high), data);
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

CounterKernel Avx2Counters() {
  CounterKernel kernel;
  kernel.may_match_many = MayMatchMany;
  kernel.add_many = AddMany;
  kernel.remove_many = RemoveMany;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // __x86_64__
