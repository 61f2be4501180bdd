// The pool of a compact block as AVX2 tests it: byte by byte. A place is a byte of a register. The
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
// A byte that two columns share has two places, with different masks. What counts is the number of
// the pool's bytes, not that of its pieces, and it hardly varies from block to block; so does the
// number of registers. A mispredicted branch would cost more than all of this: to go from piece to
// piece takes twice as long (docs/rejected.md).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX2_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX2_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/solver/compact_pool.h"

namespace bloomline::kernels {

constexpr unsigned kPoolPlaces = 32;  // of a register
constexpr unsigned kMaxPoolRegisters = 2;
// Blocks of one register have at most this many. All are tested, so no branch depends on their
// number.
constexpr unsigned kFewPoolColumns = 4;
constexpr unsigned kNoByte = 0x80;  // VPSHUFB gives zero

struct alignas(64) PoolBytes {
  // The coefficients of a place are 8 consecutive bits of two bytes of the key's. A multiplication
  // by a power of two brings them into the upper byte of the product's lower half (odd places), or
  // into the lower byte of its upper half (even places).
  struct Register {
    // One of the three has the number, modulo 16, of the place's byte, and the others kNoByte, so
    // that the three look-ups can be ORed. VPSHUFB has two lanes, which do not mix; the last 16
    // bytes of the block, where most of the pool is, are offered to both.
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

  static PoolBytes Of(const Pool& pool, const Arrangement& arrangement);
  bool known() const { return num_registers != 0; }
};

class PoolBytesWriter {
 public:
  static PoolBytes BytesOf(const Pool& pool, unsigned fast_columns, unsigned block_bytes) {
    PoolBytesWriter writer(pool.full_columns - fast_columns, block_bytes - 16);
    // First the bytes that must be in one lane. Those of the last quarter then fill up the emptier
    // one.
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

  // Two pieces that are separate only because slot 64 is between them.
  static bool Continues(const PoolPiece& piece, const PoolPiece& next) {
    return next.column == piece.column && next.word_byte == piece.word_byte &&
           next.bit == piece.bit + piece.length;
  }

  // Those bytes of the piece that are in the last quarter, or those that are not.
  void AddPiece(const PoolPiece& piece, unsigned column, bool in_last_16) {
    const unsigned first = 8u * piece.word_byte + piece.bit;
    const unsigned last = first + piece.length - 1;
    for (unsigned byte = first / 8; byte <= last / 8; ++byte) {
      if ((byte >= last_16_) != in_last_16) continue;
      const unsigned begin = byte == first / 8 ? first % 8 : 0;
      const unsigned end = byte == last / 8 ? last % 8 + 1 : 8;
      // The slot of the byte's first bit, and 8 more: it may be before the piece's first.
      const unsigned slot = 8 + piece.slot + 8 * byte - first;
      AddByte(byte, static_cast<uint8_t>(OnesBelow64(end) & ~OnesBelow64(begin)), slot, column);
    }
  }

  void AddByte(unsigned byte, uint8_t mask, unsigned slot_and_8, unsigned column) {
    const bool any_lane = byte >= last_16_;
    const unsigned lane = any_lane ? (places_[0] <= places_[1] ? 0 : 1) : byte / 16 % 2;
    const unsigned number = places_[lane] / 16;
    const unsigned place = 16 * lane + places_[lane] % 16;
    ++places_[lane];
    if (number >= kMaxPoolRegisters || column >= kMaxPoolColumns) return;
    PoolBytes::Register& r = bytes_.registers[number];
    (any_lane    ? r.from_last_16
     : byte < 32 ? r.from_bytes_0_31
                 : r.from_bytes_32_63)[place] = static_cast<uint8_t>(byte % 16);
    r.mask[place] = mask;
    // Wanted are 8 bits of a window of two bytes, from - 1 and from: window >> shift. In an even
    // place they come out as the upper half of window << (16 - shift). A shift of 0 would need a
    // factor of 2^16, so the window then begins a byte earlier, and the shift is 8.
    const unsigned shift = slot_and_8 % 8;
    unsigned from = slot_and_8 / 8;
    if (place % 2 == 0) {
      if (shift == 0) --from;
      r.even_factors[place / 2] = static_cast<uint16_t>(1u << (shift == 0 ? 8 : 16 - shift));
      SetWindow(from, &r.even_bytes[place]);
    } else {
      r.odd_factors[place / 2] = static_cast<uint16_t>(1u << (8 - shift));
      SetWindow(from, &r.odd_bytes[place - 1]);
    }
    const uint64_t bit = uint64_t{1} << place;
    const bool full = column < full_columns_;
    if (number == 0) {
      (full ? bytes_.first_places[column] : bytes_.partial_first_places) |= bit;
    } else if (full) {
      bytes_.second_places[column] |= bit;
    } else {
      bytes_.partial_second_places |= static_cast<uint32_t>(bit);
    }
  }

  static void SetWindow(unsigned from, uint8_t* bytes) {
    bytes[0] = static_cast<uint8_t>(from >= 1 && from <= 16 ? from - 1 : kNoByte);
    bytes[1] = static_cast<uint8_t>(from <= 15 ? from : kNoByte);
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

inline PoolBytes PoolBytes::Of(const Pool& pool, const Arrangement& arrangement) {
  return PoolBytesWriter::BytesOf(pool, arrangement.fast_columns, arrangement.block_bytes);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_POOL_AVX2_H_
