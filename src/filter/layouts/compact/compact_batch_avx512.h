// The fast columns of a batch of keys with AVX-512, without a branch that depends on a key. What
// all blocks have in common is computed eight keys at a time, or four where there are
// multiplications, which stay in registers of 256 bits (docs/rejected.md). A key then takes 17
// instructions of its own; alone, it takes 52.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_AVX512_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_AVX512_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/bits/blocks.h"
#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/layouts/compact/compact_fast_avx512.h"
#include "src/filter/layouts/compact/compact_pool_avx512.h"

namespace bloomline::kernels {
namespace {

template <unsigned kArrangement>
class CompactBatch {
 public:
  // Of up to kBatchKeys keys in a filter of fewer than 2^32 blocks.
  BLOOMLINE_AVX512 CompactBatch(const CompactFilter& filter, size_t n, const uint64_t* hashes) {
    const Constants constants(filter);
#pragma GCC unroll 1
    for (size_t i = 0; i < n; i += 4) {
      const auto keys = static_cast<__mmask8>(_bzhi_u32(0xf, static_cast<unsigned>(n - i)));
      SetCoefficients(constants, _mm256_maskz_loadu_epi64(keys, hashes + i), i);
    }
    // In a loop of its own: a load of eight headers would wait for stores of two bytes each if
    // these were still on their way.
    for (size_t i = 0; i < n; ++i) {
      headers[i] = static_cast<uint16_t>(LoadHeader(blocks[i], kA.block_bytes));
    }
    uint32_t has_one_pass = 0;
#pragma GCC unroll 1
    for (size_t i = 0; i < n; i += 8) {
      const __m512i codes = KeepSlotsOfBlock(i);
      others |= uint32_t{_mm512_cmpgt_epu64_mask(codes, Numbers(MaxCodeOf(kArrangement)))} << i;
      has_one_pass |= uint32_t{_mm512_cmpge_epu64_mask(codes, Numbers(kOnePassCode))} << i;
    }
    for (size_t i = 0; i < n; ++i) odd_[i] = static_cast<uint8_t>(OddColumns(i));
    const __m256i wrong = _mm256_xor_si256(Load(odd_), Load(fingerprints_));
    constexpr char kFast = (1 << kA.fast_columns) - 1;
    const uint32_t all = _bzhi_u32(~0u, static_cast<unsigned>(n));
    others &= all;
    const uint32_t left = _mm256_testn_epi8_mask(wrong, _mm256_set1_epi8(kFast)) & all & ~others;
    one_pass = left & has_one_pass;
    more_passes = left & ~has_one_pass;
  }

  // Which keys may match, by what is left to test: the pool in one pass, in more, or a block that
  // does not have the filter's arrangement.
  uint32_t one_pass;
  uint32_t more_passes;
  uint32_t others = 0;

  // By key.
  alignas(64) const char* blocks[kBatchKeys];
  alignas(64) uint64_t words[kBatchKeys];  // CompactSlots
  alignas(64) uint64_t fields[kBatchKeys];
  alignas(64) uint16_t headers[kBatchKeys];

 private:
  static constexpr Arrangement kA = kArrangements[kArrangement];
  static constexpr unsigned kOnePassCode = kOnePassSlots - kMinCompactSlots;

  BLOOMLINE_AVX512_INLINE static __m512i Numbers(uint64_t number) { return Broadcast(number); }
  // Stays in a register. GCC 12 would broadcast it again in each step.
  BLOOMLINE_AVX512_INLINE static __m256i Constant(uint64_t number) {
    __m256i all = _mm256_set1_epi64x(static_cast<long long>(number));
    __asm__("" : "+v"(all));
    return all;
  }
  BLOOMLINE_AVX512_INLINE static void Store(void* to, __m256i bits) {
    _mm256_store_si256(static_cast<__m256i*>(to), bits);
  }
  BLOOMLINE_AVX512_INLINE static __m256i Load(const uint8_t* bytes) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes));
  }

  struct Constants {
    BLOOMLINE_AVX512_INLINE explicit Constants(const CompactFilter& filter)
        : data(Constant(reinterpret_cast<uint64_t>(filter.data))),
          num_blocks(Constant(filter.num_blocks)),
          factor_low(Constant(kKeyFactor & UINT32_MAX)),
          factor_high(Constant(kKeyFactor >> 32)),
          field_factor(Constant(kFieldFactor)),
          low_halves(Constant(UINT32_MAX)) {}

    __m256i data;
    __m256i num_blocks;
    __m256i factor_low;
    __m256i factor_high;
    __m256i field_factor;
    __m256i low_halves;
  };

  // The blocks, fingerprints and coefficients (CompactKeyOf) of keys i to i + 3.
  BLOOMLINE_AVX512_INLINE void SetCoefficients(const Constants& c, __m256i hash, size_t i) {
    const __m256i upper = _mm256_srli_epi64(hash, 32);
    const __m256i index = _mm256_srli_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.num_blocks),
                         _mm256_srli_epi64(_mm256_mul_epu32(hash, c.num_blocks), 32)),
        32);
    constexpr unsigned kShift = kA.block_bytes == 64 ? 6 : kA.block_bytes == 32 ? 5 : 4;
    static_assert(kA.block_bytes == 1 << kShift);
    Store(blocks + i, _mm256_add_epi64(c.data, _mm256_slli_epi64(index, kShift)));
    const int fingerprints = _mm_cvtsi128_si32(_mm256_cvtepi64_epi8(hash));
    std::memcpy(fingerprints_ + i, &fingerprints, sizeof(fingerprints));

    // The product of 128 bits, from four of 64.
    constexpr int kOrAnd = 0xf8;  // a | (b & c)
    const __m256i low_low = _mm256_mul_epu32(hash, c.factor_low);
    const __m256i middle =
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.factor_low), _mm256_srli_epi64(low_low, 32));
    const __m256i second_middle = _mm256_add_epi64(_mm256_mul_epu32(hash, c.factor_high),
                                                   _mm256_and_si256(middle, c.low_halves));
    const __m256i high = _mm256_add_epi64(
        _mm256_add_epi64(_mm256_mul_epu32(upper, c.factor_high), _mm256_srli_epi64(middle, 32)),
        _mm256_srli_epi64(second_middle, 32));
    const __m256i low = _mm256_ternarylogic_epi64(_mm256_slli_epi64(second_middle, 32), low_low,
                                                  c.low_halves, kOrAnd);
    const __m256i word = _mm256_xor_si256(low, high);
    Store(variable_ + i, high);
    Store(words + i, word);
    Store(fields + i, _mm256_srli_epi64(_mm256_mullo_epi64(word, c.field_factor), 12));
  }

  // Leaves keys i to i + 7 the slots that their blocks have, in the blocks' attempts. Returns the
  // headers' codes.
  BLOOMLINE_AVX512_INLINE __m512i KeepSlotsOfBlock(size_t i) {
    constexpr int kXorAnd = 0x78;  // a ^ (b & c)
    const __m512i header =
        _mm512_cvtepu16_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(headers + i)));
    const __m512i codes = _mm512_and_si512(_mm512_srli_epi64(header, 4), Numbers(127));
    const __m512i slots = _mm512_add_epi64(codes, Numbers(kMinCompactSlots));
    const __m512i in_field = _mm512_subs_epu16(slots, Numbers(kWordSlots));
    const __m512i variable =
        _mm512_srlv_epi64(_mm512_load_si512(variable_ + i), _mm512_srli_epi64(header, 11));
    const __m512i word = _mm512_ternarylogic_epi64(_mm512_load_si512(words + i), variable,
                                                   Numbers(kVariableSlots), kXorAnd);
    // A shift by 64 or more gives zero, so all bits are kept.
    const __m512i ones = Numbers(~uint64_t{0});
    _mm512_store_si512(words + i, _mm512_andnot_si512(_mm512_sllv_epi64(ones, slots), word));
    _mm512_store_si512(fields + i, _mm512_andnot_si512(_mm512_sllv_epi64(ones, in_field),
                                                       _mm512_load_si512(fields + i)));
    return codes;
  }

  BLOOMLINE_AVX512_INLINE unsigned OddColumns(size_t i) const {
    return FastParities<kArrangement>(blocks[i], {words[i], fields[i]});
  }

  alignas(64) uint64_t variable_[kBatchKeys];
  alignas(64) uint8_t fingerprints_[kBatchKeys];
  alignas(64) uint8_t odd_[kBatchKeys];
};

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_AVX512_H_
