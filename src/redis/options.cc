// Checks RedisServers, SharedBloomFilterOptions and AddOptions.
#include <string>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/address.h"
#include "src/redis/layout.h"
#include "src/redis/tls.h"
#include "src/support/number_text.h"

namespace bloomline {

namespace {

constexpr int kMaxMs = 600000;

bool IsInRange(const char* name, int value, int least, int most, std::string* error) {
  if (value >= least && value <= most) return true;
  *error = support::StrCat(name, " is ", value, "; allowed: ", least, " to ", most);
  return false;
}

// Returns an empty string if TLS is available or not wanted.
std::string ValidateTls(const RedisTls& tls, const std::vector<redis::Endpoint>& endpoints) {
  const bool is_wanted = !endpoints.empty() && endpoints.front().use_tls;
  if (is_wanted && !redis::WhyNoTls().empty()) {
    return "servers has a rediss:// address, but " + redis::WhyNoTls();
  }
  for (const auto& [name, value] :
       {std::pair("ca_file", &tls.ca_file), std::pair("ca_path", &tls.ca_path),
        std::pair("certificate_file", &tls.certificate_file), std::pair("key_file", &tls.key_file),
        std::pair("server_name", &tls.server_name)}) {
    if (is_wanted || value->empty()) continue;
    return std::string("tls.") + name + " is '" + *value +
           "', but servers has no rediss:// address, so there would be no TLS";
  }
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    return "tls.certificate_file is '" + tls.certificate_file + "' and tls.key_file is '" +
           tls.key_file + "'; allowed: both or none";
  }
  return "";
}

std::string ValidateTexts(const RedisServers& servers) {
  std::vector<redis::Endpoint> endpoints;
  RedisServers resolved;
  std::string bad_address = redis::ResolveAddresses(servers, &endpoints, &resolved);
  if (!bad_address.empty()) return bad_address;
  std::string bad_tls = ValidateTls(servers.tls, endpoints);
  if (!bad_tls.empty()) return bad_tls;
  if (servers.servers.empty()) {
    return "servers is empty; allowed: one server or nodes of one cluster";
  }
  const bool is_complete = resolved.username.empty() || !resolved.password.empty();
  return is_complete ? "" : "there is a username without a password";
}

}  // namespace

std::string RedisServers::Validate() const {
  std::string bad_text = ValidateTexts(*this);
  if (!bad_text.empty()) return bad_text;
  constexpr int kMaxDatabase = 2147483647;
  std::string error;
  const bool in_range = IsInRange("database", database, 0, kMaxDatabase, &error) &&
                        IsInRange("connect_timeout_ms", connect_timeout_ms, 1, kMaxMs, &error) &&
                        IsInRange("command_timeout_ms", command_timeout_ms, 1, kMaxMs, &error) &&
                        IsInRange("max_retries", max_retries, 0, 100, &error);
  if (in_range && when_unavailable != WhenUnavailable::kMayMatch &&
      when_unavailable != WhenUnavailable::kError) {
    error = support::StrCat("when_unavailable is ", static_cast<int>(when_unavailable),
                            "; allowed: 0 (kMayMatch), 1 (kError)");
  }
  return error;
}

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

std::string AddOptions::Validate() const {
  std::string error;
  if (IsInRange("min_replicas", min_replicas, 0, 1000, &error)) {
    IsInRange("replica_timeout_ms", replica_timeout_ms, 1, kMaxMs, &error);
  }
  return error;
}

}  // namespace bloomline
