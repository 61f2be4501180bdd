// AVX2: flat filters, eight probes at a time.
#if defined(__x86_64__)

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/cpu/avx2_probes.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/cpu/unrolled.h"
#include "src/filter/layouts/flat/flat_kernel.h"

namespace bloomline::kernels {
namespace {

constexpr uint32_t kBitsPerRegister = 8 * kBytesPer256Bits;

BLOOMLINE_AVX2_INLINE __m256i EightFlatBits(ProbePair pair, int first, uint32_t num_bits) {
  const __m256i probes = EightProbes(InAllLanes(pair), first);
  const __m256i m = _mm256_set1_epi64x(num_bits);
  const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(probes, m), 32);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(probes, 32), m);
  return _mm256_blend_epi32(even, odd, 0xAA);
}

// A payload of 32 to 64 bytes (26 to 51 keys at 10 bits, LevelDB's usual filter). Its first and its
// last 32 bytes, which overlap, hold all words. No byte beyond is read.
BLOOMLINE_AVX2_INLINE bool TwoRegistersMayMatch(const FlatFilter& filter, ProbePair pair) {
  const uint32_t num_bits = NumBits(filter);
  const uint32_t last_start = num_bits - kBitsPerRegister;
  const __m256i first_bytes = Load256(filter.data);
  const __m256i last_bytes = Load256(filter.data + last_start / 8);
  for (int first = 0; first < filter.num_probes; first += kProbesPer256Bits) {
    const __m256i bits = EightFlatBits(pair, first, num_bits);
    const __m256i last_bits =
        _mm256_sub_epi32(bits, _mm256_set1_epi32(static_cast<int>(last_start)));
    const __m256i in_last = _mm256_cmpgt_epi32(bits, _mm256_set1_epi32(kBitsPerRegister - 1));
    const __m256i words = _mm256_blendv_epi8(
        _mm256_permutevar8x32_epi32(first_bytes, _mm256_srli_epi32(bits, 5)),
        _mm256_permutevar8x32_epi32(last_bytes, _mm256_srli_epi32(last_bits, 5)), in_last);
    const __m256i bit_of_word =
        _mm256_and_si256(_mm256_blendv_epi8(bits, last_bits, in_last), _mm256_set1_epi32(31));
    if (!WordsHaveBits(words, bit_of_word, OnesInFirstLanes(filter.num_probes - first))) {
      return false;
    }
  }
  return true;
}

// Any payload of 4 bytes or more: gathers the 4 bytes from each bit's on, or the last 4.
BLOOMLINE_AVX2_INLINE bool GatherMayMatch(const FlatFilter& filter, ProbePair pair) {
  const uint32_t num_bits = NumBits(filter);
  const __m256i last = _mm256_set1_epi32(static_cast<int>(filter.num_blocks - 4));
  for (int first = 0; first < filter.num_probes; first += kProbesPer256Bits) {
    const __m256i bits = EightFlatBits(pair, first, num_bits);
    const __m256i byte = _mm256_min_epu32(_mm256_srli_epi32(bits, 3), last);
    const __m256i words =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(filter.data), byte, 1);
    const __m256i bit_of_word = _mm256_sub_epi32(bits, _mm256_slli_epi32(byte, 3));
    if (!WordsHaveBits(words, bit_of_word, OnesInFirstLanes(filter.num_probes - first))) {
      return false;
    }
  }
  return true;
}

struct Insert {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const FlatFilter& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const uint32_t num_bits = NumBits(filter);
    char* payload = const_cast<char*>(filter.data);
    for (size_t i = 0; i < n; ++i) {
      const ProbePair pair = FlatPair(hashes[i]);
      ByteBits<WholeRegistersOfProbes(K)> bits;
      for (int first = 0; first < num_probes; first += kProbesPer256Bits) {
        const __m256i bit = EightFlatBits(pair, first, num_bits);
        bits.StoreEight(first, _mm256_srli_epi32(bit, 3), bit);
      }
      bits.SetFirst(num_probes, payload);
    }
  }
};

}  // namespace

BLOOMLINE_AVX2 bool Avx2FlatMayMatch(const FlatFilter& filter, uint64_t hash) {
  if (filter.num_blocks < 4) return PortableFlatMayMatch(filter, hash);
  const ProbePair pair = FlatPair(hash);
  const bool two_registers =
      filter.num_blocks >= kBytesPer256Bits && filter.num_blocks <= 2 * kBytesPer256Bits;
  return two_registers ? TwoRegistersMayMatch(filter, pair) : GatherMayMatch(filter, pair);
}

void Avx2FlatInsertMany(const FlatFilter& filter, size_t n, const uint64_t* hashes) {
  RunForEach<Insert>(filter, n, hashes);
}

FlatKernel Avx2Flat() {
  FlatKernel kernel;
  kernel.may_match = Avx2FlatMayMatch;
  kernel.insert_many = Avx2FlatInsertMany;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
