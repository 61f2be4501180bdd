// The fast columns of a batch of keys with AVX2, without a branch that depends on a key: as
// compact_batch_avx512.h, four keys at a time.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_AVX2_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/bits/blocks.h"
#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/layouts/compact/compact_fast_avx2.h"

namespace bloomline::kernels {
namespace {

template <unsigned kArrangement>
class CompactBatch {
 public:
  // Of up to kBatchKeys keys in a filter of fewer than 2^32 blocks.
  BLOOMLINE_AVX2 CompactBatch(const CompactFilter& filter, size_t n, const uint64_t* hashes) {
    alignas(32) uint64_t padded[kBatchKeys];
    const size_t end = (n + 3) / 4 * 4;
    for (size_t i = n; i < end; ++i) padded[i] = 0;
    std::memcpy(padded, hashes, n * sizeof(hashes[0]));
    const Constants constants(filter);
#pragma GCC unroll 1
    for (size_t i = 0; i < end; i += 4) SetCoefficients(constants, Load256(padded + i), i);
    // In a loop of its own: a load of four headers would wait for stores of two bytes each if these
    // were still on their way.
    for (size_t i = 0; i < n; ++i) {
      headers[i] = static_cast<uint16_t>(LoadHeader(blocks[i], kA.block_bytes));
    }
    others = 0;
#pragma GCC unroll 1
    for (size_t i = 0; i < end; i += 4) others |= KeepSlotsOfBlock(i) << i;
    for (size_t i = 0; i < n; ++i) {
      wrong_[i] = static_cast<uint8_t>((OddColumns(i) ^ static_cast<unsigned>(padded[i])) & kFast);
    }
    const auto right = static_cast<uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(Load256(wrong_), _mm256_setzero_si256())));
    const uint32_t all = _bzhi_u32(~0u, static_cast<unsigned>(n));
    others &= all;
    pool = right & all & ~others;
  }

  // Which keys may match, by what is left to test: the pool, or a block that does not have the
  // filter's arrangement.
  uint32_t pool;
  uint32_t others;

  // By key.
  alignas(32) const char* blocks[kBatchKeys];
  alignas(32) CompactSlots slots[kBatchKeys];
  alignas(32) uint16_t headers[kBatchKeys];

 private:
  static constexpr Arrangement kA = kArrangements[kArrangement];
  static constexpr unsigned kFast = (1u << kA.fast_columns) - 1;

  // Stays in a register. GCC 12 would broadcast it again in each step.
  BLOOMLINE_AVX2_INLINE static __m256i Constant(uint64_t number) {
    __m256i all = Broadcast(number);
    __asm__("" : "+x"(all));
    return all;
  }
  BLOOMLINE_AVX2_INLINE static __m256i Numbers(long long number) {
    return _mm256_set1_epi64x(number);
  }
  BLOOMLINE_AVX2_INLINE static void Store(void* to, __m256i bits) {
    _mm256_store_si256(static_cast<__m256i*>(to), bits);
  }

  struct Constants {
    BLOOMLINE_AVX2_INLINE explicit Constants(const CompactFilter& filter)
        : data(Constant(reinterpret_cast<uint64_t>(filter.data))),
          num_blocks(Constant(filter.num_blocks)),
          factor_low(Constant(kKeyFactor & UINT32_MAX)),
          factor_high(Constant(kKeyFactor >> 32)),
          field_low(Constant(kFieldFactor & UINT32_MAX)),
          field_high(Constant(kFieldFactor >> 32)) {}

    __m256i data;
    __m256i num_blocks;
    __m256i factor_low;
    __m256i factor_high;
    __m256i field_low;
    __m256i field_high;
  };

  // The blocks, fingerprints and coefficients (CompactKeyOf) of keys i to i + 3.
  BLOOMLINE_AVX2_INLINE void SetCoefficients(const Constants& c, __m256i hash, size_t i) {
    const __m256i upper = _mm256_srli_epi64(hash, 32);
    const __m256i index = _mm256_srli_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.num_blocks),
                         _mm256_srli_epi64(_mm256_mul_epu32(hash, c.num_blocks), 32)),
        32);
    constexpr unsigned kShift = kA.block_bytes == 64 ? 6 : kA.block_bytes == 32 ? 5 : 4;
    static_assert(kA.block_bytes == 1 << kShift);
    Store(blocks + i, _mm256_add_epi64(c.data, _mm256_slli_epi64(index, kShift)));

    // The product of 128 bits, from four of 64.
    const __m256i low_halves = Numbers(UINT32_MAX);
    const __m256i low_low = _mm256_mul_epu32(hash, c.factor_low);
    const __m256i middle =
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.factor_low), _mm256_srli_epi64(low_low, 32));
    const __m256i second_middle = _mm256_add_epi64(_mm256_mul_epu32(hash, c.factor_high),
                                                   _mm256_and_si256(middle, low_halves));
    const __m256i high = _mm256_add_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.factor_high), _mm256_srli_epi64(middle, 32)),
        _mm256_srli_epi64(second_middle, 32));
    const __m256i low = _mm256_blend_epi32(_mm256_slli_epi64(second_middle, 32), low_low, 0x55);
    const __m256i word = _mm256_xor_si256(low, high);
    Store(variable_ + i, high);
    Store(words_ + i, word);
    if constexpr (kA.field_slots != 0) {
      const __m256i upper_products =
          _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(word, 32), c.field_low),
                           _mm256_mul_epu32(word, c.field_high));
      const __m256i product = _mm256_add_epi64(_mm256_mul_epu32(word, c.field_low),
                                               _mm256_slli_epi64(upper_products, 32));
      Store(fields_ + i, _mm256_srli_epi64(product, 12));
    }
  }

  // Leaves keys i to i + 3 the slots that their blocks have, in the blocks' attempts. Returns bit k
  // for each key i + k whose block does not have the filter's arrangement.
  BLOOMLINE_AVX2_INLINE uint32_t KeepSlotsOfBlock(size_t i) {
    const __m256i header =
        _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(headers + i)));
    const __m256i codes = _mm256_and_si256(_mm256_srli_epi64(header, 4), Numbers(127));
    const __m256i in_word = _mm256_add_epi64(codes, Numbers(kMinCompactSlots));
    const __m256i in_field = _mm256_subs_epu16(in_word, Numbers(kWordSlots));
    const __m256i variable =
        _mm256_and_si256(_mm256_srlv_epi64(Load256(variable_ + i), _mm256_srli_epi64(header, 11)),
                         Numbers(kVariableSlots));
    // A shift by 64 or more gives zero, so all bits are kept.
    const __m256i ones = Numbers(-1);
    const __m256i words = _mm256_andnot_si256(_mm256_sllv_epi64(ones, in_word),
                                              _mm256_xor_si256(Load256(words_ + i), variable));
    __m256i fields = _mm256_setzero_si256();
    if constexpr (kA.field_slots != 0) {
      fields = _mm256_andnot_si256(_mm256_sllv_epi64(ones, in_field), Load256(fields_ + i));
    }
    const __m256i even = _mm256_unpacklo_epi64(words, fields);
    const __m256i odd = _mm256_unpackhi_epi64(words, fields);
    Store(slots + i, _mm256_permute2x128_si256(even, odd, 0x20));
    Store(slots + i + 2, _mm256_permute2x128_si256(even, odd, 0x31));
    const __m256i is_other = _mm256_cmpgt_epi32(codes, Numbers(MaxCodeOf(kArrangement)));
    // Both halves of a code are compared; the lower one is moved to where the sign is taken.
    return static_cast<uint32_t>(
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(is_other, 32))));
  }

  BLOOMLINE_AVX2_INLINE unsigned OddColumns(size_t i) const {
    return FastParities<kArrangement>(blocks[i], slots[i],
                                      {Broadcast64(&slots[i].word), Broadcast64(&slots[i].field)});
  }

  alignas(32) uint64_t words_[kBatchKeys];
  alignas(32) uint64_t fields_[kBatchKeys];
  alignas(32) uint64_t variable_[kBatchKeys];
  alignas(32) uint8_t wrong_[kBatchKeys];  // fast columns
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_AVX2_H_
