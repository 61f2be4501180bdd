#include "tests/redis/redis_proxy.h"

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "src/redis/command.h"
#include "src/redis/connection.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {
namespace {

constexpr std::string_view kNonce = "proxy-nonce-4711";

[[noreturn]] void Die(const std::string& reason) {
  std::fprintf(stderr, "RedisProxy: %s\n", reason.c_str());
  std::abort();
}

void SendAtOnce(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int ConnectTo(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    Die("cannot connect to the server");
  }
  SendAtOnce(fd);
  return fd;
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Empty at the end of the stream.
std::string ReceiveSome(int fd) {
  std::string bytes(1 << 16, '\0');
  const ssize_t received = recv(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(received > 0 ? static_cast<size_t>(received) : 0);
  return bytes;
}

// When this returns, the server has executed all earlier commands.
void WaitForServer(int fd) {
  std::string echo;
  redis::AppendCommand({"ECHO", kNonce}, &echo);
  SendAll(fd, echo);
  for (std::string replies; replies.find(kNonce) == std::string::npos;) {
    const std::string more = ReceiveSome(fd);
    if (more.empty()) Die("the server has gone");
    replies += more;
  }
}

}  // namespace

LoopbackServer::LoopbackServer(std::function<void(int)> serve)
    : listener_(RedisServer::Bind(&port_)) {
  if (listener_ < 0 || listen(listener_, 64) != 0) Die("cannot listen");
  thread_ = std::thread([this, serve = std::move(serve)] {
    while ((client_ = accept(listener_, nullptr, nullptr)) >= 0 && !closing_) {
      serve(client_);
      close(client_.exchange(-1));
    }
    if (client_ >= 0) close(client_);
  });
}

LoopbackServer::~LoopbackServer() {
  closing_ = true;
  shutdown(listener_, SHUT_RDWR);
  shutdown(client_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

RedisProxy::RedisProxy(int server_port, std::vector<RedisStrike> strikes)
    : server_port_(server_port),
      strikes_(std::move(strikes)),
      listener_([this](int client) { Serve(client); }) {}

void RedisProxy::Serve(int client) {
  SendAtOnce(client);
  const int server = ConnectTo(server_port_);
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                    redisReaderFree);
  for (bool is_open = true; is_open;) {
    pollfd sockets[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    if (poll(sockets, 2, -1) < 0) break;
    if (sockets[1].revents != 0) {
      const std::string replies = ReceiveSome(server);
      if (replies.empty() || !SendAll(client, replies)) break;
    }
    if (sockets[0].revents == 0) continue;
    const std::string bytes = ReceiveSome(client);
    if (bytes.empty()) break;
    redisReaderFeed(reader.get(), bytes.data(), bytes.size());
    void* parsed = nullptr;
    while (is_open && redisReaderGetReply(reader.get(), &parsed) == REDIS_OK && parsed != nullptr) {
      const redis::ReplyPtr command(static_cast<redisReply*>(parsed));
      std::vector<std::string> arguments;
      for (size_t i = 0; i < command->elements; ++i) {
        arguments.emplace_back(redis::Text(*command->element[i]));
      }
      is_open = Pass(server, arguments);
    }
  }
  close(server);
}

bool RedisProxy::Pass(int server, const std::vector<std::string>& arguments) {
  std::string command;
  redis::BeginCommand(arguments.size(), &command);
  for (const std::string& argument : arguments) redis::AppendArgument(argument, &command);
  const size_t key = arguments[0] == "EVAL" ? 3 : 1;
  size_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    number = commands_.size();
    commands_.push_back(arguments[0] + (key < arguments.size() ? " " + arguments[key] : ""));
  }
  RedisFault fault = RedisFault::kNone;
  for (const RedisStrike& strike : strikes_) {
    if (number != strike.at) continue;
    fault = strike.fault;
    if (strike.before) strike.before();
  }
  if (fault == RedisFault::kHold) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(command);
  }
  if (fault == RedisFault::kHold || fault == RedisFault::kLose) return false;
  if (!SendAll(server, command)) return false;
  if (fault == RedisFault::kCutAfter) WaitForServer(server);
  return fault != RedisFault::kCutAfter;
}

void RedisProxy::Deliver() {
  std::vector<std::string> kept;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept.swap(kept_);
  }
  if (kept.empty()) return;
  const int fd = ConnectTo(server_port_);
  for (const std::string& command : kept) SendAll(fd, command);
  WaitForServer(fd);
  close(fd);
  num_delivered_ += kept.size();
}

std::vector<std::string> RedisProxy::commands() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return commands_;
}

}  // namespace bloomline::tests
