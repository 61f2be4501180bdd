// FilterView, and the filters that are opened: bytes are decoded once; queries call what the table
// of kernels has for them.
#include "bloomline/filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/view/hash_query.h"
#include "src/filter/view/prefetch_ahead.h"

namespace bloomline {

namespace filter {
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
}  // namespace filter

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
      seed_(payload.seed) {}

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

int FilterView::num_probes() const { return filter_.num_probes; }

bool FilterView::AlwaysMatches() const { return filter_.always_matches; }

}  // namespace bloomline
