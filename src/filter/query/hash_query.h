// A query of a payload by the hash of a key, in any layout. For filters that are queried once or
// seldom; others are opened (open_filter.h).
#ifndef BLOOMLINE_FILTER_QUERY_HASH_QUERY_H_
#define BLOOMLINE_FILTER_QUERY_HASH_QUERY_H_

#include <cstdint>

#include "src/filter/format/layout.h"
#include "src/filter/kernels/kernel.h"
#include "src/filter/kernels/leveldb_bloom.h"

namespace bloomline::filter {

// `hash` is the key's Hash64 with the payload's seed; in LevelDB, its LayoutHash.
inline bool HashMayMatch(const Payload& payload, const kernels::Kernel& kernel, uint64_t hash) {
  if (payload.layout == Layout::kAlwaysMatch) return true;
  if (payload.num_blocks == 0) return false;
  switch (payload.layout) {
    case Layout::kClassic:
      return kernels::LevelDBBloomMayMatch(payload.data, payload.num_blocks * 8, payload.num_probes,
                                           static_cast<uint32_t>(hash));
    case Layout::kBlocked:
      return kernel.blocked.may_match(ForKernel(payload, payload.data), hash);
    case Layout::kFlat:
      return kernel.flat.may_match(ForKernel(payload, payload.data), hash);
    case Layout::kCompact:
      return kernel.compact.may_match[payload.arrangement](ForKernel(payload, payload.data), hash);
    case Layout::kSmallSet:
      return kernel.small_set.may_match(
          payload.data + kernels::BlockIndex(hash, payload.num_blocks) * payload.block_bytes,
          payload.block_bytes, payload.first_attempt, hash);
    case Layout::kAlwaysMatch:
      break;
  }
  return true;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_QUERY_HASH_QUERY_H_
