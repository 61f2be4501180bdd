// What is wrong with SharedBloomFilterOptions.
#include "bloomline/redis_bloom_filter.h"
#include "src/redis/layout.h"
#include "src/support/number_text.h"

namespace bloomline {

std::string SharedBloomFilterOptions::Validate() const {
  constexpr uint64_t kMaxCapacity = 1000000000000;
  constexpr double kMinRate = 1e-6;
  constexpr double kMaxRate = 0.5;
  if (capacity < 1 || capacity > kMaxCapacity) {
    return support::StrCat("capacity is ", capacity, "; allowed: 1 to 1e12 keys");
  }
  if (!(false_positive_rate >= kMinRate && false_positive_rate <= kMaxRate)) {
    return support::StrCat("false_positive_rate is ", false_positive_rate, "; allowed: ", kMinRate,
                           " to ", kMaxRate);
  }
  if (shard_bytes < redis::kMinShardBytes || shard_bytes > redis::kMaxShardBytes) {
    return support::StrCat("shard_bytes is ", shard_bytes, "; allowed: ", redis::kMinShardBytes,
                           " to ", redis::kMaxShardBytes);
  }
  if (redis::PlanLayout(*this).num_shards > redis::kMaxShards) {
    return support::StrCat("capacity is ", capacity, ", which takes more than ", redis::kMaxShards,
                           " shards; allowed with a shard_bytes of ", shard_bytes, ": less");
  }
  return {};
}

}  // namespace bloomline
