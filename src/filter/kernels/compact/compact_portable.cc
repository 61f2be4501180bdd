// The specification of compact queries and of their solver.
#include "src/filter/kernels/compact/compact_kernel.h"
#include "src/filter/kernels/compact/compact_query.h"
#include "src/filter/kernels/compact/compact_solver.h"

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

struct BlockSteps {
  static void ClearPair(BlockEquations* equations, size_t n, size_t pivot, bool in_second,
                        uint64_t bit) {
    const uint64_t first = equations->first[pivot];
    const uint64_t second = equations->second[pivot];
    const uint64_t* tested = in_second ? equations->second : equations->first;
    const int shift = __builtin_ctzll(bit);
    for (size_t i = 0; i < n; ++i) {
      const uint64_t mask = ~(tested[i] >> shift & 1) + 1;
      equations->first[i] ^= first & mask;
      equations->second[i] ^= second & mask;
    }
    equations->first[pivot] = first;
    equations->second[pivot] = second;
  }
  static void ClearFourPairs(BlockEquations* equations, size_t n, size_t pivot,
                             const FourPivots<2>& four) {
    for (unsigned j = 0; j < 4; ++j) ClearPair(equations, n, pivot + j, false, four.bits[j]);
  }
};

bool Solve(unsigned arrangement, const uint64_t* hashes, size_t n, char* block) {
  return SolveBlock<BlockSteps>(arrangement, hashes, n, block);
}

}  // namespace

CompactKernel PortableCompact() {
  CompactKernel kernel;
  SetForEachArrangement(&kernel, [](auto arrangement, CompactKernel* k) {
    k->may_match[arrangement] = MayMatch<arrangement>;
    k->may_match_many[arrangement] = MayMatchMany<arrangement>;
  });
  kernel.solve = Solve;
  return kernel;
}

}  // namespace bloomline::kernels
