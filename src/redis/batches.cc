#include "src/redis/batches.h"

#include <algorithm>
#include <utility>

#include "src/filter/bits/hash.h"
#include "src/redis/command.h"
#include "src/redis/scripts.h"

namespace bloomline::redis {
namespace {

// One key per command pays a command's overhead for each key; 128 were slower than 16
// (docs/rejected.md).
constexpr size_t kKeysPerCommand = 16;

std::string LostShard(const Shard& shard) {
  return "redis: " + shard.key +
         " is missing or is not what was created: the server has lost it, or the filter was "
         "deleted";
}

std::string Unexpected(const Shard& shard, const redisReply& reply) {
  if (IsError(reply)) return "redis: " + shard.key + ": " + std::string(Text(reply));
  return "redis: " + shard.key + ": unexpected reply of type " + std::to_string(reply.type);
}

}  // namespace

std::vector<Shard> ShardsOf(const std::string& name, const Layout& layout) {
  std::vector<Shard> shards(layout.num_shards);
  for (uint32_t i = 0; i < layout.num_shards; ++i) {
    shards[i].key = ShardKey(name, layout.id, i);
    shards[i].slot = KeySlot(shards[i].key);
  }
  return shards;
}

void KeyBatch::Fail(const std::string& error) {
  failed_ = true;
  if (error_->empty()) *error_ = error;
}

AddBatch::AddBatch(const Layout& layout, const std::vector<Shard>& shards, size_t n,
                   const std::string_view* keys, bool for_replicas, AddResult* results,
                   std::string* error)
    : KeyBatch(layout, shards, error), for_replicas_(for_replicas), results_(results) {
  keys_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    keys_[i] = {PlaceOf(layout, filter::Hash64(keys[i], layout.seed)), static_cast<uint32_t>(i)};
  }
  // Equal keys keep their order, so that the first one is kNew.
  std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
    return a.place.shard != b.place.shard ? a.place.shard < b.place.shard : a.index < b.index;
  });
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t shard = keys_[i].place.shard;
    if (groups_.empty() || groups_.back().shard != shard ||
        groups_.back().size == kKeysPerCommand) {
      groups_.push_back({shard, i, 0});
    }
    ++groups_.back().size;
  }
}

void AddBatch::Encode(size_t i, bool asked, std::string* out) {
  const Group& group = groups_[i];
  const size_t num_probes = static_cast<size_t>(layout_.num_probes);
  BeginCommand((asked ? 5 : 2) + group.size * num_probes * 4 + (for_replicas_ ? 8 : 3), out);
  if (asked) {
    AppendArgument("EVAL", out);
    AppendArgument(kAddIfPresent, out);
    AppendArgument("1", out);
  } else {
    AppendArgument("BITFIELD", out);
  }
  AppendArgument(shards_[group.shard].key, out);
  if (asked) AppendArgument(EncodeHeader(layout_), out);
  for (uint32_t key = group.first; key < group.first + group.size; ++key) {
    const Place& place = keys_[key].place;
    const uint64_t first_bit = 8 * BlockOffset(layout_, place.block);
    for (int j = 0; j < layout_.num_probes; ++j) {
      out->append("$3\r\nSET\r\n$2\r\nu1\r\n");
      AppendArgument(first_bit + BitOf(layout_, place.pair, j), out);
      out->append("$1\r\n1\r\n");
    }
  }
  // If the server has lost the shard, BITFIELD creates a string without a header. Reading the
  // header's first byte in the same command detects that.
  out->append(for_replicas_ ? "$6\r\nINCRBY\r\n$2\r\nu8\r\n$1\r\n0\r\n$1\r\n1\r\n"
                              "$6\r\nINCRBY\r\n$2\r\nu8\r\n$1\r\n0\r\n$2\r\n-1\r\n"
                            : "$3\r\nGET\r\n$2\r\nu8\r\n$1\r\n0\r\n");
}

bool AddBatch::MayLackKey(size_t, const redisReply& reply) const {
  return reply.type == REDIS_REPLY_INTEGER;  // kAddIfPresent
}

void AddBatch::OnReply(size_t i, ReplyPtr reply, bool repeated) {
  const Group& group = groups_[i];
  if (MayLackKey(i, *reply)) {
    OnFailure(i, LostShard(shards_[group.shard]));
    return;
  }
  const size_t num_probes = static_cast<size_t>(layout_.num_probes);
  const size_t num_bits = group.size * num_probes;
  // The second INCRBY restores the byte and returns it, as GET does.
  const size_t header = for_replicas_ ? num_bits + 1 : num_bits;
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != header + 1) {
    OnFailure(i, Unexpected(shards_[group.shard], *reply));
    return;
  }
  if (reply->element[header]->integer != kFirstHeaderByte) {
    lost_shards_.insert(group.shard);
    OnFailure(i, LostShard(shards_[group.shard]));
    return;
  }
  if (results_ == nullptr) return;
  for (size_t key = 0; key < group.size; ++key) {
    bool was_present = true;
    for (size_t j = 0; j < num_probes; ++j) {
      was_present = was_present && reply->element[key * num_probes + j]->integer == 1;
    }
    // If the command was sent twice, its first copy may have set the bits.
    results_[keys_[group.first + key].index] = !was_present ? AddResult::kNew
                                               : repeated   ? AddResult::kUnknown
                                                            : AddResult::kPresent;
  }
}

void AddBatch::OnFailure(size_t i, const std::string& error) {
  Fail(error);
  if (results_ == nullptr) return;
  const Group& group = groups_[i];
  for (size_t key = 0; key < group.size; ++key) {
    results_[keys_[group.first + key].index] = AddResult::kFailed;
  }
}

QueryBatch::QueryBatch(const Layout& layout, const std::vector<Shard>& shards, size_t n,
                       const std::string_view* keys, Answer unavailable, Answer* answers,
                       std::string* error)
    : KeyBatch(layout, shards, error), unavailable_(unavailable), answers_(answers) {
  places_.resize(n);
  for (size_t i = 0; i < n; ++i) places_[i] = PlaceOf(layout, filter::Hash64(keys[i], layout.seed));
}

void QueryBatch::Encode(size_t i, bool, std::string* out) {
  const Place& place = places_[i];
  const uint64_t first = BlockOffset(layout_, place.block);
  out->append("*4\r\n$8\r\nGETRANGE\r\n");
  AppendArgument(shards_[place.shard].key, out);
  AppendArgument(first, out);
  AppendArgument(first + layout_.block_bytes - 1, out);
}

bool QueryBatch::MayLackKey(size_t, const redisReply& reply) const {
  return reply.type == REDIS_REPLY_STRING &&
         (reply.len != layout_.block_bytes || !BitIsSet(reply.str, layout_.marker_bit()));
}

void QueryBatch::OnReply(size_t i, ReplyPtr reply, bool) {
  const Place& place = places_[i];
  const Shard& shard = shards_[place.shard];
  if (reply->type != REDIS_REPLY_STRING) {
    OnFailure(i, Unexpected(shard, *reply));
    return;
  }
  if (MayLackKey(i, *reply)) {
    OnFailure(i, LostShard(shard));
    return;
  }
  bool all_set = true;
  for (int j = 0; j < layout_.num_probes && all_set; ++j) {
    all_set = BitIsSet(reply->str, BitOf(layout_, place.pair, j));
  }
  answers_[i] = all_set ? Answer::kMaybe : Answer::kNo;
}

void QueryBatch::OnFailure(size_t i, const std::string& error) {
  Fail(error);
  answers_[i] = unavailable_;
}

}  // namespace bloomline::redis
