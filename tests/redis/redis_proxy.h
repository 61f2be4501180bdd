// Servers on loopback that reply to Redis commands as a test decides: with replies of its own, or
// as a proxy in front of a Redis server. The proxy breaks the connection at chosen commands, as
// networks, proxies and dying clients do, and can deliver a lost command later.
#ifndef BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_
#define BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/redis/redis_server.h"

namespace bloomline::tests {

// Serves one client after another, in a thread of its own.
class ScriptedServer {
 public:
  // The bytes of the reply to a command with these arguments. None: the connection ends, and the
  // replies to commands that were received with this one are lost.
  using Script = std::function<std::string(const std::vector<std::string>& arguments)>;

  explicit ScriptedServer(Script script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void Serve(int client) const;

  const Script script_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<bool> closing_{false};
  std::atomic<int> client_{-1};
  std::thread thread_;
};

enum class RedisFault {
  kNone,
  kLose,      // its connection ends before the server gets it
  kCutAfter,  // it is executed, but its connection ends before the reply
  kHold,      // kLose, but it waits for Deliver
};

class RedisProxy {
 public:
  // What happens to this command, counted from 0 over all connections. Called before it is sent.
  using Faults = std::function<RedisFault(size_t number)>;

  RedisProxy(const RedisServer& server, Faults faults);

  std::string address() const { return listener_.address(); }

  // Sends the commands that wait, in their old order. Returns their number when the server has
  // executed them.
  size_t Deliver();

  // "NAME KEY" of each command seen.
  std::vector<std::string> commands() const;

 private:
  std::string ReplyTo(const std::vector<std::string>& arguments);

  const RedisServer& server_;
  const Faults faults_;

  mutable std::mutex mutex_;
  std::vector<std::string> commands_;
  std::vector<std::string> kept_;  // for Deliver
  ScriptedServer listener_;        // the last member: its thread uses the others
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_
