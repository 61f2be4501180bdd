// A filter's keys in Redis. Additions and queries are batches of commands: how they are encoded,
// and what their replies mean.
#ifndef BLOOMLINE_REDIS_BATCHES_H_
#define BLOOMLINE_REDIS_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/redis_layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

struct RedisKey {
  std::string text;
  uint16_t slot;
};

inline RedisKey KeyWithSlot(const std::string& text) { return {text, KeySlot(text)}; }

struct Filter {
  Filter(const std::string& filter_name, const RedisLayout& filter_layout);

  std::string name;
  RedisLayout layout;
  RedisKey entry;
  std::vector<RedisKey> shards;
};

// Returns one sentence that says why the command for this key has no valid reply.
std::string Failure(const RedisKey& key, const Command& command);
std::string LostKey(const RedisKey& key);

// The most keys of one batch. Bounds the memory of calls with many keys.
constexpr size_t kWindowKeys = 4096;

// BITFIELD commands. Each sets the bits of up to kKeysPerCommand keys of one shard and returns the
// old bits. The filter must outlive the batch.
//
// for_replicas: a server does not propagate a BITFIELD that changes no bit. WAIT would then return
// at once, although the bits, set by another client, may be on no replica. So the command changes
// the first byte of the header and changes it back, which is always propagated.
class AddBatch {
 public:
  AddBatch(const Filter& filter, size_t n, const std::string_view* keys, bool for_replicas);

  // The commands, which are run once.
  std::vector<Command>* commands() { return &commands_; }

  // Sets results[i], unless `results` is null, for each key i that was added. Returns false, with
  // the first reason, if any key was not added. Adds the missing shards to *lost: BITFIELD has
  // created strings without a header in their place.
  bool ReadReplies(AddResult* results, std::set<uint32_t>* lost, std::string* error) const;

 private:
  struct ShardGroup {  // the keys of commands_[i], which are of one shard
    uint32_t shard;
    std::vector<size_t> keys;
  };
  Command CommandFor(const ShardGroup& group) const;

  const Filter& filter_;
  const bool for_replicas_;
  std::vector<BlockPlace> places_;  // of the keys
  std::vector<ShardGroup> groups_;
  std::vector<Command> commands_;
};

// GETRANGE commands, one per key, for the key's block. The filter must outlive the batch.
class QueryBatch {
 public:
  QueryBatch(const Filter& filter, size_t n, const std::string_view* keys);

  // The commands, which are run once.
  std::vector<Command>* commands() { return &commands_; }

  // Sets answers[i] for each key i that was answered. Returns false, with the first reason, if any
  // was not.
  bool ReadReplies(Answer* answers, std::string* error) const;

 private:
  const Filter& filter_;
  std::vector<BlockPlace> places_;  // of the keys
  std::vector<Command> commands_;
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_BATCHES_H_
