// Hash slots of a Redis Cluster: the slot of a key, and replies that say which node serves a slot.
#ifndef BLOOMLINE_REDIS_SLOTS_H_
#define BLOOMLINE_REDIS_SLOTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/redis/connection.h"

namespace bloomline::redis {

constexpr uint16_t kNumSlots = 16384;

// CRC16 of the key's hash tag, or of the whole key if it lacks one (Redis Cluster specification).
uint16_t KeySlot(std::string_view key);

// The parsers return false if the reply is not valid. `sender` sent it: a node without a host is on
// the sender's host, and has TLS if the sender has.

// An error reply that sends the client to another node.
struct Redirect {
  bool ask = false;  // for one command, after ASKING; otherwise permanently
  uint16_t slot = 0;
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

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_SLOTS_H_
