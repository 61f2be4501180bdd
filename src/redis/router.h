// Runs commands on the nodes that serve their keys: follows redirects, and sends commands again if
// a connection breaks.
//
//   Connect (BeginCall Run*)*         from one thread at a time
//
// Run works in rounds: it sends each node its commands, for up to 4,096 keys, and only then reads
// their replies. After a round a command has its reply or its error, or it is postponed to the next
// round:
//
// - A node fails in a round if the connection cannot be opened or breaks, no reply comes in time,
//   WAIT gets an error, or a reply is READONLY, TRYAGAIN, CLUSTERDOWN, LOADING, MASTERDOWN or
//   "BUSY ". After 1 + max_retries failures in a row, it is skipped until the next call (in C and
//   Python, the next 4,096 keys).
// - A command fails if its node has failed that often, if too few replicas confirm it, at any other
//   error reply, or after max_retries + 9 attempts in total.
// - MOVED changes the slot's node. ASK sends this one command to the other node, after ASKING; if
//   the entry or header is not there either, the client starts again, up to three times.
// - Replicas outside a cluster refuse the WAIT 0 0 that the client sends when it connects.
#ifndef BLOOMLINE_REDIS_ROUTER_H_
#define BLOOMLINE_REDIS_ROUTER_H_

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/connection.h"
#include "src/redis/options.h"

namespace bloomline::redis {

// The parsers return false if the reply is not valid. `sender` sent it: a node without a host is on
// the sender's host, and has TLS if the sender has.

// An error reply that sends the client to another node: "MOVED SLOT HOST:PORT", or "ASK ...". The
// slot is that of the command.
struct Redirect {
  bool ask = false;  // for one command, after ASKING; otherwise permanently
  Endpoint endpoint;
};
bool ParseRedirect(std::string_view error, const Endpoint& sender, Redirect* redirect);

struct SlotRange {
  uint16_t first;
  uint16_t last;
  Endpoint master;
};
// The reply to CLUSTER SLOTS.
bool ParseSlotRanges(const redisReply& reply, const Endpoint& sender,
                     std::vector<SlotRange>* ranges);

// A command, and what became of it. It must be safe to run twice, the second time at any later
// moment: if its reply was lost, a copy may still arrive.
struct Command {
  uint16_t slot = 0;  // of its key
  std::string bytes;  // encoded by command.h

  // Run sets these: a reply that is not an error, or the error. After an error, the command may
  // still have run.
  ReplyPtr reply;
  std::string error;
  bool repeated = false;  // an earlier reply was lost, so the command may have run before
};

class Router {
 public:
  // Connects to one of the servers and detects whether it is a cluster. Returns null, with the
  // reason, if none answers.
  static std::unique_ptr<Router> Connect(const RedisServers& options, std::string* error);

  // A user's call begins: nodes that were given up are tried again.
  void BeginCall();

  // Runs the commands. Those of one slot run in their order, unless one is sent again. With
  // min_replicas, every command must write something or fail: servers since 7.2 confirm at once a
  // command that wrote nothing, even if no replica has what others wrote (docs/redis.md,
  // "Waiting for replicas").
  void Run(std::vector<Command>* commands, const AddOptions& options = AddOptions());

 private:
  struct Node;
  struct Item {
    Command* command;
    Node* ask;       // target of an ASK redirect, for this attempt only
    int misses = 0;  // empty replies from such targets
  };
  struct Node {
    Endpoint endpoint;
    std::unique_ptr<Connection> connection;  // null: not connected
    std::vector<Item> items;                 // sent in this round, without replies
    int failures = 0;  // rounds of this call that failed in a row; max_retries + 1: given up
    uint64_t failed_round = 0;  // the last round that failed
    std::string error;          // the reason
  };

  explicit Router(const RedisServers& options) : options_(options) {}

  Node* NodeAt(const Endpoint& endpoint);
  // One attempt per round, so that many commands cost one time-out.
  bool EnsureConnected(Node* node);
  bool IsMaster(Node* node);
  // Returns false if no node answered. *error has the reason, if there is one.
  bool RefreshSlots(std::string* error);
  bool RefreshSlotsFrom(Node* node);

  void RunRound();
  void Send(Node* node);
  void Receive(Node* node);
  ReplyPtr NextReply(Node* node, const Item& item);
  // Returns true if the command was executed and has its reply.
  bool Handle(Node* node, Item item, ReplyPtr reply);
  // Returns false if the connection is lost.
  bool ReceiveWait(Node* node, const std::vector<Item>& items);

  // The node failed in this round, with node->error.
  void CountFailure(Node* node);
  void Disconnect(Node* node, const std::vector<Item>& lost);
  void Postpone(const Node& node, Item item);

  const RedisServers options_;
  AddOptions wait_for_;  // options of the current Run
  bool is_cluster_ = true;
  std::vector<std::unique_ptr<Node>> nodes_;  // never removed: items and slots_ point to them
  Node nobody_;                               // serves the slots that no node serves
  std::vector<Node*> slots_;                  // cluster only
  std::vector<Item> postponed_;
  uint64_t round_ = 1;
  bool any_failed_ = false;  // of the nodes, in the last round: slots may have changed
  bool is_running_ = false;  // at the start of Run: the last one threw
  pid_t pid_ = getpid();     // the process that made the connections
};

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_ROUTER_H_
