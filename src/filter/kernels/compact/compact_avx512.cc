// Compact blocks with AVX-512: all fast columns at once.
#if defined(__x86_64__)

#include "src/filter/kernels/avx512_bits.h"
#include "src/filter/kernels/compact/compact_kernel.h"
#include "src/filter/kernels/compact/compact_pool_registers.h"
#include "src/filter/kernels/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

BLOOMLINE_AVX512_INLINE __m512i Broadcast(uint64_t word) {
  return _mm512_set1_epi64(static_cast<long long>(word));
}

BLOOMLINE_AVX512_INLINE unsigned OddLanes(__m512i bits) {
  return _mm512_movepi64_mask(_mm512_slli_epi64(_mm512_popcnt_epi64(bits), 63));
}

// SlotsInBlock with BZHI, which takes more bits than a word has for all of them.
BLOOMLINE_AVX512_INLINE CompactSlots MySlots(const CompactKey& key, unsigned slots,
                                             unsigned attempt) {
  const unsigned in_field = slots > kWordSlots ? slots - kWordSlots : 0;
  return {_bzhi_u64(WordInAttempt(key, attempt), slots), _bzhi_u64(key.slots.field, in_field)};
}

template <unsigned kBlockSize>
BLOOMLINE_AVX512_INLINE __m512i LoadBlock(const char* block) {
  __m512i bits =
      kBlockSize == 64
          ? _mm512_loadu_si512(block)
          : _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)));
  // One load: GCC 12 makes two, and each may be of two cache lines.
  __asm__("" : "+v"(bits));
  return bits;
}

// For each byte of a register, the byte of the block that brings each fast column's field into its
// lane. What else is in the lane, the key's coefficients mask out.
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
BLOOMLINE_AVX512_INLINE unsigned FastParities512(__m512i block, CompactSlots mine) {
  __m512i hits = _mm512_and_si512(block, Broadcast(mine.word));
  if constexpr (kArrangements[kArrangement].field_slots != 0) {
    constexpr int kXorAnd = 0x78;  // a ^ (b & c)
    const __m512i fields =
        _mm512_permutexvar_epi8(_mm512_load_si512(kFieldBytes<kArrangement>.index), block);
    hits = _mm512_ternarylogic_epi64(hits, fields, Broadcast(mine.field), kXorAnd);
  }
  return OddLanes(hits);
}

// Bit i: the parity of the key's slots in the pass's column of word i.
BLOOMLINE_AVX512_INLINE unsigned PassParities(__m512i block, __m512i coefficients,
                                              const PoolPass& pass) {
  constexpr int kAndAll = 0x80;
  const __m512i windows =
      _mm512_permutexvar_epi8(_mm512_load_si512(pass.window_bytes), coefficients);
  const __m512i spread = _mm512_multishift_epi64_epi8(_mm512_load_si512(pass.window_bits), windows);
  return OddLanes(_mm512_ternarylogic_epi64(block, spread, _mm512_load_si512(pass.mask), kAndAll));
}

// Without PoolRegisters: blocks with too few slots for them, and while a thread makes them. Out of
// line, like what follows.
template <unsigned kArrangement>
BLOOMLINE_AVX512 __attribute__((noinline)) bool PoolPiecesMatch(const char* block, uint64_t word,
                                                                uint64_t field, unsigned header,
                                                                uint64_t hash) {
  const unsigned slots = kMinCompactSlots + CodeOf(header);
  return PoolMatches(block, PoolFor<kArrangement>(slots), kArrangements[kArrangement].fast_columns,
                     slots, AttemptOf(header), {word, field}, hash);
}

template <unsigned kArrangement>
bool FirstPoolMatches512(const char* block, uint64_t word, uint64_t field, unsigned header,
                         uint64_t hash);

// The rest of a query that passed the fast columns: stored keys, and few missing ones. Out of line,
// so that the path of the others needs few registers.
template <unsigned kArrangement>
BLOOMLINE_AVX512 __attribute__((noinline)) bool PoolMatches512(const char* block, uint64_t word,
                                                               uint64_t field, unsigned header,
                                                               uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const unsigned slots = kMinCompactSlots + CodeOf(header);
  const unsigned attempt = AttemptOf(header);
  if constexpr (LeastRegisterSlots(kArrangement) > kMinCompactSlots) {
    if (__builtin_expect(slots < LeastRegisterSlots(kArrangement), 0)) {
      return PoolPiecesMatch<kArrangement>(block, word, field, header, hash);
    }
  }
  const PoolRegisters* pools = pool_registers<kArrangement>.rows();
  if (__builtin_expect(pools == nullptr, 0)) {
    return FirstPoolMatches512<kArrangement>(block, word, field, header, hash);
  }
  const PoolRegisters& pool = pools[CodeOf(header)];
  const __m512i bits = LoadBlock<kA.block_bytes>(block);
  const __m512i coefficients = _mm512_zextsi128_si512(
      _mm_set_epi64x(static_cast<long long>(field), static_cast<long long>(word)));
  unsigned odd_words = PassParities(bits, coefficients, pool.passes[0]) |
                       PassParities(bits, coefficients, pool.passes[1]) << 8;
  for (unsigned pass = 2; pass < pool.num_passes; ++pass) {
    odd_words |= PassParities(bits, coefficients, pool.passes[pass]) << 8 * pass;
  }
  const __m512i of_columns = _mm512_and_si512(_mm512_set1_epi32(static_cast<int>(odd_words)),
                                              _mm512_load_si512(pool.words_of_column));
  const unsigned odd = _mm512_movepi32_mask(_mm512_slli_epi32(_mm512_popcnt_epi32(of_columns), 31));
  const unsigned asks_partial =
      UsesPartialColumn(hash, SelectorSalt(slots, attempt), pool.threshold);
  const unsigned asked = pool.full_columns | (pool.partial_column & (0 - asks_partial));
  return ((odd ^ FingerprintOf(hash) >> kA.fast_columns) & asked) == 0;
}

// A function of its own, so that the usual one saves no registers.
template <unsigned kArrangement>
__attribute__((noinline)) bool FirstPoolMatches512(const char* block, uint64_t word, uint64_t field,
                                                   unsigned header, uint64_t hash) {
  if (MakePoolRegisters<kArrangement>() == nullptr) {
    return PoolPiecesMatch<kArrangement>(block, word, field, header, hash);
  }
  return PoolMatches512<kArrangement>(block, word, field, header, hash);
}

// What the fast columns say of a block of this arrangement.
struct FastAnswer {
  CompactSlots mine;
  bool is_missing;
};

template <unsigned kArrangement>
BLOOMLINE_AVX512_INLINE FastAnswer AskFastColumns(const char* block, unsigned header,
                                                  uint64_t hash) {
  constexpr Arrangement kA = kArrangements[kArrangement];
  const CompactSlots mine =
      MySlots(CompactKeyOf(hash), kMinCompactSlots + CodeOf(header), AttemptOf(header));
  const unsigned odd = FastParities512<kArrangement>(LoadBlock<kA.block_bytes>(block), mine);
  return {mine, ((odd ^ static_cast<unsigned>(hash)) & ((1u << kA.fast_columns) - 1)) != 0};
}

template <unsigned kArrangement>
BLOOMLINE_AVX512 bool SolvedBlockMayMatch512(const char* block, unsigned header, uint64_t hash) {
  const FastAnswer answer = AskFastColumns<kArrangement>(block, header, hash);
  return !answer.is_missing &&
         PoolMatches512<kArrangement>(block, answer.mine.word, answer.mine.field, header, hash);
}

// OtherBlockMayMatch with this kernel's means.
template <unsigned kArrangement>
BLOOMLINE_AVX512 __attribute__((noinline)) bool OtherBlock(const char* block, unsigned header,
                                                           uint64_t hash) {
  constexpr bool k32Bytes = kArrangements[kArrangement].block_bytes == 32;
  const unsigned code = CodeOf(header);
  if (code > kMaxSlotsCode) {
    return OtherBlockMayMatch<kArrangement>(block, code, AttemptOf(header), hash);
  }
  if constexpr (k32Bytes) return SolvedBlockMayMatch512<0>(block, header, hash);
  if (code <= MaxCodeOf(4)) return SolvedBlockMayMatch512<4>(block, header, hash);
  if (code <= MaxCodeOf(3)) return SolvedBlockMayMatch512<3>(block, header, hash);
  return SolvedBlockMayMatch512<2>(block, header, hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX512_INLINE bool BlockMayMatch(const CompactFilter& filter, uint64_t hash) {
  const char* block = CompactBlock(filter, kArrangements[kArrangement].block_bytes, hash);
  const unsigned header = LoadHeader<kArrangements[kArrangement].block_bytes>(block);
  if (__builtin_expect(CodeOf(header) > MaxCodeOf(kArrangement), 0)) {
    return OtherBlock<kArrangement>(block, header, hash);
  }
  const FastAnswer answer = AskFastColumns<kArrangement>(block, header, hash);
  if (answer.is_missing) return false;
  return PoolMatches512<kArrangement>(block, answer.mine.word, answer.mine.field, header, hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX512 bool MayMatch(const CompactFilter& filter, uint64_t hash) {
  return BlockMayMatch<kArrangement>(filter, hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX512 void MayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                                   bool* may_match) {
  const CompactFilter blocks = filter;
  for (size_t i = 0; i < n; ++i) may_match[i] = BlockMayMatch<kArrangement>(blocks, hashes[i]);
}

}  // namespace

CompactKernel Avx512Compact() {
  CompactKernel kernel;
  SetForEachArrangement(&kernel, [](auto arrangement, CompactKernel* k) {
    k->may_match[arrangement] = MayMatch<arrangement>;
    k->may_match_many[arrangement] = MayMatchMany<arrangement>;
  });
  kernel.solve = Avx512SolveCompact;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
