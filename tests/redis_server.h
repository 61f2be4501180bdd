// Real Redis servers for tests: on loopback, on free ports, in a folder of their own, and gone with
// the object, or with the test process however that ends.
#ifndef BLOOMLINE_TESTS_REDIS_SERVER_H_
#define BLOOMLINE_TESTS_REDIS_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/temp_dir.h"

namespace bloomline::tests {

class RedisServer {
 public:
  static bool IsInstalled();
  // Now free on loopback; a cluster node's second port is free, too.
  static int FreePort();

  // `arguments` follow the usual ones on the command line: no persistence, no cluster. Ends the
  // test process if the server does not start.
  explicit RedisServer(std::vector<std::string> arguments = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  void Kill();  // as kill -9
  void Restart();
  void Stop();  // it keeps its connections and answers nothing
  void Continue();

  // The reply as text: numbers in decimal, arrays with spaces between; "(nil)"; errors as they are.
  std::string Command(std::initializer_list<std::string_view> arguments) const;

  // The number behind "NAME:" or "NAME=" in INFO's section, e.g. errorstat_MOVED:count; 0 if there
  // is none.
  uint64_t Info(std::string_view section, std::string_view name) const;

 private:
  void Start();
  bool WaitUntilItAnswers() const;

  const std::vector<std::string> arguments_;
  TempDir dir_;
  int port_ = 0;
  pid_t pid_ = -1;
};

// Three nodes, each with a third of the slots, no replicas.
class RedisCluster {
 public:
  RedisCluster();

  static constexpr size_t kNodes = 3;
  RedisServer& node(size_t i) { return *nodes_[i]; }
  // The node that now serves the key.
  size_t NodeOf(const std::string& key);
  std::string Slot(const std::string& key);

  // The three steps by which a slot with one key moves.
  void BeginMigration(const std::string& key, size_t from, size_t to);
  void MoveKey(const std::string& key, size_t from, size_t to);
  void EndMigration(const std::string& key, size_t to);

 private:
  std::vector<std::unique_ptr<RedisServer>> nodes_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_REDIS_SERVER_H_
