#include "src/redis/batches.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/filter/bits/hash.h"
#include "src/redis/command.h"

namespace bloomline::redis {
namespace {

// With one key per command, each key pays a command's overhead; 128 keys per command were slower
// than 16.
constexpr size_t kKeysPerCommand = 16;

BlockPlace PlaceOfKey(const RedisLayout& layout, std::string_view key) {
  return PlaceOf(layout, filter::Hash64(key, layout.seed));
}

// Keeps the first reason.
bool Fail(const std::string& reason, std::string* error) {
  if (error->empty()) *error = reason;
  return false;
}

}  // namespace

std::string LostKey(const RedisKey& key) {
  return "redis: " + key.text +
         " is missing or is not what was created: the server has lost it, or the filter was "
         "deleted";
}

std::string Failure(const RedisKey& key, const Command& command) {
  return command.reply == nullptr ? command.error + " (" + key.text + ")" : LostKey(key);
}

Filter::Filter(const std::string& filter_name, const RedisLayout& filter_layout)
    : name(filter_name), layout(filter_layout), entry(KeyWithSlot(EntryKey(name))) {
  for (uint32_t i = 0; i < layout.num_shards; ++i) {
    shards.push_back(KeyWithSlot(ShardKey(name, layout.id, i)));
  }
}

AddBatch::AddBatch(const Filter& filter, size_t n, const std::string_view* keys, bool for_replicas)
    : filter_(filter), for_replicas_(for_replicas) {
  std::map<uint32_t, size_t> last_group;  // of each shard
  for (size_t i = 0; i < n; ++i) {
    places_.push_back(PlaceOfKey(filter.layout, keys[i]));
    const uint32_t shard = places_.back().shard;
    const auto [last, is_new] = last_group.try_emplace(shard, groups_.size());
    if (is_new || groups_[last->second].keys.size() == kKeysPerCommand) {
      last->second = groups_.size();
      groups_.push_back({shard, {}});
    }
    groups_[last->second].keys.push_back(i);
  }
  for (const ShardGroup& group : groups_) commands_.push_back(CommandFor(group));
}

Command AddBatch::CommandFor(const ShardGroup& group) const {
  const RedisLayout& layout = filter_.layout;
  const RedisKey& shard = filter_.shards[group.shard];
  Command command;
  command.slot = shard.slot;
  std::string* const out = &command.bytes;
  const size_t num_bits = group.keys.size() * static_cast<size_t>(layout.num_probes);
  BeginCommand(num_bits * 4 + (for_replicas_ ? 10 : 5), out);
  AppendArgument("BITFIELD", out);
  AppendArgument(shard.text, out);
  for (const size_t key : group.keys) {
    const BlockPlace& place = places_[key];
    const uint64_t first_bit = 8 * BlockOffset(layout, place.block);
    for (int j = 0; j < layout.num_probes; ++j) {
      out->append("$3\r\nSET\r\n$2\r\nu1\r\n");
      AppendArgument(first_bit + BitOf(layout, place.pair, j), out);
      out->append("$1\r\n1\r\n");
    }
  }
  // If the server has lost the shard, BITFIELD creates a string without a header. Reading the
  // header's first byte in the same command detects that.
  out->append(for_replicas_ ? "$6\r\nINCRBY\r\n$2\r\nu8\r\n$1\r\n0\r\n$1\r\n1\r\n"
                              "$6\r\nINCRBY\r\n$2\r\nu8\r\n$1\r\n0\r\n$2\r\n-1\r\n"
                            : "$3\r\nGET\r\n$2\r\nu8\r\n$1\r\n0\r\n");
  return command;
}

bool AddBatch::ReadReplies(AddResult* results, std::set<uint32_t>* lost, std::string* error) const {
  const size_t num_probes = static_cast<size_t>(filter_.layout.num_probes);
  bool ok = true;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const ShardGroup& group = groups_[i];
    const RedisKey& shard = filter_.shards[group.shard];
    const redisReply* const reply = commands_[i].reply.get();
    // The second INCRBY restores the byte and returns it, as GET does.
    const size_t header = group.keys.size() * num_probes + (for_replicas_ ? 1 : 0);
    const bool has_replies =
        reply != nullptr && reply->type == REDIS_REPLY_ARRAY && reply->elements == header + 1;
    const bool is_lost = has_replies && reply->element[header]->integer != kFirstHeaderByte;
    if (is_lost) lost->insert(group.shard);
    if (!has_replies || is_lost) {
      ok = Fail(Failure(shard, commands_[i]), error);
      continue;
    }
    for (size_t key = 0; results != nullptr && key < group.keys.size(); ++key) {
      const redisReply* const* const old_bits = reply->element + key * num_probes;
      const bool was_present = std::all_of(old_bits, old_bits + num_probes,
                                           [](const redisReply* bit) { return bit->integer == 1; });
      // If the command was sent twice, its first copy may have set the bits.
      results[group.keys[key]] = !was_present            ? AddResult::kNew
                                 : commands_[i].repeated ? AddResult::kUnknown
                                                         : AddResult::kPresent;
    }
  }
  return ok;
}

QueryBatch::QueryBatch(const Filter& filter, size_t n, const std::string_view* keys)
    : filter_(filter) {
  for (size_t i = 0; i < n; ++i) {
    const BlockPlace place = PlaceOfKey(filter.layout, keys[i]);
    const RedisKey& shard = filter.shards[place.shard];
    const uint64_t first = BlockOffset(filter.layout, place.block);
    Command command;
    command.slot = shard.slot;
    command.bytes = "*4\r\n$8\r\nGETRANGE\r\n";
    AppendArgument(shard.text, &command.bytes);
    AppendArgument(first, &command.bytes);
    AppendArgument(first + filter.layout.block_bytes - 1, &command.bytes);
    places_.push_back(place);
    commands_.push_back(std::move(command));
  }
}

bool QueryBatch::ReadReplies(Answer* answers, std::string* error) const {
  const RedisLayout& layout = filter_.layout;
  bool ok = true;
  for (size_t i = 0; i < places_.size(); ++i) {
    const BlockPlace& place = places_[i];
    const redisReply* const reply = commands_[i].reply.get();
    if (reply == nullptr || reply->type != REDIS_REPLY_STRING || reply->len != layout.block_bytes ||
        !BitIsSet(reply->str, layout.marker_bit())) {
      ok = Fail(Failure(filter_.shards[place.shard], commands_[i]), error);
      continue;
    }
    bool all_set = true;
    for (int j = 0; j < layout.num_probes && all_set; ++j) {
      all_set = BitIsSet(reply->str, BitOf(layout, place.pair, j));
    }
    answers[i] = all_set ? Answer::kMaybe : Answer::kNo;
  }
  return ok;
}

}  // namespace bloomline::redis
