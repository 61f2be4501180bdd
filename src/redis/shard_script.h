// Runs one script on many shards.
#ifndef BLOOMLINE_REDIS_SHARD_SCRIPT_H_
#define BLOOMLINE_REDIS_SHARD_SCRIPT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/redis/batches.h"
#include "src/redis/router.h"

namespace bloomline::redis {

class ShardScript : public Batch {
 public:
  // Returns the arguments of one call.
  using Arguments = std::function<std::vector<std::string>(size_t shard, uint64_t call)>;
  // Whether the reply means that the script did its work.
  using Accept = std::function<bool(size_t shard, const redisReply& reply)>;

  // `script` and `shards` must outlive this.
  ShardScript(
      std::string_view script, const std::vector<Shard>& shards, Arguments arguments,
      Accept accept = [](size_t, const redisReply& reply) { return IsOne(reply); })
      : script_(script), shards_(shards), arguments_(arguments), accept_(accept) {}

  // Makes the calls 0 .. num_calls - 1 for each of the shards [first, last). False, with the first
  // reason, if any call has no reply, an error reply, or a reply that is not accepted. `options`:
  // see Router::Run.
  bool Run(Router* router, size_t first, size_t last, uint64_t num_calls, std::string* error,
           const AddOptions& options = AddOptions());

  // Whether the last Run failed because a reply was not accepted: a shard is not in the expected
  // state. Otherwise the state is unknown.
  bool refused() const { return refused_; }

  uint16_t Slot(size_t i) const override { return ShardOf(i).slot; }
  void Encode(size_t i, std::string* out) override;
  void OnReply(size_t i, ReplyPtr reply, bool repeated) override;
  void OnFailure(size_t i, const std::string& error) override;

 private:
  const Shard& ShardOf(size_t i) const { return shards_[first_ + i / num_calls_]; }

  const std::string_view script_;
  const std::vector<Shard>& shards_;
  const Arguments arguments_;
  const Accept accept_;
  size_t first_ = 0;
  uint64_t num_calls_ = 1;
  bool refused_ = false;
  std::string error_;
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_SHARD_SCRIPT_H_
