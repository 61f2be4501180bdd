#include "src/filter/query/open_filter.h"

#include "src/filter/kernels/blocked/blocks.h"
#include "src/filter/kernels/leveldb_bloom.h"
#include "src/filter/query/hash_query.h"

namespace bloomline::filter {
namespace {

using kernels::BlockedFilter;

const OpenFilter& Whole(const BlockedFilter& filter) {
  return static_cast<const OpenFilter&>(filter);
}

template <bool kAnswer>
bool Always(const BlockedFilter&, uint64_t) {
  return kAnswer;
}

bool ClassicMayMatch(const BlockedFilter& filter, uint64_t hash) {
  return kernels::LevelDBBloomMayMatch(filter.data, filter.num_blocks * 8, filter.num_probes,
                                       static_cast<uint32_t>(hash));
}

bool FlatMayMatch(const BlockedFilter& filter, uint64_t hash) {
  const auto num_bits = static_cast<uint32_t>(filter.num_blocks * 8);
  return Whole(filter).kernel->flat.may_match({filter.data, num_bits, filter.num_probes}, hash);
}

// LevelDB opens no filters; this is for whoever opens any payload.
template <uint32_t kFirstAttempt>
bool SmallSetMayMatchFrom(const BlockedFilter& filter, uint64_t hash) {
  const OpenFilter& whole = Whole(filter);
  const FilterShape shape =
      FilterShape::SmallSet(filter.num_blocks, whole.block_bytes, kFirstAttempt);
  return SmallSetMayMatch({shape, 0, filter.data}, *whole.kernel, hash);
}

// By first_attempt / 4.
constexpr bool (*kSmallSetMayMatch[])(const BlockedFilter&, uint64_t) = {
    SmallSetMayMatchFrom<0>, SmallSetMayMatchFrom<4>, SmallSetMayMatchFrom<8>,
    SmallSetMayMatchFrom<12>};

void OneByOne(const BlockedFilter& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  for (size_t i = 0; i < n; ++i) may_match[i] = Whole(filter).may_match(filter, hashes[i]);
}

struct Queries {
  bool (*one)(const BlockedFilter& filter, uint64_t hash);
  void (*many)(const BlockedFilter& filter, size_t n, const uint64_t* hashes, bool* may_match);
};

Queries QueriesOf(const Payload& payload, const kernels::Kernel& kernel) {
  if (payload.layout == Layout::kAlwaysMatch) return {Always<true>, OneByOne};
  if (payload.num_blocks == 0) return {Always<false>, OneByOne};
  switch (payload.layout) {
    case Layout::kBlocked:
      return {kernel.blocked.may_match_for(payload.num_probes), kernel.blocked.may_match_many};
    case Layout::kCompact:
      return {kernel.compact.may_match[payload.arrangement],
              kernel.compact.may_match_many[payload.arrangement]};
    case Layout::kFlat:
      return {FlatMayMatch, OneByOne};
    case Layout::kClassic:
      return {ClassicMayMatch, OneByOne};
    case Layout::kSmallSet:
      return {kSmallSetMayMatch[payload.first_attempt / 4], OneByOne};
    case Layout::kAlwaysMatch:
      break;
  }
  return {Always<true>, OneByOne};
}

// Not in the layouts of small filters, whose queries read more than one block.
bool PrefetchPays(const Payload& payload) {
  const bool one_block_per_query =
      payload.layout == Layout::kBlocked || payload.layout == Layout::kCompact;
  return one_block_per_query && payload.payload_bytes() > kernels::kCachedBytes;
}

}  // namespace

OpenFilter Opened(const Payload& payload, const kernels::Kernel& kernel) {
  const Queries queries = QueriesOf(payload, kernel);
  OpenFilter filter;
  filter.data = payload.data;
  filter.num_blocks = payload.num_blocks;
  filter.num_probes = payload.num_probes;
  filter.may_match = queries.one;
  filter.may_match_many = queries.many;
  filter.kernel = &kernel;
  filter.block_bytes = payload.block_bytes;
  filter.layout = static_cast<uint8_t>(payload.layout);
  filter.is_large = PrefetchPays(payload);
  return filter;
}

}  // namespace bloomline::filter
