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
std::string CheckTls(const RedisTls& tls, bool is_wanted) {
  if (is_wanted && !redis::HasTls()) {
    return "servers has a rediss:// address, but this build has no TLS, which needs hiredis_ssl";
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

std::string CheckNumbers(const RedisServers& servers) {
  std::string error;
  const bool in_range =
      IsInRange("database", servers.database, 0, 2147483647, &error) &&
      IsInRange("connect_timeout_ms", servers.connect_timeout_ms, 1, kMaxMs, &error) &&
      IsInRange("command_timeout_ms", servers.command_timeout_ms, 1, kMaxMs, &error) &&
      IsInRange("max_retries", servers.max_retries, 0, 100, &error);
  if (in_range && servers.when_unavailable != WhenUnavailable::kMayMatch &&
      servers.when_unavailable != WhenUnavailable::kError) {
    error = support::StrCat("when_unavailable is ", static_cast<int>(servers.when_unavailable),
                            "; allowed: 0 (kMayMatch), 1 (kError)");
  }
  return error;
}

}  // namespace

std::string redis::ResolveServers(const RedisServers& servers, std::vector<Endpoint>* endpoints,
                                  RedisServers* resolved) {
  *resolved = servers;
  endpoints->clear();
  bool has_credentials = false;
  for (size_t i = 0; i < servers.servers.size(); ++i) {
    Address address;
    // The address is not quoted: it may contain a password, where its author did not mean one, too.
    if (!ParseAddress(servers.servers[i], &address)) {
      return "servers[" + std::to_string(i) +
             "] is not a valid address; allowed: host:port, redis://[user[:password]@]host[:port]"
             "[/database], the same with rediss:// for TLS, unix://[user[:password]@]/path"
             "[?db=database]; port 1 to 65535, database 0 to 2147483647, a path of at most " +
             std::to_string(redis::kMaxPathBytes) +
             " bytes, %XX for all but letters, digits and -._~ in user and password";
    }
    if (!endpoints->empty() && address.endpoint.use_tls != endpoints->front().use_tls) {
      return "servers has addresses with and without TLS; allowed: rediss:// for all or for none";
    }
    if (!address.username.empty() || !address.password.empty()) {
      const bool differs =
          address.username != resolved->username || address.password != resolved->password;
      if (has_credentials && differs) {
        return "servers has addresses with different users or passwords; allowed: the same in each "
               "that has any";
      }
      has_credentials = true;
      resolved->username = address.username;
      resolved->password = address.password;
    }
    if (address.database) resolved->database = *address.database;
    endpoints->push_back(address.endpoint);
  }
  if (endpoints->empty()) return "servers is empty; allowed: one server or nodes of one cluster";
  if (!resolved->username.empty() && resolved->password.empty()) {
    return "there is a username without a password";
  }
  std::string bad_tls = CheckTls(servers.tls, endpoints->front().use_tls);
  return bad_tls.empty() ? CheckNumbers(servers) : bad_tls;
}

std::string RedisServers::Validate() const {
  std::vector<redis::Endpoint> endpoints;
  RedisServers resolved;
  return redis::ResolveServers(*this, &endpoints, &resolved);
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
