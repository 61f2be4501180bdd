// Compact blocks with AVX2.
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

#define BLOOMLINE_COMPACT_TARGET BLOOMLINE_AVX2
#include "src/filter/layouts/compact/compact_pool_avx2.h"
#include "src/filter/layouts/compact/compact_vector_query.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/layouts/kernel.h"

namespace bloomline::kernels {
namespace {

// --- Parities of 64-bit lanes, and of bytes, which AVX2 does not count.

// By a register move. GCC alone goes through memory, which takes longer.
BLOOMLINE_AVX2_INLINE __m256i Broadcast(uint64_t word) {
  return _mm256_broadcastq_epi64(_mm_cvtsi64_si128(static_cast<long long>(word)));
}

// For each 4 bits, whether an odd number of them is set: as bit 0, which can be added up, and as
// bit 7, which VPMOVMSKB takes.
alignas(32) constexpr uint8_t kParities[32] = {
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0,
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0};

// In each byte, its parity: the XOR of its halves has the same, and 16 values fit a look-up table.
BLOOMLINE_AVX2_INLINE __m256i ByteParities(__m256i bits) {
  bits =
      _mm256_and_si256(_mm256_xor_si256(bits, _mm256_srli_epi64(bits, 4)), _mm256_set1_epi8(0x0F));
  return _mm256_shuffle_epi8(Load256(kParities), bits);
}

// Bit i: the parity of lane i. VPSADBW adds up the bytes of each lane; bit 0 of the sum is moved to
// where VMOVMSKPD takes it.
BLOOMLINE_AVX2_INLINE unsigned FourParities(__m256i bits) {
  const __m256i sums = _mm256_sad_epu8(ByteParities(bits), _mm256_setzero_si256());
  return static_cast<unsigned>(
      _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(sums, 63))));
}

// --- The fast columns, four at a time.
//
//   words      | word 0   | word 1   | word 2   | word 3   |     AND the key's slots 0 to 63
//   fields     | f0 0 0.. | f1 0 0.. | f2 0 0.. | f3 0 0.. |     AND its slots from 64 on
//              the XOR of both, and the parity of each of the four lanes
//
// The same for columns 4 to 7 if the block has six or seven. With five, POPCNT for the fifth is as
// fast. With seven, POPCNT for the last three makes a query 14 % slower. Blocks of 16 or 32 bytes
// have one to three, and POPCNT alone.
//
// The parities are compared with the fingerprint's lowest bits, which are those of the hash. Of the
// missing keys 2^-F are left, where F is the number of fast columns: 1 of 32 with five. A branch
// after the first four columns saves instructions, and loses as much by mispredictions
// (docs/rejected.md).

// Four fields, each in a lane of 64 bits with zeros above it, like mine.field.
template <unsigned kBytes>
BLOOMLINE_AVX2_INLINE __m256i FourFields(const char* fields) {
  if constexpr (kBytes == 2) {
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(fields)));
  }
  if constexpr (kBytes == 4) {
    return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(fields)));
  }
  return Load256(fields);
}

// A key's coefficients in each lane of 64 bits.
struct SlotsInLanes {
  __m256i words;
  __m256i fields;
};

// Bit i: the parity of the key's slots in fast column kFirst + i, of four. Columns that the block
// does not have: anything, since these lanes hold the fields and the pool. The caller masks them.
template <unsigned kArrangement, unsigned kFirst>
BLOOMLINE_AVX2_INLINE unsigned FourColumns(const char* block, SlotsInLanes mine) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  constexpr unsigned kFirstFieldByte = kA.first_field_byte() + kA.field_bytes * kFirst;
  static_assert(kFirstFieldByte + 4 * kA.field_bytes <= kA.block_bytes, "reads past the block");
  __m256i hits = _mm256_and_si256(Load256(block + 8 * kFirst), mine.words);
  if constexpr (kA.field_slots != 0) {
    const __m256i fields = FourFields<kA.field_bytes>(block + kFirstFieldByte);
    hits = _mm256_xor_si256(hits, _mm256_and_si256(fields, mine.fields));
  }
  return FourParities(hits);
}

// Bit i: the parity of the key's slots in fast column i. Other bits: anything.
template <unsigned kArrangement>
BLOOMLINE_AVX2_INLINE unsigned FastParities(const char* block, CompactSlots mine,
                                            SlotsInLanes in_lanes) {
  constexpr unsigned kColumns = kArrangements[kArrangement].fast_columns;
  unsigned odd = 0;
  unsigned column = 0;
  if constexpr (kColumns >= 4) {
    odd = FourColumns<kArrangement, 0>(block, in_lanes);
    column = 4;
  }
  if constexpr (kColumns >= 6) return odd | FourColumns<kArrangement, 4>(block, in_lanes) << 4;
#pragma GCC unroll 3
  for (; column < kColumns; ++column) {
    odd |= ColumnParity<kArrangement>(block, column, mine) << column;
  }
  return odd;
}

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
  // AVX2 cannot shift 8 or 16 bits by different counts, but it can multiply by powers of two.
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
// column is one that does not match. Columns that the block lacks have no places, and are even.
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

struct Query : VectorQuery<Query> {
  using PoolRow = PoolBytes;

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 static unsigned Parities(const char* block, CompactSlots mine) {
    return FastParities<kArrangement>(block, mine, {Broadcast(mine.word), Broadcast(mine.field)});
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX2 static unsigned BatchParities(const char* block, const uint64_t* word,
                                               const uint64_t* field) {
    return FastParities<kArrangement>(block, {*word, *field},
                                      {Broadcast64(word), Broadcast64(field)});
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
};

}  // namespace

CompactKernel Avx2Compact() { return CompactKernelOf<Query>(Avx2SolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
