// A TCP proxy in front of a Redis server. It breaks or mutes the connection at chosen commands, as
// networks, proxies and dying clients do, and can deliver a lost command later.
#ifndef BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_
#define BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace bloomline::tests {

enum class RedisFault {
  kNone,
  kLose,      // its connection ends before the server gets it
  kCutAfter,  // it is executed, but its connection ends before the reply
  kHold,      // kLose, but it waits for Deliver
  kMute,      // it is executed, but no more replies arrive on its connection
};

const char* Name(RedisFault fault);

// What happens to command number `at`, counted from 0 over all connections.
struct RedisStrike {
  size_t at;
  RedisFault fault;
  std::function<void()> before = {};  // is called first
};

class RedisProxy {
 public:
  // A proxy for the server on this port of 127.0.0.1.
  RedisProxy(int server_port, std::vector<RedisStrike> strikes);
  ~RedisProxy();
  RedisProxy(const RedisProxy&) = delete;
  RedisProxy& operator=(const RedisProxy&) = delete;

  const std::string& address() const { return address_; }

  // Sends the commands that wait, in their old order, on a connection of its own. Returns when the
  // server has executed them.
  void Deliver();

  // Number of commands delivered so far.
  size_t num_delivered() const { return num_delivered_; }

  // "NAME KEY" of each command seen.
  std::vector<std::string> commands() const;

 private:
  void Accept();
  void Serve(int client);
  bool ToServer(int server, std::string* from_client, bool* is_mute);
  bool Pass(int server, size_t number, std::string_view command, bool* is_mute);

  const int server_port_;
  const std::vector<RedisStrike> strikes_;
  std::string address_;
  int listener_ = -1;
  std::atomic<size_t> num_delivered_{0};

  mutable std::mutex mutex_;
  std::vector<std::string> commands_;
  std::vector<std::string> kept_;  // for Deliver
  std::vector<int> open_;          // sockets of connections that are served
  std::vector<std::thread> threads_;
  bool closing_ = false;
  std::thread accepting_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_
