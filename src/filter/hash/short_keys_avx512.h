// AVX-512: what hashes of eight short keys at a time share. A key has 4 to 16 bytes; all eight have
// the same size.
#ifndef BLOOMLINE_FILTER_HASH_SHORT_KEYS_AVX512_H_
#define BLOOMLINE_FILTER_HASH_SHORT_KEYS_AVX512_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/cpu/avx512_bits.h"

namespace bloomline::kernels {

constexpr size_t kKeysPer512Bits = sizeof(__m512i) / sizeof(uint64_t);

// Both halves of a product of 128 bits, combined by XOR. There is no such multiplication of lanes:
// four products of their halves.
BLOOMLINE_AVX512_INLINE __m512i FoldedProduct(__m512i x, __m512i y) {
  const __m512i x_high = _mm512_srli_epi64(x, 32);
  const __m512i y_high = _mm512_srli_epi64(y, 32);
  const __m512i low = _mm512_mul_epu32(x, y);
  // No sum exceeds 64 bits: (2^32 - 1)^2 + 2^32 - 1 < 2^64.
  const __m512i middle = _mm512_add_epi64(_mm512_mul_epu32(x_high, y), _mm512_srli_epi64(low, 32));
  const __m512i low_of_middle = _mm512_and_si512(middle, _mm512_set1_epi64(0xFFFFFFFF));
  const __m512i sum = _mm512_add_epi64(_mm512_mul_epu32(x, y_high), low_of_middle);
  const __m512i carries =
      _mm512_add_epi64(_mm512_srli_epi64(middle, 32), _mm512_srli_epi64(sum, 32));
  const __m512i upper = _mm512_add_epi64(_mm512_mul_epu32(x_high, y_high), carries);
  const __m512i lower = _mm512_mask_blend_epi32(0xAAAA, low, _mm512_slli_epi64(sum, 32));
  return _mm512_xor_si512(lower, upper);
}

// XOR of the words and themselves, shifted.
template <int kShift>
BLOOMLINE_AVX512_INLINE __m512i XorShifted(__m512i words) {
  return _mm512_xor_si512(words, _mm512_srli_epi64(words, kShift));
}

BLOOMLINE_AVX512_INLINE __m512i InAllLanes(uint64_t word) {
  return _mm512_set1_epi64(static_cast<int64_t>(word));
}

BLOOMLINE_AVX512_INLINE int64_t Word(const char* p) {
  int64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

BLOOMLINE_AVX512_INLINE uint64_t HalfWord(const char* p) {
  uint32_t half;
  std::memcpy(&half, p, sizeof(half));
  return half;
}

// The first 4 bytes of eight keys and their last 4, each in the upper or lower half of a lane.
template <bool kFirstIsUpper>
BLOOMLINE_AVX512_INLINE __m512i FirstAndLastHalves(const char* const* keys, size_t size) {
  const size_t last = size - 4;
  const auto both = [=](int i) BLOOMLINE_AVX512 {
    const uint64_t first_half = HalfWord(keys[i]);
    const uint64_t last_half = HalfWord(keys[i] + last);
    return static_cast<int64_t>(kFirstIsUpper ? last_half | first_half << 32
                                              : first_half | last_half << 32);
  };
  return _mm512_set_epi64(both(7), both(6), both(5), both(4), both(3), both(2), both(1), both(0));
}

// The first 8 bytes of eight keys, and their last 8.
struct FirstAndLast {
  __m512i first;
  __m512i last;
};

BLOOMLINE_AVX512_INLINE FirstAndLast FirstAndLastWords(const char* const* keys, size_t size) {
  const size_t last_word = size - 8;
  const auto words_of = [=](int i) BLOOMLINE_AVX512 {
    return _mm_set_epi64x(Word(keys[i] + last_word), Word(keys[i]));
  };
  // Of four keys each: 0, 2, 4, 6 and 1, 3, 5, 7.
  const auto four = [=](int i) BLOOMLINE_AVX512 {
    __m512i words = _mm512_castsi128_si512(words_of(i));
    words = _mm512_inserti64x2(words, words_of(i + 2), 1);
    words = _mm512_inserti64x2(words, words_of(i + 4), 2);
    return _mm512_inserti64x2(words, words_of(i + 6), 3);
  };
  const __m512i even = four(0);
  const __m512i odd = four(1);
  return {_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)};
}

// hashes[i] = Hash::Run(keys + i, size, seed) for eight keys at a time.
template <typename Hash>
BLOOMLINE_AVX512_INLINE void HashAll(const char* const* keys, size_t n, size_t size, uint64_t seed,
                                     uint64_t* hashes) {
  size_t i = 0;
  for (; i + kKeysPer512Bits <= n; i += kKeysPer512Bits) {
    _mm512_storeu_si512(hashes + i, Hash::Run(keys + i, size, seed));
  }
  if (i == n) return;
  const char* rest[kKeysPer512Bits];
  for (size_t j = 0; j < kKeysPer512Bits; ++j) rest[j] = keys[std::min(i + j, n - 1)];
  const auto used = static_cast<__mmask8>((1u << (n - i)) - 1);
  _mm512_mask_storeu_epi64(hashes + i, used, Hash::Run(rest, size, seed));
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_HASH_SHORT_KEYS_AVX512_H_
