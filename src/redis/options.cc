#include "src/redis/options.h"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "src/redis/redis_layout.h"
#include "src/redis/tls.h"
#include "src/support/number_text.h"

namespace bloomline::redis {
namespace {

// The limit of a unix socket's path. hiredis would cut a longer path, and end it at a zero byte.
constexpr size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;

// A parsed entry of RedisServers::servers.
struct Address {
  Endpoint endpoint;
  std::string username;
  std::string password;
  std::optional<int> database;
};

constexpr char kDefaultPort[] = ":6379";

bool ParseNumber(std::string_view text, int least, int most, int* number) {
  uint64_t value = 0;
  if (!support::ParseUint64(text, &value) || value > static_cast<uint64_t>(most)) return false;
  *number = static_cast<int>(value);
  return *number >= least;
}

bool PercentDecode(std::string_view text, std::string* out) {
  out->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out->push_back(text[i]);
      continue;
    }
    unsigned char byte = 0;
    if (i + 2 >= text.size()) return false;
    const char* const digits = text.data() + i + 1;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return false;
    out->push_back(static_cast<char>(byte));
    i += 2;
  }
  return true;
}

// Removes "[user[:password]@]" from the front of *rest.
bool TakeCredentials(std::string_view* rest, Address* address) {
  const size_t at = rest->find('@');
  if (at >= rest->find('/')) return true;  // it is in a path, or there is none
  const std::string_view credentials = rest->substr(0, at);
  rest->remove_prefix(at + 1);
  const size_t colon = std::min(credentials.find(':'), credentials.size());
  const std::string_view password = credentials.substr(std::min(colon + 1, credentials.size()));
  return password.find(':') == std::string_view::npos &&
         PercentDecode(credentials.substr(0, colon), &address->username) &&
         PercentDecode(password, &address->password);
}

// Removes the database, which follows `before`, from the end of *rest.
bool TakeDatabase(std::string_view before, std::string_view* rest, Address* address) {
  const size_t at = std::min(rest->find(before.front()), rest->size());
  const std::string_view end = rest->substr(at);
  *rest = rest->substr(0, at);
  if (end.empty() || end == "/") return true;
  int database = 0;
  if (end.substr(0, before.size()) != before ||
      !ParseNumber(end.substr(before.size()), 0, INT32_MAX, &database)) {
    return false;
  }
  address->database = database;
  return true;
}

bool ParseServer(std::string_view text, Endpoint* endpoint) {
  return ParseEndpoint(text, endpoint) && !endpoint->host.empty();
}

// Returns false if the text has none of the forms of docs/redis.md.
bool ParseAddress(std::string_view text, Address* address) {
  Endpoint* const endpoint = &address->endpoint;
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos) return ParseServer(text, endpoint);
  const std::string_view scheme = text.substr(0, colon);
  const bool is_unix = scheme == "unix";
  endpoint->use_tls = scheme == "rediss";
  if (!is_unix && !endpoint->use_tls && scheme != "redis") return false;
  std::string_view rest = text.substr(colon + 3);
  if (!TakeCredentials(&rest, address)) return false;
  if (!TakeDatabase(is_unix ? "?db=" : "/", &rest, address)) return false;
  if (is_unix) {
    std::string& path = endpoint->host;
    return PercentDecode(rest, &path) && path.size() > 1 && path.size() <= kMaxPathBytes &&
           path.front() == '/' && path.find('\0') == std::string::npos;
  }
  const bool has_port = rest.find(':') != std::string_view::npos && rest.back() != ']';
  return ParseServer(std::string(rest) + (has_port ? "" : kDefaultPort), endpoint);
}

constexpr int kMaxMs = 600000;

bool IsInRange(const char* name, int value, int least, int most, std::string* error) {
  if (value >= least && value <= most) return true;
  *error = support::StrCat(name, " is ", value, "; allowed: ", least, " to ", most);
  return false;
}

// Returns an empty string if TLS is available or not wanted.
std::string CheckTls(const RedisTls& tls, bool is_wanted) {
  if (is_wanted && !HasTls()) {
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

std::string Endpoint::ToString() const {
  if (is_unix_socket()) return host;
  const bool has_colon = host.find(':') != std::string::npos;
  return (has_colon ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool IsHost(std::string_view text) {
  constexpr std::string_view kNotInHosts("/@?[]\0", 6);
  return text.find_first_of(kNotInHosts) == std::string_view::npos;
}

bool ParseEndpoint(std::string_view text, Endpoint* endpoint) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  endpoint->host = host;
  return IsHost(host) && ParseNumber(text.substr(colon + 1), 1, 65535, &endpoint->port);
}

std::string ResolveServers(const RedisServers& servers, std::vector<Endpoint>* endpoints,
                           RedisServers* resolved) {
  *resolved = servers;
  endpoints->clear();
  bool has_credentials = false;
  for (size_t i = 0; i < servers.servers.size(); ++i) {
    Address address;
    // The address is not quoted: it may contain a password, even if its author did not intend one.
    if (!ParseAddress(servers.servers[i], &address)) {
      return "servers[" + std::to_string(i) +
             "] is not a valid address; allowed: host:port, redis://[user[:password]@]host[:port]"
             "[/database], the same with rediss:// for TLS, unix://[user[:password]@]/path"
             "[?db=database]; port 1 to 65535, database 0 to 2147483647, a path of at most " +
             std::to_string(kMaxPathBytes) +
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

}  // namespace bloomline::redis

namespace bloomline {

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
  if (redis::IsInRange("min_replicas", min_replicas, 0, 1000, &error)) {
    redis::IsInRange("replica_timeout_ms", replica_timeout_ms, 1, redis::kMaxMs, &error);
  }
  return error;
}

}  // namespace bloomline
