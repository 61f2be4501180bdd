// AVX-512: XXH3 of eight short keys at a time.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/hash/hash_kernel.h"
#include "src/filter/hash/short_keys_avx512.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX512_INLINE __m512i SwappedBytes(__m512i words) {
  const __m128i order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(order));
}

// XXH3_len_4to8_64b. The numbers in flips, here and below, are words of XXH3's secret.
struct Of4To8Bytes {
  BLOOMLINE_AVX512_INLINE static __m512i Run(const char* const* keys, size_t size, uint64_t seed) {
    const uint64_t swapped = uint64_t{__builtin_bswap32(static_cast<uint32_t>(seed))} << 32;
    const uint64_t flip = (0x1cad21f72c81017c ^ 0xdb979083e96dd4de) - (seed ^ swapped);
    const __m512i multiplier = InAllLanes(0x9FB21C651E98DF25);
    __m512i hash = _mm512_xor_si512(FirstAndLastHalves<true>(keys, size), InAllLanes(flip));
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
    const FirstAndLast words = FirstAndLastWords(keys, size);
    const __m512i first = _mm512_xor_si512(words.first, InAllLanes(flip_first));
    const __m512i last = _mm512_xor_si512(words.last, InAllLanes(flip_last));
    const __m512i sum =
        _mm512_add_epi64(_mm512_add_epi64(SwappedBytes(first), InAllLanes(size)), last);
    const __m512i hash = _mm512_add_epi64(sum, FoldedProduct(first, last));
    return XorShifted<32>(_mm512_mullo_epi64(XorShifted<37>(hash), InAllLanes(0x165667919E3779F9)));
  }
};

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
