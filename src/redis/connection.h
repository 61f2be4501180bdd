// One connection to one server: bytes out, replies in.
#ifndef BLOOMLINE_REDIS_CONNECTION_H_
#define BLOOMLINE_REDIS_CONNECTION_H_

#include <hiredis/hiredis.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/options.h"

namespace bloomline::redis {

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using ReplyPtr = std::unique_ptr<redisReply, FreeReply>;

inline bool IsError(const redisReply& reply) { return reply.type == REDIS_REPLY_ERROR; }
inline std::string_view Text(const redisReply& reply) { return {reply.str, reply.len}; }

// Discard a connection after the first failure: replies may be missing. With TLS, block SIGPIPE
// in the thread: calls raise it if the server has closed the connection.
class Connection {
 public:
  // Connects, authenticates and selects the database. `options` come from ResolveServers. Returns
  // null, with the reason, on failure.
  static std::unique_ptr<Connection> Open(const Endpoint& endpoint, const RedisServers& options,
                                          std::string* error);

  // Returns false, with the reason, if not all bytes were sent.
  bool Send(std::string_view bytes, std::string* error);

  // Returns the next reply, or null, with the reason. ReceiveLate waits extra_ms longer than the
  // time-out, for commands that take the server time.
  ReplyPtr Receive(std::string* error);
  ReplyPtr ReceiveLate(int extra_ms, std::string* error);

  // Sends a command and returns its reply.
  ReplyPtr Ask(std::initializer_list<std::string_view> arguments, std::string* error);

 private:
  struct FreeContext {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  using Context = std::unique_ptr<redisContext, FreeContext>;

  Connection(const Endpoint& endpoint, Context context)
      : endpoint_(endpoint), context_(std::move(context)) {}
  bool Prepare(const RedisServers& options, std::string* error);
  bool SetTimeout(int ms, std::string* error);
  // Sends the command and reads its reply. Returns false, with the reason, if that fails or the
  // reply is an error. The reason does not contain the password.
  bool SendAndCheck(std::initializer_list<std::string_view> arguments, std::string* error);
  bool SendTls(std::string_view bytes, std::string* error);
  // Returns why a call failed: by its errno, or by OpenSSL or hiredis if errno is 0.
  std::string Describe(const char* what, int error_number) const;

  const Endpoint endpoint_;
  int timeout_ms_ = 0;  // of the next call
  const Context context_;
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_CONNECTION_H_
