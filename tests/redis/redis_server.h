// Real Redis servers for tests: on loopback, on free ports, each in a folder of its own. They end
// with the object, or with the test process, however that ends.
#ifndef BLOOMLINE_TESTS_REDIS_REDIS_SERVER_H_
#define BLOOMLINE_TESTS_REDIS_REDIS_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/redis/connection.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {

class RedisServer {
 public:
  static bool IsInstalled();
  // A port that is free now on loopback, and small enough for a cluster's node.
  static int FreePort();
  // A socket on loopback. *port gets its port.
  static int Bind(int* port);

  // `arguments` follow the usual ones on the command line, which are: no persistence, no cluster.
  // Ends the test process if the server does not start.
  explicit RedisServer(std::vector<std::string> arguments = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  void Kill();  // as kill -9
  void Restart();
  void Stop();  // keeps its connections and sends no replies
  void Continue();

  // The reply to an encoded command. Null, with the reason, if there is none.
  redis::ReplyPtr Execute(std::string_view command, std::string* error) const;

  // The reply as text: numbers in decimal, elements of arrays separated by spaces, errors as they
  // are.
  std::string Command(std::initializer_list<std::string_view> arguments) const;

  std::vector<std::string> KeysLike(const std::string& pattern) const;

  // The number after "NAME:" or "NAME=" in the section of INFO, for example errorstat_MOVED:count.
  // 0 if there is none.
  uint64_t Info(std::string_view section, std::string_view name) const;

 private:
  void Start();
  bool WaitUntilItAnswers() const;

  const std::vector<std::string> arguments_;
  TempDir dir_;
  int port_ = 0;
  pid_t pid_ = -1;
};

// Waits until n replicas are connected to the server and have what it has now.
void WaitForReplicas(const RedisServer& primary, size_t n);

// Cuts the replica's connection and stops it, so that it certainly lags until Continue.
void CutOff(RedisServer* primary, RedisServer* replica);

// Three nodes, each with a third of the slots; with or without a replica each.
class RedisCluster {
 public:
  explicit RedisCluster(bool with_replicas = false);

  static constexpr size_t kNodes = 3;
  RedisServer& node(size_t i) { return *nodes_[i]; }
  RedisServer& replica(size_t i) { return *replicas_[i]; }
  // The node that now serves the key.
  size_t NodeOf(const std::string& key);
  std::string Slot(const std::string& key);

  // The three steps that move a slot with one key. After the last one all nodes agree: a node that
  // moved the slot back before it knew the other's new epoch would lose the slot again.
  void BeginMigration(const std::string& key, size_t from, size_t to);
  void MoveKey(const std::string& key, size_t from, size_t to);
  void EndMigration(const std::string& key, size_t to);

  // Whether a replica takes over from a node that is silent for two seconds. At first none does: on
  // a busy machine, a node that is alive may get no CPU time for so long.
  void LetReplicasTakeOver(bool they_do);

 private:
  std::vector<std::unique_ptr<RedisServer>> nodes_;
  std::vector<std::unique_ptr<RedisServer>> replicas_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_REDIS_REDIS_SERVER_H_
