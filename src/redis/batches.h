// Batches of additions and queries: their encoding, and the meaning of their replies.
#ifndef BLOOMLINE_REDIS_BATCHES_H_
#define BLOOMLINE_REDIS_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

struct Shard {
  std::string key;
  uint16_t slot = 0;
};

std::vector<Shard> ShardsOf(const std::string& name, const Layout& layout);

// Keys of one batch. Bounds the memory of calls with many keys.
constexpr size_t kWindowKeys = 4096;

// Common to AddBatch and QueryBatch. All references and pointers must outlive the batch.
class KeyBatch : public Batch {
 public:
  // *error gets the reason of the first failure if it is empty.
  KeyBatch(const Layout& layout, const std::vector<Shard>& shards, std::string* error)
      : layout_(layout), shards_(shards), error_(error) {}

  bool failed() const { return failed_; }

 protected:
  void Fail(const std::string& error);

  const Layout& layout_;
  const std::vector<Shard>& shards_;

 private:
  std::string* const error_;
  bool failed_ = false;
};

// BITFIELD commands. Each sets the bits of up to kKeysPerCommand keys of one shard and returns the
// old bits.
//
// for_replicas: a server does not propagate a BITFIELD that changes no bit. WAIT would then return
// at once, although the bits, set by another client, may be on no replica. So the command changes
// the first byte of the header and changes it back, which is always propagated.
class AddBatch : public KeyBatch {
 public:
  // Adds n <= kWindowKeys keys. `results` may be null.
  AddBatch(const Layout& layout, const std::vector<Shard>& shards, size_t n,
           const std::string_view* keys, bool for_replicas, AddResult* results, std::string* error);

  size_t size() const { return groups_.size(); }
  // Shards that were missing. BITFIELD has created strings without a header in their place.
  const std::set<uint32_t>& lost_shards() const { return lost_shards_; }

  uint16_t Slot(size_t i) const override { return shards_[groups_[i].shard].slot; }
  // If `asked`, a script adds the keys. BITFIELD would create a missing string, which would then be
  // in the shard's way (MIGRATE fails with BUSYKEY).
  void Encode(size_t i, bool asked, std::string* out) override;
  bool MayLackKey(size_t i, const redisReply& reply) const override;
  void OnReply(size_t i, ReplyPtr reply, bool repeated) override;
  void OnFailure(size_t i, const std::string& error) override;

 private:
  struct Key {
    Place place;
    uint32_t index;
  };
  // Keys of one shard: keys_[first .. first + size).
  struct Group {
    uint32_t shard;
    uint32_t first;
    uint32_t size;
  };

  const bool for_replicas_;
  AddResult* const results_;
  std::vector<Key> keys_;
  std::vector<Group> groups_;
  std::set<uint32_t> lost_shards_;
};

// GETRANGE commands, one per key, for the key's block.
class QueryBatch : public KeyBatch {
 public:
  // `unavailable` is the answer for a key whose query failed. The other parameters are those of
  // AddBatch.
  QueryBatch(const Layout& layout, const std::vector<Shard>& shards, size_t n,
             const std::string_view* keys, Answer unavailable, Answer* answers, std::string* error);

  uint16_t Slot(size_t i) const override { return shards_[places_[i].shard].slot; }
  void Encode(size_t i, bool asked, std::string* out) override;
  bool MayLackKey(size_t i, const redisReply& reply) const override;
  void OnReply(size_t i, ReplyPtr reply, bool repeated) override;
  void OnFailure(size_t i, const std::string& error) override;

 private:
  const Answer unavailable_;
  Answer* const answers_;
  std::vector<Place> places_;
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_BATCHES_H_
