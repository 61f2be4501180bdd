// Small sets with AVX2: the bytes of 32 slots at a time, the solver four equations at a time.
#if defined(__x86_64__)

#include "src/filter/cpu/avx2.h"
#include "src/filter/layouts/small_set/small_set.h"
#include "src/filter/layouts/small_set/small_set_query.h"
#include "src/filter/layouts/small_set/small_set_solver.h"

namespace bloomline::kernels::small_set {
namespace {

// Byte i is all ones if bit i of the lower 32 is set.
BLOOMLINE_AVX2_INLINE __m256i ByteMask(uint64_t bits) {
  const __m256i all = _mm256_set1_epi32(static_cast<int>(bits));
  const __m256i eight_times =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(all, eight_times), bit), bit);
}

BLOOMLINE_AVX2_INLINE uint64_t FoldToByte(__m128i sum) {
  sum = _mm_xor_si128(sum, _mm_unpackhi_epi64(sum, sum));
  auto word = static_cast<uint64_t>(_mm_cvtsi128_si64(sum));
  word ^= word >> 32;
  word ^= word >> 16;
  return word ^ word >> 8;
}

// Blocks of less than 32 bytes: eight slots at a time.
BLOOMLINE_AVX2 __attribute__((noinline)) uint64_t ShortByteSum(const char* block,
                                                               unsigned block_bytes, unsigned slots,
                                                               uint64_t coefficients) {
  uint64_t sum = 0;
  for (unsigned slot = 0; slot < slots; slot += 8, coefficients >>= 8) {
    const unsigned byte = std::min(slot, block_bytes - 8);
    const uint64_t mask = _pdep_u64(coefficients, 0x0101010101010101) * 0xFF;
    sum ^= LoadLittleEndian64(block + byte) & mask << (8 * (slot - byte));
  }
  sum ^= sum >> 32;
  sum ^= sum >> 16;
  return sum ^ sum >> 8;
}

// The first 32 bytes, and the last: of these, slots from 32 on.
BLOOMLINE_AVX2_INLINE uint64_t ByteSum(const char* block, unsigned block_bytes, unsigned slots,
                                       uint64_t coefficients) {
  if (block_bytes < kBytesPer256Bits) {
    return ShortByteSum(block, block_bytes, slots, coefficients);
  }
  const unsigned last = block_bytes - kBytesPer256Bits;
  const __m256i sum =
      _mm256_xor_si256(_mm256_and_si256(ByteMask(coefficients), Load256(block)),
                       _mm256_and_si256(ByteMask((coefficients & ~uint64_t{0xFFFFFFFF}) >> last),
                                        Load256(block + last)));
  return FoldToByte(_mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1)));
}

BLOOMLINE_AVX2 bool MayMatch(const char* block, uint32_t block_bytes, uint32_t first_attempt,
                             uint64_t hash) {
  return SmallSetMayMatch(block, block_bytes, first_attempt, hash,
                          [](const char* b, unsigned bytes, unsigned slots, uint64_t coefficients)
                              BLOOMLINE_AVX2 { return ByteSum(b, bytes, slots, coefficients); });
}

BLOOMLINE_AVX2 void Clear(Equations* equations, size_t n, const PivotBatch& batch) {
  __m256i slots[kBatchPivots], hashes[kBatchPivots], bits[kBatchPivots];
  for (unsigned j = 0; j < kBatchPivots; ++j) {
    slots[j] = _mm256_set1_epi64x(static_cast<long long>(batch.slots[j]));
    hashes[j] = _mm256_set1_epi64x(static_cast<long long>(batch.hashes[j]));
    bits[j] = _mm256_set1_epi64x(int64_t{1} << batch.pivots[j]);
  }
  for (size_t i = 0; i < n; i += 4) {
    auto* const s = reinterpret_cast<__m256i*>(equations->slots + i);
    auto* const h = reinterpret_cast<__m256i*>(equations->hashes + i);
    __m256i new_slots = _mm256_load_si256(s);
    __m256i new_hashes = _mm256_load_si256(h);
    for (unsigned j = 0; j < kBatchPivots; ++j) {
      const __m256i miss =
          _mm256_cmpeq_epi64(_mm256_and_si256(new_slots, bits[j]), _mm256_setzero_si256());
      new_slots = _mm256_xor_si256(new_slots, _mm256_andnot_si256(miss, slots[j]));
      new_hashes = _mm256_xor_si256(new_hashes, _mm256_andnot_si256(miss, hashes[j]));
    }
    _mm256_store_si256(s, new_slots);
    _mm256_store_si256(h, new_hashes);
  }
}

BLOOMLINE_AVX2 int Solve(const uint64_t* hashes, size_t n, unsigned num_attempts,
                         uint32_t block_bytes, char* block) {
  return SolveSmallSet(hashes, n, num_attempts, block_bytes, block, Clear);
}

}  // namespace
}  // namespace bloomline::kernels::small_set

namespace bloomline::kernels {

SmallSetKernel Avx2SmallSet() { return {small_set::MayMatch, small_set::Solve}; }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
