// Queries of a payload by the hash of a key, in the layouts of LevelDB; others may match. They suit
// filters that are queried once or seldom, as in LevelDB, for which a look at the table would cost
// too much. FilterView and RocksDB open filters (layout_table.h).
#ifndef BLOOMLINE_FILTER_VIEW_HASH_QUERY_H_
#define BLOOMLINE_FILTER_VIEW_HASH_QUERY_H_

#include <cstdint>

#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/kernel/kernel.h"
#include "src/filter/layouts/flat/flat.h"
#include "src/filter/layouts/leveldb_bloom/leveldb_bloom.h"

namespace bloomline::filter {

// `hash` is the key's Hash64 with the payload's seed; in LevelDB, its LayoutHash.
inline bool HashMayMatch(const Payload& payload, const kernels::Kernel& kernel, uint64_t hash) {
  if (payload.always_matches()) return true;
  if (payload.num_blocks == 0) return false;
  switch (payload.layout) {
    case Layout::kClassic:
      return kernels::LevelDBBloomMayMatch(payload.data, payload.num_blocks * 8, payload.num_probes,
                                           static_cast<uint32_t>(hash));
    case Layout::kBlocked:
      return kernel.blocked.may_match(ForKernel(payload, payload.data), hash);
    case Layout::kFlat:
      return kernels::FlatMayMatch(ForKernel(payload, payload.data), hash);
    case Layout::kSmallSet:
      return kernel.small_set.may_match(
          payload.data + kernels::BlockIndex(hash, payload.num_blocks) * payload.block_bytes,
          payload.block_bytes, payload.attempt, hash);
    default:
      break;
  }
  return true;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_VIEW_HASH_QUERY_H_
