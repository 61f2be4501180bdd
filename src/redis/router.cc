#include "src/redis/router.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "src/redis/command.h"

namespace bloomline::redis {
namespace {

// During a migration, a cluster redirects a command at most twice, unless the slot moves on before
// the client follows. A return to the slot's node counts, too.
constexpr int kMaxRedirects = 8;

// The slot's node lacks the key (ASK), then so does the other node: either there is no such key, or
// it went back in between, which does not happen so often. Each command counts its own: rounds may
// have been spent on other failures, and a wrong "no such key" would let Create make an empty
// filter.
constexpr int kMaxMisses = 4;
static_assert(2 * kMaxMisses <= kMaxRedirects);

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The server cannot run the command now, but a later attempt may succeed.
bool IsTransient(std::string_view error) {
  return StartsWith(error, "TRYAGAIN") || StartsWith(error, "CLUSTERDOWN") ||
         StartsWith(error, "LOADING") || StartsWith(error, "MASTERDOWN") ||
         StartsWith(error, "BUSY ");
}

// Whether the reply to a command that followed ASKING may come from a node that lacks the key. It
// has moved on since the ASK, and the slot's node knows where; or there is no such key.
bool MayLackKey(const redisReply& reply) {
  return (reply.type == REDIS_REPLY_STRING && reply.len == 0) ||
         (reply.type == REDIS_REPLY_INTEGER && reply.integer == 0);
}

}  // namespace

std::unique_ptr<Router> Router::Connect(const RedisServers& options, std::string* error) {
  std::vector<Endpoint> endpoints;
  RedisServers resolved;
  *error = ResolveServers(options, &endpoints, &resolved);
  if (!error->empty()) return nullptr;
  std::unique_ptr<Router> router(new Router(resolved));
  for (const Endpoint& endpoint : endpoints) router->NodeAt(endpoint);
  if (!router->RefreshSlots(error)) return nullptr;
  if (router->is_cluster_) return router;
  if (options.servers.size() > 1) {
    *error =
        "several servers are named, but " + endpoints[0].ToString() + " is not part of a cluster";
    return nullptr;
  }
  if (!router->EnsureConnected(router->nodes_[0].get())) {
    *error = router->nodes_[0]->error;
    return nullptr;
  }
  return router;
}

Router::Node* Router::NodeAt(const Endpoint& endpoint) {
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (node->endpoint == endpoint) return node.get();
  }
  nodes_.push_back(std::make_unique<Node>());
  nodes_.back()->endpoint = endpoint;
  return nodes_.back().get();
}

bool Router::EnsureConnected(Node* node) {
  if (node->connection != nullptr) return true;
  if (node->failed_round == round_ || node->failures > options_.max_retries) return false;
  if (node == &nobody_) {
    node->error = "redis: no node of the cluster serves the key's slot";
  } else {
    node->connection = Connection::Open(node->endpoint, options_, &node->error);
    if (node->connection != nullptr && !is_cluster_ && !IsMaster(node)) node->connection.reset();
  }
  if (node->connection == nullptr) CountFailure(node);
  return node->connection != nullptr;
}

bool Router::IsMaster(Node* node) {
  // A replica lags, so its "no" may be wrong. A replica refuses WAIT; a primary answers WAIT 0 at
  // once. (ROLE would also show it, but few users have the permission.) In a cluster, replicas
  // refuse all commands that we send.
  const ReplyPtr reply = node->connection->Ask({"WAIT", "0", "0"}, &node->error);
  if (reply == nullptr) return false;
  if (!IsError(*reply)) return true;
  node->error = node->endpoint.Prefix() + std::string(Text(*reply));
  return false;
}

bool Router::RefreshSlots(std::string* error) {
  // Connected nodes first: a node that is down costs a time-out.
  for (const bool connected : {true, false}) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      Node* node = nodes_[i].get();
      if ((node->connection != nullptr) != connected) continue;
      if (EnsureConnected(node) && RefreshSlotsFrom(node)) return true;
      *error = node->error;
    }
  }
  return false;
}

bool Router::RefreshSlotsFrom(Node* node) {
  const ReplyPtr reply = node->connection->Ask({"CLUSTER", "SLOTS"}, &node->error);
  if (reply == nullptr) {
    Disconnect(node, {});
    return false;
  }
  std::vector<SlotRange> ranges;
  if (ParseSlotRanges(*reply, node->endpoint, &ranges)) {
    slots_.assign(kNumSlots, &nobody_);
    for (const SlotRange& range : ranges) {
      std::fill(slots_.begin() + range.first, slots_.begin() + range.last + 1,
                NodeAt(range.master));
    }
    return true;
  }
  const std::string text = IsError(*reply) ? std::string(Text(*reply)) : "not a list of slots";
  if (text.find("cluster support disabled") != std::string::npos && slots_.empty()) {
    is_cluster_ = false;
    node->connection.reset();  // EnsureConnected checks on reconnecting that it is not a replica
    return true;
  }
  node->error = node->endpoint.Prefix() + "CLUSTER SLOTS: " + text;
  return false;
}

void Router::BeginCall() {
  nobody_.failures = 0;
  for (const std::unique_ptr<Node>& node : nodes_) node->failures = 0;
}

void Router::Run(std::vector<Command>* commands, const AddOptions& options) {
  postponed_.clear();
  // After a fork, parent and child must not share a connection: each would read replies to the
  // other's commands. Nor may this Run read those of one that threw. Closing sends nothing. Cost of
  // getpid: one system call, beside a round trip.
  if (is_running_ || pid_ != getpid()) {
    for (const std::unique_ptr<Node>& node : nodes_) {
      node->connection.reset();
      node->items.clear();
    }
  }
  is_running_ = true;
  pid_ = getpid();
  wait_for_ = options;
  for (Command& command : *commands) {
    postponed_.emplace_back();
    postponed_.back().command = &command;
  }
  // The limit holds even if each redirect or table of slots names another node.
  const int max_attempts = 1 + options_.max_retries + kMaxRedirects;
  for (attempt_ = 0; !postponed_.empty() && attempt_ < max_attempts; ++attempt_) {
    if (must_wait_ && attempt_ > 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10 << std::min(attempt_ - 2, 4)));
    }
    RunRound();
  }
  is_running_ = false;
}

void Router::RunRound() {
  ++round_;
  std::string ignored;  // the nodes that are known may do
  if (slots_changed_ && is_cluster_) RefreshSlots(&ignored);
  must_wait_ = slots_changed_ = false;
  std::vector<Item> items;
  items.swap(postponed_);
  for (const Item& item : items) Dispatch(item);
  // First send to all nodes, so that they work at the same time.
  for (size_t i = 0; i < nodes_.size(); ++i) Send(nodes_[i].get());
  for (size_t i = 0; i < nodes_.size(); ++i) Receive(nodes_[i].get());
}

void Router::Dispatch(Item item) {
  Node* const slot_node = is_cluster_ ? slots_[item.command->slot] : nodes_[0].get();
  Node* const node = item.ask != nullptr ? item.ask : slot_node;
  if (EnsureConnected(node)) {
    node->items.push_back(item);
  } else {
    Postpone(*node, item);
  }
}

void Router::Send(Node* node) {
  if (node->items.empty()) return;
  std::string bytes;
  for (const Item& item : node->items) {
    const Command& command = *item.command;
    if (item.ask != nullptr) AppendCommand({"ASKING"}, &bytes);
    const bool has_other_head = item.ask != nullptr && !command.asking_head.empty();
    if (has_other_head) bytes += command.asking_head;
    bytes.append(command.bytes, has_other_head ? command.head_bytes : 0);
  }
  // WAIT covers what the same connection sent before. So each connection gets its own WAIT, and a
  // command that is sent again on another connection is confirmed there.
  if (wait_for_.min_replicas > 0) {
    AppendCommand({"WAIT", std::to_string(wait_for_.min_replicas),
                   std::to_string(wait_for_.replica_timeout_ms)},
                  &bytes);
  }
  if (node->connection->Send(bytes, &node->error)) return;
  std::vector<Item> lost;
  lost.swap(node->items);
  Disconnect(node, lost);
}

void Router::Receive(Node* node) {
  if (node->items.empty()) return;
  std::vector<Item> items;
  items.swap(node->items);
  std::vector<Item> unfinished;  // without a reply, or with one that WAIT has not confirmed
  bool is_lost = false;
  for (const Item& item : items) {
    ReplyPtr reply = is_lost ? nullptr : NextReply(node, item);
    is_lost = reply == nullptr;
    if (is_lost || (Handle(node, item, std::move(reply)) && wait_for_.min_replicas > 0)) {
      unfinished.push_back(item);
    }
  }
  if (!is_lost && wait_for_.min_replicas > 0) is_lost = !ReceiveWait(node, unfinished);
  if (is_lost) {
    Disconnect(node, unfinished);
  } else if (node->failed_round != round_) {
    node->failures = 0;
  }
}

ReplyPtr Router::NextReply(Node* node, const Item& item) {
  ReplyPtr reply = node->connection->Receive(&node->error);
  // That was the reply to ASKING. If it is an error, so is the next reply.
  if (reply != nullptr && item.ask != nullptr) reply = node->connection->Receive(&node->error);
  if (reply != nullptr && IsError(*reply) && StartsWith(Text(*reply), "READONLY")) {
    // The server has become a replica. Its "no" may be wrong from now on, so the connection must
    // not be used any more. EnsureConnected checks the next one.
    node->error = node->endpoint.Prefix() + std::string(Text(*reply));
    reply.reset();
  }
  return reply;
}

bool Router::Handle(Node* node, Item item, ReplyPtr reply) {
  const bool has_asked = item.ask != nullptr;
  item.ask = nullptr;
  const std::string_view text = IsError(*reply) ? Text(*reply) : std::string_view();
  Redirect redirect;
  if (is_cluster_ && ParseRedirect(text, node->endpoint, &redirect)) {
    Node* const other = NodeAt(redirect.endpoint);
    if (redirect.ask) {
      item.ask = other;
    } else {
      slots_[redirect.slot] = other;
      slots_changed_ = true;
    }
    item.command->error = node->endpoint.Prefix() + "redirected too often: " + std::string(text);
    postponed_.push_back(item);
    return false;
  }
  if (has_asked && MayLackKey(*reply) && ++item.misses < kMaxMisses) {
    postponed_.push_back(item);
    return false;
  }
  if (IsTransient(text)) {
    node->error = node->endpoint.Prefix() + std::string(text);
    CountFailure(node);
    Postpone(*node, item);
    return false;
  }
  item.command->reply = std::move(reply);
  return !IsError(*item.command->reply);
}

bool Router::ReceiveWait(Node* node, const std::vector<Item>& items) {
  const ReplyPtr reply = node->connection->ReceiveLate(wait_for_.replica_timeout_ms, &node->error);
  if (reply == nullptr) return false;
  if (reply->type != REDIS_REPLY_INTEGER) {
    // The server has become a replica, or the user may not call WAIT.
    node->error = node->endpoint.Prefix() + "WAIT: " + std::string(Text(*reply));
    return false;
  }
  if (reply->integer >= wait_for_.min_replicas) return true;
  for (const Item& item : items) {
    item.command->reply.reset();
    item.command->error = node->endpoint.Prefix() + std::to_string(reply->integer) + " of " +
                          std::to_string(wait_for_.min_replicas) +
                          " replicas confirmed the addition within " +
                          std::to_string(wait_for_.replica_timeout_ms) + " ms";
  }
  return true;
}

void Router::CountFailure(Node* node) {
  if (node->failed_round != round_) ++node->failures;
  node->failed_round = round_;
}

void Router::Disconnect(Node* node, const std::vector<Item>& lost) {
  node->connection.reset();
  CountFailure(node);
  for (const Item& item : lost) {
    item.command->reply.reset();
    item.command->repeated = true;
    Postpone(*node, item);
  }
}

void Router::Postpone(const Node& node, Item item) {
  slots_changed_ = must_wait_ = true;
  item.ask = nullptr;
  item.command->error = node.error;
  if (node.failures <= options_.max_retries) postponed_.push_back(item);
}

}  // namespace bloomline::redis
