// Runs batches of commands on the nodes that serve them: follows redirects, and sends commands
// again if a connection breaks.
//
//   Connect Run*         from one thread at a time
//
// Run works in rounds: send to all nodes, read the replies, postpone what is left to the next
// round. States of a command (docs/redis.md, "Retries", has the conditions):
//
//   QUEUED       not encoded in this round yet
//   IN FLIGHT    encoded, no reply yet: Node::in_flight
//   UNCONFIRMED  has a reply, but its WAIT has none yet: Node::unconfirmed
//   POSTPONED    for the next round: postponed_
//
//   from         to                                         by
//   QUEUED       IN FLIGHT, POSTPONED or failure            Dispatch
//   IN FLIGHT    reply, UNCONFIRMED, POSTPONED or failure   Handle, Disconnect
//   UNCONFIRMED  reply, POSTPONED or failure                ReceiveWait, Disconnect
//   POSTPONED    QUEUED                                     Run, at the start of the next round
//
// "reply" is Batch::OnReply, "failure" is Batch::OnFailure; exactly one of them ends each command.
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

// The commands of one Run. They are encoded only when they are sent, so memory does not grow with
// their number. Each command must be safe to run twice, the second time at any later moment: if its
// reply was lost, a copy may still arrive.
class Batch {
 public:
  virtual ~Batch() = default;

  // Slot of the key of command i.
  virtual uint16_t Slot(size_t i) const = 0;

  // Appends command i to *out. Called again for each attempt. `asked`: it follows ASKING, to a node
  // that may lack the key. An addition must not create the key there.
  virtual void Encode(size_t i, bool asked, std::string* out) = 0;

  // Whether this reply to command i, which followed ASKING, may come from a node that lacks the
  // key. No error.
  virtual bool MayLackKey(size_t i, const redisReply& reply) const = 0;

  // `reply` may be an error reply. `repeated`: an earlier reply was lost, so the command may have
  // run before. For each i, exactly one of OnReply and OnFailure is called, once, in any order.
  virtual void OnReply(size_t i, ReplyPtr reply, bool repeated) = 0;

  // No reply came. The command may have run.
  virtual void OnFailure(size_t i, const std::string& error) = 0;
};

class Router {
 public:
  // Connects to one of the servers and detects whether it is a cluster. Returns null, with the
  // reason, if none answers.
  static std::unique_ptr<Router> Connect(const RedisServers& options, std::string* error);

  // Runs the commands 0 .. n - 1 of `batch`. Commands of one slot run in the order of their
  // numbers, unless one is sent again. With min_replicas, every command must write something or
  // fail: servers since 7.2 confirm at once a command that wrote nothing, even if no replica has
  // what others wrote (docs/redis.md, "Waiting for replicas").
  void Run(size_t n, Batch* batch, const AddOptions& options = AddOptions());

  // Drops all connections. Call it after a Batch threw.
  void Reset();

 private:
  struct Node;
  struct Item {
    size_t index = 0;
    int failures = 0;
    int redirects = 0;
    bool repeated = false;
    Node* ask = nullptr;  // target of an ASK redirect, for this attempt only
  };
  // A reply that waits for the confirmation by replicas.
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
    bool is_waiting = false;    // the last command is WAIT
    std::string error;          // the last reason of a lost or failed connection
    uint64_t failed_round = 0;  // the last round in which connecting failed
    std::chrono::steady_clock::time_point given_up_until{};

    // Closes the connection, and forgets what was sent over it.
    void Disconnect();
  };

  explicit Router(const RedisServers& options) : options_(options) {}

  Node* NodeAt(Endpoint endpoint);
  Node* NodeOf(uint16_t slot);
  // At most one attempt per round, so that many commands cost one time-out.
  bool EnsureConnected(Node* node);
  bool IsMaster(Node* node);
  bool IsGivenUp(const Node& node) const;
  // False: no node answered. *error has the reason, if there is one.
  bool RefreshSlots(std::string* error);
  bool RefreshSlotsFrom(Node* node, std::string* error);

  void BeginRound();
  void Dispatch(Item item, Batch* batch);
  void SendUnsent(Node* node, Batch* batch);
  void ReceiveUntil(Node* node, size_t left, Batch* batch);
  void Handle(Node* node, Item item, ReplyPtr reply, Batch* batch);
  void AppendWait(Node* node);
  void ReceiveWait(Node* node, Batch* batch);
  void Disconnect(Node* node, Batch* batch);
  void Postpone(Node* node, Item item, const std::string& error, Batch* batch);

  const RedisServers options_;
  AddOptions wait_for_;  // options of the current Run
  bool use_tls_ = false;
  bool is_cluster_ = false;
  std::vector<std::unique_ptr<Node>> nodes_;  // never removed: items and slots_ point to them
  std::vector<Node*> slots_;                  // cluster only; null: no node serves it
  std::vector<Item> postponed_;
  uint64_t round_ = 1;
  bool slots_changed_ = false;
  bool must_wait_ = false;
  std::chrono::steady_clock::time_point no_refresh_until_{};
  pid_t pid_ = getpid();  // the process that made the connections
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_ROUTER_H_
