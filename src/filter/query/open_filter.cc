#include "src/filter/query/open_filter.h"

#include "src/filter/kernels/blocked/blocks.h"

namespace bloomline::filter {
namespace {

using kernels::BlockedFilter;

template <bool kAnswer>
bool Always(const BlockedFilter&, uint64_t) {
  return kAnswer;
}

void OneByOne(const BlockedFilter& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  const auto may_match_one = static_cast<const OpenFilter&>(filter).may_match;
  for (size_t i = 0; i < n; ++i) may_match[i] = may_match_one(filter, hashes[i]);
}

struct Queries {
  bool (*one)(const BlockedFilter& filter, uint64_t hash);
  void (*many)(const BlockedFilter& filter, size_t n, const uint64_t* hashes, bool* may_match);
};

Queries QueriesOf(const Payload& payload, const kernels::Kernel& kernel) {
  if (payload.layout != Layout::kAlwaysMatch && payload.num_blocks == 0) {
    return {Always<false>, OneByOne};
  }
  switch (payload.layout) {
    case Layout::kBlocked:
      return {kernel.blocked.may_match_for(payload.num_probes), kernel.blocked.may_match_many};
    case Layout::kFlat:
      return {kernel.flat.may_match, OneByOne};
    case Layout::kCompact:
      return {kernel.compact.may_match[payload.arrangement],
              kernel.compact.may_match_many[payload.arrangement]};
    case Layout::kClassic:  // LevelDB opens no filters
    case Layout::kSmallSet:
    case Layout::kAlwaysMatch:
      break;
  }
  return {Always<true>, OneByOne};
}

}  // namespace

OpenFilter Opened(const Payload& payload, const kernels::Kernel& kernel) {
  const Queries queries = QueriesOf(payload, kernel);
  OpenFilter filter;
  static_cast<BlockedFilter&>(filter) = ForKernel(payload, payload.data);
  filter.may_match = queries.one;
  filter.may_match_many = queries.many;
  filter.block_bytes = payload.block_bytes;
  filter.always_matches = payload.layout == Layout::kAlwaysMatch;
  // Not in flat filters, whose queries read more than one block.
  filter.is_large = payload.block_bytes > 1 && payload.payload_bytes() > kernels::kCachedBytes;
  return filter;
}

}  // namespace bloomline::filter
