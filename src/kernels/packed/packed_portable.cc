// The specification of packed blocks' queries and of their solver.
#include "src/kernels/packed/packed_kernel.h"
#include "src/kernels/packed/packed_query.h"
#include "src/kernels/packed/packed_solver.h"

namespace bloomline::kernels {
namespace {

bool MayMatch(const PackedFilter& filter, uint64_t hash) {
  return PackedBlockMayMatch(PackedBlock(filter, hash), filter.block_bytes, filter.base_slots,
                             hash);
}

void MayMatchMany(const PackedFilter& filter, size_t n, const uint64_t* hashes, bool* may_match) {
  for (size_t i = 0; i < n; ++i) {
    may_match[i] = PackedBlockMayMatch(PackedBlock(filter, hashes[i]), filter.block_bytes,
                                       filter.base_slots, hashes[i]);
  }
}

void EliminateBelow(PackedEquations* equations, size_t num_equations, size_t pivot, bool in_second,
                    uint64_t bit) {
  const uint64_t first = equations->first[pivot];
  const uint64_t second = equations->second[pivot];
  const uint64_t* tested = in_second ? equations->second : equations->first;
  const int shift = __builtin_ctzll(bit);
  for (size_t i = pivot + 1; i < num_equations; ++i) {
    const uint64_t mask = ~(tested[i] >> shift & 1) + 1;
    equations->first[i] ^= first & mask;
    equations->second[i] ^= second & mask;
  }
}

int Solve(const PackedKeys& keys, unsigned slots, uint32_t block_bytes, char* block) {
  return SolvePackedBlock(keys, slots, block_bytes, block, EliminateBelow);
}

}  // namespace

PackedKernel PortablePacked() {
  PackedKernel kernel;
  kernel.may_match = MayMatch;
  kernel.may_match_many = MayMatchMany;
  kernel.solve = Solve;
  return kernel;
}

}  // namespace bloomline::kernels
