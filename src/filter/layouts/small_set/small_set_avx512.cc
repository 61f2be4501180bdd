// Small sets with AVX-512: a block in one register.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/layouts/small_set/small_set_kernel.h"
#include "src/filter/layouts/small_set/small_set_query.h"
#include "src/filter/layouts/small_set/small_set_solver.h"

namespace bloomline::kernels::small_set {
namespace {

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

// The XOR of the bytes whose coefficient is 1.
BLOOMLINE_AVX512_INLINE uint64_t ByteSum(__m512i bytes, uint64_t coefficients) {
  const __m512i mine = _mm512_maskz_mov_epi8(coefficients, bytes);
  const __m256i half =
      _mm256_xor_si256(_mm512_castsi512_si256(mine), _mm512_extracti64x4_epi64(mine, 1));
  __m128i sum = _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  sum = _mm_xor_si128(sum, _mm_unpackhi_epi64(sum, sum));
  auto word = static_cast<uint64_t>(_mm_cvtsi128_si64(sum));
  word ^= word >> 32;
  word ^= word >> 16;
  return word ^ word >> 8;
}

// Columns first_column to first_column + 7, of which those that `asked` says must match. What a
// column has beyond the block, or beyond its slots, is masked out.
BLOOMLINE_AVX512_INLINE bool EightColumnsMatch(__m512i bytes, const Query& query,
                                               unsigned first_column, Division division,
                                               uint32_t asked, uint64_t hash) {
  const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i bit = _mm512_add_epi64(_mm512_mul_epu32(lane, Broadcast(query.slots)),
                                       Broadcast(first_column * query.slots));
  const __m512i lowest_byte = _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0,
                                               0x0808080808080808, 0, 0x0808080808080808, 0);
  const __m512i index = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi64(bit, 3), lowest_byte),
                                        _mm512_set1_epi64(0x0706050403020100));
  const __m512i shift = _mm512_and_si512(bit, _mm512_set1_epi64(7));
  const __m512i columns = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index, bytes), shift);
  const uint64_t partial_coefficients = query.coefficients & OnesBelow(division.partial_slots);
  const __m512i coefficients =
      _mm512_mask_set1_epi64(Broadcast(query.coefficients),
                             static_cast<__mmask8>(1u << division.full_columns >> first_column),
                             static_cast<long long>(partial_coefficients));
  const __m512i hits = _mm512_and_si512(columns, coefficients);
  const uint32_t odd = _mm512_test_epi64_mask(_mm512_popcnt_epi64(hits), _mm512_set1_epi64(1));
  return ((odd ^ static_cast<uint32_t>(hash >> first_column)) & asked & 0xFF) == 0;
}

__attribute__((noinline)) bool WideMayMatch(const char* block, uint32_t block_bytes,
                                            uint32_t first_attempt, uint64_t hash) {
  return PortableSmallSet().may_match(block, block_bytes, first_attempt, hash);
}

BLOOMLINE_AVX512 bool MayMatch(const char* block, uint32_t block_bytes, uint32_t first_attempt,
                               uint64_t hash) {
  const Query query = QueryOf(block, block_bytes, first_attempt, hash);
  if (query.slots == kMatchAllSlots) return true;
  if (query.slots > 57) return WideMayMatch(block, block_bytes, first_attempt, hash);
  const Division division = DivideBlock(block_bytes, query.slots);
  const __m512i bytes = _mm512_maskz_loadu_epi8(~0ull >> (64 - block_bytes), block);
  uint32_t asked = (1u << division.full_columns) - 1;
  asked |= uint32_t{UsesPartialColumn(hash, query.slots, division.partial_slots)}
           << division.full_columns;
  unsigned first_column = 0;
  if (division.full_columns >= kByteColumns) {
    first_column = kByteColumns;
    if (((ByteSum(bytes, query.coefficients) ^ hash) & 0xFF) != 0) return false;
  }
  for (; asked >> first_column != 0; first_column += 8) {
    if (!EightColumnsMatch(bytes, query, first_column, division, asked >> first_column, hash))
      return false;
  }
  return true;
}

// All equations in registers, eight in each. Those from n on are 0.
constexpr unsigned kGroups = kMaxEquations / 8;
struct EquationRegisters {
  __m512i slots[kGroups];
  __m512i hashes[kGroups];
};

// Gives equation i of a group a pivot, if it has an allowed slot, and takes it out of the
// others. Returns the pivot as a bit, or 0. Without a branch, and without a scalar register: an
// equation's way there and back would take longer than everything else.
template <unsigned kNumber>
BLOOMLINE_AVX512_INLINE __m512i ReduceBy(EquationRegisters* all, unsigned i, __m512i allowed) {
  const __m512i lane = _mm512_set1_epi64(i);
  const __m512i slots = _mm512_permutexvar_epi64(lane, all->slots[kNumber]);
  const __m512i hash = _mm512_permutexvar_epi64(lane, all->hashes[kNumber]);
  const __m512i candidates = _mm512_and_si512(slots, allowed);
  const __m512i bit =
      _mm512_and_si512(candidates, _mm512_sub_epi64(_mm512_setzero_si512(), candidates));
#pragma GCC unroll 8
  for (unsigned g = 0; g < kGroups; ++g) {
    __mmask8 hit = _mm512_test_epi64_mask(all->slots[g], bit);
    if (g == kNumber) hit = static_cast<__mmask8>(hit & ~(1u << i));
    all->slots[g] = _mm512_mask_xor_epi64(all->slots[g], hit, all->slots[g], slots);
    all->hashes[g] = _mm512_mask_xor_epi64(all->hashes[g], hit, all->hashes[g], hash);
  }
  return bit;
}

template <unsigned kNumber>
BLOOMLINE_AVX512_INLINE void ReduceByGroup(EquationRegisters* all, uint64_t pending,
                                           __m512i allowed, uint64_t* pivot_bits) {
  for (uint64_t of_group = pending >> (8 * kNumber) & 0xFF; of_group != 0;
       of_group &= of_group - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctzll(of_group));
    const __m512i bit = ReduceBy<kNumber>(all, i, allowed);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(pivot_bits + 8 * kNumber + i),
                     _mm512_castsi512_si128(bit));
  }
}

struct Steps {
  BLOOMLINE_AVX512 static void Reduce(Equations* equations, size_t n, size_t count,
                                      uint64_t allowed) {
    EquationRegisters all;
    for (unsigned g = 0; g < kGroups; ++g) {
      const auto lanes = static_cast<__mmask8>(OnesBelow(static_cast<unsigned>(n)) >> (8 * g));
      all.slots[g] = _mm512_maskz_loadu_epi64(lanes, equations->slots + 8 * g);
      all.hashes[g] = _mm512_maskz_loadu_epi64(lanes, equations->hashes + 8 * g);
    }
    const uint64_t pending = OnesBelow(static_cast<unsigned>(count)) & ~equations->with_pivot;
    const __m512i allowed_slots = Broadcast(allowed);
    alignas(64) uint64_t pivot_bits[kMaxEquations] = {};
    ReduceByGroup<0>(&all, pending, allowed_slots, pivot_bits);
    ReduceByGroup<1>(&all, pending, allowed_slots, pivot_bits);
    ReduceByGroup<2>(&all, pending, allowed_slots, pivot_bits);
    ReduceByGroup<3>(&all, pending, allowed_slots, pivot_bits);
    ReduceByGroup<4>(&all, pending, allowed_slots, pivot_bits);
    ReduceByGroup<5>(&all, pending, allowed_slots, pivot_bits);
    ReduceByGroup<6>(&all, pending, allowed_slots, pivot_bits);
    ReduceByGroup<7>(&all, pending, allowed_slots, pivot_bits);
    for (unsigned g = 0; g < kGroups; ++g) {
      _mm512_store_si512(equations->slots + 8 * g, all.slots[g]);
      _mm512_store_si512(equations->hashes + 8 * g, all.hashes[g]);
    }
    for (uint64_t left = pending; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctzll(left));
      if (pivot_bits[i] == 0) continue;
      equations->pivots[i] = static_cast<uint8_t>(__builtin_ctzll(pivot_bits[i]));
      equations->with_pivot |= uint64_t{1} << i;
    }
  }
};

BLOOMLINE_AVX512 int Solve(const uint64_t* hashes, size_t n, unsigned num_attempts,
                           uint32_t block_bytes, char* block) {
  return SolveSmallSet<Steps>(hashes, n, num_attempts, block_bytes, block);
}

}  // namespace
}  // namespace bloomline::kernels::small_set

namespace bloomline::kernels {

SmallSetKernel Avx512SmallSet() {
  SmallSetKernel kernel;
  kernel.may_match = small_set::MayMatch;
  kernel.solve = small_set::Solve;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
