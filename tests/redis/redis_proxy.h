// A TCP proxy in front of a Redis server. It applies a fault of networks, proxies or dying clients
// to one command.
#ifndef BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_
#define BLOOMLINE_TESTS_REDIS_REDIS_PROXY_H_

#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace bloomline::tests {

// The faults. In the comments, "it" is the command.
enum class RedisFault {
  kNone,
  kHold,       // it and all later ones on its connection wait for Deliver
  kHoldOne,    // it waits for Deliver; all later ones on its connection are lost
  kDrop,       // it and all later ones on its connection are lost
  kCutInside,  // half of it arrives; then the connection ends
  kCutAfter,   // it is executed, but its connection ends before the reply
  kMute,       // it is executed, but no more replies arrive on its connection
  kDieBefore,  // its connection ends, and no other is accepted, as if the client had died
  kDieAfter,   // the same, but it is executed
};

const char* Name(RedisFault fault);

// Applies `fault` to command number `at`, counted from 0 over all connections.
struct RedisStrike {
  RedisFault fault;
  size_t at;
};

class RedisProxy {
 public:
  // A proxy for the server on this port of 127.0.0.1.
  RedisProxy(int server_port, std::vector<RedisStrike> strikes);
  ~RedisProxy();
  RedisProxy(const RedisProxy&) = delete;
  RedisProxy& operator=(const RedisProxy&) = delete;

  const std::string& address() const { return address_; }

  // Sends the commands that wait, in their old order, on a connection of its
  // own. Returns when the server has executed them.
  void Deliver();
  // Does so before command number `at` is sent.
  void DeliverAt(size_t at) { deliver_at_ = at; }

  // Number of commands delivered so far.
  size_t num_delivered() const { return num_delivered_; }

  // "NAME KEY" of each command seen.
  std::vector<std::string> commands() const;

 private:
  struct Channel;

  void Accept();
  void Serve(int client);
  bool ToServer(Channel* channel);
  RedisFault FaultOf(size_t number) const;
  bool Pass(Channel* channel, std::string_view command, RedisFault fault);

  const int server_port_;
  const std::vector<RedisStrike> strikes_;
  std::atomic<size_t> deliver_at_{std::numeric_limits<size_t>::max()};
  std::string address_;
  int listener_ = -1;
  std::atomic<bool> dead_{false};
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
