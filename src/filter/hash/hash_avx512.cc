// AVX-512: XXH3 of eight short keys at a time.
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/hash/hash_kernel.h"

namespace bloomline::kernels {
namespace {

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

BLOOMLINE_AVX512_INLINE __m512i SwappedBytes(__m512i words) {
  const __m128i order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order));
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

// XXH3_len_4to8_64b. The numbers in flips, here and below, are words of XXH3's secret.
struct Of4To8Bytes {
  BLOOMLINE_AVX512_INLINE static __m512i Run(const char* const* keys, size_t size, uint64_t seed) {
    const uint64_t swapped = uint64_t{__builtin_bswap32(static_cast<uint32_t>(seed))} << 32;
    const uint64_t flip = (0x1cad21f72c81017c ^ 0xdb979083e96dd4de) - (seed ^ swapped);
    const size_t last = size - 4;
    const auto both = [=](int i) BLOOMLINE_AVX512 {
      return static_cast<int64_t>(HalfWord(keys[i] + last) | HalfWord(keys[i]) << 32);
    };
    const __m512i multiplier = InAllLanes(0x9FB21C651E98DF25);
    const __m512i words =
        _mm512_set_epi64(both(7), both(6), both(5), both(4), both(3), both(2), both(1), both(0));
    __m512i hash = _mm512_xor_si512(words, InAllLanes(flip));
    const __m512i rotated =
        _mm512_xor_si512(_mm512_rol_epi64(hash, 49), _mm512_rol_epi64(hash, 24));
    hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, rotated), multiplier);
    const __m512i sum = _mm512_add_epi64(_mm512_srli_epi64(hash, 35), InAllLanes(size));
    return XorShifted<28>(_mm512_mullo_epi64(_mm512_xor_si512(hash, sum), multiplier));
  }
};

// XXH3_len_9to16_64b.
struct Of9To16Bytes {
  BLOOMLINE_AVX512_INLINE static __m512i Run(const char* const* keys, size_t size, uint64_t seed) {
    const uint64_t flip_first = (0x1f67b3b7a4a44072 ^ 0x78e5c0cc4ee679cb) + seed;
    const uint64_t flip_last = (0x2172ffcc7dd05a82 ^ 0x8e2443f7744608b8) - seed;
    // First and last words of four keys each: 0, 2, 4, 6 and 1, 3, 5, 7.
    const size_t last_word = size - 8;
    const auto words_of = [=](int i) BLOOMLINE_AVX512 {
      return _mm_set_epi64x(Word(keys[i] + last_word), Word(keys[i]));
    };
    const auto four = [=](int i) BLOOMLINE_AVX512 {
      __m512i words = _mm512_castsi128_si512(words_of(i));
      words = _mm512_inserti64x2(words, words_of(i + 2), 1);
      words = _mm512_inserti64x2(words, words_of(i + 4), 2);
      return _mm512_inserti64x2(words, words_of(i + 6), 3);
    };
    const __m512i even = four(0);
    const __m512i odd = four(1);
    const __m512i first =
        _mm512_xor_si512(_mm512_unpacklo_epi64(even, odd), InAllLanes(flip_first));
    const __m512i last = _mm512_xor_si512(_mm512_unpackhi_epi64(even, odd), InAllLanes(flip_last));
    const __m512i sum =
        _mm512_add_epi64(_mm512_add_epi64(SwappedBytes(first), InAllLanes(size)), last);
    const __m512i hash = _mm512_add_epi64(sum, FoldedProduct(first, last));
    return XorShifted<32>(_mm512_mullo_epi64(XorShifted<37>(hash), InAllLanes(0x165667919E3779F9)));
  }
};

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

BLOOMLINE_AVX512 void HashShortKeys(const char* const* keys, size_t n, size_t size, uint64_t seed,
                                    uint64_t* hashes) {
  if (size > 8) {
    HashAll<Of9To16Bytes>(keys, n, size, seed, hashes);
  } else {
    HashAll<Of4To8Bytes>(keys, n, size, seed, hashes);
  }
}

}  // namespace

HashKernel Avx512Hash() {
  HashKernel kernel;
  kernel.short_keys = HashShortKeys;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
