#include <algorithm>

#include "bloomline/filter.h"
#include "src/format/format.h"
#include "src/format/hash.h"
#include "src/format/payload.h"
#include "src/kernels/kernel.h"
#include "src/query/hash_query.h"
#include "src/query/prefetch_ahead.h"

namespace bloomline {

FilterView::FilterView() : FilterView(core::Payload{}) {}

FilterView::FilterView(const core::Payload& payload)
    : kernel_(&kernels::ActiveKernel()),
      data_(payload.data),
      num_bytes_(payload.num_bytes),
      num_lines_(payload.num_lines),
      seed_(payload.seed),
      layout_(static_cast<uint8_t>(payload.layout)),
      parameter_(static_cast<uint8_t>(payload.parameter)),
      line_bytes_(static_cast<uint8_t>(payload.line_bytes)) {}

core::Payload FilterView::payload() const {
  return {core::Layout{layout_}, parameter_, seed_, data_, num_bytes_, line_bytes_, num_lines_};
}

FilterView FilterView::Open(std::string_view bytes) {
  return FilterView(core::DecodeStandalone(bytes));
}

__attribute__((flatten)) bool FilterView::MayMatch(std::string_view key) const {
  return MayMatchHash(core::Hash64(key, seed_));
}

__attribute__((flatten)) void FilterView::MayMatch(size_t n, const std::string_view* keys,
                                                   bool* may_match) const {
  const core::Payload asked = payload();
  core::ForEachGroup(
      n, core::KeyHash{keys, seed_}, core::IsWorthRequesting(asked),
      [&](uint64_t hash) { core::RequestLine(asked, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        core::RequestedMayMatch(asked, *kernel_, count, hashes, may_match + first);
      });
}

__attribute__((flatten)) uint64_t FilterView::HashOf(std::string_view key) const {
  return core::Hash64(key, seed_);
}

bool FilterView::MayMatchHash(uint64_t hash) const {
  return core::HashMayMatch(payload(), *kernel_, hash);
}

// Not by ForEachGroup, which would copy the hashes: 0.4 ns each.
void FilterView::MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const {
  using kernels::kBatchKeys;
  const core::Payload asked = payload();
  const bool is_large = core::IsWorthRequesting(asked);
  if (is_large) core::RequestLines(asked, std::min(kBatchKeys, n), hashes);
  for (size_t first = 0; first < n; first += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, n - first);
    if (is_large && first + count < n) {
      const size_t next = first + count;
      core::RequestLines(asked, std::min(kBatchKeys, n - next), hashes + next);
    }
    core::RequestedMayMatch(asked, *kernel_, count, hashes + first, may_match + first);
  }
}

int FilterView::num_probes() const {
  const bool bloom = !AlwaysMatches() && !core::IsCompact(core::Layout{layout_});
  return bloom ? parameter_ : 0;
}

bool FilterView::AlwaysMatches() const {
  return core::Layout{layout_} == core::Layout::kAlwaysMatch;
}

}  // namespace bloomline
