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
  return core::HashMayMatch(payload(), *kernel_,
                            core::LayoutHash(core::Layout{layout_}, key, seed_));
}

__attribute__((flatten)) void FilterView::MayMatch(size_t n, const std::string_view* keys,
                                                   bool* may_match) const {
  const core::Payload asked = payload();
  const auto hash_of = [&](size_t i) {
    return core::LayoutHash(asked.layout, keys[i], asked.seed);
  };
  core::ForEachGroup(
      n, hash_of, core::IsWorthRequesting(asked),
      [&](uint64_t hash) { core::RequestLine(asked, hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        core::RequestedMayMatch(asked, *kernel_, count, hashes, may_match + first);
      });
}

int FilterView::num_probes() const {
  const bool bloom = !AlwaysMatches() && !core::IsCompact(core::Layout{layout_});
  return bloom ? parameter_ : 0;
}

bool FilterView::AlwaysMatches() const {
  return core::Layout{layout_} == core::Layout::kAlwaysMatch;
}

}  // namespace bloomline
