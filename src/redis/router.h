// Sends commands to the server or the cluster nodes that serve them, pipelined, and repeats what a
// broken connection or a redirect left undone.
#ifndef BLOOMLINE_REDIS_ROUTER_H_
#define BLOOMLINE_REDIS_ROUTER_H_

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/connection.h"
#include "src/redis/slots.h"

namespace bloomline::redis {

// Commands that are made only when they are sent, so that memory does not grow with their number.
// Each must be one that may run twice, the second time at any later moment: a copy whose reply was
// lost may still be on its way.
class Batch {
 public:
  virtual ~Batch() = default;

  // Slot of the key of command i.
  virtual uint16_t Slot(size_t i) const = 0;

  // Appends command i; called again for each repetition.
  virtual void Encode(size_t i, std::string* out) = 0;

  // `reply` may be an error reply. `repeated`: an earlier reply was lost, so the command may have
  // run before. For each i either this or OnFailure is called, once, in any order.
  virtual void OnReply(size_t i, ReplyPtr reply, bool repeated) = 0;

  // No reply came; the command may have run or not.
  virtual void OnFailure(size_t i, const std::string& error) = 0;
};

class Router {
 public:
  // Connects to one of the servers and finds out whether it is a cluster. Null, with the reason, if
  // none answers.
  static std::unique_ptr<Router> Connect(const RedisServers& options, std::string* error);

  // Runs the commands 0 .. n - 1 of `batch`. Commands of one slot run in the order of their
  // numbers, unless one is repeated. With min_replicas, a command that no replica need confirm,
  // because it changed nothing, must not be among them: servers since 7.2 then confirm at once
  // what others have written and no replica has (docs/redis.md, section Replicas).
  void Run(size_t n, Batch* batch, const AddOptions& options = AddOptions());

  // Drops all connections. To be called when a Batch threw.
  void Reset();

 private:
  struct Node;
  struct Item {
    size_t index = 0;
    int failures = 0;
    int redirects = 0;
    bool repeated = false;
    Node* ask = nullptr;  // where a redirect for this once led
  };
  // A reply that counts when replicas have confirmed what it acknowledges.
  struct Unconfirmed {
    Item item;
    ReplyPtr reply;
  };
  struct Node {
    Endpoint endpoint;
    std::unique_ptr<Connection> connection;  // null: not connected
    std::string unsent;
    std::deque<Item> in_flight;
    std::vector<Unconfirmed> unconfirmed;
    bool is_waiting = false;    // the last command sent is WAIT
    std::string error;          // why there is no connection
    uint64_t failed_round = 0;  // the last one in which it could not be connected
    std::chrono::steady_clock::time_point given_up_until{};
  };

  explicit Router(const RedisServers& options) : options_(options) {}

  Node* NodeAt(Endpoint endpoint);
  Node* NodeOf(uint16_t slot);
  // Tries once in a round at most, so that many commands cost one time-out.
  bool EnsureConnected(Node* node);
  bool IsMaster(Node* node);
  bool IsGivenUp(const Node& node) const;
  // False: nobody could be asked; *error if there is a reason.
  bool RefreshSlots(std::string* error);
  bool RefreshSlotsFrom(Node* node, std::string* error);

  void BeginRound();
  void Dispatch(Item item, Batch* batch);
  void SendUnsent(Node* node, Batch* batch);
  void ReceiveUntil(Node* node, size_t left, Batch* batch);
  void Handle(Node* node, Item item, ReplyPtr reply, Batch* batch);
  // WAIT holds for what the same connection sent before, so each connection has its own, and what
  // is repeated on another is confirmed there.
  void AppendWait(Node* node);
  void ReceiveWait(Node* node, Batch* batch);
  void Disconnect(Node* node, Batch* batch);
  void Postpone(Node* node, Item item, const std::string& error, Batch* batch);

  const RedisServers options_;
  AddOptions wait_for_;  // of the batch that runs
  bool use_tls_ = false;
  bool is_cluster_ = false;
  std::vector<std::unique_ptr<Node>> nodes_;  // never removed: items and slots point to them
  std::vector<Node*> slots_;                  // cluster only; null: nobody serves it
  std::vector<Item> postponed_;
  uint64_t round_ = 1;
  bool slots_changed_ = false;
  bool must_wait_ = false;
  std::chrono::steady_clock::time_point no_refresh_until_{};
  pid_t pid_ = getpid();  // the process that made the connections
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_ROUTER_H_
