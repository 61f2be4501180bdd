// The part of Router that waits for replicas.
#include <algorithm>
#include <utility>

#include "src/redis/command.h"
#include "src/redis/router.h"
#include "src/redis/scripts.h"

namespace bloomline::redis {
namespace {

// "{0}" to "{109757}" are in all slots.
constexpr uint32_t kNumTouchKeys = 110000;

// How many of them to try one after the other, if many slots of a node move at once.
constexpr int kMaxTouches = 8;

void AppendWaitCommand(const AddOptions& options, std::string* out) {
  AppendCommand(
      {"WAIT", std::to_string(options.min_replicas), std::to_string(options.replica_timeout_ms)},
      out);
}

}  // namespace

void Router::AppendWait(Node* node) {
  if (wait_for_.min_replicas == 0 || (node->in_flight.empty() && node->unconfirmed.empty())) return;
  AppendWaitCommand(wait_for_, &node->unsent);
  node->is_waiting = true;
}

long long Router::ReceiveCount(Node* node) {
  const ReplyPtr reply = node->connection->ReceiveLate(wait_for_.replica_timeout_ms, &node->error);
  if (reply == nullptr) return -1;
  if (reply->type == REDIS_REPLY_INTEGER && reply->integer >= 0) return reply->integer;
  // An error reply: the server has become a replica, or the user may not call WAIT.
  node->error = node->endpoint.Prefix() + "WAIT: " +
                (IsError(*reply) ? std::string(Text(*reply)) : std::string("not a number"));
  return -1;
}

void Router::EndWait(const Node& node, long long num_replicas, Unconfirmed one, Batch* batch) {
  if (num_replicas >= wait_for_.min_replicas) {
    batch->OnReply(one.item.index, std::move(one.reply), one.item.repeated);
    return;
  }
  batch->OnFailure(one.item.index, node.endpoint.Prefix() + std::to_string(num_replicas) + " of " +
                                       std::to_string(wait_for_.min_replicas) +
                                       " replicas confirmed the addition within " +
                                       std::to_string(wait_for_.replica_timeout_ms) + " ms");
}

void Router::ReceiveWait(Node* node, Batch* batch) {
  if (!node->is_waiting) return;
  const long long num_replicas = ReceiveCount(node);
  if (num_replicas < 0) {
    Disconnect(node, batch);
    return;
  }
  node->is_waiting = false;
  std::vector<Unconfirmed> replies;
  replies.swap(node->unconfirmed);
  for (Unconfirmed& one : replies) {
    Node* const owner = one.item.owner;
    if (owner != nullptr && num_replicas >= wait_for_.min_replicas) {
      owner->owed.push_back(std::move(one));
    } else {
      EndWait(*node, num_replicas, std::move(one), batch);
    }
  }
}

std::string Router::TouchKey(Node* node, const Batch& batch) const {
  for (uint32_t i = 0; i < kNumTouchKeys; ++i) {
    const uint32_t number = (node->touch_number + i) % kNumTouchKeys;
    const std::string key = "bloomline:wait:{" + std::to_string(number) + "}";
    const uint16_t slot = KeySlot(key);
    const auto moves = [&](const Unconfirmed& one) { return batch.Slot(one.item.index) == slot; };
    if (slots_[slot] != node || std::any_of(node->owed.begin(), node->owed.end(), moves)) continue;
    node->touch_number = number;
    return key;
  }
  return std::string();
}

void Router::ConfirmOwed(Node* node, Batch* batch) {
  if (node->owed.empty()) return;
  std::string command;
  for (int keys_left = kMaxTouches;; --keys_left) {
    const std::string key = TouchKey(node, *batch);
    if (key.empty()) {
      FailOwed(node, "it has no other slot, so its replicas cannot confirm the addition", true,
               batch);
      return;
    }
    command.clear();
    AppendCommand({"EVAL", kTouchNode, "1", key}, &command);
    const ReplyPtr reply =
        EnsureConnected(node) ? node->connection->Ask(command, &node->error) : nullptr;
    if (reply == nullptr) {
      Disconnect(node, batch);
      return;
    }
    if (!IsError(*reply)) break;
    const std::string text(Text(*reply));
    Redirect redirect;
    const bool is_redirect = ParseRedirect(text, node->endpoint, &redirect);
    if (is_redirect) ++node->touch_number;
    if (is_redirect && redirect.ask && keys_left > 1) continue;  // this slot moves, too
    FailOwed(node, text, is_redirect || IsTransient(text), batch);
    return;
  }
  command.clear();
  AppendWaitCommand(wait_for_, &command);
  const long long num_replicas =
      node->connection->Send(command, &node->error) ? ReceiveCount(node) : -1;
  if (num_replicas < 0) {
    Disconnect(node, batch);
    return;
  }
  std::vector<Unconfirmed> owed;
  owed.swap(node->owed);
  for (Unconfirmed& one : owed) EndWait(*node, num_replicas, std::move(one), batch);
}

void Router::FailOwed(Node* node, const std::string& reason, bool is_transient, Batch* batch) {
  std::vector<Unconfirmed> owed;
  owed.swap(node->owed);
  const std::string error = node->endpoint.Prefix() + reason;
  for (Unconfirmed& one : owed) {
    if (is_transient) {
      one.item.repeated = true;
      Postpone(nullptr, one.item, error, batch);
    } else {
      batch->OnFailure(one.item.index, error);
    }
  }
}

}  // namespace bloomline::redis
