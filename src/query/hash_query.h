// Queries of a payload by the hashes of keys, in any layout.
#ifndef BLOOMLINE_QUERY_HASH_QUERY_H_
#define BLOOMLINE_QUERY_HASH_QUERY_H_

#include <cstddef>
#include <cstdint>

#include "src/format/payload.h"
#include "src/kernels/kernel.h"
#include "src/kernels/leveldb_bloom.h"

namespace bloomline::core {

// `hash` is LayoutHash of the key.
inline bool HashMayMatch(const Payload& payload, const kernels::Kernel& kernel, uint64_t hash) {
  if (payload.layout == Layout::kAlwaysMatch) return true;
  if (payload.num_bytes == 0) return false;
  switch (payload.layout) {
    case Layout::kClassic:
      return kernels::LevelDBBloomMayMatch(payload.data, payload.num_bytes * 8,
                                           static_cast<int>(payload.parameter),
                                           static_cast<uint32_t>(hash));
    case Layout::kBlocked:
      return kernel.blocked_may_match(AsBlocked(payload, payload.data, payload.num_bytes), hash);
    case Layout::kFlat:
      return kernel.flat_may_match(AsFlat(payload, payload.data, payload.num_bytes), hash);
    case Layout::kPackedCompact:
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
void RequestLines(const Payload& payload, size_t n, const uint64_t* hashes);
void RequestedMayMatch(const Payload& payload, const kernels::Kernel& kernel, size_t n,
                       const uint64_t* hashes, bool* may_match);

}  // namespace bloomline::core

#endif  // BLOOMLINE_QUERY_HASH_QUERY_H_
