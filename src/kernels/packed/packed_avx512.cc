// Packed blocks with AVX-512: eight columns at once, one in each lane of the register.
#if defined(__x86_64__)

#include <cstring>

#include "src/kernels/avx512_bits.h"
#include "src/kernels/packed/packed_kernel.h"
#include "src/kernels/packed/packed_solver.h"

namespace bloomline::kernels {
namespace {

// All that a query needs to know of a block with so many slots, ready for the registers.
struct alignas(32) PackedLayout {
  // Slots of the full columns and of the partial one.
  SlotMask full = {};
  SlotMask partial = {};
  // Where each column begins, the partial column last: byte and bit of that byte.
  uint8_t column_byte[kMaxFullColumns + 8] = {};
  uint8_t column_bit[kMaxFullColumns + 8] = {};
  uint32_t full_columns = 0;    // a one for each
  uint32_t partial_column = 0;  // a one, or 0 if there is none
  uint32_t threshold = 0;       // of 256
};

// By number of slots. Some 35 of them are in use in one filter, 4 KiB.
template <unsigned kBlockBytes>
struct PackedLayouts {
  constexpr PackedLayouts() {
    for (unsigned slots = 1; slots <= kMaxSlots; ++slots) {
      const PackedShape shape = ComputePackedShape(8 * (kBlockBytes - 1), slots);
      PackedLayout& layout = layouts[slots];
      layout.full = FirstSlots(slots);
      layout.partial = FirstSlots(shape.partial_slots);
      for (unsigned column = 0; column < sizeof(layout.column_byte); ++column) {
        const unsigned bit = column * slots;
        layout.column_byte[column] = static_cast<uint8_t>(bit / 8);
        layout.column_bit[column] = static_cast<uint8_t>(bit % 8);
      }
      layout.full_columns = (1u << shape.full_columns) - 1;
      layout.partial_column = shape.threshold == 0 ? 0 : 1u << shape.full_columns;
      layout.threshold = shape.threshold;
    }
  }
  PackedLayout layouts[kMaxSlots + 1] = {};
};
constexpr PackedLayouts<64> kLayouts64;
constexpr PackedLayouts<32> kLayouts32;

// Columns first_column .. first_column + 7, one a lane; the partial one is in the lane after the
// last full one. Bit i of the result: column first_column + i does not give what `wanted` says.
BLOOMLINE_AVX512_INLINE uint32_t WrongColumns(__m512i bytes, SlotMask mine,
                                              const PackedLayout& layout, unsigned first_column,
                                              uint32_t wanted) {
  uint64_t column_bytes;
  std::memcpy(&column_bytes, layout.column_byte + first_column, sizeof(column_bytes));
  // Byte i of eight for all bytes of lane i; then the eight bytes from there on.
  const __m512i spread = _mm512_set_epi64(
      0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
      0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  const __m512i index = _mm512_add_epi8(
      _mm512_permutexvar_epi8(spread, _mm512_set1_epi64(static_cast<long long>(column_bytes))),
      _mm512_set1_epi64(0x0706050403020100));
  const __m512i index_high = _mm512_add_epi8(index, _mm512_set1_epi8(kSlotsPerWord / 8));
  const __m512i shift = _mm512_cvtepu8_epi64(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(layout.column_bit + first_column)));
  // What lies beyond the column, or the block, is masked out.
  const __m512i low = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index, bytes), shift);
  const __m512i high = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index_high, bytes), shift);
  const auto partial_lane = static_cast<__mmask8>(layout.partial_column >> first_column);
  const __m512i low_slots =
      _mm512_mask_set1_epi64(_mm512_set1_epi64(static_cast<long long>(layout.full.low)),
                             partial_lane, static_cast<long long>(layout.partial.low));
  const __m512i high_slots =
      _mm512_mask_set1_epi64(_mm512_set1_epi64(static_cast<long long>(layout.full.high)),
                             partial_lane, static_cast<long long>(layout.partial.high));
  constexpr int kAndAll = 0x80;
  const __m512i hits = _mm512_xor_si512(
      _mm512_ternarylogic_epi64(low, _mm512_set1_epi64(static_cast<long long>(mine.low)), low_slots,
                                kAndAll),
      _mm512_ternarylogic_epi64(high, _mm512_set1_epi64(static_cast<long long>(mine.high)),
                                high_slots, kAndAll));
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(hits), _mm512_set1_epi64(1)) ^ wanted;
}

// One missing key in 256 comes here, and stored ones where blocks have more than eight columns. Out
// of block, so that the way of the others needs few registers.
BLOOMLINE_AVX512 __attribute__((noinline)) bool MoreColumnsMatch(const char* block,
                                                                 uint32_t block_bytes,
                                                                 SlotMask mine,
                                                                 const PackedLayout& layout,
                                                                 uint32_t wanted, uint32_t asked) {
  const __m512i bytes = _mm512_maskz_loadu_epi8(~0ull >> (64 - block_bytes), block);
  for (unsigned first_column = 8; asked >> first_column != 0; first_column += 8) {
    const uint32_t wrong = WrongColumns(bytes, mine, layout, first_column, wanted >> first_column);
    if ((wrong & asked >> first_column & 0xFF) != 0) return false;
  }
  return true;
}

BLOOMLINE_AVX512_INLINE bool BlockMayMatch(const PackedFilter& filter, uint64_t hash) {
  const char* block = PackedBlock(filter, hash);
  const unsigned header = static_cast<unsigned char>(block[filter.block_bytes - 1]);
  const unsigned slots = filter.base_slots + header % 64;
  if (header % 64 == kMatchAllCode || slots > kMaxSlots) return true;
  const PackedLayout& layout =
      (filter.block_bytes == 64 ? kLayouts64.layouts : kLayouts32.layouts)[slots];
  const SlotMask mine = Rotated(AllSlotsOf(hash), header / 64);
  // All ones if the selector is below the threshold: half of the keys, so a branch would be
  // mispredicted.
  const auto below =
      static_cast<uint32_t>(static_cast<int32_t>(SelectorOf(hash) - layout.threshold) >> 31);
  const uint32_t asked = layout.full_columns | (layout.partial_column & below);
  const __m512i bytes = _mm512_maskz_loadu_epi8(~0ull >> (64 - filter.block_bytes), block);
  const uint32_t wanted = FingerprintOf(hash);
  if ((WrongColumns(bytes, mine, layout, 0, wanted) & asked & 0xFF) != 0) return false;
  return asked <= 0xFF || MoreColumnsMatch(block, filter.block_bytes, mine, layout, wanted, asked);
}

// Blocks of other sizes are LevelDB's, where the layout would have to be computed at each query.
BLOOMLINE_AVX512_INLINE bool IsTabled(uint32_t block_bytes) {
  return block_bytes == 64 || block_bytes == 32;
}

BLOOMLINE_AVX512 bool MayMatch(const PackedFilter& filter, uint64_t hash) {
  if (!IsTabled(filter.block_bytes)) return Avx2PackedMayMatch(filter, hash);
  return BlockMayMatch(filter, hash);
}

BLOOMLINE_AVX512 void MayMatchMany(const PackedFilter& filter, size_t n, const uint64_t* hashes,
                                   bool* may_match) {
  if (!IsTabled(filter.block_bytes)) {
    Avx2PackedMayMatchMany(filter, n, hashes, may_match);
    return;
  }
  for (size_t i = 0; i < n; ++i) may_match[i] = BlockMayMatch(filter, hashes[i]);
}

BLOOMLINE_AVX512 void EliminateBelow(PackedEquations* equations, size_t num_equations, size_t pivot,
                                     bool in_second, uint64_t bit) {
  const __m512i first = _mm512_set1_epi64(static_cast<long long>(equations->first[pivot]));
  const __m512i second = _mm512_set1_epi64(static_cast<long long>(equations->second[pivot]));
  const __m512i bits = _mm512_set1_epi64(static_cast<long long>(bit));
  const uint64_t* tested = in_second ? equations->second : equations->first;
  __mmask8 later = static_cast<__mmask8>(0xFE << pivot % 8);
  for (size_t i = pivot / 8 * 8; i < num_equations; i += 8) {
    const __mmask8 hit = _mm512_mask_test_epi64_mask(later, _mm512_load_si512(tested + i), bits);
    const __m512i first_words = _mm512_load_si512(equations->first + i);
    const __m512i second_words = _mm512_load_si512(equations->second + i);
    _mm512_store_si512(equations->first + i,
                       _mm512_mask_xor_epi64(first_words, hit, first_words, first));
    _mm512_store_si512(equations->second + i,
                       _mm512_mask_xor_epi64(second_words, hit, second_words, second));
    later = 0xFF;
  }
}

int Solve(const PackedKeys& keys, unsigned slots, uint32_t block_bytes, char* block) {
  return SolvePackedBlock(keys, slots, block_bytes, block, EliminateBelow);
}

}  // namespace

PackedKernel Avx512Packed() {
  PackedKernel kernel;
  kernel.may_match = MayMatch;
  kernel.may_match_many = MayMatchMany;
  kernel.solve = Solve;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
