// AVX-512: RocksDB's hash of eight short keys at a time (rocksdb_hash.h).
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/hash/short_keys_avx512.h"
#include "src/filter/stock/rocksdb_hash.h"

namespace bloomline::stock {
namespace {

using kernels::InAllLanes;
using kernels::XorShifted;

// The numbers are those of ShortRocksDBHash64.
BLOOMLINE_AVX512_INLINE __m512i Avalanche(__m512i hash) {
  return XorShifted<32>(_mm512_mullo_epi64(XorShifted<37>(hash), InAllLanes(kPrime64Third)));
}

struct Of4To8Bytes {
  BLOOMLINE_AVX512_INLINE static __m512i Run(const char* const* keys, size_t size, uint64_t) {
    const __m512i keyed =
        _mm512_xor_si512(kernels::FirstAndLastHalves<false>(keys, size), InAllLanes(kSecret0));
    const __m512i mixed = _mm512_add_epi64(
        _mm512_mullo_epi64(XorShifted<51>(keyed), InAllLanes(kPrime32First)), InAllLanes(size));
    return Avalanche(_mm512_mullo_epi64(XorShifted<47>(mixed), InAllLanes(kPrime64Second)));
  }
};

struct Of9To16Bytes {
  BLOOMLINE_AVX512_INLINE static __m512i Run(const char* const* keys, size_t size, uint64_t) {
    const kernels::FirstAndLast words = kernels::FirstAndLastWords(keys, size);
    const __m512i low = _mm512_xor_si512(words.first, InAllLanes(kSecret0));
    const __m512i high = _mm512_xor_si512(words.last, InAllLanes(kSecret8));
    const __m512i sum = _mm512_add_epi64(_mm512_add_epi64(low, InAllLanes(size)), high);
    return Avalanche(_mm512_add_epi64(sum, kernels::FoldedProduct(low, high)));
  }
};

BLOOMLINE_AVX512 void HashShortKeys(const char* const* keys, size_t n, size_t size, uint64_t seed,
                                    uint64_t* hashes) {
  if (size > 8) {
    kernels::HashAll<Of9To16Bytes>(keys, n, size, seed, hashes);
  } else {
    kernels::HashAll<Of4To8Bytes>(keys, n, size, seed, hashes);
  }
}

}  // namespace

kernels::HashKernel Avx512RocksDBHash() { return {HashShortKeys}; }

}  // namespace bloomline::stock

#endif  // defined(__x86_64__)
