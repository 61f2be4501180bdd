#include "src/redis/connection.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "src/redis/command.h"
#include "src/redis/tls.h"

namespace bloomline::redis {
namespace {

timeval Milliseconds(int ms) { return {ms / 1000, ms % 1000 * 1000}; }

// The text of an error reply without the arguments of the command, which it may quote: "ERR unknown
// command 'AUTH', with args beginning with: 'the password'".
std::string WithoutArguments(std::string_view text) {
  return std::string(text.substr(0, text.find(", with args")));
}

}  // namespace

Connection::Connection(const Endpoint& endpoint, const RedisServers& options, ContextPtr context)
    : endpoint_(endpoint), timeout_ms_(options.connect_timeout_ms), context_(std::move(context)) {}

std::string Connection::Describe(const char* what, int error_number) const {
  const std::string prefix = endpoint_.Prefix() + what + ": ";
  if (error_number == EAGAIN || error_number == EWOULDBLOCK) {
    return prefix + "timed out after " + std::to_string(timeout_ms_) + " ms";
  }
  const std::string reason = endpoint_.use_tls ? TlsReason() : "";
  if (!reason.empty()) return prefix + reason;
  if (error_number == 0) return prefix + context_->errstr;
  return prefix + std::generic_category().message(error_number);
}

std::unique_ptr<Connection> Connection::Open(const Endpoint& endpoint, const RedisServers& options,
                                             std::string* error) {
  const timeval timeout = Milliseconds(options.connect_timeout_ms);
  ContextPtr owned(endpoint.is_unix_socket()
                       ? redisConnectUnixWithTimeout(endpoint.host.c_str(), timeout)
                       : redisConnectWithTimeout(endpoint.host.c_str(), endpoint.port, timeout));
  redisContext* const context = owned.get();
  if (context == nullptr) {
    *error = endpoint.Prefix() + "out of memory";
    return nullptr;
  }
  std::unique_ptr<Connection> connection(new Connection(endpoint, options, std::move(owned)));
  if (context->err != 0) {
    *error = endpoint.Prefix() + "cannot connect: " + context->errstr;
    return nullptr;
  }
  // Detects a server that disappears without closing the connection.
  if (!endpoint.is_unix_socket()) redisEnableKeepAlive(context);
  fcntl(context->fd, F_SETFD, FD_CLOEXEC);
  if (endpoint.use_tls) {
    if (!connection->SetTimeout(options.connect_timeout_ms, error)) return nullptr;
    if (!StartTls(context, endpoint, options.tls, error)) return nullptr;
  }
  if (!connection->SetTimeout(options.command_timeout_ms, error)) return nullptr;
  if (!options.password.empty()) {
    const bool is_authenticated =
        options.username.empty()
            ? connection->SendAndCheck({"AUTH", options.password}, error)
            : connection->SendAndCheck({"AUTH", options.username, options.password}, error);
    if (!is_authenticated) return nullptr;
  }
  if (options.database != 0) {
    const std::string database = std::to_string(options.database);
    if (!connection->SendAndCheck({"SELECT", database}, error)) {
      *error += " (database " + database + "; a cluster has 0 only)";
      return nullptr;
    }
  }
  return connection;
}

bool Connection::SetTimeout(int ms, std::string* error) {
  timeout_ms_ = ms;
  if (redisSetTimeout(context_.get(), Milliseconds(ms)) == REDIS_OK) return true;
  *error = endpoint_.Prefix() + context_->errstr;
  return false;
}

bool Connection::SendAndCheck(std::initializer_list<std::string_view> arguments,
                              std::string* error) {
  std::string command;
  AppendCommand(arguments, &command);
  const ReplyPtr reply = Ask(command, error);
  if (reply == nullptr) return false;
  if (!IsError(*reply)) return true;
  *error = endpoint_.Prefix() + WithoutArguments(Text(*reply));
  return false;
}

bool Connection::Send(std::string_view bytes, std::string* error) {
  if (endpoint_.use_tls) return SendTls(bytes, error);
  // Not by hiredis: its write() raises SIGPIPE if the server has closed the connection.
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

bool Connection::SendTls(std::string_view bytes, std::string* error) {
  const SigpipeBlocker blocker;
  ClearTlsReason();
  redisAppendFormattedCommand(context_.get(), bytes.data(), bytes.size());
  // Each call writes at least one byte or fails. But hiredis treats a 0 from SSL_write as success,
  // so the number of calls is limited.
  for (size_t i = 0; i <= bytes.size(); ++i) {
    int is_done = 0;
    errno = 0;
    if (redisBufferWrite(context_.get(), &is_done) != REDIS_OK) break;
    if (is_done != 0) return true;
  }
  *error = Describe("cannot send", errno);
  return false;
}

ReplyPtr Connection::Receive(std::string* error) {
  // OpenSSL also writes during a read.
  std::optional<SigpipeBlocker> blocker;
  if (endpoint_.use_tls) {
    blocker.emplace();
    ClearTlsReason();
  }
  void* reply = nullptr;
  for (;;) {
    if (redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK) break;
    if (reply != nullptr) return ReplyPtr(static_cast<redisReply*>(reply));
    errno = 0;
    if (redisBufferRead(context_.get()) != REDIS_OK) break;
  }
  if (context_->err == REDIS_ERR_IO) {
    *error = Describe("no reply", errno);
  } else {
    *error = endpoint_.Prefix() + "no reply: " + context_->errstr;
  }
  return nullptr;
}

ReplyPtr Connection::ReceiveLate(int extra_ms, std::string* error) {
  const int usual_ms = timeout_ms_;
  if (!SetTimeout(usual_ms + extra_ms, error)) return nullptr;
  ReplyPtr reply = Receive(error);
  if (reply != nullptr && !SetTimeout(usual_ms, error)) return nullptr;
  return reply;
}

ReplyPtr Connection::Ask(std::string_view command, std::string* error) {
  return Send(command, error) ? Receive(error) : nullptr;
}

}  // namespace bloomline::redis
