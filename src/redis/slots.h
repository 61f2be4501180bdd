// Which node of a Redis Cluster serves which key: hash slots, and what servers say about them.
#ifndef BLOOMLINE_REDIS_SLOTS_H_
#define BLOOMLINE_REDIS_SLOTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/redis/connection.h"

namespace bloomline::redis {

constexpr uint16_t kNumSlots = 16384;

// CRC16 of the key's hash tag, or of the whole key where it has none (Redis Cluster specification).
uint16_t KeySlot(std::string_view key);

// An error reply that sends the client elsewhere.
struct Redirect {
  bool ask = false;  // for one command, with ASKING before it; else for good
  uint16_t slot = 0;
  Endpoint endpoint;
};

// `asked` is who sent it; a redirect without a host means that host. False: not a redirect that can
// be followed.
bool ParseRedirect(std::string_view error, const Endpoint& asked, Redirect* redirect);

// The server is of no help now, but another try may be.
bool IsTransient(std::string_view error);

// The server is a replica, and has not done what it was sent.
bool IsReadOnly(std::string_view error);

struct SlotRange {
  uint16_t first;
  uint16_t last;
  Endpoint master;
};

// The reply of CLUSTER SLOTS. False: it is no such thing.
bool ParseSlotRanges(const redisReply& reply, const Endpoint& asked,
                     std::vector<SlotRange>* ranges);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_SLOTS_H_
