// Compact queries compiled with POPCNT, which gives a parity in two instructions instead of eight.
#if defined(__x86_64__)

#include "src/filter/cpu/x86_extensions.h"
#include "src/filter/layouts/compact/compact_kernel.h"
#include "src/filter/layouts/compact/query/query.h"

#define BLOOMLINE_POPCNT BLOOMLINE_TARGET(BLOOMLINE_POPCNT_EXTENSIONS)

namespace bloomline::kernels {
namespace {

struct Query : PlainQuery {
  template <unsigned kArrangement>
  BLOOMLINE_POPCNT __attribute__((noinline)) static bool Rest(const char* block, uint64_t word,
                                                              uint64_t field, unsigned header,
                                                              uint64_t hash) {
    return RestMatches<kArrangement>(block, {word, field}, header, hash);
  }
};

template <unsigned kArrangement>
BLOOMLINE_POPCNT bool MayMatch(const CompactFilter& filter, uint64_t hash) {
  return CompactMayMatch<kArrangement, Query>(filter, hash);
}

template <unsigned kArrangement>
BLOOMLINE_POPCNT void MayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                                   bool* may_match) {
  const CompactFilter blocks = filter;
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = CompactMayMatch<kArrangement, Query>(blocks, hashes[i]);
  }
}

}  // namespace

CompactKernel PopcntCompact() {
  CompactKernel kernel = PortableCompact();
  SetForEachArrangement(&kernel, [](auto arrangement, CompactKernel* k) {
    k->may_match[arrangement] = MayMatch<arrangement>;
    k->may_match_many[arrangement] = MayMatchMany<arrangement>;
  });
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
