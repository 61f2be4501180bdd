// A TCP proxy before a Redis server that does to one command what networks, proxies and dying
// clients do.
#ifndef BLOOMLINE_TESTS_REDIS_PROXY_H_
#define BLOOMLINE_TESTS_REDIS_PROXY_H_

#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace bloomline::tests {

// What happens to a command.
enum class RedisFault {
  kNone,
  kHold,           // it and all behind it on its connection are kept back until Deliver
  kHoldOne,        // it is kept back until Deliver; what is behind it is swallowed
  kDrop,           // it and all behind it on its connection are swallowed
  kDuplicate,      // it passes, and Deliver sends it once more
  kDuplicateRest,  // it and all later commands pass, and Deliver sends them once more
  kCutInside,      // half of it arrives; then the connection ends
  kCutAfter,       // it is carried out, but its connection ends before the reply
  kMute,           // it is carried out, but no reply comes on its connection any more
  kDieBefore,      // its connection ends, and no other is accepted: the client has died
  kDieAfter,       // it is carried out first
};

const char* Name(RedisFault fault);

// Strikes command number `at`, counted from 0 over all connections.
struct RedisStrike {
  RedisFault fault;
  size_t at;
};

class RedisProxy {
 public:
  // For the server on this port of 127.0.0.1. `latency_ms`: how long bytes take to pass.
  RedisProxy(int server_port, std::vector<RedisStrike> strikes, int latency_ms = 0);
  ~RedisProxy();
  RedisProxy(const RedisProxy&) = delete;
  RedisProxy& operator=(const RedisProxy&) = delete;

  const std::string& address() const { return address_; }

  // Sends what was held or duplicated until now, in its old order, on a connection of its own, and
  // returns when the server has carried it out.
  void Deliver();
  // Does so before command number `at` passes.
  void DeliverAt(size_t at) { deliver_at_ = at; }

  // Commands sent so until now.
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
  const int latency_ms_;
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

#endif  // BLOOMLINE_TESTS_REDIS_PROXY_H_
