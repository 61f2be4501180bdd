// Compact blocks with AVX2: fast columns four at a time.
//
// A block is a matrix of bits: a row for each slot, a column for each bit of a fingerprint. The
// hash of a key gives it a coefficient for each slot ("the key's slots") and a fingerprint. It
// matches if in each column the parity of (column AND coefficients) is the fingerprint's bit. Fast
// columns have fixed places in the block: a word for slots 0 to 63, a field for the others
// (compact_block.h). The other columns are in the pool (compact_pool_avx2.h).
#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/avx2_bits.h"
#include "src/filter/layouts/compact/compact_batch.h"
#include "src/filter/layouts/compact/compact_batch_avx2.h"
#include "src/filter/layouts/compact/compact_fast_avx2.h"
#include "src/filter/layouts/compact/compact_pool_avx2.h"
#include "src/filter/layouts/compact/compact_query.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

// --- The pool: compact_pool_avx2.h has what the tables say.

// Bit i: the parity of the key's slots in place i.
template <unsigned kBlockSize>
BLOOMLINE_AVX2_INLINE uint32_t OddPlaces(const char* block, __m256i coefficients,
                                         const PoolBytes::Register& r) {
  // VPSHUFB looks up within each lane of 16 bytes. So bytes 0 to 15 and 32 to 47 of a block of 64
  // come to places 0 to 15 only, bytes 16 to 31 to places 16 to 31 only. The last 16, where most of
  // the pool is, are broadcast, and come to any place. Each place takes its byte from one of the
  // three look-ups; the other two give zero.
  const __m256i last_16 = _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + kBlockSize - 16)));
  __m256i bytes = _mm256_shuffle_epi8(last_16, Load256(r.from_last_16));
  if constexpr (kBlockSize >= 32) {
    bytes = _mm256_or_si256(bytes, _mm256_shuffle_epi8(Load256(block), Load256(r.from_bytes_0_31)));
  }
  if constexpr (kBlockSize == 64) {
    bytes = _mm256_or_si256(bytes,
                            _mm256_shuffle_epi8(Load256(block + 32), Load256(r.from_bytes_32_63)));
  }
  // AVX2 has no shifts of 8 or 16 bits by different counts, but multiplications by powers of two.
  // Places 2 i and 2 i + 1 share 16 bits, which in `even` have the window of place 2 i:
  //
  //   even place: (window << (16 - shift)) >> 16, lower byte      odd: window << (8 - shift), upper
  const __m256i even = _mm256_mulhi_epu16(_mm256_shuffle_epi8(coefficients, Load256(r.even_bytes)),
                                          Load256(r.even_factors));
  const __m256i odd = _mm256_mullo_epi16(_mm256_shuffle_epi8(coefficients, Load256(r.odd_bytes)),
                                         Load256(r.odd_factors));
  const __m256i spread = _mm256_blendv_epi8(even, odd, _mm256_set1_epi16(-256));  // 0xFF00
  const __m256i hits = _mm256_and_si256(_mm256_and_si256(bytes, Load256(r.mask)), spread);
  return static_cast<uint32_t>(_mm256_movemask_epi8(ByteParities(hits)));
}

BLOOMLINE_AVX2_INLINE unsigned CountOnes(uint64_t bits) {
  return static_cast<unsigned>(__builtin_popcountll(bits));
}

// The fingerprint's bits take part in the parities: bit 32 + i is in first_places[i]. So an odd
// column is one that does not match. Columns that the block does not have have no places, and are
// even.
//
// At most kFewPoolColumns full columns, and the partial one: a POPCNT for each. The parity of a
// count is its bit 0, so only bit 0 of the ORed counts is of use.
BLOOMLINE_AVX2_INLINE bool OneRegisterMatches(const PoolBytes& pool, uint64_t first,
                                              unsigned asks_partial) {
  unsigned wrong = CountOnes(first & pool.partial_first_places) & asks_partial;
#pragma GCC unroll 4
  for (unsigned i = 0; i < kFewPoolColumns; ++i) {
    wrong |= CountOnes(first & pool.first_places[i]);
  }
  return (wrong & 1) == 0;
}

// All kMaxPoolColumns, four at a time in vectors, so that no branch depends on their number.
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
    odd |=
        FourParities(_mm256_xor_si256(_mm256_and_si256(firsts, Load256(&pool.first_places[i])),
                                      _mm256_and_si256(seconds, Load256(&pool.second_places[i]))));
  }
  return ((wrong & 1) | odd) == 0;
}

struct Query : PlainQuery<Query> {
  using PoolRow = PoolBytes;

  // As SlotsInBlock, without its minimum of slots and 64: BZHI keeps all 64 bits when it is asked
  // for 64 or more.
  BLOOMLINE_AVX2 static CompactSlots Slots(const CompactKey& key, unsigned slots,
                                           unsigned attempt) {
    const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
    return {_bzhi_u64(WordInAttempt(key, attempt), slots), _bzhi_u64(key.slots.field, in_field)};
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 static bool FastColumns(const char* block, CompactSlots mine, uint64_t hash) {
    const unsigned odd =
        FastParities<kArrangement>(block, mine, {Broadcast(mine.word), Broadcast(mine.field)});
    constexpr unsigned kAll = (1u << kArrangements[kArrangement].fast_columns) - 1;
    return ((odd ^ static_cast<unsigned>(hash)) & kAll) == 0;
  }

  // Flatten: at -O2, GCC 12 finds RowMatches equal in several arrangements, and calls it.
  template <unsigned kArrangement>
  BLOOMLINE_AVX2 __attribute__((noinline, flatten)) static bool PoolColumns(
      const char* block, uint64_t word, uint64_t field, unsigned header, uint64_t hash) {
    return PoolMatchesByTable<kArrangement, Query>(block, word, field, header, hash);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 static bool RowMatches(const PoolBytes& pool, const char* block, CompactSlots mine,
                                        uint32_t fingerprint, unsigned asks_partial) {
    constexpr unsigned kBlockSize = kArrangements[kArrangement].block_bytes;
    const __m256i coefficients = _mm256_broadcastsi128_si256(
        _mm_set_epi64x(static_cast<long long>(mine.field), static_cast<long long>(mine.word)));
    const uint64_t first = OddPlaces<kBlockSize>(block, coefficients, pool.registers[0]) |
                           uint64_t{fingerprint} << kPoolPlaces;
    if (pool.num_registers == 1) return OneRegisterMatches(pool, first, asks_partial);
    const uint64_t second = OddPlaces<kBlockSize>(block, coefficients, pool.registers[1]);
    return TwoRegistersMatch(pool, first, second, asks_partial);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 __attribute__((noinline)) static bool OtherBlock(const char* block,
                                                                  unsigned header, uint64_t hash) {
    return OtherBlockMayMatch<kArrangement, Query>(block, header, hash);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 static bool MayMatch(const CompactFilter& filter, uint64_t hash) {
    return CompactMayMatch<kArrangement, Query>(filter, hash);
  }

  template <unsigned kArrangement>
  using Batch = CompactBatch<kArrangement>;

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 static void TestPools(const Batch<kArrangement>& batch, const PoolBytes* rows,
                                       const uint64_t* hashes, bool* may_match) {
    for (uint32_t left = batch.pool; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned header = batch.headers[i];
      may_match[i] = PoolMatchesByRow<kArrangement, Query>(rows[CodeOf(header)], batch.blocks[i],
                                                           batch.slots[i], header, hashes[i]);
    }
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 __attribute__((flatten)) static void MayMatchMany(const CompactFilter& filter,
                                                                   size_t n, const uint64_t* hashes,
                                                                   bool* may_match) {
    MayMatchInBatches<kArrangement, Query>(filter, n, hashes, may_match);
  }
};

}  // namespace

CompactKernel Avx2Compact() { return CompactKernelOf<Query>(Avx2SolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
