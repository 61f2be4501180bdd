// FilterView: a filter that was opened, and the hasher of its keys. Batches are prefetched.
#include "bloomline/filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/container/trailer.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/prefetch_ahead.h"

namespace bloomline {

namespace {

template <typename Keys>
void MayMatchAll(const filter::OpenFilter& filter, size_t n, const Keys& keys, bool* may_match) {
  const char* const data = filter.data;
  const uint64_t num_blocks = filter.num_blocks;
  const uint64_t block_bytes = filter.block_bytes;
  const auto probe = [&](size_t first, size_t count, const uint64_t* hashes) {
    filter.may_match_many(filter, count, hashes, may_match + first);
  };
  const bool one_line_per_block = block_bytes == kernels::kBlockBytes &&
                                  reinterpret_cast<uintptr_t>(data) % kernels::kBlockBytes == 0;
  if (one_line_per_block) {
    const auto prefetch = [=](uint64_t hash) {
      __builtin_prefetch(data + kernels::BlockIndex(hash, num_blocks) * kernels::kBlockBytes);
    };
    filter::ForEachBatch(n, keys, filter.is_large, prefetch, probe);
  } else {
    const auto prefetch = [=](uint64_t hash) {
      kernels::PrefetchBlock(data, num_blocks, block_bytes, hash);
    };
    filter::ForEachBatch(n, keys, filter.is_large, prefetch, probe);
  }
}

}  // namespace

FilterView::FilterView() : FilterView(filter::Payload{}) {}

FilterView::FilterView(const filter::Payload& payload)
    : filter_(filter::Opened(payload, kernels::ActiveKernel())),
      hasher_(payload.seed),
      seed_(payload.seed),
      num_probes_(payload.num_probes) {}

FilterView FilterView::Open(std::string_view bytes) {
  return FilterView(filter::DecodeTrailer(bytes));
}

std::string FilterView::Validate(std::string_view bytes) {
  std::string why;
  filter::DecodeTrailer(bytes, &why);
  return why;
}

bool FilterView::OtherKeyMayMatch(std::string_view key) const {
  return MayMatchHash(filter::Hash64(key, seed_));
}

void FilterView::MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
  MayMatchAll(filter_, n, filter::KeyHash(keys, seed_), may_match);
}

void FilterView::MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const {
  MayMatchAll(filter_, n, filter::GivenHash{hashes}, may_match);
}

__attribute__((flatten)) uint64_t HashKey(std::string_view key, uint64_t seed) {
  return filter::Hash64(key, seed);
}

__attribute__((flatten)) uint64_t FilterView::HashOf(std::string_view key) const {
  return filter::Hash64(key, seed_);
}

int FilterView::num_probes() const { return num_probes_; }

bool FilterView::AlwaysMatches() const { return filter_.always_matches; }

}  // namespace bloomline
