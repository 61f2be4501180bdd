// The compact solver with AVX2: four equations at a time.
#if defined(__x86_64__)

#include <algorithm>

#include "src/filter/kernels/avx2_bits.h"
#include "src/filter/kernels/compact/compact_solver.h"
#include "src/filter/kernels/compact/compact_x86_solvers.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX2_INLINE __m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// Ones in the lanes of equations i .. i + 3 but the pivot's.
BLOOMLINE_AVX2_INLINE __m256i AllBut(size_t pivot, size_t i) {
  const __m256i numbers = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(i)),
                                           _mm256_setr_epi64x(0, 1, 2, 3));
  return _mm256_xor_si256(
      _mm256_cmpeq_epi64(numbers, _mm256_set1_epi64x(static_cast<long long>(pivot))),
      _mm256_set1_epi64x(-1));
}

struct BlockSteps {
  BLOOMLINE_AVX2 static void ClearPair(BlockEquations* equations, size_t n, size_t pivot,
                                       bool in_second, uint64_t bit) {
    const __m256i first = _mm256_set1_epi64x(static_cast<long long>(equations->first[pivot]));
    const __m256i second = _mm256_set1_epi64x(static_cast<long long>(equations->second[pivot]));
    const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(bit));
    const uint64_t* tested = in_second ? equations->second : equations->first;
    for (size_t i = 0; i < n; i += 4) {
      const __m256i hit = _mm256_and_si256(
          AllBut(pivot, i), _mm256_cmpeq_epi64(_mm256_and_si256(Load(tested + i), bits), bits));
      auto* firsts = reinterpret_cast<__m256i*>(equations->first + i);
      auto* seconds = reinterpret_cast<__m256i*>(equations->second + i);
      _mm256_store_si256(firsts, _mm256_xor_si256(Load(firsts), _mm256_and_si256(hit, first)));
      _mm256_store_si256(seconds, _mm256_xor_si256(Load(seconds), _mm256_and_si256(hit, second)));
    }
  }

  BLOOMLINE_AVX2 static void ClearFourPairs(BlockEquations* equations, size_t n, size_t pivot,
                                            const FourPivots<2>& four) {
    const auto clear = [&](size_t i, bool has_pivots) BLOOMLINE_AVX2 {
      __m256i firsts = Load(equations->first + i);
      __m256i seconds = Load(equations->second + i);
      for (unsigned j = 0; j < 4; ++j) {
        const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(four.bits[j]));
        __m256i hit = _mm256_cmpeq_epi64(_mm256_and_si256(firsts, bits), bits);
        if (has_pivots) hit = _mm256_and_si256(hit, AllBut(pivot + j, i));
        firsts = _mm256_xor_si256(
            firsts,
            _mm256_and_si256(hit, _mm256_set1_epi64x(static_cast<long long>(four.words[0][j]))));
        seconds = _mm256_xor_si256(
            seconds,
            _mm256_and_si256(hit, _mm256_set1_epi64x(static_cast<long long>(four.words[1][j]))));
      }
      _mm256_store_si256(reinterpret_cast<__m256i*>(equations->first + i), firsts);
      _mm256_store_si256(reinterpret_cast<__m256i*>(equations->second + i), seconds);
    };
    const size_t begin = pivot / 4 * 4;
    const size_t end = std::min(n, pivot + 4);
    for (size_t i = 0; i < begin; i += 4) clear(i, false);
    for (size_t i = begin; i < end; i += 4) clear(i, true);
    for (size_t i = (end + 3) / 4 * 4; i < n; i += 4) clear(i, false);
  }
};

}  // namespace

BLOOMLINE_AVX2 bool Avx2SolveByWords(unsigned arrangement, const uint64_t* hashes, size_t n,
                                     char* block) {
  return SolveBlock<BlockSteps>(arrangement, hashes, n, block);
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
