#include "src/redis/lifecycle.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "bloomline/seed.h"
#include "src/redis/command.h"
#include "src/redis/scripts.h"

namespace bloomline::redis {
namespace {

using Clock = std::chrono::steady_clock;
using Texts = std::vector<std::string>;

// Small, so that the server can serve other clients between two chunks.
constexpr uint64_t kChunkBytes = 1 << 20;

// How long a key lives that was created after ASKING, until the next step finds it and renews it.
// The move of its slot may have been given up since the ASK: then it is in the way of the next
// move.
constexpr int kAskedExpirySeconds = 60;

// Three rounds are enough if the filter of a dead creator must be removed first. More are needed
// only if other clients delete the filter meanwhile.
constexpr int kMaxRounds = 8;

void AppendScript(std::string_view script, std::string_view key, const Texts& arguments,
                  std::string* out) {
  BeginCommand(4 + arguments.size(), out);
  for (const std::string_view text :
       {std::string_view("EVAL"), script, std::string_view("1"), key}) {
    AppendArgument(text, out);
  }
  for (const std::string& argument : arguments) AppendArgument(argument, out);
}

// The reply of a script that did its work and has no other result.
bool IsOne(const redisReply& reply) {
  return reply.type == REDIS_REPLY_INTEGER && reply.integer == 1;
}

// The reply of a script on one key; null, with the reason, if there is none or it is an error.
ReplyPtr RunScript(Router* router, std::string_view script, const std::string& key,
                   const Texts& arguments, std::string* error,
                   const AddOptions& options = AddOptions()) {
  CommandList command;
  AppendScript(script, key, arguments, command.Add(KeySlot(key)));
  return command.Run(router, error, options) ? command.TakeReply(0) : nullptr;
}

// Runs one script on many shards.
class ShardScript : public Batch {
 public:
  // Returns the arguments of one call. `asked`: see Batch::Encode.
  using Arguments = std::function<Texts(size_t shard, uint64_t call, bool asked)>;
  // Whether the reply means that the script did its work. May be called twice for one reply.
  using Accept = std::function<bool(size_t shard, const redisReply& reply)>;

  // `script` and `shards` must outlive this. Without `accept`, the reply must be 1.
  ShardScript(std::string_view script, const std::vector<Shard>& shards, Arguments arguments,
              Accept accept = nullptr)
      : script_(script),
        shards_(shards),
        arguments_(std::move(arguments)),
        accept_(std::move(accept)) {}

  // Makes the calls 0 .. num_calls - 1 for each of the shards [first, last). False, with the first
  // reason, if any call has no reply, an error reply, or a reply that is not accepted. `options`:
  // see Router::Run.
  bool Run(Router* router, size_t first, size_t last, size_t num_calls, std::string* error,
           const AddOptions& options = AddOptions()) {
    first_ = first;
    num_calls_ = num_calls;
    refused_ = false;
    error_.clear();
    router->Run((last - first) * num_calls, this, options);
    if (!error_.empty()) *error = error_;
    return error_.empty();
  }

  // Whether the last Run failed because a reply was not accepted: a shard is not in the expected
  // state. Otherwise the state is unknown.
  bool refused() const { return refused_; }

  uint16_t Slot(size_t i) const override { return ShardOf(i).slot; }

  void Encode(size_t i, bool asked, std::string* out) override {
    const Texts arguments = arguments_(first_ + i / num_calls_, i % num_calls_, asked);
    AppendScript(script_, ShardOf(i).key, arguments, out);
  }

  bool MayLackKey(size_t i, const redisReply& reply) const override {
    return !(accept_ ? accept_(first_ + i / num_calls_, reply) : IsOne(reply));
  }

  void OnReply(size_t i, ReplyPtr reply, bool) override {
    if (IsError(*reply)) {
      OnFailure(i, "redis: " + ShardOf(i).key + ": " + std::string(Text(*reply)));
    } else if (MayLackKey(i, *reply)) {
      refused_ = true;
      OnFailure(i, "redis: " + ShardOf(i).key +
                       " is not what its creator left: the server has lost it, or it was deleted");
    }
  }

  void OnFailure(size_t, const std::string& error) override {
    if (error_.empty()) error_ = error;
  }

 private:
  const Shard& ShardOf(size_t i) const { return shards_[first_ + i / num_calls_]; }

  const std::string_view script_;
  const std::vector<Shard>& shards_;
  const Arguments arguments_;
  const Accept accept_;
  size_t first_ = 0;
  size_t num_calls_ = 1;
  bool refused_ = false;
  std::string error_;
};

// The expiry of a key that a script creates.
std::string ExpiryOfNew(const CreationPace& pace, bool asked) {
  return std::to_string(asked ? std::min(pace.expiry_seconds, kAskedExpirySeconds)
                              : pace.expiry_seconds);
}

std::string MarkerOfFirstBlock(const Layout& layout) { return std::to_string(layout.marker_bit()); }

bool AllocateShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                    size_t first, size_t last, const CreationPace& pace, Texts* tokens,
                    std::string* error) {
  ShardScript allocate(
      kAllocateShard, shards,
      [&](size_t, uint64_t, bool asked) {
        return Texts{std::to_string(layout.shard_bytes()), MarkerOfFirstBlock(layout),
                     ExpiryOfNew(pace, asked)};
      },
      [&](size_t shard, const redisReply& reply) {
        if (reply.type != REDIS_REPLY_STRING || reply.len == 0) return false;
        (*tokens)[shard] = Text(reply);
        return true;
      });
  return allocate.Run(router, first, last, 1, error);
}

bool FillShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                size_t first, size_t last, const CreationPace& pace, const Texts& tokens,
                std::string* error) {
  const uint64_t chunk = std::min(kChunkBytes / layout.block_bytes, layout.blocks_per_shard);
  const uint64_t chunks = (layout.blocks_per_shard + chunk - 1) / chunk;
  const auto arguments = [&](size_t shard, uint64_t number) {
    const uint64_t blocks = std::min(chunk, layout.blocks_per_shard - number * chunk);
    return Texts{tokens[shard],
                 MarkerOfFirstBlock(layout),
                 std::to_string(number * chunk * layout.block_bytes),
                 std::to_string(blocks),
                 std::to_string(layout.block_bytes),
                 std::to_string(pace.expiry_seconds)};
  };
  ShardScript rest(kFillShard, shards,
                   [&](size_t shard, uint64_t call, bool) { return arguments(shard, call + 1); });
  // Chunk 0 contains block 0, which ends the filling. So all other chunks are acknowledged first.
  ShardScript start(kFillShard, shards,
                    [&](size_t shard, uint64_t, bool) { return arguments(shard, 0); });
  return (chunks == 1 || rest.Run(router, first, last, static_cast<size_t>(chunks - 1), error)) &&
         start.Run(router, first, last, 1, error);
}

// Makes the shards of a published filter permanent. *lost: it failed because a shard is missing or
// was never filled.
bool KeepShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const AddOptions& options, bool* lost, std::string* error) {
  ShardScript keep(kKeepShard, shards, [&](size_t, uint64_t, bool) {
    return Texts{std::to_string(layout.shard_bytes()), MarkerOfFirstBlock(layout)};
  });
  const bool kept = keep.Run(router, 0, shards.size(), 1, error, options);
  *lost = keep.refused();
  return kept;
}

// KeepShards, then marks the filter as finished. *lost: it failed because the filter was deleted or
// a shard has expired. If it was unfinished until now, nobody has added a key to it.
bool FinishFilter(Router* router, const std::string& name, const Layout& layout, bool* lost,
                  std::string* error) {
  if (!KeepShards(router, layout, ShardsOf(name, layout), AddOptions(), lost, error)) return false;
  const ReplyPtr reply =
      RunScript(router, kFinish, MetadataKey(name), {EncodeMetadata(layout)}, error);
  if (reply == nullptr || IsOne(*reply)) return reply != nullptr;
  *lost = true;
  *error = "the filter '" + name + "' was deleted while it was being made";
  return false;
}

bool RemoveShards(Router* router, const std::vector<Shard>& shards, std::string* error) {
  CommandList remove;
  for (const Shard& shard : shards) AppendCommand({"UNLINK", shard.key}, remove.Add(shard.slot));
  return remove.Run(router, error);
}

struct Found {
  Layout layout;
  bool unfinished;  // published, but its shards may still have an expiry
};

// Reads the metadata. *found is empty if there is no filter.
bool FindFilter(Router* router, const std::string& name, std::optional<Found>* found,
                std::string* error) {
  const std::string key = MetadataKey(name);
  CommandList get;
  AppendCommand({"HMGET", key, "metadata", "unfinished"}, get.Add(KeySlot(key)));
  if (!get.Run(router, error)) {
    *error += " (reading " + key + ")";
    return false;
  }
  found->reset();
  const redisReply& reply = get.reply(0);
  const bool is_pair = reply.type == REDIS_REPLY_ARRAY && reply.elements == 2;
  if (is_pair && reply.element[0]->type == REDIS_REPLY_NIL) return true;
  found->emplace();
  found->value().unfinished = is_pair && reply.element[1]->type != REDIS_REPLY_NIL;
  std::string reason = "the reply to HMGET is not two strings";
  if (is_pair && reply.element[0]->type == REDIS_REPLY_STRING &&
      DecodeMetadata(Text(*reply.element[0]), &found->value().layout, &reason)) {
    return true;
  }
  *error = "redis: " + key + " does not describe a filter this version knows: " + reason;
  return false;
}

bool MakeFilter(Router* router, const std::string& name, Layout layout, const CreationPace& pace,
                std::string* error) {
  // std::random_device throws, and needs a newer glibc.
  if (!DrawSeed(&layout.id, error)) return false;
  const std::vector<Shard> shards = ShardsOf(name, layout);
  std::string ignored;  // a shard that is not removed expires
  if (!MakeShards(router, layout, shards, pace, error)) {
    RemoveShards(router, shards, &ignored);
    return false;
  }
  bool ours;
  if (!PublishFilter(router, name, layout, pace, &ours, error)) {
    // The filter may exist now, so its shards must stay.
    *error += "; the filter may have been made all the same: create it again";
    return false;
  }
  if (!ours) RemoveShards(router, shards, &ignored);
  return true;
}

// True if no key of the filter is left.
bool RemoveFilter(Router* router, const std::string& name, const Layout& layout,
                  std::string* error) {
  // Shards first: as long as the metadata exists, Delete can find the rest.
  if (!RemoveShards(router, ShardsOf(name, layout), error)) return false;
  return RunScript(router, kForget, MetadataKey(name), {EncodeMetadata(layout)}, error) != nullptr;
}

// Removes a filter whose creator died too early, unless it is finished or deleted by now. Nobody
// has added a key, and nobody will.
bool RemoveUnfinished(Router* router, const std::string& name, const Layout& layout,
                      std::string* error) {
  const ReplyPtr reply =
      RunScript(router, kGiveUp, MetadataKey(name), {EncodeMetadata(layout)}, error);
  return reply != nullptr && (!IsOne(*reply) || RemoveFilter(router, name, layout, error));
}

bool RefuseOther(const std::string& name, const Layout& existing, const Layout& wanted,
                 std::string* error) {
  *error = "the filter '" + name + "' exists with other parameters: it has '" +
           WithoutSeed(EncodeMetadata(existing)) + "', wanted is '" +
           WithoutSeed(EncodeMetadata(wanted)) + "'";
  if (existing.seed != wanted.seed) *error += " with another seed";
  return false;
}

}  // namespace

bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const CreationPace& pace, std::string* error) {
  const auto group =
      static_cast<size_t>(std::max<uint64_t>(1, pace.group_bytes / layout.shard_bytes()));
  ShardScript renew(kRenewShard, shards, [&](size_t, uint64_t, bool) {
    return Texts{std::to_string(pace.expiry_seconds)};
  });
  Texts tokens(shards.size());
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
  const std::string field = TicketField(layout.id);
  const std::vector<Shard> hash = {{key, KeySlot(key)}};
  std::string token;  // empty: another creator was first
  ShardScript take_ticket(
      kTakeTicket, hash,
      [&](size_t, uint64_t, bool asked) {
        return Texts{field, ExpiryOfNew(pace, asked)};
      },
      [&](size_t, const redisReply& reply) {
        token = reply.type == REDIS_REPLY_STRING ? Text(reply) : "";
        return reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_NIL;
      });
  if (!take_ticket.Run(router, 0, 1, 1, error)) return false;
  if (token.empty()) return true;

  const std::string metadata = EncodeMetadata(layout);
  const ReplyPtr reply = RunScript(router, kPublish, key, {field, token, metadata}, error);
  if (reply == nullptr) return false;
  *ours = reply->type == REDIS_REPLY_NIL || Text(*reply) == metadata;
  return true;
}

bool CreateFilter(Router* router, const std::string& name, Layout* layout, std::string* error,
                  const CreationPace& pace) {
  for (int round = 0; round < kMaxRounds; ++round) {
    std::optional<Found> found;
    if (!FindFilter(router, name, &found, error)) return false;
    if (!found) {
      if (!MakeFilter(router, name, *layout, pace, error)) return false;
      continue;
    }
    bool lost = false;
    if (found->unfinished && !FinishFilter(router, name, found->layout, &lost, error)) {
      if (!lost || !RemoveUnfinished(router, name, found->layout, error)) return false;
      continue;
    }
    if (!SameParameters(found->layout, *layout)) {
      return RefuseOther(name, found->layout, *layout, error);
    }
    *layout = found->layout;
    return true;
  }
  *error = "the filter '" + name + "' was deleted again and again while it was being made";
  return false;
}

bool OpenFilter(Router* router, const std::string& name, Layout* layout, std::string* error) {
  std::optional<Found> found;
  if (!FindFilter(router, name, &found, error)) return false;
  if (!found) {
    *error = "there is no filter '" + name + "'";
    return false;
  }
  *layout = found->layout;
  bool lost = false;
  if (!found->unfinished || FinishFilter(router, name, *layout, &lost, error)) return true;
  if (lost) *error = "the filter '" + name + "' was never finished: create it again; " + *error;
  return false;
}

bool CheckShards(Router* router, const std::string& name, const Layout& layout,
                 std::string* error) {
  const std::vector<Shard> shards = ShardsOf(name, layout);
  CommandList lengths;
  for (const Shard& shard : shards) AppendCommand({"STRLEN", shard.key}, lengths.Add(shard.slot));
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
  std::optional<Found> found;
  if (!FindFilter(router, name, &found, error)) return false;
  return !found || RemoveFilter(router, name, found->layout, error);
}

bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options,
                   std::string* error) {
  const std::string key = MetadataKey(name);
  const ReplyPtr reply = RunScript(router, kTouch, key, {EncodeMetadata(layout)}, error, options);
  if (reply == nullptr) {
    *error += " (" + key + ")";
    return false;
  }
  if (!IsOne(*reply)) {
    *error = "the filter '" + name + "' was deleted";
    return false;
  }
  bool lost;
  return KeepShards(router, layout, shards, options, &lost, error);
}

void RemoveRemnant(Router* router, const std::string& name, const Layout& layout, uint32_t shard) {
  std::string ignored;  // wastes memory at worst
  RunScript(router, kRemoveRemnant, ShardKey(name, layout.id, shard),
            {std::to_string(8 * layout.shard_bytes() - 1)}, &ignored);
}

}  // namespace bloomline::redis
