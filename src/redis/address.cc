#include "src/redis/address.h"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace bloomline::redis {
namespace {

constexpr int kDefaultPort = 6379;
constexpr size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::string_view kForms =
    "; allowed: host:port, redis://[user[:password]@]host[:port][/database], the same with "
    "rediss:// for TLS, unix://[user[:password]@]/path[?db=database]; port 1 to 65535, database 0 "
    "to 2147483647, other characters than letters, digits, '-', '.', '_' and '~' in user and "
    "password as %XX";

bool ParseNumber(std::string_view text, int least, int most, int* number) {
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, *number);
  return status == std::errc() && stop == end && *number >= least && *number <= most;
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

// Removes everything that may be a user name or a password. An invalid address may have a password
// that extends to the last '@' or contains "://"; and other clients accept one after '?'.
std::string WithoutCredentials(std::string_view text) {
  std::string shown;
  const size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    const size_t scheme = text.find("://");
    const std::string_view name = text.substr(0, std::min(scheme, text.size()));
    if (name == "redis" || name == "rediss" || name == "unix") shown = text.substr(0, scheme + 3);
    shown += "***";
    text.remove_prefix(at);
  }
  const size_t query = text.find('?');
  if (query != std::string_view::npos &&
      (text.substr(query, 4) != "?db=" || text.find('&', query) != std::string_view::npos)) {
    return shown + std::string(text.substr(0, query)) + "?***";
  }
  return shown + std::string(text);
}

// Removes "[user[:password]@]" from the front of *rest.
bool TakeCredentials(std::string_view* rest, Address* address) {
  const size_t at = rest->find('@');
  if (at == std::string_view::npos) return true;
  const std::string_view credentials = rest->substr(0, at);
  rest->remove_prefix(at + 1);
  const size_t colon = std::min(credentials.find(':'), credentials.size());
  const std::string_view password = credentials.substr(std::min(colon + 1, credentials.size()));
  return password.find(':') == std::string_view::npos &&
         PercentDecode(credentials.substr(0, colon), &address->username) &&
         PercentDecode(password, &address->password);
}

bool ParseDatabase(std::string_view text, Address* address) {
  int database = 0;
  if (!ParseNumber(text, 0, 2147483647, &database)) return false;
  address->database = database;
  return true;
}

// "[user[:password]@]host[:port][/database]"
bool ParseTcp(std::string_view rest, Address* address) {
  const size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    if (!database.empty() && !ParseDatabase(database, address)) return false;
    rest = rest.substr(0, slash);
  }
  if (!TakeCredentials(&rest, address)) return false;
  const bool is_bracketed = !rest.empty() && rest.back() == ']';
  if (rest.find(':') == std::string_view::npos || is_bracketed) {
    return ParseEndpoint(std::string(rest) + ":" + std::to_string(kDefaultPort),
                         &address->endpoint);
  }
  return ParseEndpoint(rest, &address->endpoint);
}

// "[user[:password]@]/path[?db=database]"
bool ParseUnix(std::string_view rest, Address* address) {
  const size_t query = rest.find('?');
  if (query != std::string_view::npos) {
    if (rest.substr(query, 4) != "?db=" || !ParseDatabase(rest.substr(query + 4), address)) {
      return false;
    }
    rest = rest.substr(0, query);
  }
  if (!rest.empty() && rest.front() != '/' && !TakeCredentials(&rest, address)) return false;
  std::string& path = address->endpoint.host;
  return PercentDecode(rest, &path) && path.size() > 1 && path.front() == '/' &&
         path.find('\0') == std::string::npos;
}

}  // namespace

std::string Endpoint::ToString() const {
  if (is_unix_socket()) return host;
  const bool has_colon = host.find(':') != std::string::npos;
  return (has_colon ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool IsHost(std::string_view text) {
  return text.find_first_of("/@?[]") == std::string_view::npos &&
         text.find('\0') == std::string_view::npos;
}

bool ParseEndpoint(std::string_view text, Endpoint* endpoint) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (!IsHost(host)) return false;
  if (!ParseNumber(text.substr(colon + 1), 1, 65535, &endpoint->port)) return false;
  endpoint->host = host;
  return true;
}

std::string ParseAddress(std::string_view text, Address* address) {
  *address = Address();
  const size_t colon = text.find("://");
  bool is_good = false;
  if (colon == std::string_view::npos) {
    is_good = ParseEndpoint(text, &address->endpoint);
  } else {
    const std::string_view scheme = text.substr(0, colon);
    const std::string_view rest = text.substr(colon + 3);
    address->endpoint.use_tls = scheme == "rediss";
    if (scheme == "redis" || scheme == "rediss") {
      is_good = ParseTcp(rest, address);
    } else if (scheme == "unix") {
      is_good = ParseUnix(rest, address);
    }
  }
  const std::string& host = address->endpoint.host;
  if (!is_good || host.empty()) {
    return "servers has '" + WithoutCredentials(text) + "'" + std::string(kForms);
  }
  if (address->endpoint.is_unix_socket() && host.size() > kMaxPathBytes) {
    return "servers has a unix socket whose path is " + std::to_string(host.size()) +
           " bytes long; allowed: at most " + std::to_string(kMaxPathBytes);
  }
  return "";
}

std::string ResolveAddresses(const RedisServers& servers, std::vector<Endpoint>* endpoints,
                             RedisServers* resolved) {
  *resolved = servers;
  endpoints->clear();
  for (const std::string& server : servers.servers) {
    Address address;
    std::string error = ParseAddress(server, &address);
    if (!error.empty()) return error;
    const std::string named = "servers has '" + WithoutCredentials(server) + "'";
    if (!endpoints->empty() && address.endpoint.use_tls != endpoints->front().use_tls) {
      return named + " and one with" + (address.endpoint.use_tls ? "out" : "") +
             " TLS; allowed: rediss:// for all or for none";
    }
    if (!address.username.empty() || !address.password.empty()) {
      const bool is_first = resolved->username.empty() && resolved->password.empty();
      if (!is_first &&
          (resolved->username != address.username || resolved->password != address.password)) {
        return named +
               ", whose user or password differs from username, password or another "
               "server's; allowed: the same for all";
      }
      resolved->username = address.username;
      resolved->password = address.password;
    }
    if (address.database) {
      if (resolved->database != 0 && resolved->database != *address.database) {
        return named + ", but the database is " + std::to_string(resolved->database) +
               " by `database` or another server's; allowed: the same for all";
      }
      resolved->database = *address.database;
    }
    endpoints->push_back(address.endpoint);
  }
  return "";
}

}  // namespace bloomline::redis
