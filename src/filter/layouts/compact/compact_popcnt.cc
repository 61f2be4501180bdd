// Compact queries compiled with POPCNT, which gives a parity in two instructions instead of eight.
#if defined(__x86_64__)

#include "src/filter/cpu/x86_extensions.h"
#include "src/filter/layouts/compact/compact_kernel.h"
#include "src/filter/layouts/compact/compact_query.h"

#define BLOOMLINE_POPCNT BLOOMLINE_TARGET(BLOOMLINE_POPCNT_EXTENSIONS)

namespace bloomline::kernels {
namespace {

struct Query : PlainQuery<Query> {
  template <unsigned kArrangement>
  BLOOMLINE_POPCNT __attribute__((noinline)) static bool PoolColumns(const char* block,
                                                                     uint64_t word, uint64_t field,
                                                                     unsigned header,
                                                                     uint64_t hash) {
    return PoolMatches<kArrangement>(block, {word, field}, header, hash);
  }

  template <unsigned kArrangement>
  BLOOMLINE_POPCNT static bool MayMatch(const CompactFilter& filter, uint64_t hash) {
    return CompactMayMatch<kArrangement, Query>(filter, hash);
  }

  template <unsigned kArrangement>
  BLOOMLINE_POPCNT static void MayMatchMany(const CompactFilter& filter, size_t n,
                                            const uint64_t* hashes, bool* may_match) {
    CompactMayMatchMany<kArrangement, Query>(filter, n, hashes, may_match);
  }
};

}  // namespace

CompactKernel PopcntCompact() { return CompactKernelOf<Query>(PortableSolveCompact); }

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
