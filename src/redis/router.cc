#include "src/redis/router.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "src/redis/command.h"

namespace bloomline::redis {
namespace {

// Commands in flight to one node, so that node and client work at the same time. 2048 to 8192 were
// no faster.
constexpr size_t kMaxInFlight = 512;
constexpr size_t kSendBytes = 16 << 10;

// During a migration, a cluster redirects a command at most twice, unless the slot moves on before
// the client follows. A return to the slot's node counts, too.
constexpr int kMaxRedirects = 8;

// Whether the reply to a command that followed ASKING may come from a node that lacks the key. It
// has moved on since the ASK, and the slot's node knows where; or there is no such key.
bool MayLackKey(const redisReply& reply) {
  return (reply.type == REDIS_REPLY_STRING && reply.len == 0) ||
         (reply.type == REDIS_REPLY_INTEGER && reply.integer == 0);
}

}  // namespace

std::unique_ptr<Router> Router::Connect(const RedisServers& options, std::string* error) {
  *error = options.Validate();
  if (!error->empty()) return nullptr;
  std::vector<Endpoint> endpoints;
  RedisServers resolved;
  ResolveAddresses(options, &endpoints, &resolved);  // cannot fail: Validate succeeded
  std::unique_ptr<Router> router(new Router(resolved));
  router->use_tls_ = endpoints.front().use_tls;
  for (const Endpoint& endpoint : endpoints) router->NodeAt(endpoint);
  router->is_cluster_ = true;  // until a server says otherwise
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

Router::Node* Router::NodeAt(Endpoint endpoint) {
  endpoint.use_tls = use_tls_;  // servers name host and port only
  for (const std::unique_ptr<Node>& node : nodes_) {
    if (node->endpoint == endpoint) return node.get();
  }
  auto node = std::make_unique<Node>();
  node->endpoint = std::move(endpoint);
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

bool Router::EnsureConnected(Node* node) {
  if (node->connection != nullptr) return true;
  if (node->failed_round == round_) return false;
  node->connection = Connection::Open(node->endpoint, options_, &node->error);
  if (node->connection != nullptr && !is_cluster_ && !IsMaster(node)) node->connection.reset();
  if (node->connection == nullptr) node->failed_round = round_;
  return node->connection != nullptr;
}

bool Router::IsMaster(Node* node) {
  // A replica lags, so its "no" may be wrong. A replica refuses WAIT; a primary answers WAIT 0 at
  // once. (ROLE would also show it, but few users have the permission.) In a cluster, replicas
  // refuse all commands that we send.
  std::string command;
  AppendCommand({"WAIT", "0", "0"}, &command);
  const ReplyPtr reply = node->connection->Ask(command, &node->error);
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
      if (RefreshSlotsFrom(node, error)) return true;
      if (!is_cluster_) return false;
    }
  }
  return false;
}

bool Router::RefreshSlotsFrom(Node* node, std::string* error) {
  if (!EnsureConnected(node)) {
    *error = node->error;
    return false;
  }
  std::string command;
  AppendCommand({"CLUSTER", "SLOTS"}, &command);
  const ReplyPtr reply = node->connection->Ask(command, error);
  if (reply == nullptr) {
    node->error = *error;
    node->connection.reset();
    return false;
  }
  std::vector<SlotRange> ranges;
  if (ParseSlotRanges(*reply, node->endpoint, &ranges)) {
    slots_.assign(kNumSlots, nullptr);
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
  *error = node->endpoint.Prefix() + "CLUSTER SLOTS: " + text;
  return false;
}

void Router::Run(std::vector<Command>* commands, const AddOptions& options) {
  // After a fork, parent and child must not share a connection: each would read replies to the
  // other's commands. Nor may this Run read those of one that threw. Closing sends nothing. Cost of
  // getpid: one system call, beside a round trip.
  if (is_running_ || pid_ != getpid()) DropConnections();
  is_running_ = true;
  pid_ = getpid();
  wait_for_ = options;
  for (Command& command : *commands) {
    postponed_.emplace_back();
    postponed_.back().command = &command;
  }
  must_wait_ = false;
  for (int round = 0; !postponed_.empty(); ++round) {
    if (must_wait_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10 << std::min(round - 1, 4)));
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
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.command < b.command; });
  for (const Item& item : items) Dispatch(item);
  // First send to all nodes, so that they work at the same time.
  for (size_t i = 0; i < nodes_.size(); ++i) {
    AppendWait(nodes_[i].get());
    SendUnsent(nodes_[i].get());
  }
  for (size_t i = 0; i < nodes_.size(); ++i) ReceiveUntil(nodes_[i].get(), 0);
  for (size_t i = 0; i < nodes_.size(); ++i) ReceiveWait(nodes_[i].get());
}

void Router::Node::Disconnect() {
  connection.reset();
  unsent.clear();
  in_flight.clear();
  unconfirmed.clear();
  is_waiting = false;
}

void Router::DropConnections() {
  for (const std::unique_ptr<Node>& node : nodes_) node->Disconnect();
  postponed_.clear();
}

void Router::Dispatch(Item item) {
  const uint16_t slot = item.command->slot;
  Node* const node = item.ask != nullptr ? item.ask : NodeOf(slot);
  if (node == nullptr) {
    Postpone(item, "no node of the cluster serves slot " + std::to_string(slot), false);
    return;
  }
  if (!EnsureConnected(node)) {
    Postpone(item, node->error, true);
    return;
  }
  if (item.ask != nullptr) AppendCommand({"ASKING"}, &node->unsent);
  node->unsent += item.command->bytes;
  node->in_flight.push_back(item);
  if (node->unsent.size() >= kSendBytes) SendUnsent(node);
  if (node->in_flight.size() >= kMaxInFlight) {
    SendUnsent(node);
    ReceiveUntil(node, kMaxInFlight / 2);
  }
}

void Router::SendUnsent(Node* node) {
  if (node->unsent.empty()) return;
  if (!node->connection->Send(node->unsent, &node->error)) {
    Disconnect(node);
  } else {
    node->unsent.clear();
  }
}

void Router::ReceiveUntil(Node* node, size_t left) {
  while (node->in_flight.size() > left) {
    const Item item = node->in_flight.front();
    ReplyPtr reply = node->connection->Receive(&node->error);
    // That was the reply to ASKING. If it is an error, so is the next reply.
    if (reply != nullptr && item.ask != nullptr) reply = node->connection->Receive(&node->error);
    if (reply == nullptr) {
      Disconnect(node);
      return;
    }
    node->in_flight.pop_front();
    Handle(node, item, std::move(reply));
  }
}

void Router::Handle(Node* node, Item item, ReplyPtr reply) {
  const bool asked = item.ask != nullptr;
  item.ask = nullptr;
  if (asked && MayLackKey(*reply) && ++item.redirects < kMaxRedirects) {
    postponed_.push_back(item);
    return;
  }
  const std::string_view text = IsError(*reply) ? Text(*reply) : std::string_view();
  Redirect redirect;
  if (is_cluster_ && ParseRedirect(text, node->endpoint, &redirect)) {
    if (++item.redirects > kMaxRedirects) {
      item.command->error = node->endpoint.Prefix() + "redirected too often: " + std::string(text);
    } else {
      Follow(redirect, item);
    }
    return;
  }
  if (IsTransient(text)) {
    Postpone(item, node->endpoint.Prefix() + std::string(text), false);
    return;
  }
  const bool is_replica_now = !is_cluster_ && IsReadOnly(text);
  if (!IsError(*reply) && wait_for_.min_replicas > 0) node->unconfirmed.push_back(item);
  item.command->reply = std::move(reply);
  if (!is_replica_now) return;
  // The server's "no" may be wrong from now on. EnsureConnected checks again.
  node->error = node->endpoint.Prefix() + "it is a replica now";
  Disconnect(node);
}

void Router::Follow(const Redirect& redirect, Item item) {
  Node* const other = NodeAt(redirect.endpoint);
  if (redirect.ask) {
    item.ask = other;
  } else {
    slots_[redirect.slot] = other;
    slots_changed_ = true;
  }
  postponed_.push_back(item);
}

// WAIT covers what the same connection sent before. So each connection gets its own WAIT, and a
// command that is sent again on another connection is confirmed there.
void Router::AppendWait(Node* node) {
  if (wait_for_.min_replicas == 0 || (node->in_flight.empty() && node->unconfirmed.empty())) return;
  AppendCommand({"WAIT", std::to_string(wait_for_.min_replicas),
                 std::to_string(wait_for_.replica_timeout_ms)},
                &node->unsent);
  node->is_waiting = true;
}

void Router::ReceiveWait(Node* node) {
  if (!node->is_waiting) return;
  const ReplyPtr reply = node->connection->ReceiveLate(wait_for_.replica_timeout_ms, &node->error);
  if (reply != nullptr && reply->type != REDIS_REPLY_INTEGER) {
    // The server has become a replica, or the user may not call WAIT.
    node->error = node->endpoint.Prefix() + "WAIT: " +
                  (IsError(*reply) ? std::string(Text(*reply)) : std::string("not a number"));
  }
  if (reply == nullptr || reply->type != REDIS_REPLY_INTEGER) {
    Disconnect(node);
    return;
  }
  node->is_waiting = false;
  std::vector<Item> items;
  items.swap(node->unconfirmed);
  if (reply->integer >= wait_for_.min_replicas) return;
  for (const Item& item : items) {
    item.command->reply.reset();
    item.command->error = node->endpoint.Prefix() + std::to_string(reply->integer) + " of " +
                          std::to_string(wait_for_.min_replicas) +
                          " replicas confirmed the addition within " +
                          std::to_string(wait_for_.replica_timeout_ms) + " ms";
  }
}

void Router::Disconnect(Node* node) {
  std::deque<Item> lost;
  lost.swap(node->in_flight);
  lost.insert(lost.end(), node->unconfirmed.begin(), node->unconfirmed.end());
  node->Disconnect();
  for (const Item& item : lost) {
    item.command->reply.reset();
    item.command->repeated = true;
    Postpone(item, node->error, true);
  }
}

void Router::Postpone(Item item, const std::string& error, bool now) {
  item.ask = nullptr;
  slots_changed_ = true;
  if (++item.failures > options_.max_retries) {
    item.command->error = error;
    return;
  }
  must_wait_ = must_wait_ || !now || item.failures > 1;
  postponed_.push_back(item);
}

}  // namespace bloomline::redis
