// Packed blocks with AVX2: queries by 64-bit integers, the solver four equations at a time.
#if defined(__x86_64__)

#include "src/kernels/avx2_bits.h"
#include "src/kernels/packed/packed_kernel.h"
#include "src/kernels/packed/packed_query.h"
#include "src/kernels/packed/packed_solver.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX2_INLINE __m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

BLOOMLINE_AVX2 void EliminateBelow(PackedEquations* equations, size_t num_equations, size_t pivot,
                                   bool in_second, uint64_t bit) {
  const __m256i first = _mm256_set1_epi64x(static_cast<long long>(equations->first[pivot]));
  const __m256i second = _mm256_set1_epi64x(static_cast<long long>(equations->second[pivot]));
  const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(bit));
  const uint64_t* tested = in_second ? equations->second : equations->first;
  // Lanes after the pivot's in its own group of four, then all.
  const __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
  __m256i later = _mm256_cmpgt_epi64(lane, _mm256_set1_epi64x(static_cast<long long>(pivot % 4)));
  for (size_t i = pivot / 4 * 4; i < num_equations; i += 4) {
    const __m256i hit =
        _mm256_and_si256(later, _mm256_cmpeq_epi64(_mm256_and_si256(Load(tested + i), bits), bits));
    auto* first_words = reinterpret_cast<__m256i*>(equations->first + i);
    auto* second_words = reinterpret_cast<__m256i*>(equations->second + i);
    _mm256_store_si256(first_words,
                       _mm256_xor_si256(Load(first_words), _mm256_and_si256(hit, first)));
    _mm256_store_si256(second_words,
                       _mm256_xor_si256(Load(second_words), _mm256_and_si256(hit, second)));
    later = _mm256_set1_epi64x(-1);
  }
}

int Solve(const PackedKeys& keys, unsigned slots, uint32_t block_bytes, char* block) {
  return SolvePackedBlock(keys, slots, block_bytes, block, EliminateBelow);
}

}  // namespace

BLOOMLINE_AVX2 bool Avx2PackedMayMatch(const PackedFilter& filter, uint64_t hash) {
  return PackedBlockMayMatch(PackedBlock(filter, hash), filter.block_bytes, filter.base_slots,
                             hash);
}

BLOOMLINE_AVX2 void Avx2PackedMayMatchMany(const PackedFilter& filter, size_t n,
                                           const uint64_t* hashes, bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = PackedBlockMayMatch(PackedBlock(filter, hashes[i]), filter.block_bytes,
                                       filter.base_slots, hashes[i]);
  }
}

PackedKernel Avx2Packed() {
  PackedKernel kernel;
  kernel.may_match = Avx2PackedMayMatch;
  kernel.may_match_many = Avx2PackedMayMatchMany;
  kernel.solve = Solve;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
