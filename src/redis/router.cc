#include "src/redis/router.h"

#include <algorithm>
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

using Clock = std::chrono::steady_clock;

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
  if (!router->is_cluster_ && options.servers.size() > 1) {
    *error =
        "several servers are named, but " + endpoints[0].ToString() + " is not part of a cluster";
    return nullptr;
  }
  if (!router->is_cluster_ && !router->EnsureConnected(router->nodes_[0].get())) {
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

bool Router::IsGivenUp(const Node& node) const { return Clock::now() < node.given_up_until; }

Router::Node* Router::NodeOf(uint16_t slot) { return is_cluster_ ? slots_[slot] : nodes_[0].get(); }

bool Router::EnsureConnected(Node* node) {
  if (node->connection != nullptr) return true;
  if (node->failed_round == round_ || IsGivenUp(*node)) return false;
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

void Router::Run(size_t n, Batch* batch, const AddOptions& options) {
  // Child and parent of a fork must not share a connection: each would read replies to the other's
  // commands. Closing it sends nothing. Cost: one system call per batch, beside a round trip.
  if (pid_ != getpid()) {
    Reset();
    pid_ = getpid();
  }
  wait_for_ = options;
  BeginRound();
  for (size_t i = 0; i < n; ++i) {
    Item item;
    item.index = i;
    Dispatch(item, batch);
  }
  for (int round = 0;; ++round) {
    // First send to all nodes, so that they work at the same time.
    for (size_t i = 0; i < nodes_.size(); ++i) {
      AppendWait(nodes_[i].get());
      SendUnsent(nodes_[i].get(), batch);
    }
    for (size_t i = 0; i < nodes_.size(); ++i) ReceiveUntil(nodes_[i].get(), 0, batch);
    for (size_t i = 0; i < nodes_.size(); ++i) ReceiveWait(nodes_[i].get(), batch);
    if (postponed_.empty()) return;
    if (must_wait_)
      std::this_thread::sleep_for(std::chrono::milliseconds(10 << std::min(round, 4)));
    BeginRound();
    std::vector<Item> again;
    again.swap(postponed_);
    std::sort(again.begin(), again.end(),
              [](const Item& a, const Item& b) { return a.index < b.index; });
    for (const Item& item : again) Dispatch(item, batch);
  }
}

void Router::BeginRound() {
  ++round_;
  if (slots_changed_ && is_cluster_ && Clock::now() >= no_refresh_until_) {
    std::string ignored;
    if (!RefreshSlots(&ignored)) {
      no_refresh_until_ = Clock::now() + std::chrono::milliseconds(options_.give_up_ms);
    }
  }
  must_wait_ = slots_changed_ = false;
}

void Router::Node::Disconnect() {
  connection.reset();
  unsent.clear();
  in_flight.clear();
  unconfirmed.clear();
  is_waiting = false;
}

void Router::Reset() {
  for (const std::unique_ptr<Node>& node : nodes_) node->Disconnect();
  postponed_.clear();
}

void Router::Dispatch(Item item, Batch* batch) {
  Node* node = item.ask;
  if (node == nullptr) {
    const uint16_t slot = batch->Slot(item.index);
    node = NodeOf(slot);
    if (node == nullptr) {
      Postpone(nullptr, item, "no node of the cluster serves slot " + std::to_string(slot), batch);
      return;
    }
  }
  if (!EnsureConnected(node)) {
    if (IsGivenUp(*node)) {
      slots_changed_ = true;
      batch->OnFailure(item.index, node->error);
    } else {
      Postpone(node, item, node->error, batch);
    }
    return;
  }
  if (item.ask != nullptr) AppendCommand({"ASKING"}, &node->unsent);
  batch->Encode(item.index, item.ask != nullptr, &node->unsent);
  node->in_flight.push_back(item);
  if (node->unsent.size() >= kSendBytes) SendUnsent(node, batch);
  if (node->in_flight.size() >= kMaxInFlight) {
    SendUnsent(node, batch);
    ReceiveUntil(node, kMaxInFlight / 2, batch);
  }
}

void Router::SendUnsent(Node* node, Batch* batch) {
  if (node->unsent.empty()) return;
  if (!node->connection->Send(node->unsent, &node->error)) {
    Disconnect(node, batch);
  } else {
    node->unsent.clear();
  }
}

void Router::ReceiveUntil(Node* node, size_t left, Batch* batch) {
  while (node->in_flight.size() > left) {
    const Item item = node->in_flight.front();
    ReplyPtr reply = node->connection->Receive(&node->error);
    // That was the reply to ASKING. If it is an error, so is the next reply.
    if (reply != nullptr && item.ask != nullptr) reply = node->connection->Receive(&node->error);
    if (reply == nullptr) {
      Disconnect(node, batch);
      return;
    }
    node->in_flight.pop_front();
    Handle(node, item, std::move(reply), batch);
  }
}

void Router::Handle(Node* node, Item item, ReplyPtr reply, Batch* batch) {
  const bool asked = item.ask != nullptr;
  item.ask = nullptr;
  if (!IsError(*reply)) {
    if (asked && batch->MayLackKey(item.index, *reply)) {
      // The key has moved on since the ASK, and the slot's node knows where; or it is lost.
      if (++item.redirects < kMaxRedirects) {
        postponed_.push_back(item);
      } else {
        batch->OnReply(item.index, std::move(reply), item.repeated);
      }
    } else if (wait_for_.min_replicas > 0) {
      node->unconfirmed.push_back({item, std::move(reply)});
    } else {
      batch->OnReply(item.index, std::move(reply), item.repeated);
    }
    return;
  }
  const std::string_view text = Text(*reply);
  Redirect redirect;
  if (is_cluster_ && ParseRedirect(text, node->endpoint, &redirect)) {
    if (++item.redirects > kMaxRedirects) {
      batch->OnFailure(item.index,
                       node->endpoint.Prefix() + "redirected too often: " + std::string(text));
      return;
    }
    Node* other = NodeAt(redirect.endpoint);
    if (redirect.ask) {
      item.ask = other;
    } else {
      slots_[redirect.slot] = other;
      slots_changed_ = true;
    }
    postponed_.push_back(item);
  } else if (!is_cluster_ && IsReadOnly(text)) {
    // The server has become a replica, so its "no" may be wrong from now on. EnsureConnected checks
    // again.
    batch->OnReply(item.index, std::move(reply), item.repeated);
    node->error = node->endpoint.Prefix() + "it is a replica now";
    Disconnect(node, batch);
  } else if (IsTransient(text)) {
    Postpone(nullptr, item, node->endpoint.Prefix() + std::string(text), batch);
  } else {
    batch->OnReply(item.index, std::move(reply), item.repeated);
  }
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

void Router::ReceiveWait(Node* node, Batch* batch) {
  if (!node->is_waiting) return;
  const ReplyPtr reply = node->connection->ReceiveLate(wait_for_.replica_timeout_ms, &node->error);
  if (reply != nullptr && reply->type != REDIS_REPLY_INTEGER) {
    // The server has become a replica, or the user may not call WAIT.
    node->error = node->endpoint.Prefix() + "WAIT: " +
                  (IsError(*reply) ? std::string(Text(*reply)) : std::string("not a number"));
  }
  if (reply == nullptr || reply->type != REDIS_REPLY_INTEGER) {
    Disconnect(node, batch);
    return;
  }
  node->is_waiting = false;
  std::vector<Unconfirmed> replies;
  replies.swap(node->unconfirmed);
  for (Unconfirmed& one : replies) {
    if (reply->integer >= wait_for_.min_replicas) {
      batch->OnReply(one.item.index, std::move(one.reply), one.item.repeated);
      continue;
    }
    batch->OnFailure(one.item.index, node->endpoint.Prefix() + std::to_string(reply->integer) +
                                         " of " + std::to_string(wait_for_.min_replicas) +
                                         " replicas confirmed the addition within " +
                                         std::to_string(wait_for_.replica_timeout_ms) + " ms");
  }
}

void Router::Disconnect(Node* node, Batch* batch) {
  std::deque<Item> lost;
  lost.swap(node->in_flight);
  for (const Unconfirmed& unconfirmed : node->unconfirmed) lost.push_back(unconfirmed.item);
  node->Disconnect();
  for (Item& item : lost) {
    item.repeated = true;
    Postpone(node, item, node->error, batch);
  }
}

void Router::Postpone(Node* node, Item item, const std::string& error, Batch* batch) {
  item.ask = nullptr;
  slots_changed_ = true;
  if (++item.failures <= options_.max_retries) {
    // A broken connection is opened again at once. After a second failure, or if the cluster is not
    // ready, wait before the next round.
    must_wait_ = must_wait_ || node == nullptr || item.failures > 1;
    postponed_.push_back(item);
    return;
  }
  if (node != nullptr && node->connection == nullptr && !IsGivenUp(*node)) {
    node->given_up_until = Clock::now() + std::chrono::milliseconds(options_.give_up_ms);
  }
  batch->OnFailure(item.index, error);
}

}  // namespace bloomline::redis
