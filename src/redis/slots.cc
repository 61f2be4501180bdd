#include "src/redis/slots.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "src/support/number_text.h"

namespace bloomline::redis {
namespace {

// CRC-16/XMODEM, polynomial 0x1021. Bit by bit is enough: a slot is computed once per shard.
uint16_t Crc16(std::string_view bytes) {
  unsigned crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
    }
    crc &= 0xFFFF;
  }
  return static_cast<uint16_t>(crc);
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

uint16_t KeySlot(std::string_view key) {
  const size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close != open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return Crc16(key) % kNumSlots;
}

bool ParseRedirect(std::string_view error, const Endpoint& sender, Redirect* redirect) {
  const std::string_view kind = error.substr(0, error.find(' '));
  redirect->ask = kind == "ASK";
  if (!redirect->ask && kind != "MOVED") return false;
  const std::string_view rest = error.substr(std::min(kind.size() + 1, error.size()));
  const size_t space = rest.find(' ');
  uint64_t slot = 0;
  if (space == std::string_view::npos || !support::ParseUint64(rest.substr(0, space), &slot) ||
      slot >= kNumSlots) {
    return false;
  }
  redirect->slot = static_cast<uint16_t>(slot);
  std::string_view where = rest.substr(space + 1);
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

}  // namespace bloomline::redis
