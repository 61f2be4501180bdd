#include "tests/redis/redis_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "src/redis/command.h"
#include "tests/redis/redis_server.h"

namespace bloomline::tests {
namespace {

constexpr std::string_view kNonce = "proxy-nonce-4711";

[[noreturn]] void Die(const std::string& reason) {
  std::fprintf(stderr, "RedisProxy: %s\n", reason.c_str());
  std::abort();
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
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
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

// False at the end of the stream.
bool ReceiveSome(int fd, std::string* bytes) {
  char buffer[1 << 16];
  const ssize_t received = recv(fd, buffer, sizeof(buffer), 0);
  if (received <= 0) return false;
  bytes->append(buffer, static_cast<size_t>(received));
  return true;
}

// When this returns, the server has executed all earlier commands.
void WaitForServer(int fd) {
  std::string echo;
  redis::AppendCommand({"ECHO", kNonce}, &echo);
  std::string replies;
  if (!SendAll(fd, echo)) Die("the server has gone");
  while (replies.find(kNonce) == std::string::npos) {
    if (!ReceiveSome(fd, &replies)) Die("the server has gone");
  }
}

// Removes "CHARACTER NUMBER \r\n" from the front. Returns false if it is incomplete.
bool TakeNumber(char character, std::string_view* text, size_t* number) {
  const size_t end = text->find("\r\n");
  if (end == std::string_view::npos) return false;
  if (text->front() != character) Die("not a command: " + std::string(text->substr(0, 40)));
  std::from_chars(text->data() + 1, text->data() + end, *number);
  text->remove_prefix(end + 2);
  return true;
}

// The arguments of the command at the front of `text`, and its bytes in *length. No arguments if it
// is incomplete.
std::vector<std::string_view> Parse(std::string_view text, size_t* length) {
  std::string_view rest = text;
  size_t count = 0;
  if (rest.empty() || !TakeNumber('*', &rest, &count)) return {};
  std::vector<std::string_view> arguments(count);
  for (std::string_view& argument : arguments) {
    size_t size = 0;
    if (rest.empty() || !TakeNumber('$', &rest, &size) || rest.size() < size + 2) return {};
    argument = rest.substr(0, size);
    rest.remove_prefix(size + 2);
  }
  *length = text.size() - rest.size();
  return arguments;
}

std::string Describe(const std::vector<std::string_view>& arguments) {
  const size_t key = arguments[0] == "EVAL" ? 3 : 1;
  std::string text(arguments[0]);
  return key < arguments.size() ? text + " " + std::string(arguments[key]) : text;
}

}  // namespace

const char* Name(RedisFault fault) {
  constexpr const char* kNames[] = {"none", "lose", "cut after", "hold", "mute"};
  return kNames[static_cast<size_t>(fault)];
}

RedisProxy::RedisProxy(int server_port, std::vector<RedisStrike> strikes)
    : server_port_(server_port), strikes_(std::move(strikes)) {
  int port = 0;
  listener_ = RedisServer::Bind(&port);
  if (listener_ < 0 || listen(listener_, 64) != 0) Die("cannot listen");
  address_ = "127.0.0.1:" + std::to_string(port);
  accepting_ = std::thread([this] { Accept(); });
}

RedisProxy::~RedisProxy() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
}

void RedisProxy::Accept() {
  for (;;) {
    const int client = accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_) {
      close(client);
    } else {
      open_.push_back(client);
      threads_.emplace_back([this, client] { Serve(client); });
    }
  }
}

void RedisProxy::Serve(int client) {
  const int on = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const int server = ConnectTo(server_port_);
  std::string from_client;  // not yet a command
  bool is_mute = false;
  for (;;) {
    pollfd sockets[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    if (poll(sockets, 2, -1) < 0) break;
    if (sockets[1].revents != 0) {
      std::string replies;
      if (!ReceiveSome(server, &replies)) break;
      if (!is_mute && !SendAll(client, replies)) break;
    }
    if (sockets[0].revents != 0) {
      if (!ReceiveSome(client, &from_client)) break;
      if (!ToServer(server, &from_client, &is_mute)) break;
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(std::find(open_.begin(), open_.end(), client));
  close(server);
  close(client);
}

// Returns false if the connection must end.
bool RedisProxy::ToServer(int server, std::string* from_client, bool* is_mute) {
  for (;;) {
    size_t length = 0;
    const std::vector<std::string_view> arguments = Parse(*from_client, &length);
    if (arguments.empty()) return true;
    const std::string command = from_client->substr(0, length);
    size_t number;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      number = commands_.size();
      commands_.push_back(Describe(arguments));
    }
    from_client->erase(0, length);
    if (!Pass(server, number, command, is_mute)) return false;
  }
}

bool RedisProxy::Pass(int server, size_t number, std::string_view command, bool* is_mute) {
  RedisFault fault = RedisFault::kNone;
  for (const RedisStrike& strike : strikes_) {
    if (number != strike.at) continue;
    fault = strike.fault;
    if (strike.before) strike.before();
  }
  if (fault == RedisFault::kHold) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.emplace_back(command);
  }
  if (fault == RedisFault::kHold || fault == RedisFault::kLose) return false;
  if (!SendAll(server, command)) return false;
  *is_mute = *is_mute || fault == RedisFault::kMute;
  if (fault != RedisFault::kNone) WaitForServer(server);
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
