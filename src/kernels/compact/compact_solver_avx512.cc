// The compact solver with AVX-512: eight equations at a time.
#if defined(__x86_64__)

#include "src/kernels/avx512_bits.h"
#include "src/kernels/compact/compact_solver.h"
#include "src/kernels/compact/compact_x86_solvers.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

// Lanes of equations i .. i + 7 but the pivot's.
BLOOMLINE_AVX512_INLINE __mmask8 AllBut(size_t pivot, size_t i) {
  return static_cast<__mmask8>(~(pivot - i < 8 ? 1u << (pivot - i) : 0));
}

struct BlockSteps {
  BLOOMLINE_AVX512 static void ClearPair(BlockEquations* equations, size_t n, size_t pivot,
                                         bool in_second, uint64_t bit) {
    const __m512i first = Broadcast(equations->first[pivot]);
    const __m512i second = Broadcast(equations->second[pivot]);
    const __m512i bits = Broadcast(bit);
    const uint64_t* tested = in_second ? equations->second : equations->first;
    for (size_t i = 0; i < n; i += 8) {
      const __mmask8 hit =
          _mm512_mask_test_epi64_mask(AllBut(pivot, i), _mm512_load_si512(tested + i), bits);
      const __m512i firsts = _mm512_load_si512(equations->first + i);
      const __m512i seconds = _mm512_load_si512(equations->second + i);
      _mm512_store_si512(equations->first + i, _mm512_mask_xor_epi64(firsts, hit, firsts, first));
      _mm512_store_si512(equations->second + i,
                         _mm512_mask_xor_epi64(seconds, hit, seconds, second));
    }
  }

  BLOOMLINE_AVX512 static void ClearFourPairs(BlockEquations* equations, size_t n, size_t pivot,
                                              const FourPivots<2>& four) {
    const auto clear = [&](size_t i, bool has_pivots) BLOOMLINE_AVX512 {
      __m512i firsts = _mm512_load_si512(equations->first + i);
      __m512i seconds = _mm512_load_si512(equations->second + i);
      for (unsigned j = 0; j < 4; ++j) {
        const __mmask8 others = has_pivots ? AllBut(pivot + j, i) : __mmask8{0xFF};
        const __mmask8 hit = _mm512_mask_test_epi64_mask(others, firsts, Broadcast(four.bits[j]));
        firsts = _mm512_mask_xor_epi64(firsts, hit, firsts, Broadcast(four.words[0][j]));
        seconds = _mm512_mask_xor_epi64(seconds, hit, seconds, Broadcast(four.words[1][j]));
      }
      _mm512_store_si512(equations->first + i, firsts);
      _mm512_store_si512(equations->second + i, seconds);
    };
    const size_t begin = pivot / 8 * 8;
    const size_t end = (pivot + 4 + 7) / 8 * 8;
    for (size_t i = 0; i < begin; i += 8) clear(i, false);
    for (size_t i = begin; i < end; i += 8) clear(i, true);
    for (size_t i = end; i < n; i += 8) clear(i, false);
  }
};

}  // namespace

BLOOMLINE_AVX512 bool Avx512SolveByWords(const CompactFilter& filter, const uint64_t* hashes,
                                         size_t n, char* block) {
  return SolveBlock<BlockSteps>(filter, hashes, n, block);
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
