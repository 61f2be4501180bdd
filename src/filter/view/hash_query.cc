#include "src/filter/view/hash_query.h"

#include "src/filter/layouts/layout_row.h"

namespace bloomline::filter {
namespace {

template <bool kAnswer>
bool Always(const kernels::PayloadView&, uint64_t) {
  return kAnswer;
}

void OneByOne(const kernels::PayloadView& filter, size_t n, const uint64_t* hashes,
              bool* may_match) {
  const auto may_match_one = static_cast<const OpenFilter&>(filter).may_match;
  for (size_t i = 0; i < n; ++i) may_match[i] = may_match_one(filter, hashes[i]);
}

}  // namespace

OpenFilter Opened(const Payload& payload, const kernels::Kernel& kernel) {
  OpenFilter filter;
  static_cast<kernels::PayloadView&>(filter) = ForKernel(payload, payload.data);
  filter.block_bytes = payload.block_bytes;
  filter.always_matches = payload.always_matches();
  // A query of a flat filter reads more than one block.
  filter.is_large = payload.has_blocks() && payload.payload_bytes() > kernels::kCachedBytes;
  filter.may_match = Always<true>;
  filter.may_match_many = OneByOne;
  if (!payload.always_matches() && payload.num_blocks == 0) {
    filter.may_match = Always<false>;
    return filter;
  }
  if (const auto open = LayoutRowFor(payload.layout).open; open != nullptr) {
    open(payload, kernel, &filter);
  }
  return filter;
}

}  // namespace bloomline::filter
