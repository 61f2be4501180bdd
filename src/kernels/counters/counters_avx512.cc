// AVX-512: a line of counters is one register, in which a hash is a one at the lowest bit of each
// of its counters; where probes meet, that is one one.
#if defined(__x86_64__)

#include "src/kernels/all_kernels.h"
#include "src/kernels/avx512_bits.h"
#include "src/kernels/avx512_ones.h"
#include "src/kernels/counters/counter_lines.h"

namespace bloomline::kernels {
namespace {

// The lowest bit of each counter says whether one of its bits is set; the others say nothing.
template <int kBits>
BLOOMLINE_AVX512_INLINE __m512i NotZero(__m512i line) {
  line = _mm512_or_si512(line, _mm512_srli_epi64(line, 1));
  line = _mm512_or_si512(line, _mm512_srli_epi64(line, 2));
  return kBits == 4 ? line : _mm512_or_si512(line, _mm512_srli_epi64(line, 4));
}

// The same of whether all its bits are set.
template <int kBits>
BLOOMLINE_AVX512_INLINE __m512i Saturated(__m512i line) {
  line = _mm512_and_si512(line, _mm512_srli_epi64(line, 1));
  line = _mm512_and_si512(line, _mm512_srli_epi64(line, 2));
  return kBits == 4 ? line : _mm512_and_si512(line, _mm512_srli_epi64(line, 4));
}

BLOOMLINE_AVX512_INLINE bool HaveAll(__m512i bits, __m512i ones) {
  const __m512i missing = _mm512_andnot_si512(bits, ones);
  return _mm512_test_epi64_mask(missing, missing) == 0;
}

template <int kBits>
struct Ask {
  static constexpr bool kRequestsLines = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* line, __m512i ones, size_t i, bool* may_match) {
    may_match[i] = HaveAll(NotZero<kBits>(_mm512_loadu_si512(line)), ones);
  }
};

template <int kBits>
struct Add {
  static constexpr bool kRequestsLines = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* line, __m512i ones, size_t i, bool* was_absent,
                                          uint64_t* num_saturated) {
    const __m512i before = _mm512_loadu_si512(line);
    was_absent[i] = !HaveAll(NotZero<kBits>(before), ones);
    const __m512i rise = _mm512_andnot_si512(Saturated<kBits>(before), ones);
    const __m512i after = _mm512_add_epi64(before, rise);  // no counter carries into the next
    _mm512_storeu_si512(line, after);
    const __m512i saturated = _mm512_and_si512(Saturated<kBits>(after), rise);
    if (_mm512_test_epi64_mask(saturated, saturated) != 0) {
      *num_saturated +=
          static_cast<uint64_t>(_mm512_reduce_add_epi64(_mm512_popcnt_epi64(saturated)));
    }
  }
};

template <int kBits>
struct Remove {
  static constexpr bool kRequestsLines = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* line, __m512i ones, size_t i, bool* removed) {
    const __m512i before = _mm512_loadu_si512(line);
    removed[i] = HaveAll(NotZero<kBits>(before), ones);
    const __m512i fall = _mm512_andnot_si512(Saturated<kBits>(before), ones);
    if (removed[i]) _mm512_storeu_si512(line, _mm512_sub_epi64(before, fall));
  }
};

template <template <int> class F, typename... Args>
struct OnKeys {
  template <int kBits>
  struct With {
    template <int K>
    BLOOMLINE_AVX512 static void Run(const CounterLines& lines, size_t n, const uint64_t* hashes,
                                     Args... args) {
      ForEachKey<F<kBits>, K, kBits>(reinterpret_cast<char*>(lines.data), lines.num_lines,
                                     lines.num_probes, n, hashes, args...);
    }
  };
};

void AskMany(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* may_match) {
  RunOnCounters<OnKeys<Ask, bool*>::With>(lines, n, hashes, may_match);
}

void AddKeys(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* was_absent,
             uint64_t* num_saturated) {
  RunOnCounters<OnKeys<Add, bool*, uint64_t*>::With>(lines, n, hashes, was_absent, num_saturated);
}

void RemoveKeys(const CounterLines& lines, size_t n, const uint64_t* hashes, bool* removed) {
  RunOnCounters<OnKeys<Remove, bool*>::With>(lines, n, hashes, removed);
}

}  // namespace

const CounterKernel kAvx512Counters = {AskMany, AddKeys, RemoveKeys};

}  // namespace bloomline::kernels

#endif  // __x86_64__
