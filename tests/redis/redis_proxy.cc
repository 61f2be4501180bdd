#include "tests/redis/redis_proxy.h"

#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "src/redis/command.h"
#include "src/redis/connection.h"

namespace bloomline::tests {
namespace {

[[noreturn]] void Die(const std::string& reason) {
  std::fprintf(stderr, "RedisProxy: %s\n", reason.c_str());
  std::abort();
}

// The server's reply to the command, as bytes.
std::string Execute(const RedisServer& server, std::string_view command) {
  std::string error;
  const redis::ReplyPtr reply = server.Execute(command, &error);
  if (reply == nullptr) Die(error);
  if (reply->type == REDIS_REPLY_INTEGER) return ":" + std::to_string(reply->integer) + "\r\n";
  const std::string text(redis::Text(*reply));
  if (reply->type == REDIS_REPLY_ERROR) return "-" + text + "\r\n";
  if (reply->type != REDIS_REPLY_STRING) Die("a reply that no test has needed");
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

}  // namespace

ScriptedServer::ScriptedServer(Script script)
    : script_(std::move(script)), listener_(RedisServer::Bind(&port_)) {
  if (listen(listener_, 64) != 0) Die("cannot listen");
  thread_ = std::thread([this] {
    while ((client_ = accept(listener_, nullptr, nullptr)) >= 0 && !closing_) {
      Serve(client_);
      close(client_.exchange(-1));
    }
    if (client_ >= 0) close(client_);
  });
}

ScriptedServer::~ScriptedServer() {
  closing_ = true;
  shutdown(listener_, SHUT_RDWR);
  shutdown(client_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

void ScriptedServer::Serve(int client) const {
  const int on = 1;  // no reply waits for the one before it to arrive
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                    redisReaderFree);
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(client, buffer, sizeof(buffer), 0)) > 0;) {
    redisReaderFeed(reader.get(), buffer, static_cast<size_t>(n));
    std::string replies;
    void* parsed = nullptr;
    while (redisReaderGetReply(reader.get(), &parsed) == REDIS_OK && parsed != nullptr) {
      const redis::ReplyPtr command(static_cast<redisReply*>(parsed));
      std::vector<std::string> arguments;
      for (size_t i = 0; i < command->elements; ++i) {
        arguments.emplace_back(redis::Text(*command->element[i]));
      }
      const std::string reply = script_(arguments);
      if (reply.empty()) return;
      replies += reply;
    }
    if (!replies.empty() && send(client, replies.data(), replies.size(), MSG_NOSIGNAL) <= 0) return;
  }
}

RedisProxy::RedisProxy(const RedisServer& server, Faults faults)
    : server_(server),
      faults_(std::move(faults)),
      listener_([this](const auto& arguments) { return ReplyTo(arguments); }) {}

std::string RedisProxy::ReplyTo(const std::vector<std::string>& arguments) {
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
  const RedisFault fault = faults_(number);
  if (fault == RedisFault::kHold) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(command);
  }
  if (fault == RedisFault::kHold || fault == RedisFault::kLose) return "";
  const std::string reply = Execute(server_, command);
  return fault == RedisFault::kCutAfter ? "" : reply;
}

size_t RedisProxy::Deliver() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<std::string> kept = std::exchange(kept_, {});
  for (const std::string& command : kept) Execute(server_, command);
  return kept.size();
}

std::vector<std::string> RedisProxy::commands() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return commands_;
}

}  // namespace bloomline::tests
