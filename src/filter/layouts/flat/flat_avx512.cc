// AVX-512: flat filters of up to 128 bytes, in one or two registers. Larger ones go to AVX2.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/flat/flat_kernel.h"

namespace bloomline::kernels {
namespace {

constexpr uint32_t kRegisterBytes = sizeof(__m512i);
constexpr int kProbesAtOnce = 8;  // their positions, as products of 64 bits, fill a register

// Byte mask of the part of a payload that lies in a register. No other byte is read or written.
BLOOMLINE_AVX512_INLINE __mmask64 BytesBelow(uint32_t num_bytes) {
  return _bzhi_u64(~0ull, num_bytes < kRegisterBytes ? num_bytes : kRegisterBytes);
}

// Mask of the first n of 8 lanes; n may exceed their number.
inline uint32_t FirstLanes(int n) { return n < kProbesAtOnce ? (1u << n) - 1 : 0xFF; }

// A payload of up to 128 bytes (102 keys at 10 bits) is looked up in two registers.
BLOOMLINE_AVX512 bool MayMatch(const FlatFilter& filter, uint64_t hash) {
  const auto num_bytes = static_cast<uint32_t>(filter.num_blocks);
  if (num_bytes > 2 * kRegisterBytes) return Avx2FlatMayMatch(filter, hash);
  const ProbePair pair = FlatPair(hash);
  const __m512i low = _mm512_maskz_loadu_epi8(BytesBelow(num_bytes), filter.data);
  const __m512i high = num_bytes <= kRegisterBytes
                           ? _mm512_setzero_si512()
                           : _mm512_maskz_loadu_epi8(BytesBelow(num_bytes - kRegisterBytes),
                                                     filter.data + kRegisterBytes);
  const __m256i a = _mm256_set1_epi32(static_cast<int>(pair.a));
  const __m256i b = _mm256_set1_epi32(static_cast<int>(pair.b));
  const __m512i m = _mm512_set1_epi64(NumBits(filter));
  for (int first = 0; first < filter.num_probes; first += kProbesAtOnce) {
    const __m256i multipliers =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(kProbeMultipliers + first));
    const __m256i probes = _mm256_add_epi32(a, _mm256_mullo_epi32(multipliers, b));
    const __m512i bit = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_cvtepu32_epi64(probes), m), 32);
    const __m512i words = _mm512_permutex2var_epi64(low, _mm512_srli_epi64(bit, 6), high);
    // The rotation uses the lowest 6 bits.
    const __mmask8 zero =
        _mm512_testn_epi64_mask(_mm512_rorv_epi64(words, bit), _mm512_set1_epi64(1));
    if ((zero & FirstLanes(filter.num_probes - first)) != 0) return false;
  }
  return true;
}

// Payloads of up to 64 bytes: collects the bits in one register.
struct InsertInRegister {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const FlatFilter& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const uint32_t num_bits = NumBits(filter);
    const __mmask64 bytes = BytesBelow(num_bits / 8);
    __m512i bits = _mm512_maskz_loadu_epi8(bytes, filter.data);
    for (size_t i = 0; i < n; ++i) {
      const ProbePair pair = FlatPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        bits = WithBit(bits, FlatBit(Probe(pair, j), num_bits));
      }
    }
    _mm512_mask_storeu_epi8(const_cast<char*>(filter.data), bytes, bits);
  }
};

void InsertMany(const FlatFilter& filter, size_t n, const uint64_t* hashes) {
  if (filter.num_blocks > kRegisterBytes) {
    Avx2FlatInsertMany(filter, n, hashes);
  } else {
    RunForEach<InsertInRegister>(filter, n, hashes);
  }
}

}  // namespace

FlatKernel Avx512Flat() {
  FlatKernel kernel;
  kernel.may_match = MayMatch;
  kernel.insert_many = InsertMany;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
