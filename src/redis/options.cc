#include <locale>
#include <sstream>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/connection.h"
#include "src/redis/layout.h"

namespace bloomline {

std::string RedisServers::Validate() const {
  std::ostringstream error;
  error.imbue(std::locale::classic());
  constexpr int kMaxMs = 600000;
  if (servers.empty()) error << "servers is empty; allowed: one server or nodes of one cluster";
  for (const std::string& server : servers) {
    redis::Endpoint endpoint;
    if (!redis::ParseEndpoint(server, &endpoint) || endpoint.host.empty()) {
      error << "servers has '" << server << "'; allowed: host:port, port 1 to 65535";
      return error.str();
    }
  }
  if (!username.empty() && password.empty()) {
    error << "username is '" << username << "' without a password";
  } else if (connect_timeout_ms < 1 || connect_timeout_ms > kMaxMs) {
    error << "connect_timeout_ms is " << connect_timeout_ms << "; allowed: 1 to " << kMaxMs;
  } else if (command_timeout_ms < 1 || command_timeout_ms > kMaxMs) {
    error << "command_timeout_ms is " << command_timeout_ms << "; allowed: 1 to " << kMaxMs;
  } else if (max_retries < 0 || max_retries > 100) {
    error << "max_retries is " << max_retries << "; allowed: 0 to 100";
  } else if (give_up_ms < 0 || give_up_ms > kMaxMs) {
    error << "give_up_ms is " << give_up_ms << "; allowed: 0 to " << kMaxMs;
  } else if (when_unavailable != WhenUnavailable::kMayContain &&
             when_unavailable != WhenUnavailable::kError) {
    error << "when_unavailable is " << static_cast<int>(when_unavailable)
          << "; allowed: 0 (kMayContain), 1 (kError)";
  }
  return error.str();
}

std::string SharedBloomFilterOptions::Validate() const {
  constexpr uint64_t kMaxCapacity = 1000000000000;
  constexpr double kMinRate = 1e-6;
  constexpr double kMaxRate = 0.5;
  std::ostringstream error;
  error.imbue(std::locale::classic());
  if (capacity < 1 || capacity > kMaxCapacity) {
    error << "capacity is " << capacity << "; allowed: 1 to 1e12 keys";
  } else if (!(false_positive_rate >= kMinRate && false_positive_rate <= kMaxRate)) {
    error << "false_positive_rate is " << false_positive_rate << "; allowed: " << kMinRate << " to "
          << kMaxRate;
  } else if (shard_bytes < redis::kMinShardBytes || shard_bytes > redis::kMaxShardBytes) {
    error << "shard_bytes is " << shard_bytes << "; allowed: " << redis::kMinShardBytes << " to "
          << redis::kMaxShardBytes;
  } else if (redis::PlanLayout(*this).num_shards > redis::kMaxShards) {
    error << "capacity is " << capacity << ", which takes more than " << redis::kMaxShards
          << " shards; allowed with a shard_bytes of " << shard_bytes << ": less";
  }
  return error.str();
}

}  // namespace bloomline
