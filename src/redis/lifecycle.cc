#include "src/redis/lifecycle.h"

#include <algorithm>
#include <random>
#include <vector>

#include "src/redis/batches.h"
#include "src/redis/command.h"

namespace bloomline::redis {
namespace {

// Shards of a creator that died are gone after an hour; they get permanent just before the metadata
// names them.
constexpr std::string_view kCreationSeconds = "3600";

uint64_t NewId() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

// Writes empty blocks, with their markers, over zeroed shards.
class FillBatch : public Batch {
 public:
  FillBatch(const Layout& layout, const std::vector<Shard>& shards)
      : layout_(layout), shards_(shards) {
    blocks_per_chunk_ =
        std::min<uint64_t>(kChunkBytes / layout.block_bytes, layout.blocks_per_shard);
    chunks_per_shard_ = (layout.blocks_per_shard + blocks_per_chunk_ - 1) / blocks_per_chunk_;
    std::string block(layout.block_bytes, '\0');
    block.back() = 1;
    for (uint64_t i = 0; i < blocks_per_chunk_; ++i) chunk_ += block;
  }

  size_t size() const { return chunks_per_shard_ * shards_.size(); }
  const std::string& error() const { return error_; }

  uint16_t Slot(size_t i) const override { return shards_[i / chunks_per_shard_].slot; }

  void Encode(size_t i, std::string* out) override {
    const uint64_t first = i % chunks_per_shard_ * blocks_per_chunk_;
    const uint64_t blocks = std::min(blocks_per_chunk_, layout_.blocks_per_shard - first);
    BeginCommand(4, out);
    AppendArgument("SETRANGE", out);
    AppendArgument(shards_[i / chunks_per_shard_].key, out);
    AppendArgument(first * layout_.block_bytes, out);
    AppendArgument(std::string_view(chunk_).substr(0, blocks * layout_.block_bytes), out);
  }

  void OnReply(size_t, ReplyPtr reply, bool) override {
    if (IsError(*reply) && error_.empty()) error_ = "redis: " + std::string(Text(*reply));
  }
  void OnFailure(size_t, const std::string& error) override {
    if (error_.empty()) error_ = error;
  }

 private:
  static constexpr uint64_t kChunkBytes = 64 << 10;

  const Layout& layout_;
  const std::vector<Shard>& shards_;
  uint64_t blocks_per_chunk_;
  uint64_t chunks_per_shard_;
  std::string chunk_;
  std::string error_;
};

bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                std::string* error) {
  // Of full length from the start: a string that grows is given more memory than it needs.
  const std::string last_byte = std::to_string(layout.shard_bytes() - 1);
  CommandList allocate;
  for (const Shard& shard : shards) {
    allocate.Add(shard.slot, {"SETRANGE", shard.key, last_byte, std::string_view("\x01", 1)});
    allocate.Add(shard.slot, {"EXPIRE", shard.key, kCreationSeconds});
  }
  if (!allocate.Run(router, error)) return false;
  FillBatch fill(layout, shards);
  router->Run(fill.size(), &fill);
  if (!fill.error().empty()) {
    *error = fill.error();
    return false;
  }
  CommandList persist;
  for (const Shard& shard : shards) persist.Add(shard.slot, {"PERSIST", shard.key});
  return persist.Run(router, error);
}

void RemoveShards(Router* router, const std::vector<Shard>& shards) {
  CommandList remove;
  for (const Shard& shard : shards) remove.Add(shard.slot, {"UNLINK", shard.key});
  std::string ignored;
  remove.Run(router, &ignored);
}

bool RefuseOther(const std::string& name, const Layout& existing, const Layout& wanted,
                 std::string* error) {
  *error = "the filter '" + name + "' exists with other parameters: it has '" +
           EncodeMetadata(existing) + "', wanted is '" + EncodeMetadata(wanted) + "'";
  return false;
}

}  // namespace

bool FindFilter(Router* router, const std::string& name, std::optional<Layout>* layout,
                std::string* error) {
  const std::string key = MetadataKey(name);
  CommandList get;
  get.Add(KeySlot(key), {"GET", key});
  if (!get.Run(router, error)) {
    *error += " (reading " + key + ")";
    return false;
  }
  layout->reset();
  if (get.reply(0).type == REDIS_REPLY_NIL) return true;
  layout->emplace();
  std::string reason;
  if (get.reply(0).type == REDIS_REPLY_STRING &&
      DecodeMetadata(Text(get.reply(0)), &layout->value(), &reason)) {
    return true;
  }
  *error = "redis: " + key + " does not describe a filter this version knows: " + reason;
  return false;
}

bool CreateFilter(Router* router, const std::string& name, Layout* layout, std::string* error) {
  std::optional<Layout> existing;
  if (!FindFilter(router, name, &existing, error)) return false;
  if (!existing) {
    layout->id = NewId();
    const std::vector<Shard> shards = ShardsOf(name, *layout);
    if (!MakeShards(router, *layout, shards, error)) {
      RemoveShards(router, shards);
      return false;
    }
    // The filter begins to exist with this command, whole. Whoever comes second has made shards in
    // vain.
    const std::string key = MetadataKey(name);
    CommandList publish;
    publish.Add(KeySlot(key), {"SET", key, EncodeMetadata(*layout), "NX"});
    if (!publish.Run(router, error)) return false;  // it may exist now, so the shards must stay
    if (!FindFilter(router, name, &existing, error)) return false;
    if (!existing || existing->id != layout->id) RemoveShards(router, shards);
    if (!existing) {
      *error = "the filter '" + name + "' was deleted while it was being made";
      return false;
    }
  }
  if (!SameParameters(*existing, *layout)) return RefuseOther(name, *existing, *layout, error);
  *layout = *existing;
  return true;
}

bool CheckShards(Router* router, const std::string& name, const Layout& layout,
                 std::string* error) {
  const std::vector<Shard> shards = ShardsOf(name, layout);
  CommandList lengths;
  for (const Shard& shard : shards) lengths.Add(shard.slot, {"STRLEN", shard.key});
  if (!lengths.Run(router, error)) return false;
  for (size_t i = 0; i < shards.size(); ++i) {
    const long long length = lengths.reply(i).integer;
    if (length == static_cast<long long>(layout.shard_bytes())) continue;
    *error = "the filter '" + name + "' is damaged: " + shards[i].key + " has " +
             std::to_string(length) + " bytes instead of " + std::to_string(layout.shard_bytes()) +
             "; the keys in it are lost: delete it and create it anew";
    return false;
  }
  return true;
}

bool DeleteFilter(Router* router, const std::string& name, std::string* error) {
  std::optional<Layout> layout;
  if (!FindFilter(router, name, &layout, error)) return false;
  if (!layout) return true;
  // Shards first: as long as the metadata is there, the rest can be found and deleted again.
  CommandList remove;
  for (const Shard& shard : ShardsOf(name, *layout)) remove.Add(shard.slot, {"UNLINK", shard.key});
  if (!remove.Run(router, error)) return false;
  // Unless somebody else has deleted it meanwhile and made a new one.
  const std::string key = MetadataKey(name);
  CommandList forget;
  forget.Add(KeySlot(key),
             {"EVAL",
              "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end "
              "return 0",
              "1", key, EncodeMetadata(*layout)});
  return forget.Run(router, error);
}

bool ConfirmMetadata(Router* router, const std::string& name, const Layout& layout,
                     const AddOptions& options, std::string* error) {
  // A write that changes nothing, and that is propagated nevertheless, before WAIT.
  const std::string key = MetadataKey(name);
  CommandList touch;
  touch.Add(KeySlot(key), {"EVAL",
                           "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                           "return redis.call('APPEND', KEYS[1], '') end return 0",
                           "1", key, EncodeMetadata(layout)});
  if (!touch.Run(router, error, options)) {
    *error += " (" + key + ")";
    return false;
  }
  if (touch.reply(0).type == REDIS_REPLY_INTEGER && touch.reply(0).integer > 0) return true;
  *error = "the filter '" + name + "' was deleted";
  return false;
}

void RemoveRemnant(Router* router, const std::string& name, const Layout& layout, uint32_t shard) {
  const std::string key = ShardKey(name, layout.id, shard);
  CommandList remove;
  remove.Add(KeySlot(key), {"EVAL",
                            "if redis.call('GETBIT', KEYS[1], ARGV[1]) == 0 then "
                            "return redis.call('UNLINK', KEYS[1]) end return 0",
                            "1", key, std::to_string(8 * layout.shard_bytes() - 1)});
  std::string ignored;  // it is rubbish either way
  remove.Run(router, &ignored);
}

}  // namespace bloomline::redis
