#include "src/redis/lifecycle.h"

#include <optional>
#include <vector>

#include "bloomline/seed.h"
#include "src/redis/batches.h"
#include "src/redis/scripts.h"

namespace bloomline::redis {
namespace {

// Three rounds are enough if the filter of a dead creator must be removed first. More are needed
// only if other clients delete the filter meanwhile.
constexpr int kMaxRounds = 8;

struct Found {
  Layout layout;
  bool unfinished;  // published, but its shards may still have an expiry
};

// Reads the metadata. *found is empty if there is no filter.
bool FindFilter(Router* router, const std::string& name, std::optional<Found>* found,
                std::string* error) {
  const std::string key = MetadataKey(name);
  CommandList get;
  get.Add(KeySlot(key), {"HMGET", key, "metadata", "unfinished"});
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
  const std::string key = MetadataKey(name);
  CommandList forget;
  forget.Add(KeySlot(key), {"EVAL", kForget, "1", key, EncodeMetadata(layout)});
  return forget.Run(router, error);
}

// Removes a filter whose creator died too early, unless it is finished or deleted by now. Nobody
// has added a key, and nobody will.
bool RemoveUnfinished(Router* router, const std::string& name, const Layout& layout,
                      std::string* error) {
  const std::string key = MetadataKey(name);
  CommandList give_up;
  give_up.Add(KeySlot(key), {"EVAL", kGiveUp, "1", key, EncodeMetadata(layout)});
  if (!give_up.Run(router, error)) return false;
  return !IsOne(give_up.reply(0)) || RemoveFilter(router, name, layout, error);
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
  std::optional<Found> found;
  if (!FindFilter(router, name, &found, error)) return false;
  return !found || RemoveFilter(router, name, found->layout, error);
}

bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options,
                   std::string* error) {
  const std::string key = MetadataKey(name);
  CommandList touch;
  touch.Add(KeySlot(key), {"EVAL", kTouch, "1", key, EncodeMetadata(layout)});
  if (!touch.Run(router, error, options)) {
    *error += " (" + key + ")";
    return false;
  }
  if (!IsOne(touch.reply(0))) {
    *error = "the filter '" + name + "' was deleted";
    return false;
  }
  bool lost;
  return KeepShards(router, layout, shards, options, &lost, error);
}

void RemoveRemnant(Router* router, const std::string& name, const Layout& layout, uint32_t shard) {
  const std::string key = ShardKey(name, layout.id, shard);
  CommandList remove;
  remove.Add(KeySlot(key),
             {"EVAL", kRemoveRemnant, "1", key, std::to_string(8 * layout.shard_bytes() - 1)});
  std::string ignored;  // wastes memory at worst
  remove.Run(router, &ignored);
}

}  // namespace bloomline::redis
