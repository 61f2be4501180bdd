// The last resort for a compact block with more keys than it can have slots, or without a solution.
// It becomes a Bloom filter of its own, so that keys that somebody chose to overfill blocks do less
// damage than if such a block matched every key (docs/chosen_keys.md).
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BLOOM_BLOCK_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BLOOM_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/cpu/bits.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/layouts/compact/compact_block.h"

namespace bloomline::kernels {

constexpr unsigned kMaxBloomBlockProbes = 15;

inline uint32_t BloomBlockBit(uint64_t hash, unsigned probe, unsigned payload_bits) {
  return static_cast<uint32_t>(
      uint64_t{Probe(BlockedPair(hash), static_cast<int>(probe))} * payload_bits >> 32);
}

// The lower four bits of the header's attempt are k; 0 matches every key.
inline unsigned BloomBlockProbesOf(unsigned attempt) {
  return attempt % (kMaxBloomBlockProbes + 1);
}

inline bool BloomBlockMayMatch(const char* block, unsigned payload_bits, unsigned attempt,
                               uint64_t hash) {
  const unsigned num_probes = BloomBlockProbesOf(attempt);
  for (unsigned j = 0; j < num_probes; ++j) {
    if (!TestBit(block, BloomBlockBit(hash, j, payload_bits))) return false;
  }
  return true;
}

inline void SetBloomHeader(const Arrangement& arrangement, unsigned num_probes, char* block) {
  char* const last = block + arrangement.block_bytes - 8;
  StoreLittleEndian64(LoadLittleEndian64(last) | HeaderBits(kBloomCode, num_probes), last);
}

inline void WriteMatchAllBlock(const Arrangement& arrangement, char* block) {
  std::memset(block, 0, arrangement.block_bytes);
  SetBloomHeader(arrangement, 0, block);
}

// ln 2 * bits per key, rounded, and at least 1. n > 0. More keys than a block can have slots count
// as kOverfullKeys, however many they are: a builder that has no room for all of them
// (block_run_builder.h) must set bits before it knows their number.
constexpr uint64_t kOverfullKeys = 160;
inline unsigned BloomBlockNumProbes(uint64_t payload_bits, uint64_t n) {
  if (n > kMaxCompactSlots) n = kOverfullKeys;
  const uint64_t best = (payload_bits * 177 / 256 + n / 2) / n;
  return static_cast<unsigned>(std::clamp<uint64_t>(best, 1, kMaxBloomBlockProbes));
}

inline unsigned HeaderOf(const Arrangement& arrangement, const char* block) {
  return LoadLittleEndian16(block + arrangement.block_bytes - 2);
}

inline bool IsBloomBlock(const Arrangement& arrangement, const char* block) {
  return CodeOf(HeaderOf(arrangement, block)) == kBloomCode;
}

inline void InsertIntoBloomBlock(const Arrangement& arrangement, const uint64_t* hashes, size_t n,
                                 char* block) {
  const unsigned num_probes = BloomBlockProbesOf(AttemptOf(HeaderOf(arrangement, block)));
  for (size_t i = 0; i < n; ++i) {
    for (unsigned j = 0; j < num_probes; ++j) {
      SetBit(block, BloomBlockBit(hashes[i], j, arrangement.payload_bits()));
    }
  }
}

// Writes the block of n > 0 hashes into zeroed bytes.
inline void WriteBloomBlock(const Arrangement& arrangement, const uint64_t* hashes, size_t n,
                            char* block) {
  SetBloomHeader(arrangement, BloomBlockNumProbes(arrangement.payload_bits(), n), block);
  InsertIntoBloomBlock(arrangement, hashes, n, block);
}

}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BLOOM_BLOCK_H_
