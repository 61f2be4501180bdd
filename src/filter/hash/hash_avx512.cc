// AVX-512: XXH3 of four short keys at a time. With eight keys in registers of 512 bits, it takes
// twice as long on Intel's processors if these did not multiply in 512 bits right before
// (docs/rejected.md).
#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include "src/filter/cpu/avx512.h"
#include "src/filter/hash/batch_hasher.h"

namespace bloomline::kernels {
namespace {

constexpr size_t kKeysAtOnce = sizeof(__m256i) / sizeof(uint64_t);

// Both halves of a product of 128 bits, combined by XOR. Lanes cannot be multiplied to 128 bits, so
// four products of their halves are added.
BLOOMLINE_AVX512_INLINE __m256i FoldedProduct(__m256i x, __m256i y) {
  const __m256i x_high = _mm256_srli_epi64(x, 32);
  const __m256i y_high = _mm256_srli_epi64(y, 32);
  const __m256i low = _mm256_mul_epu32(x, y);
  // No sum exceeds 64 bits: (2^32 - 1)^2 + 2^32 - 1 < 2^64.
  const __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(x_high, y), _mm256_srli_epi64(low, 32));
  const __m256i low_of_middle = _mm256_and_si256(middle, _mm256_set1_epi64x(0xFFFFFFFF));
  const __m256i sum = _mm256_add_epi64(_mm256_mul_epu32(x, y_high), low_of_middle);
  const __m256i carries =
      _mm256_add_epi64(_mm256_srli_epi64(middle, 32), _mm256_srli_epi64(sum, 32));
  const __m256i upper = _mm256_add_epi64(_mm256_mul_epu32(x_high, y_high), carries);
  const __m256i lower = _mm256_blend_epi32(low, _mm256_slli_epi64(sum, 32), 0xAA);
  return _mm256_xor_si256(lower, upper);
}

BLOOMLINE_AVX512_INLINE __m256i SwappedBytes(__m256i words) {
  const __m128i order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(order));
}

// XORs the words with themselves, shifted.
template <int kShift>
BLOOMLINE_AVX512_INLINE __m256i XorShifted(__m256i words) {
  return _mm256_xor_si256(words, _mm256_srli_epi64(words, kShift));
}

BLOOMLINE_AVX512_INLINE __m256i InAllLanes(uint64_t word) {
  return _mm256_set1_epi64x(static_cast<int64_t>(word));
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
  BLOOMLINE_AVX512_INLINE static __m256i Run(const char* const* keys, size_t size, uint64_t seed) {
    const uint64_t swapped = uint64_t{__builtin_bswap32(static_cast<uint32_t>(seed))} << 32;
    const uint64_t flip = (0x1cad21f72c81017c ^ 0xdb979083e96dd4de) - (seed ^ swapped);
    const size_t last = size - 4;
    const auto both = [=](int i) BLOOMLINE_AVX512 {
      return static_cast<int64_t>(HalfWord(keys[i] + last) | HalfWord(keys[i]) << 32);
    };
    const __m256i multiplier = InAllLanes(0x9FB21C651E98DF25);
    const __m256i words = _mm256_set_epi64x(both(3), both(2), both(1), both(0));
    __m256i hash = _mm256_xor_si256(words, InAllLanes(flip));
    const __m256i rotated =
        _mm256_xor_si256(_mm256_rol_epi64(hash, 49), _mm256_rol_epi64(hash, 24));
    hash = _mm256_mullo_epi64(_mm256_xor_si256(hash, rotated), multiplier);
    const __m256i sum = _mm256_add_epi64(_mm256_srli_epi64(hash, 35), InAllLanes(size));
    return XorShifted<28>(_mm256_mullo_epi64(_mm256_xor_si256(hash, sum), multiplier));
  }
};

// XXH3_len_9to16_64b.
struct Of9To16Bytes {
  BLOOMLINE_AVX512_INLINE static __m256i Run(const char* const* keys, size_t size, uint64_t seed) {
    const uint64_t flip_first = (0x1f67b3b7a4a44072 ^ 0x78e5c0cc4ee679cb) + seed;
    const uint64_t flip_last = (0x2172ffcc7dd05a82 ^ 0x8e2443f7744608b8) - seed;
    // First and last words of two keys each: 0, 2 and 1, 3.
    const size_t last_word = size - 8;
    const auto words_of = [=](int i) BLOOMLINE_AVX512 {
      return _mm_set_epi64x(Word(keys[i] + last_word), Word(keys[i]));
    };
    const __m256i even = _mm256_set_m128i(words_of(2), words_of(0));
    const __m256i odd = _mm256_set_m128i(words_of(3), words_of(1));
    const __m256i first =
        _mm256_xor_si256(_mm256_unpacklo_epi64(even, odd), InAllLanes(flip_first));
    const __m256i last = _mm256_xor_si256(_mm256_unpackhi_epi64(even, odd), InAllLanes(flip_last));
    const __m256i sum =
        _mm256_add_epi64(_mm256_add_epi64(SwappedBytes(first), InAllLanes(size)), last);
    const __m256i hash = _mm256_add_epi64(sum, FoldedProduct(first, last));
    return XorShifted<32>(_mm256_mullo_epi64(XorShifted<37>(hash), InAllLanes(0x165667919E3779F9)));
  }
};

template <typename Hash>
BLOOMLINE_AVX512_INLINE void HashAll(const char* const* keys, size_t n, size_t size, uint64_t seed,
                                     uint64_t* hashes) {
  size_t i = 0;
  for (; i + kKeysAtOnce <= n; i += kKeysAtOnce) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i), Hash::Run(keys + i, size, seed));
  }
  if (i == n) return;
  const char* rest[kKeysAtOnce];
  for (size_t j = 0; j < kKeysAtOnce; ++j) rest[j] = keys[std::min(i + j, n - 1)];
  const auto used = static_cast<__mmask8>((1u << (n - i)) - 1);
  _mm256_mask_storeu_epi64(hashes + i, used, Hash::Run(rest, size, seed));
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
  // Intel's processors multiply lanes of 64 bits in three steps: batches of blocked filters would
  // take 1.1 times as long as with keys hashed one by one (Emerald Rapids; docs/rejected.md).
  kernel.is_faster = __builtin_cpu_is("amd") != 0;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
