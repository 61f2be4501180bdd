#include "src/redis/creation.h"

#include <algorithm>
#include <chrono>

#include "src/redis/scripts.h"
#include "src/redis/shard_script.h"

namespace bloomline::redis {
namespace {

using Clock = std::chrono::steady_clock;

// Small, so that the server can serve other clients between two chunks.
constexpr uint64_t kChunkBytes = 1 << 20;

std::string MarkerOfFirstBlock(const Layout& layout) { return std::to_string(layout.marker_bit()); }

bool AllocateShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                    size_t first, size_t last, const CreationPace& pace,
                    std::vector<std::string>* tokens, std::string* error) {
  ShardScript allocate(
      kAllocateShard, shards,
      [&](size_t, uint64_t) {
        return std::vector<std::string>{std::to_string(layout.shard_bytes()),
                                        MarkerOfFirstBlock(layout),
                                        std::to_string(pace.expiry_seconds)};
      },
      [&](size_t shard, const redisReply& reply) {
        if (reply.type != REDIS_REPLY_STRING || reply.len == 0) return false;
        (*tokens)[shard] = Text(reply);
        return true;
      });
  return allocate.Run(router, first, last, 1, error);
}

bool FillShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                size_t first, size_t last, const CreationPace& pace,
                const std::vector<std::string>& tokens, std::string* error) {
  const uint64_t chunk = std::min(kChunkBytes / layout.block_bytes, layout.blocks_per_shard);
  const uint64_t chunks = (layout.blocks_per_shard + chunk - 1) / chunk;
  const auto arguments = [&](size_t shard, uint64_t number) {
    const uint64_t blocks = std::min(chunk, layout.blocks_per_shard - number * chunk);
    return std::vector<std::string>{tokens[shard],
                                    MarkerOfFirstBlock(layout),
                                    std::to_string(number * chunk * layout.block_bytes),
                                    std::to_string(blocks),
                                    std::to_string(layout.block_bytes),
                                    std::to_string(pace.expiry_seconds)};
  };
  ShardScript rest(kFillShard, shards,
                   [&](size_t shard, uint64_t call) { return arguments(shard, call + 1); });
  // Chunk 0 contains block 0, which ends the filling. So all other chunks are acknowledged first.
  ShardScript start(kFillShard, shards,
                    [&](size_t shard, uint64_t) { return arguments(shard, 0); });
  return (chunks == 1 || rest.Run(router, first, last, chunks - 1, error)) &&
         start.Run(router, first, last, 1, error);
}

}  // namespace

bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const CreationPace& pace, std::string* error) {
  const size_t group = std::max<uint64_t>(1, pace.group_bytes / layout.shard_bytes());
  ShardScript renew(kRenewShard, shards, [&](size_t, uint64_t) {
    return std::vector<std::string>{std::to_string(pace.expiry_seconds)};
  });
  std::vector<std::string> tokens(shards.size());
  Clock::time_point renewed = Clock::now();
  for (size_t first = 0; first < shards.size(); first += group) {
    const size_t last = std::min(first + group, shards.size());
    if (!AllocateShards(router, layout, shards, first, last, pace, &tokens, error) ||
        !FillShards(router, layout, shards, first, last, pace, tokens, error)) {
      return false;
    }
    // The first shards must not expire while the last ones are created.
    const Clock::time_point now = Clock::now();
    if (now - renewed < std::chrono::milliseconds(250 * int64_t{pace.expiry_seconds})) continue;
    if (!renew.Run(router, 0, last, 1, error)) return false;
    renewed = now;
  }
  return true;
}

bool PublishFilter(Router* router, const std::string& name, const Layout& layout,
                   const CreationPace& pace, bool* ours, std::string* error) {
  *ours = false;
  const std::string key = MetadataKey(name);
  const uint16_t slot = KeySlot(key);
  const std::string field = TicketField(layout.id);
  CommandList take;
  take.Add(slot, {"EVAL", kTakeTicket, "1", key, field, std::to_string(pace.expiry_seconds)});
  if (!take.Run(router, error)) return false;
  if (take.reply(0).type == REDIS_REPLY_NIL) return true;  // another creator was first

  const std::string metadata = EncodeMetadata(layout);
  CommandList publish;
  publish.Add(slot, {"EVAL", kPublish, "1", key, field, Text(take.reply(0)), metadata});
  if (!publish.Run(router, error)) return false;
  const redisReply& reply = publish.reply(0);
  *ours = reply.type == REDIS_REPLY_STRING && Text(reply) == metadata;
  return true;
}

bool KeepShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const AddOptions& options, bool* lost, std::string* error) {
  ShardScript keep(kKeepShard, shards, [&](size_t, uint64_t) {
    return std::vector<std::string>{std::to_string(layout.shard_bytes()),
                                    MarkerOfFirstBlock(layout)};
  });
  const bool kept = keep.Run(router, 0, shards.size(), 1, error, options);
  *lost = keep.refused();
  return kept;
}

bool FinishFilter(Router* router, const std::string& name, const Layout& layout, bool* lost,
                  std::string* error) {
  if (!KeepShards(router, layout, ShardsOf(name, layout), AddOptions(), lost, error)) return false;

  const std::string key = MetadataKey(name);
  CommandList finish;
  finish.Add(KeySlot(key), {"EVAL", kFinish, "1", key, EncodeMetadata(layout)});
  if (!finish.Run(router, error)) return false;
  if (IsOne(finish.reply(0))) return true;
  *lost = true;
  *error = "the filter '" + name + "' was deleted while it was being made";
  return false;
}

bool RemoveShards(Router* router, const std::vector<Shard>& shards, std::string* error) {
  CommandList remove;
  for (const Shard& shard : shards) remove.Add(shard.slot, {"UNLINK", shard.key});
  return remove.Run(router, error);
}

}  // namespace bloomline::redis
