#include "src/redis/connection.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "src/redis/command.h"

namespace bloomline::redis {
namespace {

timeval Milliseconds(int ms) { return {ms / 1000, ms % 1000 * 1000}; }

}  // namespace

std::string Endpoint::ToString() const {
  const bool has_colon = host.find(':') != std::string::npos;
  return (has_colon ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool ParseEndpoint(std::string_view text, Endpoint* endpoint) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data() + colon + 1, end, endpoint->port);
  if (status != std::errc() || stop != end) return false;
  if (endpoint->port < 1 || endpoint->port > 65535) return false;
  endpoint->host = host;
  return true;
}

Connection::Connection(const Endpoint& endpoint, int timeout_ms, redisContext* context)
    : endpoint_(endpoint), timeout_ms_(timeout_ms), context_(context) {}

std::string Connection::Describe(const char* what, int error_number) const {
  const std::string prefix = "redis " + endpoint_.ToString() + ": " + what + ": ";
  if (error_number == EAGAIN || error_number == EWOULDBLOCK) {
    return prefix + "timed out after " + std::to_string(timeout_ms_) + " ms";
  }
  return prefix + std::generic_category().message(error_number);
}

std::unique_ptr<Connection> Connection::Open(const Endpoint& endpoint, const RedisServers& options,
                                             std::string* error) {
  redisContext* context = redisConnectWithTimeout(endpoint.host.c_str(), endpoint.port,
                                                  Milliseconds(options.connect_timeout_ms));
  if (context == nullptr) {
    *error = "redis " + endpoint.ToString() + ": out of memory";
    return nullptr;
  }
  std::unique_ptr<Connection> connection(
      new Connection(endpoint, options.command_timeout_ms, context));
  if (context->err != 0) {
    *error = "redis " + endpoint.ToString() + ": cannot connect: " + context->errstr;
    return nullptr;
  }
  // A server that dies silently must not be found out only by the next command.
  redisEnableKeepAlive(context);
  fcntl(context->fd, F_SETFD, FD_CLOEXEC);
  if (redisSetTimeout(context, Milliseconds(options.command_timeout_ms)) != REDIS_OK) {
    *error = "redis " + endpoint.ToString() + ": " + context->errstr;
    return nullptr;
  }
  if (options.password.empty()) return connection;

  std::string command;
  if (options.username.empty()) {
    AppendCommand({"AUTH", options.password}, &command);
  } else {
    AppendCommand({"AUTH", options.username, options.password}, &command);
  }
  const ReplyPtr reply = connection->Ask(command, error);
  if (reply == nullptr) return nullptr;
  if (IsError(*reply)) {
    *error = "redis " + endpoint.ToString() + ": " + std::string(Text(*reply));
    return nullptr;
  }
  return connection;
}

bool Connection::Send(std::string_view bytes, std::string* error) {
  // Not through hiredis, whose write() raises SIGPIPE when the server has closed the connection.
  while (!bytes.empty()) {
    const ssize_t sent = send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno != EINTR) {
      *error = Describe("cannot send", errno);
      return false;
    }
  }
  return true;
}

ReplyPtr Connection::Receive(std::string* error) {
  void* reply = nullptr;
  for (;;) {
    if (redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK) break;
    if (reply != nullptr) return ReplyPtr(static_cast<redisReply*>(reply));
    if (redisBufferRead(context_.get()) != REDIS_OK) break;
  }
  if (context_->err == REDIS_ERR_IO) {
    *error = Describe("no reply", errno);
  } else {
    *error = "redis " + endpoint_.ToString() + ": no reply: " + context_->errstr;
  }
  return nullptr;
}

ReplyPtr Connection::Ask(std::string_view command, std::string* error) {
  return Send(command, error) ? Receive(error) : nullptr;
}

}  // namespace bloomline::redis
