// Compact blocks with AVX-512: all fast columns at once, then the pool for keys that match these.
#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include "src/filter/cpu/avx512.h"

#define BLOOMLINE_COMPACT_TARGET BLOOMLINE_AVX512
#include "src/filter/layouts/compact/compact.h"
#include "src/filter/layouts/compact/compact_vector_query.h"
#include "src/filter/layouts/compact/solver/solve.h"

namespace bloomline::kernels {
namespace {

// --- The tables of the pool. Instead of collecting the columns' pieces, a query spreads the key's
// coefficients over words of the block, to where the pieces are. A pass has eight lanes. A lane is
// the part of one column in one of the block's 64-bit words.
//
//   words         | w5 | w6 | w7 | w6 | ..     VPERMQ: for each lane, its word of the block
//   coefficients  c0 .. c15
//   windows       | 8 bytes | 8 bytes | ..     VPERMB: for each lane, 8 bytes in sequence, which
//                                              have all that its column needs there
//   spread        | s s s s | s s s s | ..     VPMULTISHIFTQB: to each byte 8 of them, which begin
//                                              at any bit
//   hits          words & spread & mask        the parity of each lane: VPOPCNTQ
//
// One pass is enough for blocks of 64 slots or more, two for nearly all others. The parities of all
// passes are bits of one integer, and each column uses some of these bits.

constexpr unsigned kLanesPerPass = kBlockBytes / 8;
constexpr unsigned kMaxPoolPasses = 3;
constexpr unsigned kMaxPoolLanes = kLanesPerPass * kMaxPoolPasses;

struct PoolLane {
  uint8_t word_byte;
  uint8_t column;
  uint8_t first_byte;  // of the window, in the key's coefficients

  // Pieces come in the order of their slots, so a window's first byte is before all of its pieces.
  constexpr bool Takes(const PoolPiece& piece) const {
    return word_byte == piece.word_byte && column == piece.column &&
           WindowBit(piece) + piece.length <= 64;
  }
  constexpr unsigned WindowBit(const PoolPiece& piece) const {
    return piece.slot - 8u * first_byte;
  }
};

struct PoolLanes {
  PoolLane lanes[kMaxPoolPieces] = {};
  uint8_t lane_of_piece[kMaxPoolPieces] = {};
  unsigned size = 0;

  constexpr explicit PoolLanes(const Pool& pool) {
    for (unsigned i = 0; i < pool.num_pieces; ++i) {
      const PoolPiece& piece = pool.pieces[i];
      unsigned lane = 0;
      while (lane < size && !lanes[lane].Takes(piece)) ++lane;
      // A piece does not cross slot 64, so the piece that begins a window fits it.
      if (lane == size) {
        lanes[size++] = {piece.word_byte, piece.column, static_cast<uint8_t>(piece.slot / 8)};
      }
      lane_of_piece[i] = static_cast<uint8_t>(lane);
    }
  }
};

// Blocks with this many slots or more need one pass.
constexpr unsigned kOnePassSlots = 64;
constexpr bool OnePassIsEnough() {
  for (const Arrangement& arrangement : kArrangements) {
    for (unsigned slots = kOnePassSlots; slots <= arrangement.max_slots(); ++slots) {
      if (PoolLanes(MakePool(arrangement, slots)).size > kLanesPerPass) return false;
    }
  }
  return true;
}
static_assert(OnePassIsEnough());

struct alignas(64) PoolPass {
  uint64_t word_of_lane[kLanesPerPass];
  uint8_t window_bytes[kBlockBytes];  // bytes of the key's coefficients: eight for each lane
  uint8_t window_bits[kBlockBytes];   // for each byte of a lane, a bit of its window
  uint64_t mask[kLanesPerPass];
};

struct alignas(64) PoolRegisters {
  PoolPass passes[kMaxPoolPasses];
  uint32_t lanes_of_column[kMaxPoolColumns];  // of the pool: a bit for each lane of all passes
  // The first pass's lanes for eight columns, as GF2P8AFFINEQB has them: byte 7 - i is column i.
  uint64_t column_matrix;
  uint32_t full_columns;    // of the pool: a bit for each
  uint32_t partial_column;  // its bit
  uint32_t threshold;
  uint32_t num_passes;  // 0: more columns or lanes than there is room for

  bool known() const { return num_passes != 0; }

  static PoolRegisters Make(const Pool& pool, const Arrangement& arrangement) {
    PoolRegisters registers = {};
    const unsigned fast_columns = arrangement.fast_columns;
    const unsigned columns = pool.full_columns + (pool.threshold != 0 ? 1 : 0) - fast_columns;
    const PoolLanes lanes(pool);
    if (columns > kMaxPoolColumns || lanes.size > kMaxPoolLanes) return registers;
    for (unsigned i = 0; i < lanes.size; ++i) {
      const unsigned column = lanes.lanes[i].column - fast_columns;
      registers.AddLane(i, lanes.lanes[i], column);
    }
    for (unsigned i = 0; i < pool.num_pieces; ++i) {
      const unsigned lane = lanes.lane_of_piece[i];
      registers.AddPiece(lane, pool.pieces[i], lanes.lanes[lane].WindowBit(pool.pieces[i]));
    }
    registers.full_columns = (1u << (pool.full_columns - fast_columns)) - 1;
    registers.partial_column = 1u << (pool.full_columns - fast_columns);
    registers.threshold = pool.threshold;
    // A block that is all fast columns also takes one pass.
    registers.num_passes =
        lanes.size <= kLanesPerPass ? 1 : (lanes.size + kLanesPerPass - 1) / kLanesPerPass;
    return registers;
  }

 private:
  void AddLane(unsigned number, const PoolLane& lane, unsigned column) {
    PoolPass& pass = passes[number / kLanesPerPass];
    const unsigned in_pass = number % kLanesPerPass;
    pass.word_of_lane[in_pass] = lane.word_byte / 8;
    for (unsigned i = 0; i < 8; ++i) {
      pass.window_bytes[8 * in_pass + i] = static_cast<uint8_t>(lane.first_byte + i);
    }
    lanes_of_column[column] |= 1u << number;
    if (number < kLanesPerPass && column < 8) {
      column_matrix |= uint64_t{1} << (8 * (7 - column) + number);
    }
  }

  void AddPiece(unsigned lane, const PoolPiece& piece, unsigned window_bit) {
    PoolPass& pass = passes[lane / kLanesPerPass];
    const unsigned in_pass = lane % kLanesPerPass;
    pass.mask[in_pass] |= OnesBelow64(piece.length) << piece.bit;
    const unsigned last_byte = (piece.bit + piece.length - 1u) / 8;
    for (unsigned i = piece.bit / 8; i <= last_byte; ++i) {
      // Windows wrap: the bits of a byte before the piece's first bit are masked out. Two pieces of
      // a column share a byte only if the second continues the first behind slot 64: both give the
      // same bit.
      const unsigned bit = window_bit + 64 + 8 * i - piece.bit;
      pass.window_bits[8 * in_pass + i] = static_cast<uint8_t>(bit % 64);
    }
  }
};

// --- The fast columns.
//
//   block      | word 0   | word 1   | .. word 4   | the pool, header    AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | .. f4 0 0.. | anything            AND the key's slots, XOR
//              the parity of each of the eight lanes: VPOPCNTQ
//
// The parities are compared with the fingerprint's lowest bits. A fraction 2^-F of the missing keys
// is left, where F is the number of fast columns: 1 of 32 with five.

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

BLOOMLINE_AVX512_INLINE unsigned OddLanes(__m512i bits) {
  __m512i one = _mm512_set1_epi64(1);
  __asm__("" : "+v"(one));  // GCC 12 would broadcast it again for each key of a loop
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(bits), one);
}

template <unsigned kBlockSize>
BLOOMLINE_AVX512_INLINE __m512i LoadBlock(const char* block) {
  __m512i bits;
  if constexpr (kBlockSize == 64) {
    bits = _mm512_loadu_si512(block);
  } else if constexpr (kBlockSize == 32) {
    bits = _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
  } else {
    static_assert(kBlockSize == 16, "reads past the block");
    bits = _mm512_zextsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block)));
  }
  // GCC 12 would fold the load into both of its users. Each load of a block that does not begin at
  // a cache line reads two lines.
  __asm__("" : "+v"(bits));
  return bits;
}

// VPERMB's index, which moves the field of fast column i to the low bytes of lane i. All other
// bytes get byte 0 of the block, a value without meaning: the key's coefficients are 0 there, and
// lanes without a column are ignored.
template <unsigned kArrangement>
struct FieldBytes {
  constexpr FieldBytes() {
    constexpr Arrangement kA = kArrangements[kArrangement];
    for (unsigned i = 0; i < 8 * kA.fast_columns; ++i) {
      if (i % 8 >= kA.field_bytes) continue;
      index[i] = static_cast<uint8_t>(kA.first_field_byte() + kA.field_bytes * (i / 8) + i % 8);
    }
  }
  alignas(64) uint8_t index[64] = {};
};
template <unsigned kArrangement>
constexpr FieldBytes<kArrangement> kFieldBytes;

// Bit i: the parity of the key's slots in fast column i. Other bits mean nothing.
template <unsigned kArrangement>
BLOOMLINE_AVX512_INLINE unsigned FastParities(const char* bytes, CompactSlots mine) {
  const __m512i block = LoadBlock<kArrangements[kArrangement].block_bytes>(bytes);
  __m512i hits = _mm512_and_si512(block, Broadcast(mine.word));
  if constexpr (kArrangements[kArrangement].field_slots != 0) {
    constexpr int kXorAnd = 0x78;  // a ^ (b & c)
    const __m512i fields =
        _mm512_permutexvar_epi8(_mm512_load_si512(kFieldBytes<kArrangement>.index), block);
    hits = _mm512_ternarylogic_epi64(hits, fields, Broadcast(mine.field), kXorAnd);
  }
  return OddLanes(hits);
}

// --- The pool, by its tables.

BLOOMLINE_AVX512_INLINE __m512i Coefficients(CompactSlots mine) {
  return _mm512_zextsi128_si512(
      _mm_set_epi64x(static_cast<long long>(mine.field), static_cast<long long>(mine.word)));
}

// Bit i: the parity of the key's slots in lane i.
BLOOMLINE_AVX512_INLINE unsigned PassParities(__m512i block, __m512i coefficients,
                                              const PoolPass& pass) {
  constexpr int kAndAll = 0x80;
  const __m512i words = _mm512_permutexvar_epi64(_mm512_load_si512(pass.word_of_lane), block);
  const __m512i windows =
      _mm512_permutexvar_epi8(_mm512_load_si512(pass.window_bytes), coefficients);
  const __m512i spread = _mm512_multishift_epi64_epi8(_mm512_load_si512(pass.window_bits), windows);
  return OddLanes(_mm512_ternarylogic_epi64(words, spread, _mm512_load_si512(pass.mask), kAndAll));
}

BLOOMLINE_AVX512_INLINE bool ColumnsAsExpected(const PoolRegisters& pool, unsigned odd,
                                               uint32_t fingerprint, unsigned asks_partial) {
  const unsigned asked = pool.full_columns | (pool.partial_column & (0 - asks_partial));
  return ((odd ^ fingerprint) & asked) == 0;
}

struct Query : VectorQuery<Query> {
  using PoolRow = PoolRegisters;

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static unsigned Parities(const char* block, CompactSlots mine) {
    return FastParities<kArrangement>(block, mine);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static unsigned BatchParities(const char* block, const uint64_t* word,
                                                 const uint64_t* field) {
    return FastParities<kArrangement>(block, {*word, *field});
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static bool RowMatches(const PoolRegisters& pool, const char* block,
                                          CompactSlots mine, uint32_t fingerprint,
                                          unsigned asks_partial) {
    const __m512i bits = LoadBlock<kArrangements[kArrangement].block_bytes>(block);
    const __m512i coefficients = Coefficients(mine);
    // An empty second pass costs less than a mispredicted branch.
    const auto first = static_cast<__mmask16>(PassParities(bits, coefficients, pool.passes[0]));
    const auto second = static_cast<__mmask16>(PassParities(bits, coefficients, pool.passes[1]));
    unsigned odd_lanes = _mm512_kunpackb(second, first);
    if (__builtin_expect(pool.num_passes > 2, 0)) {
      odd_lanes |= PassParities(bits, coefficients, pool.passes[2]) << (2 * kLanesPerPass);
    }
    const __m512i of_columns = _mm512_and_si512(_mm512_set1_epi32(static_cast<int>(odd_lanes)),
                                                _mm512_load_si512(pool.lanes_of_column));
    const unsigned odd =
        _mm512_movepi32_mask(_mm512_slli_epi32(_mm512_popcnt_epi32(of_columns), 31));
    return ColumnsAsExpected(pool, odd, fingerprint, asks_partial);
  }

  // RowMatches of a block with kOnePassSlots or more.
  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static bool OnePassMatches(const PoolRegisters& pool, const char* block,
                                              CompactSlots mine, uint32_t fingerprint,
                                              unsigned asks_partial) {
    const __m512i bits = LoadBlock<kArrangements[kArrangement].block_bytes>(block);
    const __m128i odd_lanes =
        _mm_cvtsi32_si128(static_cast<int>(PassParities(bits, Coefficients(mine), pool.passes[0])));
    const __m128i matrix = _mm_cvtsi64_si128(static_cast<long long>(pool.column_matrix));
    const auto odd =
        static_cast<unsigned>(_mm_cvtsi128_si32(_mm_gf2p8affine_epi64_epi8(odd_lanes, matrix, 0)));
    return ColumnsAsExpected(pool, odd, fingerprint, asks_partial);
  }

  template <unsigned kArrangement>
  BLOOMLINE_AVX512 static void TestPools(const CompactBatch<kArrangement, Query>& batch,
                                         uint32_t keys, const PoolRegisters* rows,
                                         const uint64_t* hashes, bool* may_match) {
    const uint32_t one_pass = keys & batch.CodesAbove(kOnePassSlots - kMinCompactSlots - 1);
    for (uint32_t left = one_pass; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned header = batch.headers[i];
      const PoolRegisters& row = rows[HeaderCode(header)];
      may_match[i] = OnePassMatches<kArrangement>(
          row, batch.blocks[i], {batch.words[i], batch.fields[i]},
          PoolFingerprint<kArrangement>(hashes[i]), AsksPartial(row, header, hashes[i]));
    }
    VectorQuery::TestPools(batch, keys & ~one_pass, rows, hashes, may_match);
  }
};

}  // namespace

CompactKernel Avx512Compact() { return MakeCompactKernel<Query>(Avx512SolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
