// Runs commands on the nodes that serve their keys: follows redirects, and sends commands again if
// a connection breaks.
//
//   Connect Run*         from one thread at a time
//
// Run works in rounds: send to all nodes, read the replies, postpone what is left to the next
// round. States of a command (docs/redis.md, "Retries", has the conditions):
//
//   POSTPONED    for the next round: postponed_
//   IN FLIGHT    no reply yet: Node::in_flight
//   UNCONFIRMED  has a reply, but its WAIT has none yet: Node::unconfirmed
//
//   from         to                                         by
//   POSTPONED    IN FLIGHT, POSTPONED or failure            Dispatch
//   IN FLIGHT    reply, UNCONFIRMED, POSTPONED or failure   Handle, Disconnect
//   UNCONFIRMED  reply, POSTPONED or failure                ReceiveWait, Disconnect
#ifndef BLOOMLINE_REDIS_ROUTER_H_
#define BLOOMLINE_REDIS_ROUTER_H_

#include <sys/types.h>
#include <unistd.h>

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

// A command, and what became of it. It must be safe to run twice, the second time at any later
// moment: if its reply was lost, a copy may still arrive.
struct Command {
  uint16_t slot = 0;  // of its key
  std::string bytes;  // encoded by command.h

  // Run sets these. Without a reply there is an error, and the command may have run. The reply may
  // be an error reply.
  ReplyPtr reply;
  std::string error;
  bool repeated = false;  // an earlier reply was lost, so the command may have run before
};

class Router {
 public:
  // Connects to one of the servers and detects whether it is a cluster. Returns null, with the
  // reason, if none answers.
  static std::unique_ptr<Router> Connect(const RedisServers& options, std::string* error);

  // Runs the commands. Those of one slot run in their order, unless one is sent again. With
  // min_replicas, every command must write something or fail: servers since 7.2 confirm at once a
  // command that wrote nothing, even if no replica has what others wrote (docs/redis.md,
  // "Waiting for replicas").
  void Run(std::vector<Command>* commands, const AddOptions& options = AddOptions());

 private:
  struct Node;
  struct Item {
    Command* command = nullptr;
    int failures = 0;
    int redirects = 0;
    Node* ask = nullptr;  // target of an ASK redirect, for this attempt only
  };
  struct Node {
    Endpoint endpoint;
    std::unique_ptr<Connection> connection;  // null: not connected
    std::string unsent;
    std::deque<Item> in_flight;
    std::vector<Item> unconfirmed;
    bool is_waiting = false;    // the last command is WAIT
    std::string error;          // the last reason of a lost or failed connection
    uint64_t failed_round = 0;  // the last round in which connecting failed

    // Closes the connection, and forgets what was sent over it.
    void Disconnect();
  };

  explicit Router(const RedisServers& options) : options_(options) {}

  Node* NodeAt(Endpoint endpoint);
  Node* NodeOf(uint16_t slot) { return is_cluster_ ? slots_[slot] : nodes_[0].get(); }
  // At most one attempt per round, so that many commands cost one time-out.
  bool EnsureConnected(Node* node);
  bool IsMaster(Node* node);
  // False: no node answered. *error has the reason, if there is one.
  bool RefreshSlots(std::string* error);
  bool RefreshSlotsFrom(Node* node, std::string* error);

  void DropConnections();
  void RunRound();
  void Dispatch(Item item);
  void SendUnsent(Node* node);
  void ReceiveUntil(Node* node, size_t left);
  void Handle(Node* node, Item item, ReplyPtr reply);
  void Follow(const Redirect& redirect, Item item);
  void AppendWait(Node* node);
  void ReceiveWait(Node* node);
  void Disconnect(Node* node);
  // `now`: the next attempt need not wait, unless this one was not the first.
  void Postpone(Item item, const std::string& error, bool now);

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
  bool is_running_ = false;  // at the start of Run: the last one threw
  pid_t pid_ = getpid();     // the process that made the connections
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_ROUTER_H_
