#include "src/redis/address.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "src/support/number_text.h"

namespace bloomline::redis {
namespace {

constexpr std::string_view kDefaultPort = ":6379";

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
  if (at == std::string_view::npos) return true;
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

// "[user[:password]@]host[:port][/database]"
bool ParseTcp(std::string_view rest, Address* address) {
  if (!TakeDatabase("/", &rest, address) || !TakeCredentials(&rest, address)) return false;
  std::string text(rest);
  if (rest.find(':') == std::string_view::npos || rest.back() == ']') text += kDefaultPort;
  return ParseEndpoint(text, &address->endpoint);
}

// "[user[:password]@]/path[?db=database]"
bool ParseUnix(std::string_view rest, Address* address) {
  if (!TakeDatabase("?db=", &rest, address)) return false;
  if (rest.substr(0, 1) != "/" && !TakeCredentials(&rest, address)) return false;
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

}  // namespace bloomline::redis
