// AVX-512: a block of counters is one register. A hash is another one, with a 1 at the lowest bit
// of each of its counters. Probes that hit the same counter give a single 1.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/avx512_ones.h"
#include "src/filter/layouts/counters/counter_blocks.h"
#include "src/filter/layouts/counters/counter_kernel.h"

namespace bloomline::kernels {
namespace {

// The lowest bit of each counter becomes 1 if the counter is not zero. Its other bits mean nothing.
template <int kBits>
BLOOMLINE_AVX512_INLINE __m512i NotZero(__m512i block) {
  block = _mm512_or_si512(block, _mm512_srli_epi64(block, 1));
  block = _mm512_or_si512(block, _mm512_srli_epi64(block, 2));
  return kBits == 4 ? block : _mm512_or_si512(block, _mm512_srli_epi64(block, 4));
}

// The same if the counter is saturated.
template <int kBits>
BLOOMLINE_AVX512_INLINE __m512i Saturated(__m512i block) {
  block = _mm512_and_si512(block, _mm512_srli_epi64(block, 1));
  block = _mm512_and_si512(block, _mm512_srli_epi64(block, 2));
  return kBits == 4 ? block : _mm512_and_si512(block, _mm512_srli_epi64(block, 4));
}

BLOOMLINE_AVX512_INLINE bool HaveAll(__m512i bits, __m512i ones) {
  const __m512i missing = _mm512_andnot_si512(bits, ones);
  return _mm512_test_epi64_mask(missing, missing) == 0;
}

template <int kBits>
struct Query {
  static constexpr bool kPrefetches = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t i, bool* may_match) {
    may_match[i] = HaveAll(NotZero<kBits>(_mm512_loadu_si512(block)), ones);
  }
};

template <int kBits>
struct Add {
  static constexpr bool kPrefetches = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t i, bool* was_absent,
                                          uint64_t* num_saturated) {
    const __m512i before = _mm512_loadu_si512(block);
    was_absent[i] = !HaveAll(NotZero<kBits>(before), ones);
    const __m512i rise = _mm512_andnot_si512(Saturated<kBits>(before), ones);
    const __m512i after = _mm512_add_epi64(before, rise);  // no counter carries into the next
    _mm512_storeu_si512(block, after);
    const __m512i saturated = _mm512_and_si512(Saturated<kBits>(after), rise);
    if (_mm512_test_epi64_mask(saturated, saturated) != 0) {
      *num_saturated +=
          static_cast<uint64_t>(_mm512_reduce_add_epi64(_mm512_popcnt_epi64(saturated)));
    }
  }
};

template <int kBits>
struct Remove {
  static constexpr bool kPrefetches = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* block, __m512i ones, size_t i, bool* removed) {
    const __m512i before = _mm512_loadu_si512(block);
    removed[i] = HaveAll(NotZero<kBits>(before), ones);
    const __m512i fall = _mm512_andnot_si512(Saturated<kBits>(before), ones);
    if (removed[i]) _mm512_storeu_si512(block, _mm512_sub_epi64(before, fall));
  }
};

template <template <int> class F, typename... Args>
struct OnKeys {
  template <int kBits>
  struct With {
    template <int K>
    BLOOMLINE_AVX512 static void Run(const CounterBlocks& blocks, size_t n, const uint64_t* hashes,
                                     Args... args) {
      ForEachKey<F<kBits>, K, kBits>(reinterpret_cast<char*>(blocks.data), blocks.num_blocks,
                                     blocks.num_probes, n, hashes, args...);
    }
  };
};

void MayMatchMany(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* may_match) {
  RunOnCounters<OnKeys<Query, bool*>::With>(blocks, n, hashes, may_match);
}

void AddMany(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* was_absent,
             uint64_t* num_saturated) {
  RunOnCounters<OnKeys<Add, bool*, uint64_t*>::With>(blocks, n, hashes, was_absent, num_saturated);
}

void RemoveMany(const CounterBlocks& blocks, size_t n, const uint64_t* hashes, bool* removed) {
  RunOnCounters<OnKeys<Remove, bool*>::With>(blocks, n, hashes, removed);
}

}  // namespace

CounterKernel Avx512Counters() {
  CounterKernel kernel;
  kernel.may_match_many = MayMatchMany;
  kernel.add_many = AddMany;
  kernel.remove_many = RemoveMany;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // __x86_64__
