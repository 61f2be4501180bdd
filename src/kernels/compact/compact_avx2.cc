// Compact blocks with POPCNT and BMI2.
#if defined(__x86_64__)

#include "src/kernels/avx2_bits.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/compact/compact_query.h"
#include "src/kernels/compact/compact_x86_solvers.h"

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

// Bit i: the parity of lane i.
BLOOMLINE_AVX2_INLINE unsigned FourParities(__m256i bits) {
  // Halves of bytes, then their parities by table, then the sum over the lane.
  bits =
      _mm256_and_si256(_mm256_xor_si256(bits, _mm256_srli_epi64(bits, 4)), _mm256_set1_epi8(0x0F));
  const __m256i parity_of = _mm256_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0,  //
                                             0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0);
  const __m256i sums =
      _mm256_sad_epu8(_mm256_shuffle_epi8(parity_of, bits), _mm256_setzero_si256());
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

// The rest of a query that passed the fast columns: stored keys, and few missing ones. Out of line,
// so that the others' way needs few registers. PoolMatches, but with BZHI and four pieces at a
// time: their number varies from block to block, and a loop's end that is mispredicted costs more
// than pieces of no bits.
template <unsigned kArrangement>
BLOOMLINE_AVX2 __attribute__((noinline)) bool RestMatches(const char* block, uint64_t word,
                                                          uint64_t field, unsigned header,
                                                          uint64_t hash) {
  constexpr unsigned kFast = kArrangements[kArrangement].fast_columns;
  const unsigned slots = kMinCompactSlots + CodeOf(header);
  const Pool& pool = PoolFor<kArrangement>(slots);
  const uint64_t coefficients[] = {word, field, 0};
  uint64_t odd = 0;
  for (unsigned first = 0; first < pool.num_pieces; first += 4) {
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i) {
      const PoolPiece& piece = pool.pieces[first + i];
      const uint64_t bits = LoadLittleEndian64(block + piece.word_byte) >> piece.bit;
      const uint64_t* from = coefficients + piece.slot / kWordSlots;
      const unsigned shift = piece.slot % kWordSlots;
      const uint64_t window = from[0] >> shift | from[1] << 1 << (kWordSlots - 1 - shift);
      odd ^= uint64_t{Parity(_bzhi_u64(bits & window, piece.length))} << piece.column;
    }
  }
  const uint64_t asks_partial =
      UsesPartialColumn(hash, SelectorSalt(slots, AttemptOf(header)), pool.threshold);
  const uint64_t asked = ((uint64_t{1} << pool.full_columns) - (uint64_t{1} << kFast)) |
                         asks_partial << pool.full_columns;
  return ((odd ^ FingerprintOf(hash)) & asked) == 0;
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
