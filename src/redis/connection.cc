#include "src/redis/connection.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "src/redis/command.h"
#include "src/redis/tls.h"

namespace bloomline::redis {
namespace {

timeval Milliseconds(int ms) { return {ms / 1000, ms % 1000 * 1000}; }

}  // namespace

std::string Connection::Describe(const char* what, int error_number) const {
  const std::string prefix = endpoint_.Prefix() + what + ": ";
  if (error_number == EAGAIN || error_number == EWOULDBLOCK) {
    return prefix + "timed out after " + std::to_string(timeout_ms_) + " ms";
  }
  const std::string tls_reason = endpoint_.use_tls ? TlsReason() : "";
  if (!tls_reason.empty()) return prefix + tls_reason;
  return prefix +
         (error_number == 0 ? context_->errstr : std::generic_category().message(error_number));
}

std::unique_ptr<Connection> Connection::Open(const Endpoint& endpoint, const RedisServers& options,
                                             std::string* error) {
  const timeval timeout = Milliseconds(options.connect_timeout_ms);
  Context context(endpoint.is_unix_socket()
                      ? redisConnectUnixWithTimeout(endpoint.host.c_str(), timeout)
                      : redisConnectWithTimeout(endpoint.host.c_str(), endpoint.port, timeout));
  if (context == nullptr) throw std::bad_alloc();
  std::unique_ptr<Connection> connection(new Connection(endpoint, std::move(context)));
  return connection->Prepare(options, error) ? std::move(connection) : nullptr;
}

bool Connection::Prepare(const RedisServers& options, std::string* error) {
  if (context_->err != 0) {
    *error = endpoint_.Prefix() + "cannot connect: " + context_->errstr;
    return false;
  }
  // Detects a server that disappears without closing the connection.
  if (!endpoint_.is_unix_socket()) redisEnableKeepAlive(context_.get());
  fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
  if (endpoint_.use_tls) {
    if (!SetTimeout(options.connect_timeout_ms, error)) return false;
    if (!StartTls(context_.get(), endpoint_, options.tls, error)) return false;
  }
  if (!SetTimeout(options.command_timeout_ms, error)) return false;
  if (!options.password.empty()) {
    const bool is_authenticated =
        options.username.empty()
            ? SendAndCheck({"AUTH", options.password}, error)
            : SendAndCheck({"AUTH", options.username, options.password}, error);
    if (!is_authenticated) return false;
  }
  if (options.database != 0) {
    const std::string database = std::to_string(options.database);
    if (!SendAndCheck({"SELECT", database}, error)) {
      *error += " (database " + database + "; a cluster has 0 only)";
      return false;
    }
  }
  return true;
}

bool Connection::SetTimeout(int ms, std::string* error) {
  timeout_ms_ = ms;
  if (redisSetTimeout(context_.get(), Milliseconds(ms)) == REDIS_OK) return true;
  *error = endpoint_.Prefix() + context_->errstr;
  return false;
}

bool Connection::SendAndCheck(std::initializer_list<std::string_view> arguments,
                              std::string* error) {
  const ReplyPtr reply = Ask(arguments, error);
  if (reply == nullptr) return false;
  if (!IsError(*reply)) return true;
  // Redis may quote the password: "ERR unknown command 'AUTH', with args beginning with: ...".
  const std::string_view text = Text(*reply);
  *error = endpoint_.Prefix() + std::string(text.substr(0, text.find(", with args")));
  return false;
}

bool Connection::Send(std::string_view bytes, std::string* error) {
  if (endpoint_.use_tls) return SendTls(bytes, error);
  // hiredis does not do this: its write() raises SIGPIPE if the server has closed the connection,
  // and blocking the signal takes four more system calls, a quarter of the client's CPU time.
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
  ClearTlsReason();
  if (redisAppendFormattedCommand(context_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    throw std::bad_alloc();
  }
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
  void* reply = nullptr;
  while (redisGetReplyFromReader(context_.get(), &reply) == REDIS_OK) {
    if (reply != nullptr) return ReplyPtr(static_cast<redisReply*>(reply));
    if (endpoint_.use_tls) ClearTlsReason();
    errno = 0;
    if (redisBufferRead(context_.get()) != REDIS_OK) break;
  }
  *error = Describe("no reply", context_->err == REDIS_ERR_IO ? errno : 0);
  return nullptr;
}

ReplyPtr Connection::ReceiveLate(int extra_ms, std::string* error) {
  const int usual_ms = timeout_ms_;
  if (!SetTimeout(usual_ms + extra_ms, error)) return nullptr;
  ReplyPtr reply = Receive(error);
  if (reply != nullptr && !SetTimeout(usual_ms, error)) return nullptr;
  return reply;
}

ReplyPtr Connection::Ask(std::initializer_list<std::string_view> arguments, std::string* error) {
  std::string command;
  AppendCommand(arguments, &command);
  return Send(command, error) ? Receive(error) : nullptr;
}

}  // namespace bloomline::redis
