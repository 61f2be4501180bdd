// One connection to one server: bytes out, replies in.
#ifndef BLOOMLINE_REDIS_CONNECTION_H_
#define BLOOMLINE_REDIS_CONNECTION_H_

#include <hiredis/hiredis.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/address.h"

namespace bloomline::redis {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using ReplyPtr = std::unique_ptr<redisReply, FreeReply>;

inline bool IsError(const redisReply& reply) { return reply.type == REDIS_REPLY_ERROR; }
inline std::string_view Text(const redisReply& reply) { return {reply.str, reply.len}; }

// After the first failure it is of no use any more: replies may be missing.
class Connection {
 public:
  // Connects, authenticates and selects the database, by the options that ResolveAddresses made.
  // Null, with the reason, if that fails.
  static std::unique_ptr<Connection> Open(const Endpoint& endpoint, const RedisServers& options,
                                          std::string* error);

  // False, with the reason, if not all bytes could be sent.
  bool Send(std::string_view bytes, std::string* error);

  // The next reply. Null, with the reason, if none came. A command that the server may take time
  // for is given extra_ms beyond the time-out.
  ReplyPtr Receive(std::string* error);
  ReplyPtr ReceiveLate(int extra_ms, std::string* error);

  // Send and Receive.
  ReplyPtr Ask(std::string_view command, std::string* error);

 private:
  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  using ContextPtr = std::unique_ptr<redisContext, FreeContext>;

  Connection(const Endpoint& endpoint, const RedisServers& options, ContextPtr context);
  bool SendTls(std::string_view bytes, std::string* error);
  bool SetTimeout(int ms, std::string* error);
  // False, with the reason, which has no password, unless the server takes the command.
  bool Demand(std::initializer_list<std::string_view> arguments, const std::string& password,
              std::string* error);
  std::string Describe(const char* what, int error_number) const;

  const Endpoint endpoint_;
  int timeout_ms_;
  const ContextPtr context_;
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_CONNECTION_H_
