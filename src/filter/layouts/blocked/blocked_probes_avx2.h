// AVX2: the probes of blocked filters (probe_sequence.h), eight in one register.
#ifndef BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_PROBES_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_PROBES_AVX2_H_

#include <cstdint>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/cpu/avx2.h"

namespace bloomline::kernels {

// A ProbePair in each lane.
struct ProbePairs {
  __m256i a;
  __m256i b;
};

// BlockedPair, given the lower half of a hash in all lanes: b is a with its two halves of 16 bits
// exchanged.
BLOOMLINE_AVX2_INLINE ProbePairs BlockedPairs(__m256i lower_halves) {
  const __m256i swap = _mm256_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2,  //
                                       13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2);
  return {lower_halves, _mm256_shuffle_epi8(lower_halves, swap)};
}

// Probes first to first + 7: a + M[j] b in lane j - first. The table has 32 multipliers, so `first`
// may be 24 for any k.
BLOOMLINE_AVX2_INLINE __m256i EightProbes(ProbePairs pairs, int first) {
  return _mm256_add_epi32(pairs.a, _mm256_mullo_epi32(Load256(kProbeMultipliers + first), pairs.b));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_BLOCKED_BLOCKED_PROBES_AVX2_H_
