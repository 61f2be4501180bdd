// Compact blocks with AVX2.
//
// A block is a matrix of bits: a row for each slot, a column for each bit of a fingerprint. The
// hash of a key gives it a coefficient for each slot ("the key's slots") and a fingerprint. It
// matches if in each column the parity of (column AND coefficients) is the fingerprint's bit. Fast
// columns have fixed places in the block: a word for slots 0 to 63, a field for the others
// (compact_block.h). The other columns are in the pool.
#if defined(__x86_64__)

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/avx2.h"

#define BLOOMLINE_COMPACT_TARGET BLOOMLINE_AVX2
#include "src/filter/layouts/compact/compact.h"
#include "src/filter/layouts/compact/compact_vector_query.h"
#include "src/filter/layouts/compact/solver/solve.h"

namespace bloomline::kernels {
namespace {

// --- The tables of the pool, which is tested byte by byte. A place is a byte of a register. The
// tables differ by the number of slots, not by the key.
//
//   block          b0 b1 b2 .. b63           three look-ups bring the pool's bytes to 32 places
//   places         p0 p1 .. p31
//   coefficients   c0 .. c7 word, c8 .. c15 field; of slots 8 j to 8 j + 7 in byte c(j)
//   spread         s0 s1 .. s31              for each place, the 8 coefficients of its byte's bits.
//                                            They begin at any bit, so a look-up brings the two
//                                            bytes that have them, and a multiplication shifts
//   hits           p & s & mask              the parity of each place is a bit
//   column i       the parity of its places
//
// A byte that two columns share has two places, with different masks. The cost depends on the
// number of the pool's bytes, not of its pieces. That number hardly varies from block to block, nor
// does the number of registers. A mispredicted branch would cost more than all of this: to go from
// piece to piece takes twice as long (docs/rejected.md).

constexpr unsigned kPoolPlaces = 32;  // of a register
constexpr unsigned kMaxPoolRegisters = 2;
// Blocks of one register have at most this many pool columns. All are tested, so no branch depends
// on their number.
constexpr unsigned kFewPoolColumns = 4;
constexpr unsigned kNoByte = 0x80;  // VPSHUFB gives zero

struct alignas(64) PoolBytes {
  // The coefficients of a place are 8 consecutive bits of two bytes of the key's coefficients. A
  // multiplication by a power of two brings them into the upper byte of the product's lower half
  // (odd places), or into the lower byte of its upper half (even places).
  struct Register {
    // One of the three arrays has the number, modulo 16, of the place's byte, and the others have
    // kNoByte, so that the three look-ups can be ORed. VPSHUFB has two lanes, which do not mix; the
    // last 16 bytes of the block, where most of the pool is, are offered to both.
    uint8_t from_bytes_0_31[kPoolPlaces];
    uint8_t from_bytes_32_63[kPoolPlaces];
    uint8_t from_last_16[kPoolPlaces];
    uint8_t even_bytes[kPoolPlaces];  // of the key's coefficients
    uint8_t odd_bytes[kPoolPlaces];
    uint16_t even_factors[kPoolPlaces / 2];
    uint16_t odd_factors[kPoolPlaces / 2];
    uint8_t mask[kPoolPlaces];
  };
  Register registers[kMaxPoolRegisters];
  uint64_t partial_first_places;
  uint32_t partial_second_places;
  uint16_t threshold;
  uint16_t num_registers;  // 0: the block needs more than there are
  // For each full column: which places of the first register are its own, and above these the
  // fingerprint's bit that it is compared with.
  uint64_t first_places[kMaxPoolColumns];
  uint64_t second_places[kMaxPoolColumns];  // of the second register

  // Make is not inlined: queries make the rows once, and need their registers for the rest.
  __attribute__((noinline)) static PoolBytes Make(const Pool& pool, const Arrangement& arrangement);
  bool known() const { return num_registers != 0; }
};

class PoolBytesWriter {
 public:
  static PoolBytes Write(const Pool& pool, unsigned fast_columns, unsigned block_bytes) {
    PoolBytesWriter writer(pool.full_columns - fast_columns, block_bytes - 16);
    // The bytes that must be in one lane come first. Those of the last quarter then fill up the
    // emptier lane.
    for (const bool in_last_16 : {false, true}) {
      for (unsigned i = 0; i < pool.num_pieces; ++i) {
        PoolPiece piece = pool.pieces[i];
        if (i + 1 < pool.num_pieces && Continues(piece, pool.pieces[i + 1])) {
          piece.length = static_cast<uint8_t>(piece.length + pool.pieces[++i].length);
        }
        writer.AddPiece(piece, piece.column - fast_columns, in_last_16);
      }
    }
    return writer.Finish(pool.threshold);
  }

 private:
  PoolBytesWriter(unsigned full_columns, unsigned last_16)
      : full_columns_(full_columns), last_16_(last_16) {
    for (PoolBytes::Register& r : bytes_.registers) {
      for (unsigned i = 0; i < kPoolPlaces; ++i) {
        r.from_bytes_0_31[i] = r.from_bytes_32_63[i] = r.from_last_16[i] = kNoByte;
      }
    }
  }

  // Whether two pieces are separate only because slot 64 is between them.
  static bool Continues(const PoolPiece& piece, const PoolPiece& next) {
    return next.column == piece.column && next.word_byte == piece.word_byte &&
           next.bit == piece.bit + piece.length;
  }

  // Adds the bytes of the piece that are in the last quarter, or those that are not.
  void AddPiece(const PoolPiece& piece, unsigned column, bool in_last_16) {
    const unsigned first = 8u * piece.word_byte + piece.bit;
    const unsigned last = first + piece.length - 1;
    for (unsigned byte = first / 8; byte <= last / 8; ++byte) {
      if ((byte >= last_16_) != in_last_16) continue;
      const unsigned begin = byte == first / 8 ? first % 8 : 0;
      const unsigned end = byte == last / 8 ? last % 8 + 1 : 8;
      // The slot of the byte's first bit, plus 8, because it may be before the piece's first slot.
      const unsigned slot = 8 + piece.slot + 8 * byte - first;
      AddByte(byte, static_cast<uint8_t>(OnesBelow64(end) & ~OnesBelow64(begin)), slot, column);
    }
  }

  void AddByte(unsigned byte, uint8_t mask, unsigned slot_and_8, unsigned column) {
    const auto [number, place] = TakePlace(byte);
    if (number >= kMaxPoolRegisters || column >= kMaxPoolColumns) return;
    PoolBytes::Register& r = bytes_.registers[number];
    LookUpFor(byte, &r)[place] = static_cast<uint8_t>(byte % 16);
    r.mask[place] = mask;
    if (place % 2 == 0) {
      SetEvenWindow(slot_and_8, place, &r);
    } else {
      SetOddWindow(slot_and_8, place, &r);
    }
    AddToColumn(number, place, column);
  }

  struct TakenPlace {
    unsigned number;  // of the register
    unsigned place;
  };

  // Takes a place in the byte's lane: the emptier one if it may be in both.
  TakenPlace TakePlace(unsigned byte) {
    unsigned lane = byte / 16 % 2;
    if (byte >= last_16_) lane = places_[0] <= places_[1] ? 0 : 1;
    const unsigned taken = places_[lane]++;
    return {taken / 16, 16 * lane + taken % 16};
  }

  uint8_t* LookUpFor(unsigned byte, PoolBytes::Register* r) const {
    if (byte >= last_16_) return r->from_last_16;
    if (byte >= 32) return r->from_bytes_32_63;
    return r->from_bytes_0_31;
  }

  // A place gets 8 bits of a window of two bytes, from - 1 and from: window >> shift. In an even
  // place they come out as the upper half of window << (16 - shift). A shift of 0 would need a
  // factor of 2^16, so the window then begins a byte earlier, and the shift is 8.
  static void SetEvenWindow(unsigned slot_and_8, unsigned place, PoolBytes::Register* r) {
    unsigned from = slot_and_8 / 8;
    unsigned shift = slot_and_8 % 8;
    if (shift == 0) {
      --from;
      shift = 8;
    }
    r->even_factors[place / 2] = static_cast<uint16_t>(1u << (16 - shift));
    SetWindow(from, &r->even_bytes[place]);
  }
  static void SetOddWindow(unsigned slot_and_8, unsigned place, PoolBytes::Register* r) {
    r->odd_factors[place / 2] = static_cast<uint16_t>(1u << (8 - slot_and_8 % 8));
    SetWindow(slot_and_8 / 8, &r->odd_bytes[place - 1]);
  }

  static void SetWindow(unsigned from, uint8_t* bytes) {
    bytes[0] = static_cast<uint8_t>(from >= 1 && from <= 16 ? from - 1 : kNoByte);
    bytes[1] = static_cast<uint8_t>(from <= 15 ? from : kNoByte);
  }

  void AddToColumn(unsigned number, unsigned place, unsigned column) {
    const uint64_t bit = uint64_t{1} << place;
    const bool is_full = column < full_columns_;
    if (is_full && number == 0) bytes_.first_places[column] |= bit;
    if (is_full && number == 1) bytes_.second_places[column] |= bit;
    if (!is_full && number == 0) bytes_.partial_first_places |= bit;
    if (!is_full && number == 1) bytes_.partial_second_places |= static_cast<uint32_t>(bit);
  }

  PoolBytes Finish(unsigned threshold) {
    for (unsigned i = 0; i < full_columns_ && i < kMaxPoolColumns; ++i) {
      bytes_.first_places[i] |= uint64_t{1} << (kPoolPlaces + i);
    }
    bytes_.partial_first_places |= uint64_t{1} << (kPoolPlaces + full_columns_);
    bytes_.threshold = static_cast<uint16_t>(threshold);
    const unsigned places = std::max(places_[0], places_[1]);
    const bool fits = places <= kMaxPoolRegisters * 16 && full_columns_ < kMaxPoolColumns;
    const bool fits_one = places <= 16 && full_columns_ <= kFewPoolColumns;
    bytes_.num_registers = !fits ? 0 : fits_one ? 1 : 2;
    return bytes_;
  }

  PoolBytes bytes_ = {};
  unsigned full_columns_;
  unsigned last_16_;
  unsigned places_[2] = {0, 0};  // taken in each lane, of all registers
};

PoolBytes PoolBytes::Make(const Pool& pool, const Arrangement& arrangement) {
  return PoolBytesWriter::Write(pool, arrangement.fast_columns, arrangement.block_bytes);
}

// --- Parities of 64-bit lanes, and of bytes, which AVX2 does not count.

// Uses a register move. GCC alone goes through memory, which takes longer.
BLOOMLINE_AVX2_INLINE __m256i Broadcast(uint64_t word) {
  return _mm256_broadcastq_epi64(_mm_cvtsi64_si128(static_cast<long long>(word)));
}

// For each 4 bits, whether an odd number of them is set: as bit 0, which can be added up, and as
// bit 7, which VPMOVMSKB takes.
alignas(32) constexpr uint8_t kParities[32] = {
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0,
    0, 0x81, 0x81, 0, 0x81, 0, 0, 0x81, 0x81, 0, 0, 0x81, 0, 0x81, 0x81, 0};

// The parity of each byte: that of the XOR of its halves, whose 16 values fit a look-up table.
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
// Columns 4 to 7 are tested alike if the block has six or seven. With five, POPCNT for the fifth is
// as fast. With seven, POPCNT for the last three makes a query 14 % slower. Blocks of 16 or 32
// bytes have one to three columns, and use POPCNT alone.
//
// The parities are compared with the fingerprint's lowest bits, which are those of the hash. A
// fraction 2^-F of the missing keys is left, where F is the number of fast columns: 1 of 32 with
// five. A branch after the first four columns saves instructions, and loses as much by
// mispredictions (docs/rejected.md).

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

// Bit i: the parity of the key's slots in fast column kFirst + i, of four. Bits of columns that the
// block lacks mean nothing, since these lanes hold the fields and the pool. The caller masks them.
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

// Bit i: the parity of the key's slots in fast column i. Other bits mean nothing.
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

// --- The pool, by its tables.

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
// Tests at most kFewPoolColumns full columns and the partial one, each by a POPCNT. The parity of a
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

// Tests kMaxPoolColumns, four at a time in vectors, so that no branch depends on their number.
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

CompactKernel Avx2Compact() { return MakeCompactKernel<Query>(Avx2SolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
