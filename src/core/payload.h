// Querying and filling a payload of any layout.
#ifndef BLOOMLINE_CORE_PAYLOAD_H_
#define BLOOMLINE_CORE_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/core/classic.h"
#include "src/core/format.h"
#include "src/core/hash.h"
#include "src/kernels/compact_kernel.h"
#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

// The hash a layout stores, in 64 bits; `seed` is ignored by classic.
inline uint64_t LayoutHash(Layout layout, std::string_view key, uint64_t seed) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : Hash64(key, seed);
}
inline uint64_t LayoutHash(Layout layout, std::string_view key, const KeyHasher& hasher) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : hasher(key);
}

// The layouts' views of a Payload or a Shape (then `data` is writable).
template <typename T>
kernels::BlockedLines AsBlocked(const T& from, const char* data, uint64_t num_bytes) {
  return {data, num_bytes / kernels::kLineBytes, static_cast<int>(from.parameter)};
}
template <typename T>
kernels::FlatBits AsFlat(const T& from, const char* data, uint64_t num_bytes) {
  return {data, static_cast<uint32_t>(num_bytes * 8), static_cast<int>(from.parameter)};
}
inline kernels::CompactLines AsCompact(const Payload& from) {
  return {from.data, from.num_lines, from.line_bytes, from.parameter};
}

// `hash` is LayoutHash of the key.
inline bool HashMayMatch(const Payload& payload, const kernels::Kernel& kernel, uint64_t hash) {
  if (payload.layout == Layout::kAlwaysMatch) return true;
  if (payload.num_bytes == 0) return false;
  switch (payload.layout) {
    case Layout::kClassic:
      return ClassicMayMatch(payload.data, payload.num_bytes * 8,
                             static_cast<int>(payload.parameter), static_cast<uint32_t>(hash));
    case Layout::kBlocked:
      return kernel.blocked_may_match(AsBlocked(payload, payload.data, payload.num_bytes), hash);
    case Layout::kFlat:
      return kernel.flat_may_match(AsFlat(payload, payload.data, payload.num_bytes), hash);
    case Layout::kCompact:
    case Layout::kCompactHalfLines:
      return kernel.compact->packed_may_match(AsCompact(payload), hash);
    case Layout::kCompactLanes:
      return kernel.compact->lanes_may_match(AsCompact(payload), hash);
    case Layout::kAlwaysMatch:
      break;
  }
  return true;
}

// Many hashes: whoever computes them asks for the lines as it goes, where that is worth it, one
// group ahead (hash_groups.h), and then for the answers.
bool IsWorthRequesting(const Payload& payload);
void RequestLine(const Payload& payload, uint64_t hash);
void RequestedMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                       const uint64_t* hashes, bool* may_match);

// All of that for hashes at hand.
void HashesMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                    const uint64_t* hashes, bool* may_match);

// Sets the bits of n keys (not compact, which needs all keys at once: compact.h) in `data`, which
// has shape.payload_bytes > 0 bytes, zeroed before the first call.
void InsertHashes(const Shape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_PAYLOAD_H_
