#include <algorithm>

#include "bloomline/filter.h"
#include "src/format/hash.h"
#include "src/format/layout.h"
#include "src/format/trailer.h"
#include "src/kernels/blocked/blocks.h"
#include "src/kernels/kernel.h"
#include "src/query/open_filter.h"
#include "src/query/prefetch_ahead.h"

namespace bloomline {
namespace {

void PrefetchBlocks(const core::OpenFilter& filter, size_t n, const uint64_t* hashes) {
  const char* const data = filter.data;
  const uint64_t num_blocks = filter.num_blocks;
  const uint64_t block_bytes = filter.block_bytes;
  for (size_t i = 0; i < n; ++i) {
    kernels::PrefetchBlock(data, num_blocks, block_bytes, hashes[i]);
  }
}

}  // namespace

FilterView::FilterView() : FilterView(core::Payload{}) {}

FilterView::FilterView(const core::Payload& payload)
    : filter_(core::Opened(payload, kernels::ActiveKernel())),
      hasher_(payload.seed),
      seed_(payload.seed) {}

FilterView FilterView::Open(std::string_view bytes) {
  return FilterView(core::DecodeStandalone(bytes));
}

bool FilterView::OtherKeyMayMatch(std::string_view key) const {
  return MayMatchHash(core::Hash64(key, seed_));
}

__attribute__((flatten)) void FilterView::MayMatch(size_t n, const std::string_view* keys,
                                                   bool* may_match) const {
  const core::OpenFilter filter = filter_;
  core::ForEachBatch(
      n, core::KeyHash(keys, seed_), filter.is_large,
      [&](uint64_t hash) {
        kernels::PrefetchBlock(filter.data, filter.num_blocks, filter.block_bytes, hash);
      },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        filter.may_match_many(filter, count, hashes, may_match + first);
      });
}

__attribute__((flatten)) uint64_t HashKey(std::string_view key, uint64_t seed) {
  return core::Hash64(key, seed);
}

__attribute__((flatten)) uint64_t FilterView::HashOf(std::string_view key) const {
  return core::Hash64(key, seed_);
}

// Not by ForEachBatch, which would copy the hashes: 0.4 ns each.
void FilterView::MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const {
  using kernels::kBatchKeys;
  const bool is_large = filter_.is_large;
  if (is_large) PrefetchBlocks(filter_, std::min(kBatchKeys, n), hashes);
  for (size_t first = 0; first < n; first += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, n - first);
    if (is_large && first + count < n) {
      const size_t next = first + count;
      PrefetchBlocks(filter_, std::min(kBatchKeys, n - next), hashes + next);
    }
    filter_.may_match_many(filter_, count, hashes + first, may_match + first);
  }
}

int FilterView::num_probes() const { return filter_.num_probes; }

bool FilterView::AlwaysMatches() const {
  return core::Layout{filter_.layout} == core::Layout::kAlwaysMatch;
}

}  // namespace bloomline
