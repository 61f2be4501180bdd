// Where a server is: addresses as users and servers write them.
#ifndef BLOOMLINE_REDIS_ADDRESS_H_
#define BLOOMLINE_REDIS_ADDRESS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"

namespace bloomline::redis {

struct Endpoint {
  std::string host;  // with a '/' first: the path of a unix socket
  int port = 0;      // of a unix socket: of no meaning
  bool use_tls = false;

  bool is_unix_socket() const { return !host.empty() && host.front() == '/'; }
  std::string ToString() const;
  bool operator==(const Endpoint& other) const {
    return host == other.host && port == other.port && use_tls == other.use_tls;
  }
};

// Not a path, nor part of a URL. It may be empty.
bool IsHost(std::string_view text);

// "host:port" or "[IPv6]:port"; also IPv6:port, as servers write it. False: neither.
bool ParseEndpoint(std::string_view text, Endpoint* endpoint);

// What a user may write in RedisServers::servers.
struct Address {
  Endpoint endpoint;
  std::string username;
  std::string password;
  std::optional<int> database;
};

// Empty if `text` is one of the forms of docs/redis.md, else one sentence that names it, without
// what may be a user name or a password.
std::string ParseAddress(std::string_view text, Address* address);

// The servers' endpoints, and the options with what the addresses say of user, password and
// database. Empty if that is possible, else one sentence.
std::string ResolveAddresses(const RedisServers& servers, std::vector<Endpoint>* endpoints,
                             RedisServers* resolved);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_ADDRESS_H_
