// AVX2: blocked filters, eight probes at a time. Each of a key's k probes (probe_sequence.h) has 32
// bits. The top 9 name one of the 512 bits of the key's block:
//
//   bits of the probe    31 30 29 28 27 26 25 24 23 | 22 .. 0
//   a query              [  word   ] [ bit of it  ] | not used
//   an insertion         [     byte      ] [ bit  ] | not used
//
// Templates have k as K, or K = 0: k is read at run time (unrolled.h).
#if defined(__x86_64__)

#include "src/filter/bits/unrolled.h"
#include "src/filter/layouts/blocked/blocked.h"
#include "src/filter/layouts/blocked/blocked_probes_avx2.h"

namespace bloomline::kernels {
namespace {

// A one at `position` if it lies in the register. A lane of 64 bits that begins at bit `base`
// shifts a one by position - base. Outside 0..63, taken as unsigned, that gives zero.
BLOOMLINE_AVX2_INLINE __m256i BitAt(__m256i position, __m256i base) {
  return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_sub_epi64(position, base));
}

BLOOMLINE_AVX2_INLINE void SetBit(uint32_t bit, Bits512* bits) {
  const __m256i position = _mm256_set1_epi64x(bit);
  bits->low = _mm256_or_si256(bits->low, BitAt(position, _mm256_set_epi64x(192, 128, 64, 0)));
  bits->high = _mm256_or_si256(bits->high, BitAt(position, _mm256_set_epi64x(448, 384, 320, 256)));
}

// Bits to be set, as bytes and masks. ORing byte by byte in memory is faster than setting bits in
// two registers, as SetBit does: a key of a blocked filter with six probes takes 1.95 instead of
// 2.6 ns, one of a flat filter of 45 bytes 5.9 instead of 9.2 (Emerald Rapids; portable 6.7).
template <int kCapacity>
struct ByteBits {
  static_assert(kCapacity % kProbesPer256Bits == 0);
  alignas(kBytesPer256Bits) uint32_t bytes[kCapacity];
  alignas(kBytesPer256Bits) uint32_t masks[kCapacity];

  // For bits first to first + 7: the byte of each, and a number whose lowest 3 bits say which bit
  // of it.
  BLOOMLINE_AVX2_INLINE void StoreEight(int first, __m256i byte, __m256i bit) {
    const __m256i bit_of_byte = _mm256_and_si256(bit, _mm256_set1_epi32(7));
    _mm256_store_si256(reinterpret_cast<__m256i*>(bytes + first), byte);
    _mm256_store_si256(reinterpret_cast<__m256i*>(masks + first),
                       _mm256_sllv_epi32(_mm256_set1_epi32(1), bit_of_byte));
  }

  BLOOMLINE_AVX2_INLINE void SetFirst(int num_bits, char* payload) const {
#pragma GCC unroll 16
    for (int j = 0; j < num_bits; ++j) {
      payload[bytes[j]] = static_cast<char>(payload[bytes[j]] | static_cast<char>(masks[j]));
    }
  }
};

// For k <= 8, so up to 13 bits per key, a query is one pass without a loop.
BLOOMLINE_AVX2_INLINE bool BlockMayMatch(Bits512 block, int num_probes, ProbePairs pairs) {
  bool has_bits = HasBits(block, EightProbes(pairs, 0), OnesInFirstLanes(num_probes));
  for (int first = kProbesPer256Bits; first < num_probes && has_bits; first += kProbesPer256Bits) {
    has_bits = HasBits(block, EightProbes(pairs, first), OnesInFirstLanes(num_probes - first));
  }
  return has_bits;
}

struct QueryOne {
  template <int K>
  BLOOMLINE_AVX2 static bool Run(const PayloadView& filter, uint64_t hash) {
    return BlockMayMatch(LoadBlock(BlockFor(filter, hash)), K == 0 ? filter.num_probes : K,
                         BlockedPairs(_mm256_set1_epi32(static_cast<int>(hash))));
  }
};

struct QueryMany {
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes,
                                 bool* may_match) {
    const PayloadView filter = caller_filter;  // the answers could alias the caller's
    const int num_probes = filter.num_probes;
    if (num_probes <= kProbesPer256Bits) {
      const __m256i ones = OnesInFirstLanes(num_probes);
#pragma GCC unroll 4
      for (size_t i = 0; i < n; ++i) may_match[i] = EightMatch(filter, hashes + i, 0, ones);
    } else if (num_probes <= 2 * kProbesPer256Bits) {
      for (size_t start = 0; start < n; start += kBatchKeys) {
        TwoPasses(filter, n - start < kBatchKeys ? n - start : kBatchKeys, hashes + start,
                  may_match + start);
      }
    } else {
      for (size_t i = 0; i < n; ++i) {
        may_match[i] = BlockMayMatch(LoadBlock(BlockFor(filter, hashes[i])), num_probes,
                                     BlockedPairs(Broadcast32(hashes + i)));
      }
    }
  }

 private:
  // With 9 to 16 probes, the second pass covers only the keys that the first one has left if they
  // are few, else all keys. Neither pass has a branch that depends on a key, which would take 11.3
  // instead of 6 ns if half of the keys are stored. One pass over 16 probes takes 1.6 times as long
  // if all are missing, and 0.9 times as long if half of them or all are stored.
  BLOOMLINE_AVX2_INLINE static void TwoPasses(const PayloadView& filter, size_t n,
                                              const uint64_t* hashes, bool* may_match) {
    static_assert(kBatchKeys <= 32);
    const __m256i ones = OnesInFirstLanes(kProbesPer256Bits);
    uint32_t left = 0;
    for (size_t i = 0; i < n; ++i) {
      const bool matches = EightMatch(filter, hashes + i, 0, ones);
      may_match[i] = matches;
      left |= uint32_t{matches} << i;
    }
    const __m256i second_ones = OnesInFirstLanes(filter.num_probes - kProbesPer256Bits);
    if (static_cast<size_t>(__builtin_popcount(left)) > n / 3) {
      for (size_t i = 0; i < n; ++i) {
        const bool matches = EightMatch(filter, hashes + i, kProbesPer256Bits, second_ones);
        may_match[i] = may_match[i] & matches;
      }
      return;
    }
    for (; left != 0; left &= left - 1) {
      const auto i = static_cast<size_t>(__builtin_ctz(left));
      may_match[i] = EightMatch(filter, hashes + i, kProbesPer256Bits, second_ones);
    }
  }

  BLOOMLINE_AVX2_INLINE static bool EightMatch(const PayloadView& filter, const uint64_t* hash,
                                               int first, __m256i ones) {
    return HasBits(LoadBlock(BlockFor(filter, *hash)),
                   EightProbes(BlockedPairs(Broadcast32(hash)), first), ones);
  }
};

// For up to eight probes.
BLOOMLINE_AVX2 void QueryBlocks(const char* const* blocks, int num_probes, size_t n,
                                const uint64_t* hashes, bool* may_match) {
  const __m256i ones = OnesInFirstLanes(num_probes);
#pragma GCC unroll 4
  for (size_t i = 0; i < n; ++i) {
    may_match[i] =
        HasBits(LoadBlock(blocks[i]), EightProbes(BlockedPairs(Broadcast32(hashes + i)), 0), ones);
  }
}

struct Insert {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n,
                                 const uint64_t* hashes) {
    const PayloadView filter = caller_filter;  // the payload's bytes could alias the caller's
    // A ring: step i sets the bits of key i - kInsertAhead, whose block has arrived by now, and
    // then prepares and prefetches key i in the same place.
    constexpr int kCapacity = WholeRegistersOfProbes(K);
    char* blocks[kInsertAhead];
    ByteBits<kCapacity> bits[kInsertAhead];
    for (size_t i = 0; i < n + kInsertAhead; ++i) {
      const size_t place = i % kInsertAhead;
      if (i >= kInsertAhead) bits[place].SetFirst(K == 0 ? filter.num_probes : K, blocks[place]);
      if (i >= n) continue;
      blocks[place] = WritableBlockFor(filter, hashes[i]);
      PrefetchForWrite(blocks[place]);
      const ProbePairs pairs = BlockedPairs(Broadcast32(hashes + i));
      for (int first = 0; first < kCapacity; first += kProbesPer256Bits) {
        const __m256i probes = EightProbes(pairs, first);
        bits[place].StoreEight(first, _mm256_srli_epi32(probes, 26), _mm256_srli_epi32(probes, 23));
      }
    }
  }
};

// Uses registers: byte by byte, AddKey takes 8.2 instead of 6.9 ns (Zen 4).
struct AddOne {
  template <int K>
  BLOOMLINE_AVX2 static bool Run(const PayloadView& filter, uint64_t hash) {
    const int num_probes = K == 0 ? filter.num_probes : K;
    auto* block = reinterpret_cast<__m256i*>(WritableBlockFor(filter, hash));
    const Bits512 before = {_mm256_loadu_si256(block), _mm256_loadu_si256(block + 1)};
    Bits512 bits = before;
    const ProbePair pair = BlockedPair(hash);
#pragma GCC unroll 16
    for (int j = 0; j < num_probes; ++j) SetBit(BlockedBit(Probe(pair, j)), &bits);
    const __m256i difference = _mm256_or_si256(_mm256_xor_si256(before.low, bits.low),
                                               _mm256_xor_si256(before.high, bits.high));
    _mm256_storeu_si256(block, bits.low);
    _mm256_storeu_si256(block + 1, bits.high);
    return _mm256_testz_si256(difference, difference) == 0;
  }
};

struct AddMany {
  template <int K>
  BLOOMLINE_AVX2 static void Run(const PayloadView& caller_filter, size_t n, const uint64_t* hashes,
                                 bool* changed) {
    const PayloadView filter = caller_filter;  // as in Insert
    for (size_t i = 0; i < n; ++i) changed[i] = AddOne::Run<K>(filter, hashes[i]);
  }
};

}  // namespace

BlockedKernel Avx2Blocked() {
  BlockedKernel kernel;
  kernel.may_match = QueryOne::Run<0>;
  kernel.may_match_for = UnrolledFunction<QueryOne>;
  kernel.may_match_many = QueryMany::Run;
  kernel.may_match_blocks_for = [](int num_probes) {
    return num_probes <= kProbesPer256Bits ? QueryBlocks : nullptr;
  };
  kernel.insert_many = RunForEach<Insert>;
  kernel.add_many = RunForEach<AddMany>;
  kernel.add_for = UnrolledFunction<AddOne>;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
