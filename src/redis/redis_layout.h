// The layout of a filter in Redis: keys, headers, and the bits of a key. docs/redis.md
// defines it.
#ifndef BLOOMLINE_REDIS_REDIS_LAYOUT_H_
#define BLOOMLINE_REDIS_REDIS_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/redis_bloom_filter.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::redis {

// Each key of a filter begins with its header.
constexpr uint32_t kHeaderBytes = 256;
constexpr unsigned char kFirstHeaderByte = 'b';

struct RedisLayout {
  uint64_t capacity = 0;
  double false_positive_rate = 0;
  uint64_t seed = 0;
  uint32_t block_bytes = 0;
  int num_probes = 0;
  uint64_t blocks_per_shard = 0;
  uint32_t num_shards = 0;
  uint64_t id = 0;  // random; differs if a filter is deleted and created again

  uint64_t shard_bytes() const { return kHeaderBytes + blocks_per_shard * block_bytes; }
  // The last bit of each block is its marker, which is always 1.
  uint32_t marker_bit() const { return 8 * block_bytes - 1; }
};

constexpr uint32_t kMinBlockBytes = 64;
constexpr uint32_t kMaxBlockBytes = 512;
constexpr uint64_t kMinShardBytes = 4096;
constexpr uint64_t kMaxShardBytes = uint64_t{64}
                                    << 20;  // made in one step, which blocks the server
constexpr uint32_t kMaxShards = 65536;

// Chooses block size, probes and shards. The options must be in their ranges. `id` stays 0.
// num_shards may be kMaxShards + 1, which means any larger number. Takes milliseconds.
RedisLayout PlanLayout(const SharedBloomFilterOptions& options);

// One line of text, with spaces up to kHeaderBytes.
std::string EncodeHeader(const RedisLayout& layout);
// False if EncodeHeader would not write these bytes or a value is out of range.
bool DecodeHeader(std::string_view bytes, RedisLayout* layout);
// Whether both were planned for the same capacity, rate and seed. Blocks, probes and shards may
// differ: another version may plan them differently, and so may another machine's logarithm.
bool SameParameters(const RedisLayout& a, const RedisLayout& b);

// Returns an empty string if the name is valid, otherwise one sentence.
std::string ValidateName(std::string_view name);
// Names contain no braces, so the text before the first brace distinguishes the two kinds of keys.
std::string EntryKey(std::string_view name);
std::string ShardKey(std::string_view name, uint64_t id, uint32_t shard);

constexpr uint16_t kNumSlots = 16384;
// The slot of a filter's key in a cluster: the CRC16 of its hash tag, the text in the braces.
uint16_t KeySlot(std::string_view key);

struct BlockPlace {
  uint32_t shard;
  uint64_t block;  // in the shard
  kernels::ProbePair pair;
};

inline BlockPlace PlaceOf(const RedisLayout& layout, uint64_t hash) {
  const uint64_t block = kernels::BlockIndex(hash, layout.blocks_per_shard * layout.num_shards);
  const uint64_t shard = block / layout.blocks_per_shard;
  return {static_cast<uint32_t>(shard), block - shard * layout.blocks_per_shard,
          kernels::BlockedPair(hash)};
}

// The first byte of the block in its shard.
inline uint64_t BlockOffset(const RedisLayout& layout, uint64_t block) {
  return kHeaderBytes + block * layout.block_bytes;
}

// The bit of probe j within the block; never the marker.
inline uint32_t BitOf(const RedisLayout& layout, kernels::ProbePair pair, int j) {
  return kernels::FlatBit(kernels::Probe(pair, j), layout.marker_bit());
}

// Redis numbers bits from the most significant bit of byte 0.
inline bool BitIsSet(const char* block, uint32_t bit) {
  return (static_cast<unsigned char>(block[bit / 8]) >> (7 - bit % 8) & 1) != 0;
}

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_REDIS_LAYOUT_H_
