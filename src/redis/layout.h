// Where a key's bits lie in Redis: docs/redis.md.
#ifndef BLOOMLINE_REDIS_LAYOUT_H_
#define BLOOMLINE_REDIS_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/redis_bloom_filter.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::redis {

struct Layout {
  uint64_t capacity = 0;
  double false_positive_rate = 0;
  uint64_t seed = 0;
  uint32_t block_bytes = 0;
  int num_probes = 0;
  uint64_t blocks_per_shard = 0;
  uint32_t num_shards = 0;
  uint64_t id = 0;  // random; tells filters of one name apart that followed each other

  uint64_t shard_bytes() const { return blocks_per_shard * block_bytes; }
  // The last bit of each block is the marker, which is always set.
  uint32_t marker_bit() const { return 8 * block_bytes - 1; }
};

constexpr uint32_t kMinBlockBytes = 64;
constexpr uint32_t kMaxBlockBytes = 512;
constexpr uint64_t kMinShardBytes = 4096;
constexpr uint64_t kMaxShardBytes = uint64_t{512} << 20;
constexpr uint32_t kMaxShards = 65536;

// Needs values in their ranges. `id` is left 0; num_shards may be kMaxShards + 1, which stands for
// any larger number. Takes milliseconds.
Layout PlanLayout(const SharedBloomFilterOptions& options);

// What the metadata key holds in its field "metadata"; one line of text.
std::string EncodeMetadata(const Layout& layout);
// False, with the reason: the text is not what EncodeMetadata makes, or a value is out of range.
bool DecodeMetadata(std::string_view text, Layout* layout, std::string* error);
// Equal but for the id.
bool SameParameters(const Layout& a, const Layout& b);

// Empty if the name can be used, else one sentence.
std::string ValidateName(std::string_view name);
// No name has a brace, so what comes before the first one tells the two kinds of keys apart.
std::string MetadataKey(std::string_view name);
std::string ShardKey(std::string_view name, uint64_t id, uint32_t shard);
// In the metadata key's hash, before there is a filter: the creator with this id may publish.
std::string TicketField(uint64_t id);

struct Place {
  uint32_t shard;
  uint64_t block;  // in the shard
  kernels::ProbePair pair;
};

inline Place PlaceOf(const Layout& layout, uint64_t hash) {
  const uint64_t block = kernels::BlockIndex(hash, layout.blocks_per_shard * layout.num_shards);
  const uint64_t shard = block / layout.blocks_per_shard;
  return {static_cast<uint32_t>(shard), block - shard * layout.blocks_per_shard,
          kernels::BlockedPair(hash)};
}

// Bit of probe j within the block; never the marker.
inline uint32_t BitOf(const Layout& layout, kernels::ProbePair pair, int j) {
  return kernels::FlatBit(kernels::Probe(pair, j), layout.marker_bit());
}

// Redis counts bits from the most significant one of byte 0.
inline bool BitIsSet(const char* block, uint32_t bit) {
  return (static_cast<unsigned char>(block[bit / 8]) >> (7 - bit % 8) & 1) != 0;
}

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_LAYOUT_H_
