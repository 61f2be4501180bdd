#include "src/redis/slots.h"

#include <charconv>
#include <cstddef>

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

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// The host of a node without a host name, if the cluster prefers host names.
constexpr std::string_view kUnknownHost = "?";

// A node that does not know its own address leaves it out; it is then the one that was sender.
std::string HostOr(std::string_view host, const Endpoint& sender) {
  return host.empty() || host == kUnknownHost ? sender.host : std::string(host);
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
  const bool moved = StartsWith(error, "MOVED ");
  redirect->ask = StartsWith(error, "ASK ");
  if (!moved && !redirect->ask) return false;
  const std::string_view rest = error.substr(error.find(' ') + 1);
  const size_t space = rest.find(' ');
  if (space == std::string_view::npos) return false;
  const auto [stop, status] = std::from_chars(rest.data(), rest.data() + space, redirect->slot);
  if (status != std::errc() || stop != rest.data() + space || redirect->slot >= kNumSlots) {
    return false;
  }
  std::string_view where = rest.substr(space + 1);
  if (StartsWith(where, std::string(kUnknownHost) + ":")) where.remove_prefix(kUnknownHost.size());
  if (!ParseEndpoint(where, &redirect->endpoint)) return false;
  redirect->endpoint.host = HostOr(redirect->endpoint.host, sender);
  return true;
}

bool IsTransient(std::string_view error) {
  return StartsWith(error, "TRYAGAIN") || StartsWith(error, "CLUSTERDOWN") ||
         StartsWith(error, "LOADING") || StartsWith(error, "MASTERDOWN") ||
         StartsWith(error, "BUSY ");
}

bool IsReadOnly(std::string_view error) { return StartsWith(error, "READONLY"); }

bool ParseSlotRanges(const redisReply& reply, const Endpoint& sender,
                     std::vector<SlotRange>* ranges) {
  ranges->clear();
  if (reply.type != REDIS_REPLY_ARRAY) return false;
  for (size_t i = 0; i < reply.elements; ++i) {
    const redisReply& range = *reply.element[i];
    if (range.type != REDIS_REPLY_ARRAY || range.elements < 3) return false;
    const redisReply& first = *range.element[0];
    const redisReply& last = *range.element[1];
    const redisReply& master = *range.element[2];
    if (first.type != REDIS_REPLY_INTEGER || last.type != REDIS_REPLY_INTEGER) return false;
    if (first.integer < 0 || first.integer > last.integer || last.integer >= kNumSlots) {
      return false;
    }
    if (master.type != REDIS_REPLY_ARRAY || master.elements < 2) return false;
    const redisReply& host = *master.element[0];
    const redisReply& port = *master.element[1];
    if (host.type != REDIS_REPLY_STRING && host.type != REDIS_REPLY_NIL) return false;
    if (port.type != REDIS_REPLY_INTEGER || port.integer < 1 || port.integer > 65535) return false;
    const std::string_view name = host.type == REDIS_REPLY_STRING ? Text(host) : std::string_view();
    if (name != kUnknownHost && !IsHost(name)) return false;
    ranges->push_back({static_cast<uint16_t>(first.integer),
                       static_cast<uint16_t>(last.integer),
                       {HostOr(name, sender), static_cast<int>(port.integer)}});
  }
  return true;
}

}  // namespace bloomline::redis
