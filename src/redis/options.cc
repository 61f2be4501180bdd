#include <string>
#include <utility>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/address.h"
#include "src/redis/tls.h"
#include "src/support/error_text.h"
#include "src/support/out_of_memory.h"

namespace bloomline {

namespace {

constexpr int kMaxMs = 600000;

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

// Throws if out of memory.
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
  if (resolved.username.empty() || !resolved.password.empty()) return "";
  // Not quoted if it comes from an address: its author may have meant it as a password.
  return (servers.username.empty() ? std::string("servers has a user")
                                   : "username is '" + servers.username + "'") +
         " without a password";
}

}  // namespace

std::string RedisServers::Validate() const {
  std::string bad_text = support::OrIfOutOfMemory(std::string(support::kOutOfMemory),
                                                  [&] { return ValidateTexts(*this); });
  if (!bad_text.empty()) return bad_text;
  support::ErrorText error;
  if (database < 0) {
    error << "database is " << database << "; allowed: 0 to 2147483647";
  } else if (connect_timeout_ms < 1 || connect_timeout_ms > kMaxMs) {
    error << "connect_timeout_ms is " << connect_timeout_ms << "; allowed: 1 to " << kMaxMs;
  } else if (command_timeout_ms < 1 || command_timeout_ms > kMaxMs) {
    error << "command_timeout_ms is " << command_timeout_ms << "; allowed: 1 to " << kMaxMs;
  } else if (max_retries < 0 || max_retries > 100) {
    error << "max_retries is " << max_retries << "; allowed: 0 to 100";
  } else if (give_up_ms < 0 || give_up_ms > kMaxMs) {
    error << "give_up_ms is " << give_up_ms << "; allowed: 0 to " << kMaxMs;
  } else if (when_unavailable != WhenUnavailable::kMayMatch &&
             when_unavailable != WhenUnavailable::kError) {
    error << "when_unavailable is " << static_cast<int>(when_unavailable)
          << "; allowed: 0 (kMayMatch), 1 (kError)";
  }
  return error.str();
}

std::string AddOptions::Validate() const {
  constexpr int kMaxReplicas = 1000;
  support::ErrorText error;
  if (min_replicas < 0 || min_replicas > kMaxReplicas) {
    error << "min_replicas is " << min_replicas << "; allowed: 0 to " << kMaxReplicas;
  } else if (replica_timeout_ms < 1 || replica_timeout_ms > kMaxMs) {
    error << "replica_timeout_ms is " << replica_timeout_ms << "; allowed: 1 to " << kMaxMs;
  }
  return error.str();
}

}  // namespace bloomline
