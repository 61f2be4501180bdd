// Querying and filling a payload of any layout.
#ifndef BLOOMLINE_CORE_PAYLOAD_H_
#define BLOOMLINE_CORE_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/core/classic.h"
#include "src/core/format.h"
#include "src/core/hash.h"
#include "src/kernels/kernel.h"
#include "src/kernels/probe_sequence.h"

namespace bloomline::core {

// The hash a layout stores, in 64 bits; `seed` is ignored by classic.
inline uint64_t LayoutHash(Layout layout, std::string_view key, uint64_t seed) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : Hash64(key, seed);
}

inline kernels::BlockedLines Lines(const char* data, uint64_t num_bytes, int num_probes) {
  return {data, num_bytes / kernels::kLineBytes, num_probes};
}

inline kernels::FlatBits Bits(const char* data, uint64_t num_bytes, int num_probes) {
  return {data, static_cast<uint32_t>(num_bytes * 8), num_probes};
}

// `hash` is LayoutHash of the key.
inline bool HashMayMatch(const Payload& payload, const kernels::Kernel& kernel, uint64_t hash) {
  if (payload.layout == Layout::kAlwaysMatch) return true;
  if (payload.num_bytes == 0) return false;
  switch (payload.layout) {
    case Layout::kClassic:
      return ClassicMayMatch(payload.data, payload.num_bytes * 8, payload.num_probes,
                             static_cast<uint32_t>(hash));
    case Layout::kBlocked:
      return kernel.blocked_may_match(Lines(payload.data, payload.num_bytes, payload.num_probes),
                                      hash);
    case Layout::kFlat:
      return kernel.flat_may_match(Bits(payload.data, payload.num_bytes, payload.num_probes), hash);
    case Layout::kAlwaysMatch:
      break;
  }
  return true;
}

void HashesMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                    const uint64_t* hashes, bool* may_match);

// Sets the bits of n keys in `data`, which has shape.payload_bytes > 0 bytes, zeroed before the
// first call.
void InsertHashes(const Shape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes);

}  // namespace bloomline::core

#endif  // BLOOMLINE_CORE_PAYLOAD_H_
