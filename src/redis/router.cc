#include "src/redis/router.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "src/redis/command.h"
#include "src/redis/redis_layout.h"

namespace bloomline::redis {
namespace {

// During a migration, a cluster redirects a command at most twice, unless the slot moves on before
// the client follows. A return to the slot's node counts, too.
constexpr int kMaxRedirects = 8;

// If both the slot's node and the other one (ASK) lack the key, either there is no such key, or it
// has just moved back, which is rare. Each command counts its own misses: rounds may have been
// spent on other failures, and a wrong "no such key" would let Create make a second, empty filter.
constexpr int kMaxMisses = 4;
static_assert(2 * kMaxMisses <= kMaxRedirects);

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Blocks SIGPIPE in this thread, and discards one that arrives. Takes four system calls, so it is
// used only for TLS, where hiredis and OpenSSL use write().
class SigpipeBlocker {
 public:
  SigpipeBlocker() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~SigpipeBlocker() {
    const timespec at_once = {0, 0};
    if (!was_pending_) sigtimedwait(&sigpipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeBlocker(const SigpipeBlocker&) = delete;
  SigpipeBlocker& operator=(const SigpipeBlocker&) = delete;

 private:
  sigset_t sigpipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

// Whether a reply may come from a node that lacks the key.
bool MayLackKey(const redisReply& reply) {
  return (reply.type == REDIS_REPLY_STRING && reply.len == 0) ||
         (reply.type == REDIS_REPLY_INTEGER && reply.integer == 0);
}

// Whether the server cannot run the command now, but a later attempt may succeed.
bool IsTransient(std::string_view error) {
  return StartsWith(error, "TRYAGAIN") || StartsWith(error, "CLUSTERDOWN") ||
         StartsWith(error, "LOADING") || StartsWith(error, "MASTERDOWN") ||
         StartsWith(error, "BUSY ");
}

// A node that does not know its own address leaves its host out. The host is "?" if the cluster
// prefers host names and the node has none.
bool IsUnknownHost(std::string_view host) { return host.empty() || host == "?"; }

// Whether the reply is a number from `least` to `most`.
bool IsNumber(const redisReply& reply, long long least, long long most) {
  return reply.type == REDIS_REPLY_INTEGER && reply.integer >= least && reply.integer <= most;
}

bool IsArray(const redisReply& reply, size_t least_elements) {
  return reply.type == REDIS_REPLY_ARRAY && reply.elements >= least_elements;
}

}  // namespace

bool ParseRedirect(std::string_view error, const Endpoint& sender, Redirect* redirect) {
  redirect->ask = StartsWith(error, "ASK ");
  if (!redirect->ask && !StartsWith(error, "MOVED ")) return false;
  std::string_view where = error.substr(error.rfind(' ') + 1);
  if (where.substr(0, 2) == "?:") where.remove_prefix(1);
  if (!ParseEndpoint(where, &redirect->endpoint)) return false;
  if (redirect->endpoint.host.empty()) redirect->endpoint.host = sender.host;
  redirect->endpoint.use_tls = sender.use_tls;
  return true;
}

bool ParseSlotRanges(const redisReply& reply, const Endpoint& sender,
                     std::vector<SlotRange>* ranges) {
  ranges->clear();
  if (!IsArray(reply, 0)) return false;
  for (size_t i = 0; i < reply.elements; ++i) {
    const redisReply& range = *reply.element[i];
    if (!IsArray(range, 3) || !IsArray(*range.element[2], 2)) return false;
    const redisReply& first = *range.element[0];
    const redisReply& last = *range.element[1];
    const redisReply& host = *range.element[2]->element[0];
    const redisReply& port = *range.element[2]->element[1];
    if (!IsNumber(first, 0, kNumSlots - 1) || !IsNumber(last, first.integer, kNumSlots - 1) ||
        !IsNumber(port, 1, 65535)) {
      return false;
    }
    if (host.type != REDIS_REPLY_STRING && host.type != REDIS_REPLY_NIL) return false;
    const std::string_view name = Text(host);  // empty for nil
    if (!IsUnknownHost(name) && !IsHost(name)) return false;
    ranges->push_back({static_cast<uint16_t>(first.integer),
                       static_cast<uint16_t>(last.integer),
                       {IsUnknownHost(name) ? sender.host : std::string(name),
                        static_cast<int>(port.integer), sender.use_tls}});
  }
  return true;
}

std::unique_ptr<Router> Router::Connect(const RedisServers& options, std::string* error) {
  std::vector<Endpoint> endpoints;
  RedisServers resolved;
  *error = ResolveServers(options, &endpoints, &resolved);
  if (!error->empty()) return nullptr;
  std::optional<SigpipeBlocker> blocker;
  if (endpoints[0].use_tls) blocker.emplace();
  std::unique_ptr<Router> router(new Router(resolved));
  for (const Endpoint& endpoint : endpoints) router->NodeAt(endpoint);
  if (!router->RefreshSlots(error)) return nullptr;
  if (router->is_cluster_ || endpoints.size() == 1) return router;
  *error =
      "several servers are named, but " + endpoints[0].ToString() + " is not part of a cluster";
  return nullptr;
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
  // Connected nodes come first: a node that is down costs a time-out.
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
    return IsMaster(node);
  }
  node->error = node->endpoint.Prefix() + "CLUSTER SLOTS: " + text;
  return false;
}

void Router::BeginCall() {
  nobody_.failures = 0;
  for (const std::unique_ptr<Node>& node : nodes_) node->failures = 0;
}

void Router::Run(std::vector<Command>* commands, const AddOptions& options) {
  std::optional<SigpipeBlocker> blocker;
  if (nodes_[0]->endpoint.use_tls) blocker.emplace();
  postponed_.clear();
  // After a fork, parent and child must not share a connection: each would read replies to the
  // other's commands. Nor may this Run read the replies of a Run that threw. Closing sends nothing.
  // getpid costs one system call, which is little beside a round trip.
  if (is_running_ || pid_ != getpid()) {
    for (const std::unique_ptr<Node>& node : nodes_) {
      node->connection.reset();
      node->items.clear();
    }
  }
  is_running_ = true;
  pid_ = getpid();
  wait_for_ = options;
  for (Command& command : *commands) postponed_.push_back({&command, nullptr});
  // The limit holds even if each redirect or slot table names another node.
  const int max_attempts = 1 + options_.max_retries + kMaxRedirects;
  for (int attempt = 0; !postponed_.empty() && attempt < max_attempts; ++attempt) {
    if (any_failed_ && attempt > 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10 << std::min(attempt - 2, 4)));
    }
    RunRound();
  }
  is_running_ = false;
}

void Router::RunRound() {
  ++round_;
  std::string ignored;  // the known nodes may be enough
  if (any_failed_ && is_cluster_) RefreshSlots(&ignored);
  any_failed_ = false;
  std::vector<Item> items;
  items.swap(postponed_);
  for (const Item& item : items) {
    Node* const slot_node = is_cluster_ ? slots_[item.command->slot] : nodes_[0].get();
    Node* const node = item.ask != nullptr ? item.ask : slot_node;
    if (EnsureConnected(node)) {
      node->items.push_back(item);
    } else {
      Postpone(*node, item);
    }
  }
  // Sends to all nodes first, so that they work at the same time.
  for (size_t i = 0; i < nodes_.size(); ++i) Send(nodes_[i].get());
  for (size_t i = 0; i < nodes_.size(); ++i) Receive(nodes_[i].get());
}

void Router::Send(Node* node) {
  if (node->items.empty()) return;
  std::string bytes;
  for (const Item& item : node->items) {
    if (item.ask != nullptr) AppendCommand({"ASKING"}, &bytes);
    bytes += item.command->bytes;
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
    // not be used again. EnsureConnected checks the next one.
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
      slots_[item.command->slot] = other;
    }
    item.command->error = node->endpoint.Prefix() + "redirected too often: " + std::string(text);
    postponed_.push_back(item);
    return false;
  }
  if (IsTransient(text)) {
    node->error = node->endpoint.Prefix() + std::string(text);
    CountFailure(node);
    Postpone(*node, item);
    return false;
  }
  if (IsError(*reply)) {
    item.command->error = node->endpoint.Prefix() + std::string(text);
    return false;
  }
  if (has_asked && MayLackKey(*reply) && ++item.misses < kMaxMisses) {
    postponed_.push_back(item);
    return false;
  }
  item.command->reply = std::move(reply);
  return true;
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
  any_failed_ = true;
  item.ask = nullptr;
  item.command->error = node.error;
  if (node.failures <= options_.max_retries) postponed_.push_back(item);
}

}  // namespace bloomline::redis
