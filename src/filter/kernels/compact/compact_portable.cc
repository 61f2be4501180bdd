// The specification of compact queries and of their solver.
#include "src/filter/kernels/compact/compact_kernel.h"
#include "src/filter/kernels/compact/compact_query.h"
#include "src/filter/kernels/compact/compact_solver.h"
#include "src/filter/kernels/compact/compact_solvers.h"

namespace bloomline::kernels {
namespace {

template <unsigned kArrangement>
bool MayMatch(const CompactFilter& filter, uint64_t hash) {
  return CompactMayMatch<kArrangement, PlainQuery>(filter, hash);
}

template <unsigned kArrangement>
void MayMatchMany(const CompactFilter& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  const CompactFilter blocks = filter;
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = CompactMayMatch<kArrangement, PlainQuery>(blocks, hashes[i]);
  }
}

}  // namespace

bool PortableSolveCompact(unsigned arrangement, const uint64_t* hashes, size_t n, char* block) {
  return SolveBlock(arrangement, hashes, n, block);
}

CompactKernel PortableCompact() {
  CompactKernel kernel;
  SetForEachArrangement(&kernel, [](auto arrangement, CompactKernel* k) {
    k->may_match[arrangement] = MayMatch<arrangement>;
    k->may_match_many[arrangement] = MayMatchMany<arrangement>;
  });
  kernel.solve = PortableSolveCompact;
  return kernel;
}

}  // namespace bloomline::kernels
