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
  return PercentDecode(rest, &path) && path.size() > 1 && path.size() <= kMaxPathBytes &&
         path.front() == '/' && path.find('\0') == std::string::npos;
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

bool ParseAddress(std::string_view text, Address* address) {
  *address = Address();
  bool is_valid = false;
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos) {
    is_valid = ParseEndpoint(text, &address->endpoint);
  } else {
    const std::string_view scheme = text.substr(0, colon);
    const std::string_view rest = text.substr(colon + 3);
    address->endpoint.use_tls = scheme == "rediss";
    if (scheme == "redis" || scheme == "rediss") is_valid = ParseTcp(rest, address);
    if (scheme == "unix") is_valid = ParseUnix(rest, address);
  }
  return is_valid && !address->endpoint.host.empty();
}

std::string ResolveAddresses(const RedisServers& servers, std::vector<Endpoint>* endpoints,
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
  return "";
}

}  // namespace bloomline::redis
