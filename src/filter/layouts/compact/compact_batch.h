// Many queries of compact blocks without a branch that depends on a key. Where half of the keys are
// stored, each such branch is mispredicted half of the time, which takes longer than all of a
// query's instructions.
#ifndef BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_H_
#define BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/filter/bits/blocks.h"
#include "src/filter/layouts/compact/compact_query.h"

namespace bloomline::kernels {
namespace {

// A call with fewer keys tests them one by one. In a batch, eight missing keys take 1.5 times as
// long as one by one, and twelve 1.2 times; where half of the keys are stored, 0.75 and 0.6 times.
constexpr size_t kMinCompactBatch = 12;

// Query::Batch tests the fast columns of up to kBatchKeys keys, and has the bits `others`: blocks
// that do not have their filter's arrangement. Query::TestPools tests the pools for keys that match
// the fast columns.
template <unsigned kArrangement, typename Query>
BLOOMLINE_ALWAYS_INLINE void MayMatchInBatches(const CompactFilter& filter, size_t n,
                                               const uint64_t* hashes, bool* may_match) {
  const typename Query::PoolRow* rows = nullptr;
  if (n >= kMinCompactBatch && filter.num_blocks <= UINT32_MAX) {
    auto& table = pool_table<typename Query::PoolRow, kArrangement>;
    rows = table.rows() != nullptr ? table.rows() : table.Make();
  }
  if (rows == nullptr) {  // also while another thread makes them
    CompactMayMatchMany<kArrangement, Query>(filter, n, hashes, may_match);
    return;
  }
  for (size_t start = 0; start < n; start += kBatchKeys) {
    const size_t count = std::min(n - start, kBatchKeys);
    const typename Query::template Batch<kArrangement> batch(filter, count, hashes + start);
    std::memset(may_match + start, 0, count);
    Query::template TestPools<kArrangement>(batch, rows, hashes + start, may_match + start);
    for (uint32_t left = batch.others; left != 0; left &= left - 1) {
      const auto i = static_cast<size_t>(__builtin_ctz(left));
      may_match[start + i] = Query::template OtherBlock<kArrangement>(
          batch.blocks[i], batch.headers[i], hashes[start + i]);
    }
  }
}

}  // namespace
}  // namespace bloomline::kernels

#endif  // BLOOMLINE_FILTER_LAYOUTS_COMPACT_COMPACT_BATCH_H_
