// Compact blocks with POPCNT and BMI2.
#if defined(__x86_64__)

#include "src/kernels/avx2_bits.h"
#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/compact/compact_query.h"
#include "src/kernels/compact/compact_x86_solvers.h"

namespace bloomline::kernels {
namespace {

template <unsigned kArrangement>
BLOOMLINE_AVX2 bool MayMatch(const CompactFilter& filter, uint64_t hash) {
  return CompactMayMatch<kArrangement>(filter, hash);
}

template <unsigned kArrangement>
BLOOMLINE_AVX2 void MayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes,
                                 bool* may_match) {
  for (size_t i = 0; i < n; ++i) may_match[i] = CompactMayMatch<kArrangement>(filter, hashes[i]);
}

}  // namespace

CompactKernel Avx2Compact() {
  CompactKernel kernel;
  SetForEachArrangement(&kernel, [](auto arrangement, CompactKernel* k) {
    k->may_match[arrangement] = MayMatch<arrangement>;
    k->may_match_many[arrangement] = MayMatchMany<arrangement>;
  });
  kernel.solve = Avx2SolveCompact;
  return kernel;
}

}  // namespace bloomline::kernels

#endif  // defined(__x86_64__)
