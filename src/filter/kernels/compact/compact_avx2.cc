// Compact blocks with AVX2: four fast columns at once, the others by POPCNT; the pool byte by byte.
#if defined(__x86_64__)

#include "src/filter/kernels/avx2_bits.h"
#include "src/filter/kernels/compact/compact_kernel.h"
#include "src/filter/kernels/compact/compact_pool_bytes.h"
#include "src/filter/kernels/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX2_INLINE __m256i Load(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// By a register move; left to itself, GCC goes through memory, which takes longer.
BLOOMLINE_AVX2_INLINE __m256i Broadcast(uint64_t word) {
  return _mm256_broadcastq_epi64(_mm_cvtsi64_si128(static_cast<long long>(word)));
}

// SlotsInBlock with BZHI, which takes more bits than a word has for all of them.
BLOOMLINE_AVX2_INLINE CompactSlots MySlots(const CompactKey& key, unsigned slots,
                                           unsigned attempt) {
  const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
  return {_bzhi_u64(WordInAttempt(key, attempt), slots), _bzhi_u64(key.slots.field, in_field)};
}

// The first four fields, each in a lane.
template <unsigned kBytes>
BLOOMLINE_AVX2_INLINE __m256i FourFields(const char* fields) {
  if constexpr (kBytes == 2) {
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(fields)));
  }
  if constexpr (kBytes == 4) {
    return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(fields)));
  }
  return Load(fields);
}

// For each 4 bits, whether an odd number of them is set: bit 0, and bit 7.
alignas(32) constexpr uint8_t kParities[32] = {
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0,
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0};

// In each byte, its parity: bit 0, and bit 7.
BLOOMLINE_AVX2_INLINE __m256i ByteParities(__m256i bits) {
  bits =
      _mm256_and_si256(_mm256_xor_si256(bits, _mm256_srli_epi64(bits, 4)), _mm256_set1_epi8(0x0F));
  return _mm256_shuffle_epi8(Load(kParities), bits);
}

// Bit i: the parity of lane i.
BLOOMLINE_AVX2_INLINE unsigned FourParities(__m256i bits) {
  const __m256i sums = _mm256_sad_epu8(ByteParities(bits), _mm256_setzero_si256());
  return static_cast<unsigned>(
      _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(sums, 63))));
}

// Bit i: the parity of the key's slots in fast column i: four columns at once, the others by
// POPCNT.
template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE unsigned FastParities256(const char* block, CompactSlots mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  unsigned odd = 0;
  unsigned column = 0;
  if constexpr (kA.fast_columns >= 4) {
    __m256i hits = _mm256_and_si256(Load(block), Broadcast(mine.word));
    if constexpr (kA.field_slots != 0) {
      const __m256i fields = FourFields<kA.field_bytes>(block + kA.first_field_byte());
      hits = _mm256_xor_si256(hits, _mm256_and_si256(fields, Broadcast(mine.field)));
    }
    odd = FourParities(hits);
    column = 4;
  }
#pragma GCC unroll 3
  for (; column < kA.fast_columns; ++column) {
    odd |= ColumnParity<kArrangement>(block, column, mine) << column;
  }
  return odd;
}

// Bit i: the parity of the key's slots in place i.
template <unsigned kBlockSize>
BLOOMLINE_AVX2_INLINE uint32_t OddPlaces(const char* block, __m256i coefficients,
                                         const PoolBytes::Register& r) {
  const __m256i last_quarter = _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + kBlockSize - 16)));
  __m256i bytes = _mm256_or_si256(_mm256_shuffle_epi8(Load(block), Load(r.of_first_half)),
                                  _mm256_shuffle_epi8(last_quarter, Load(r.of_last_quarter)));
  if constexpr (kBlockSize == 64) {
    bytes = _mm256_or_si256(bytes, _mm256_shuffle_epi8(Load(block + 32), Load(r.of_second_half)));
  }
  const __m256i even = _mm256_mulhi_epu16(_mm256_shuffle_epi8(coefficients, Load(r.even_bytes)),
                                          Load(r.even_factors));
  const __m256i odd =
      _mm256_mullo_epi16(_mm256_shuffle_epi8(coefficients, Load(r.odd_bytes)), Load(r.odd_factors));
  const __m256i spread = _mm256_blendv_epi8(even, odd, _mm256_set1_epi16(-256));
  const __m256i hits = _mm256_and_si256(_mm256_and_si256(bytes, Load(r.mask)), spread);
  return static_cast<uint32_t>(_mm256_movemask_epi8(ByteParities(hits)));
}

BLOOMLINE_AVX2_INLINE unsigned CountOnes(uint64_t bits) {
  return static_cast<unsigned>(__builtin_popcountll(bits));
}

// Whether four full columns give the fingerprint's bits: parities, four times.
BLOOMLINE_AVX2_INLINE bool OneRegisterMatches(const PoolBytes& pool, uint64_t first,
                                              unsigned asks_partial) {
  unsigned wrong = CountOnes(first & pool.partial_first_places) & asks_partial;
#pragma GCC unroll 4
  for (unsigned i = 0; i < kFewPoolColumns; ++i) {
    wrong |= CountOnes(first & pool.first_places[i]);
  }
  return (wrong & 1) == 0;
}

BLOOMLINE_AVX2_INLINE bool TwoRegistersMatch(const PoolBytes& pool, uint64_t first, uint64_t second,
                                             unsigned asks_partial) {
  unsigned wrong =
      CountOnes((first & pool.partial_first_places) ^ (second & pool.partial_second_places)) &
      asks_partial;
  const __m256i firsts = Broadcast(first);
  const __m256i seconds = Broadcast(second);
  unsigned odd = 0;
#pragma GCC unroll 4
  for (unsigned i = 0; i < kMaxPoolColumns; i += 4) {
    odd |= FourParities(_mm256_xor_si256(_mm256_and_si256(firsts, Load(&pool.first_places[i])),
                                         _mm256_and_si256(seconds, Load(&pool.second_places[i]))));
  }
  return ((wrong & 1) | odd) == 0;
}

// Without PoolBytes: blocks with too many pieces for them, and while a thread makes them. Out of
// line, like what follows.
template <unsigned kArrangement>
BLOOMLINE_AVX2 __attribute__((noinline)) bool PoolPiecesMatch(const char* block, uint64_t word,
                                                              uint64_t field, unsigned header,
                                                              uint64_t hash) {
  const unsigned slots = kMinCompactSlots + CodeOf(header);
  return PoolMatches(block, PoolFor<kArrangement>(slots), kArrangements[kArrangement].fast_columns,
                     slots, AttemptOf(header), {word, field}, hash);
}

template <unsigned kArrangement>
bool FirstRestMatches(const char* block, uint64_t word, uint64_t field, unsigned header,
                      uint64_t hash);

// The rest of a query that passed the fast columns: stored keys, and few missing ones. Out of line,
// so that the path of the others needs few registers.
template <unsigned kArrangement>
BLOOMLINE_AVX2 __attribute__((noinline)) bool RestMatches(const char* block, uint64_t word,
                                                          uint64_t field, unsigned header,
                                                          uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const PoolBytes* pools = pool_bytes<kArrangement>.rows();
  if (__builtin_expect(pools == nullptr, 0)) {
    return FirstRestMatches<kArrangement>(block, word, field, header, hash);
  }
  const PoolBytes& pool = pools[CodeOf(header)];
  if (__builtin_expect(pool.num_registers == 0, 0)) {
    return PoolPiecesMatch<kArrangement>(block, word, field, header, hash);
  }
  const __m256i coefficients = _mm256_broadcastsi128_si256(
      _mm_set_epi64x(static_cast<long long>(field), static_cast<long long>(word)));
  const unsigned asks_partial = UsesPartialColumn(
      hash, SelectorSalt(kMinCompactSlots + CodeOf(header), AttemptOf(header)), pool.threshold);
  const uint64_t first = OddPlaces<kA.block_bytes>(block, coefficients, pool.registers[0]) |
                         uint64_t{FingerprintOf(hash) >> kA.fast_columns} << kPoolPlaces;
  if (pool.num_registers == 1) return OneRegisterMatches(pool, first, asks_partial);
  const uint64_t second = OddPlaces<kA.block_bytes>(block, coefficients, pool.registers[1]);
  return TwoRegistersMatch(pool, first, second, asks_partial);
}

// A function of its own, so that the usual one saves no registers.
template <unsigned kArrangement>
__attribute__((noinline)) bool FirstRestMatches(const char* block, uint64_t word, uint64_t field,
                                                unsigned header, uint64_t hash) {
  if (MakePoolBytes<kArrangement>() == nullptr) {
    return PoolPiecesMatch<kArrangement>(block, word, field, header, hash);
  }
  return RestMatches<kArrangement>(block, word, field, header, hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX2 __attribute__((noinline)) bool OtherBlock(const char* block, unsigned header,
                                                         uint64_t hash) {
  return OtherBlockMayMatch<kArrangement>(block, CodeOf(header), AttemptOf(header), hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE bool BlockMayMatch(const CompactFilter& filter, uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const char* block = CompactBlock(filter, kA.block_bytes, hash);
  const unsigned header = LoadHeader<kA.block_bytes>(block);
  if (__builtin_expect(CodeOf(header) > MaxCodeOf(kArrangement), 0)) {
    return OtherBlock<kArrangement>(block, header, hash);
  }
  const CompactSlots mine =
      MySlots(CompactKeyOf(hash), kMinCompactSlots + CodeOf(header), AttemptOf(header));
  const unsigned odd = FastParities256<kArrangement>(block, mine);
  if (((odd ^ static_cast<unsigned>(hash)) & ((1u << kA.fast_columns) - 1)) != 0) return false;
  return RestMatches<kArrangement>(block, mine.word, mine.field, header, hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX2 bool MayMatch(const CompactFilter& filter, uint64_t hash) {
  return BlockMayMatch<kArrangement>(filter, hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX2 void MayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                                 bool* may_match) {
  const CompactFilter blocks = filter;
  for (size_t i = 0; i < n; ++i) may_match[i] = BlockMayMatch<kArrangement>(blocks, hashes[i]);
}

}  // namespace

CompactKernel Avx2Compact() {
  CompactKernel kernel;
  SetForEachArrangement(&kernel, [](auto arrangement, CompactKernel* k) {
    k->may_match[arrangement] = MayMatch<arrangement>;
    k->may_match_many[arrangement] = MayMatchMany<arrangement>;
  });
  kernel.solve = Avx2SolveCompact;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
