// AVX-512: a line is one register. Queries with k <= 8 stay in 256-bit registers, which hold eight
// probes and cost no clock frequency on older Intel CPUs; more probes go sixteen at a time.
#if defined(__x86_64__)

#include "src/kernels/all_kernels.h"
#include "src/kernels/avx512_bits.h"
#include "src/kernels/avx512_ones.h"
#include "src/kernels/blocked/lines.h"
#include "src/kernels/blocked/shared_words.h"
#include "src/kernels/probe_sequence.h"
#include "src/kernels/unrolled.h"

namespace bloomline::kernels {
namespace {

constexpr uint32_t kRegisterBytes = 64;

// Lane mask of the first n of 16 lanes.
inline __mmask16 LanesBelow(int n) {
  return static_cast<__mmask16>(n < 16 ? (1u << n) - 1 : 0xFFFF);
}

// Ones in the first n of 8 lanes, n <= 8. By a table, and tested without a mask register: that
// takes four instructions fewer.
BLOOMLINE_AVX512_INLINE __m256i OnesBelow(int n) {
  struct alignas(32) Lanes {
    uint32_t ones[8];
  };
  static constexpr Lanes kOnesBelow[9] = {
      {{}},
      {{1}},
      {{1, 1}},
      {{1, 1, 1}},
      {{1, 1, 1, 1}},
      {{1, 1, 1, 1, 1}},
      {{1, 1, 1, 1, 1, 1}},
      {{1, 1, 1, 1, 1, 1, 1}},
      {{1, 1, 1, 1, 1, 1, 1, 1}},
  };
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(kOnesBelow + n));
}

// How a line is read: `Half` gives its first or, at its middle, its last 32 bytes.
struct PlainLoad {
  BLOOMLINE_AVX512_INLINE static __m256i Half(const char* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  BLOOMLINE_AVX512_INLINE static __m512i Line(const char* p) { return _mm512_loadu_si512(p); }
};

// While other threads set bits: see LoadShared32 in avx2.cc.
struct SharedLoad {
  BLOOMLINE_AVX512_INLINE static __m256i Half(const char* p) {
    __m128i low, high;
    const auto* quarters = reinterpret_cast<const __m128i*>(p);
    __asm__ volatile("vmovdqa %1, %0" : "=x"(low) : "m"(quarters[0]));
    __asm__ volatile("vmovdqa %1, %0" : "=x"(high) : "m"(quarters[1]));
    return _mm256_set_m128i(high, low);
  }
  BLOOMLINE_AVX512_INLINE static __m512i Line(const char* p) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Half(p)), Half(p + kRegisterBytes / 2), 1);
  }
};

template <typename Load>
BLOOMLINE_AVX512_INLINE bool EightProbesMatch(const char* line, int num_probes, uint64_t hash) {
  const __m256i a = _mm256_set1_epi32(static_cast<int>(hash));
  const __m256i b = _mm256_rol_epi32(a, 16);
  const __m256i multipliers =
      _mm256_load_si256(reinterpret_cast<const __m256i*>(kProbeMultipliers));
  const __m256i probes = _mm256_add_epi32(a, _mm256_mullo_epi32(multipliers, b));
  const __m256i low = Load::Half(line);
  const __m256i high = Load::Half(line + kRegisterBytes / 2);
  const __m256i words = _mm256_permutex2var_epi32(low, _mm256_srli_epi32(probes, 28), high);
  // The rotation uses the lowest 5 bits of the 9, so no mask is needed.
  const __m256i bits = _mm256_rorv_epi32(words, _mm256_srli_epi32(probes, 23));
  return _mm256_testc_si256(bits, OnesBelow(num_probes)) != 0;
}

template <typename Load>
BLOOMLINE_AVX512_INLINE bool SixteenProbesMatch(const char* line, int num_probes, uint64_t hash) {
  const __m512i a = _mm512_set1_epi32(static_cast<int>(hash));
  const __m512i b = _mm512_rol_epi32(a, 16);
  const __m512i words = Load::Line(line);
  for (int first = 0; first < num_probes; first += 16) {
    const __m512i multipliers = _mm512_load_si512(kProbeMultipliers + first);
    const __m512i probes = _mm512_add_epi32(a, _mm512_mullo_epi32(multipliers, b));
    const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(probes, 28), words);
    const __m512i bits = _mm512_rorv_epi32(word, _mm512_srli_epi32(probes, 23));
    const __mmask16 zero = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1));
    if ((zero & LanesBelow(num_probes - first)) != 0) return false;
  }
  return true;
}

template <typename Load>
BLOOMLINE_AVX512_INLINE bool LineMayMatch(const char* line, int num_probes, uint64_t hash) {
  return num_probes <= 8 ? EightProbesMatch<Load>(line, num_probes, hash)
                         : SixteenProbesMatch<Load>(line, num_probes, hash);
}

struct MayMatch {
  template <int K>
  BLOOMLINE_AVX512 static bool Run(const BlockedLines& filter, uint64_t hash) {
    return LineMayMatch<PlainLoad>(Line(filter, hash), K == 0 ? filter.num_probes : K, hash);
  }
};

// Two keys with k <= 8: eight probes each, looked up in both lines at once.
BLOOMLINE_AVX512_INLINE __mmask16 TwoKeysZeroBits(const char* line0, const char* line1,
                                                  const uint64_t* hashes) {
  const __m512i lower_halves = _mm512_set_epi32(2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i second_line =
      _mm512_set_epi32(16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i multipliers = _mm512_broadcast_i64x4(
      _mm256_load_si256(reinterpret_cast<const __m256i*>(kProbeMultipliers)));
  const __m512i both =
      _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(hashes)));
  const __m512i a = _mm512_permutexvar_epi32(lower_halves, both);
  const __m512i b = _mm512_rol_epi32(a, 16);
  const __m512i probes = _mm512_add_epi32(a, _mm512_mullo_epi32(multipliers, b));
  const __m512i word = _mm512_or_si512(_mm512_srli_epi32(probes, 28), second_line);
  const __m512i words =
      _mm512_permutex2var_epi32(_mm512_loadu_si512(line0), word, _mm512_loadu_si512(line1));
  const __m512i bits = _mm512_rorv_epi32(words, _mm512_srli_epi32(probes, 23));
  return _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1));
}

BLOOMLINE_AVX512 void BlockedMayMatchMany(const BlockedLines& filter, size_t n,
                                          const uint64_t* hashes, bool* may_match) {
  const BlockedLines lines = filter;
  size_t i = 0;
  if (lines.num_probes <= 8) {
    const uint32_t asked = LanesBelow(lines.num_probes);
    for (; i + 2 <= n; i += 2) {
      const uint32_t zero =
          TwoKeysZeroBits(Line(lines, hashes[i]), Line(lines, hashes[i + 1]), hashes + i);
      may_match[i] = (zero & asked) == 0;
      may_match[i + 1] = (zero >> 8 & asked) == 0;
    }
  }
  for (; i < n; ++i) {
    may_match[i] = LineMayMatch<PlainLoad>(Line(lines, hashes[i]), lines.num_probes, hashes[i]);
  }
}

BLOOMLINE_AVX512 void SharedMayMatchMany(const BlockedLines& filter, size_t n,
                                         const uint64_t* hashes, bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = LineMayMatch<SharedLoad>(Line(filter, hashes[i]), filter.num_probes, hashes[i]);
  }
}

struct InsertInto {
  static constexpr bool kRequestsLines = true;
  BLOOMLINE_AVX512_INLINE static void Run(char* line, __m512i ones, size_t) {
    _mm512_storeu_si512(line, _mm512_or_si512(_mm512_loadu_si512(line), ones));
  }
};

struct AddTo {
  static constexpr bool kRequestsLines = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* line, __m512i ones, size_t i, bool* changed) {
    const __m512i before = _mm512_loadu_si512(line);
    const __m512i missing = _mm512_andnot_si512(before, ones);
    changed[i] = _mm512_test_epi64_mask(missing, missing) != 0;
    _mm512_storeu_si512(line, _mm512_or_si512(before, ones));
  }
};

struct AddToShared {
  static constexpr bool kRequestsLines = false;
  BLOOMLINE_AVX512_INLINE static void Run(char* line, __m512i ones, size_t i, bool* changed) {
    const __m512i missing = _mm512_andnot_si512(SharedLoad::Line(line), ones);
    const uint32_t lacking = _mm512_test_epi64_mask(missing, missing);
    alignas(64) uint64_t masks[kWordsPerLine];
    _mm512_store_si512(masks, ones);
    changed[i] = lacking != 0;
    OrSharedWords(reinterpret_cast<uint64_t*>(line), masks, lacking);
  }
};

template <typename F, typename... Args>
struct OnKeys {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const BlockedLines& filter, size_t n, const uint64_t* hashes,
                                   Args... args) {
    ForEachKey<F, K, 1>(const_cast<char*>(filter.data), filter.num_lines, filter.num_probes, n,
                        hashes, args...);
  }
};

void BlockedInsertMany(const BlockedLines& filter, size_t n, const uint64_t* hashes) {
  RunUnrolled<OnKeys<InsertInto>>(filter.num_probes, filter, n, hashes);
}

void BlockedAddMany(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* changed) {
  RunUnrolled<OnKeys<AddTo, bool*>>(filter.num_probes, filter, n, hashes, changed);
}

void SharedAddMany(const BlockedLines& filter, size_t n, const uint64_t* hashes, bool* changed) {
  RunUnrolled<OnKeys<AddToShared, bool*>>(filter.num_probes, filter, n, hashes, changed);
}

void SharedCountLines(const char* data, uint64_t num_lines, uint64_t* lines_with) {
  kAvx2Kernel.shared_count_lines(data, num_lines, lines_with);
}

// Byte mask of the part of a payload that lies in a register, which is all that is read or written
// of it.
BLOOMLINE_AVX512_INLINE __mmask64 BytesBelow(uint32_t num_bytes) {
  return _bzhi_u64(~0ull, num_bytes < kRegisterBytes ? num_bytes : kRegisterBytes);
}

// A payload of up to 128 bytes (102 keys at 10 bits) is looked up in two registers.
BLOOMLINE_AVX512 bool FlatMayMatch(const FlatBits& filter, uint64_t hash) {
  const uint32_t num_bytes = filter.num_bits / 8;
  if (num_bytes > 2 * kRegisterBytes) return kAvx2Kernel.flat_may_match(filter, hash);
  const ProbePair pair = FlatPair(hash);
  const __m512i low = _mm512_maskz_loadu_epi8(BytesBelow(num_bytes), filter.data);
  const __m512i high = num_bytes <= kRegisterBytes
                           ? _mm512_setzero_si512()
                           : _mm512_maskz_loadu_epi8(BytesBelow(num_bytes - kRegisterBytes),
                                                     filter.data + kRegisterBytes);
  const __m256i a = _mm256_set1_epi32(static_cast<int>(pair.a));
  const __m256i b = _mm256_set1_epi32(static_cast<int>(pair.b));
  const __m512i m = _mm512_set1_epi64(filter.num_bits);
  for (int first = 0; first < filter.num_probes; first += 8) {
    const __m256i multipliers =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(kProbeMultipliers + first));
    const __m256i probes = _mm256_add_epi32(a, _mm256_mullo_epi32(multipliers, b));
    const __m512i bit = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_cvtepu32_epi64(probes), m), 32);
    const __m512i words = _mm512_permutex2var_epi64(low, _mm512_srli_epi64(bit, 6), high);
    // The rotation uses the lowest 6 bits.
    const __mmask8 zero =
        _mm512_testn_epi64_mask(_mm512_rorv_epi64(words, bit), _mm512_set1_epi64(1));
    if ((zero & LanesBelow(filter.num_probes - first) & 0xFF) != 0) return false;
  }
  return true;
}

// Payloads of up to 64 bytes collect their bits in one register.
struct InsertFlat {
  template <int K>
  BLOOMLINE_AVX512 static void Run(const FlatBits& filter, size_t n, const uint64_t* hashes) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    const __mmask64 bytes = BytesBelow(filter.num_bits / 8);
    __m512i bits = _mm512_maskz_loadu_epi8(bytes, filter.data);
    for (size_t i = 0; i < n; ++i) {
      const ProbePair pair = FlatPair(hashes[i]);
#pragma GCC unroll 16
      for (int j = 0; j < num_probes; ++j) {
        bits = WithBit(bits, FlatBit(Probe(pair, j), filter.num_bits));
      }
    }
    _mm512_mask_storeu_epi8(const_cast<char*>(filter.data), bytes, bits);
  }
};

void FlatInsertMany(const FlatBits& filter, size_t n, const uint64_t* hashes) {
  if (filter.num_bits / 8 > kRegisterBytes) {
    kPortableKernel.flat_insert_many(filter, n, hashes);
  } else {
    RunUnrolled<InsertFlat>(filter.num_probes, filter, n, hashes);
  }
}

bool Supported() { return BLOOMLINE_CPU_HAS_ALL(BLOOMLINE_AVX512_EXTENSIONS); }

}  // namespace

const Kernel kAvx512Kernel = {
    "avx512",
    "x86-64 with AVX-512 F, BW, DQ, VL, VBMI and VPOPCNTDQ (Ice Lake, Zen 4): a line in one "
    "register",
    BLOOMLINE_EXTENSION_NAMES(BLOOMLINE_AVX512_EXTENSIONS),
    Supported,
    MayMatch::Run<0>,
    UnrolledFunction<MayMatch>,
    BlockedMayMatchMany,
    BlockedInsertMany,
    BlockedAddMany,
    SharedMayMatchMany,
    SharedAddMany,
    SharedCountLines,
    FlatMayMatch,
    FlatInsertMany,
    &kAvx512Compact,
    &kAvx512Counters,
};

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
