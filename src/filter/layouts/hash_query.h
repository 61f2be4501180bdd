// Queries of a payload by the hash of a key, in any layout: HashMayMatch for filters that are
// queried once or seldom, as all are in LevelDB, where a look at the table would cost too much;
// others are opened, by FilterView and RocksDB.
#ifndef BLOOMLINE_FILTER_LAYOUTS_HASH_QUERY_H_
#define BLOOMLINE_FILTER_LAYOUTS_HASH_QUERY_H_

#include <cstdint>

#include "bloomline/inline_query.h"
#include "src/filter/cpu/blocks.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/layouts/leveldb_bloom/leveldb_bloom.h"

namespace bloomline::filter {

namespace query_internal {

template <bool kAnswer>
bool Always(const kernels::PayloadView&, uint64_t) {
  return kAnswer;
}

inline void OneByOne(const kernels::PayloadView& filter, size_t n, const uint64_t* hashes,
                     bool* may_match) {
  const auto may_match_one = static_cast<const OpenFilter&>(filter).may_match;
  for (size_t i = 0; i < n; ++i) may_match[i] = may_match_one(filter, hashes[i]);
}

}  // namespace query_internal

// Chooses the query functions of a payload of the trailer container, once for all its queries.
inline OpenFilter Opened(const Payload& payload, const kernels::Kernel& kernel) {
  OpenFilter filter;
  static_cast<kernels::PayloadView&>(filter) = ForKernel(payload, payload.data);
  filter.block_bytes = payload.block_bytes;
  filter.always_matches = payload.always_matches();
  // Not in flat filters, whose queries read more than one block.
  filter.is_large = payload.has_blocks() && payload.payload_bytes() > kernels::kCachedBytes;
  filter.may_match = query_internal::Always<true>;
  filter.may_match_many = query_internal::OneByOne;
  if (!payload.always_matches() && payload.num_blocks == 0) {
    filter.may_match = query_internal::Always<false>;
    return filter;
  }
  if (const auto open = RowOf(payload.layout).open; open != nullptr) {
    open(payload, kernel, &filter);
  }
  return filter;
}

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
      return kernel.flat.may_match(ForKernel(payload, payload.data), hash);
    case Layout::kCompact:
      return kernel.compact.may_match[payload.arrangement](ForKernel(payload, payload.data), hash);
    case Layout::kSmallSet:
      return kernel.small_set.may_match(
          payload.data + kernels::BlockIndex(hash, payload.num_blocks) * payload.block_bytes,
          payload.block_bytes, payload.first_attempt, hash);
    default:
      return Opened(payload, kernel).may_match(ForKernel(payload, payload.data), hash);
  }
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_LAYOUTS_HASH_QUERY_H_
