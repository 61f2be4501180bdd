// Checks the options of users, and parses addresses of servers in the forms that users and servers
// write.
#ifndef BLOOMLINE_REDIS_OPTIONS_H_
#define BLOOMLINE_REDIS_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"

namespace bloomline::redis {

struct Endpoint {
  std::string host;  // begins with '/': the path of a unix socket
  int port = 0;      // unused for a unix socket
  bool use_tls = false;

  bool is_unix_socket() const { return !host.empty() && host.front() == '/'; }
  std::string ToString() const;
  std::string Prefix() const { return "redis " + ToString() + ": "; }  // of errors
  bool operator==(const Endpoint& other) const {
    return host == other.host && port == other.port && use_tls == other.use_tls;
  }
};

// Whether the text can be a host: no path, no part of a URL. It may be empty.
bool IsHost(std::string_view text);

// Parses "host:port", "[IPv6]:port", or IPv6:port, which servers write. Returns false for other
// texts.
bool ParseEndpoint(std::string_view text, Endpoint* endpoint);

// Checks the options. *endpoints are the servers; *resolved are the options, in which a user,
// password or database of an address replaces that of `servers`. Returns an empty string, or one
// sentence on failure, which quotes no part of an address.
std::string ResolveServers(const RedisServers& servers, std::vector<Endpoint>* endpoints,
                           RedisServers* resolved);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_OPTIONS_H_
