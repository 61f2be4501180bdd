#include <algorithm>

#include "bloomline/filter.h"
#include "src/format/hash.h"
#include "src/format/layout.h"
#include "src/format/trailer.h"
#include "src/kernels/kernel.h"
#include "src/query/hash_query.h"
#include "src/query/prefetch_ahead.h"

namespace bloomline {

FilterView::FilterView() : FilterView(core::Payload{}) {}

FilterView::FilterView(const core::Payload& payload)
    : kernel_(&kernels::ActiveKernel()),
      data_(payload.data),
      num_blocks_(payload.num_blocks),
      seed_(payload.seed),
      layout_(static_cast<uint8_t>(payload.layout)),
      num_probes_(static_cast<uint8_t>(payload.num_probes)),
      base_slots_(static_cast<uint8_t>(payload.base_slots)),
      block_bytes_(static_cast<uint8_t>(payload.block_bytes)),
      arrangement_(static_cast<uint8_t>(payload.arrangement)) {}

core::Payload FilterView::payload() const {
  return {
      {core::Layout{layout_}, block_bytes_, num_blocks_, num_probes_, base_slots_, arrangement_},
      seed_,
      data_};
}

FilterView FilterView::Open(std::string_view bytes) {
  return FilterView(core::DecodeStandalone(bytes));
}

__attribute__((flatten)) bool FilterView::MayMatch(std::string_view key) const {
  return MayMatchHash(core::Hash64(key, seed_));
}

__attribute__((flatten)) void FilterView::MayMatch(size_t n, const std::string_view* keys,
                                                   bool* may_match) const {
  const core::Payload filter = payload();
  core::ForEachBatch(
      n, core::KeyHash{keys, seed_}, core::PrefetchPays(filter),
      [&](uint64_t hash) { core::PrefetchBlock(filter, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        core::BatchMayMatch(filter, *kernel_, count, hashes, may_match + first);
      });
}

__attribute__((flatten)) uint64_t HashKey(std::string_view key, uint64_t seed) {
  return core::Hash64(key, seed);
}

__attribute__((flatten)) uint64_t FilterView::HashOf(std::string_view key) const {
  return core::Hash64(key, seed_);
}

bool FilterView::MayMatchHash(uint64_t hash) const {
  return core::HashMayMatch(payload(), *kernel_, hash);
}

// Not by ForEachBatch, which would copy the hashes: 0.4 ns each.
void FilterView::MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const {
  using kernels::kBatchKeys;
  const core::Payload filter = payload();
  const bool is_large = core::PrefetchPays(filter);
  if (is_large) core::PrefetchBlocks(filter, std::min(kBatchKeys, n), hashes);
  for (size_t first = 0; first < n; first += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, n - first);
    if (is_large && first + count < n) {
      const size_t next = first + count;
      core::PrefetchBlocks(filter, std::min(kBatchKeys, n - next), hashes + next);
    }
    core::BatchMayMatch(filter, *kernel_, count, hashes + first, may_match + first);
  }
}

int FilterView::num_probes() const { return num_probes_; }

bool FilterView::AlwaysMatches() const {
  return core::Layout{layout_} == core::Layout::kAlwaysMatch;
}

}  // namespace bloomline
