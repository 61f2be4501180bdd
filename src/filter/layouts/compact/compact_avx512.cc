// Compact blocks with AVX-512: all fast columns at once.
//
//   block      | word 0   | word 1   | .. word 4   | the pool, header    AND the key's slots
//   fields     | f0 0 0.. | f1 0 0.. | .. f4 0 0.. | anything            AND the key's slots, XOR
//              the parity of each of the eight lanes: VPOPCNTQ
//
// The fast columns' are compared with the fingerprint's lowest bits. Of the missing keys 2^-F are
// left, where F is the number of fast columns: 1 of 32 with five.
#if defined(__x86_64__)

#include "src/filter/cpu/avx512_bits.h"
#include "src/filter/layouts/compact/compact_kernel.h"
#include "src/filter/layouts/compact/query/pool_avx512.h"
#include "src/filter/layouts/compact/query/query.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

// VPERMB's index, which moves the field of fast column i to the low bytes of lane i. All other
// bytes get byte 0 of the block, which is rubbish: the key's coefficients have no bits there, and
// lanes without a column are not asked for.
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

// Bit i: the parity of the key's slots in fast column i. Other bits: anything.
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

}  // namespace
}  // namespace bloomline::kernels

#define BLOOMLINE_COMPACT_TARGET BLOOMLINE_AVX512
#include "src/filter/layouts/compact/query/vector_query.h"

namespace bloomline::kernels {

CompactKernel Avx512Compact() {
  CompactKernel kernel = VectorCompact();
  kernel.solve = Avx512SolveCompact;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
