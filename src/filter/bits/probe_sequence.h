// The probe sequence of docs/format.md, sections 2 and 3: the bits that a 64-bit hash selects, and
// the block of a key: its place and its prefetch.
#ifndef BLOOMLINE_FILTER_BITS_PROBE_SEQUENCE_H_
#define BLOOMLINE_FILTER_BITS_PROBE_SEQUENCE_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"
#include "src/filter/bits/bytes.h"

namespace bloomline::kernels {

// A block: one cache line.
constexpr uint64_t kBlockBytes = 64;
constexpr uint64_t kBlockBits = 8 * kBlockBytes;
static_assert(kBlockBits == 512);

// M[j] of docs/format.md. Plain double hashing (M[j] = j; Kirsch and Mitzenmacher, 2006) costs 6 %
// more false positives at 10 bits per key and 2.9 times as many at 20. With these multipliers the
// false-positive rate is that of independent probes (docs/design.md). Padded with zeros to whole
// SIMD registers.
alignas(64) constexpr uint32_t kProbeMultipliers[32] = {
    0x428a2f99, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a5, 0xab1c5ed5,
    0xd807aa99, 0x12835b01, 0x243185bf, 0x550c7dc3, 0x72be5d75, 0x80deb1ff, 0x9bdc06a7, 0xc19bf175,
    0xe49b69c1, 0xefbe4787, 0x0fc19dc7, 0x240ca1cd, 0x2de92c6f, 0x4a7484ab, 0x5cb0a9dd, 0x76f988db,
    0x983e5153, 0xa831c66d, 0xb00327c9, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0,          0};
static_assert(sizeof(kProbeMultipliers) % 64 == 0, "whole registers of 512 bits");

struct ProbePair {
  uint32_t a;
  uint32_t b;
};

inline uint32_t Probe(ProbePair pair, int j) { return pair.a + kProbeMultipliers[j] * pair.b; }

// The index of a block comes from the upper bits of the hash, so both numbers come from the lower
// half.
inline ProbePair BlockedPair(uint64_t hash) {
  const uint32_t a = static_cast<uint32_t>(hash);
  return {a, a << 16 | a >> 16};
}

// The upper half of the 128-bit product: a number below `range`, in proportion to x.
inline uint64_t ScaledTo(uint64_t range, uint64_t x) { return Multiply(x, range).high; }

inline uint64_t BlockIndex(uint64_t hash, uint64_t num_blocks) {
  return ScaledTo(num_blocks, hash);
}

inline uint32_t BlockedBit(uint32_t probe) { return probe >> 23; }
static_assert(kBlockBits == uint64_t{1} << (32 - 23));

// Like BlockedBit, in a block of 512, 128 or 64 bits (or counters).
template <uint32_t kBits>
inline uint32_t BitInBlock(uint32_t probe) {
  static_assert(kBits == kBlockBits || kBits == 128 || kBits == 64);
  return probe >> (kBits == kBlockBits ? 23 : kBits == 128 ? 25 : 26);
}

inline ProbePair FlatPair(uint64_t hash) {
  return {static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32)};
}

inline uint32_t FlatBit(uint32_t probe, uint32_t num_bits) {
  return static_cast<uint32_t>(static_cast<uint64_t>(probe) * num_bits >> 32);
}

// N[j] of docs/format.md, for positions beyond 32 bits.
constexpr uint64_t kWideProbeMultipliers[] = {
    0x428a2f98d728ae23, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbd,
    0x3956c25bf348b539, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8119,
    0xd807aa98a3030243, 0x12835b0145706fbf, 0x243185be4ee4b28d, 0x550c7dc3d5ffb4e3,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692695,
    0xe49b69c19ef14ad3, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd5, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43211, 0xb00327c898fb213f, 0xbf597fc7beef0ee5,
    0xc6e00bf33da88fc3, 0xd5a79147930aa725};

// Probe j of a standard Bloom filter of num_bits bits.
inline uint64_t StandardBit(uint64_t hash, int j, uint64_t num_bits) {
  return ScaledTo(num_bits, hash + kWideProbeMultipliers[j] * (hash << 32 | hash >> 32));
}

// ---- Blocks.

// Keys whose blocks are prefetched before the first is probed, so that their cache misses overlap.
// RocksDB's MultiGet has at most this many at a time.
constexpr size_t kBatchKeys = 32;

// We take a filter of at most this many bytes to be in the second-level cache, from which the
// processor fetches cache lines fast enough by itself. Prefetching them costs 0.3 ns per key
// (docs/rejected.md).
constexpr uint64_t kCachedBytes = 256 << 10;

// How many keys ahead of an insertion its block is prefetched: enough to cover an access to memory,
// few enough to stay in the first-level cache. On a machine whose other processes use the
// third-level cache, 10 million keys take 3.9 ns each with 64, 5.7 with 32 and 7.1 with 16.
constexpr size_t kInsertAhead = 64;

inline const char* BlockFor(const PayloadView& filter, uint64_t hash) {
  return filter.data + BlockIndex(hash, filter.num_blocks) * kBlockBytes;
}

inline char* WritableBlockFor(const PayloadView& filter, uint64_t hash) {
  return const_cast<char*>(BlockFor(filter, hash));
}

// Prefetches the block of a key, of up to 64 bytes. If the payload does not begin at a cache line,
// the block lies in two lines.
//
// Always inlined: GCC 12 assumes that a function which only prefetches has no effect, and may drop
// calls of it.
BLOOMLINE_ALWAYS_INLINE void PrefetchBlock(const char* data, uint64_t num_blocks,
                                           uint64_t block_bytes, uint64_t hash) {
  const char* block = data + BlockIndex(hash, num_blocks) * block_bytes;
  __builtin_prefetch(block);
  __builtin_prefetch(block + block_bytes - 1);
}

BLOOMLINE_ALWAYS_INLINE void PrefetchForWrite(const char* block) {
  __builtin_prefetch(block, 1);
  __builtin_prefetch(block + kBlockBytes - 1, 1);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_BITS_PROBE_SEQUENCE_H_
