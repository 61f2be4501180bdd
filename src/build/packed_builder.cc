#include "src/build/packed_builder.h"

#include <algorithm>
#include <cstring>

#include "src/kernels/packed/packed_block.h"

namespace bloomline::core {

// The decoder's limits keep queries inside the kernels' tables.
static_assert(kMaxPackedBlockBytes == kernels::kBlockBytes &&
              kMaxPackedBaseSlots < kernels::kMaxSlots);
// Codes 0 to kMatchAllCode - 1 say up to so many slots.
static_assert(kMaxPackedBaseSlots + kernels::kMatchAllCode - 1 == kernels::kMaxSlots);

namespace {

// False: no solution.
bool Solve(const uint64_t* hashes, size_t n, const FilterShape& shape,
           const kernels::Kernel& kernel, char* block) {
  const unsigned base_slots = shape.base_slots;
  const unsigned last_slots = std::min(kernels::kMaxSlots, base_slots + kernels::kMatchAllCode - 1);
  if (n > last_slots) return false;
  kernels::PackedKeys keys(n);
  for (size_t i = 0; i < n; ++i) keys.Set(i, hashes[i]);
  const unsigned first_slots = std::max(static_cast<unsigned>(n), base_slots);
  for (unsigned slots = first_slots; slots <= last_slots; ++slots) {
    const int seed = kernel.packed.solve(keys, slots, shape.block_bytes, block);
    if (seed < 0) continue;
    block[shape.block_bytes - 1] =
        static_cast<char>(slots - base_slots + 64 * static_cast<unsigned>(seed));
    return true;
  }
  return false;
}

}  // namespace

void PackedMatchAll(const FilterShape& shape, char* block) {
  block[shape.block_bytes - 1] = static_cast<char>(kernels::kMatchAllCode);
}

void SolvePackedBlock(uint64_t* hashes, size_t n, const FilterShape& shape,
                      const kernels::Kernel& kernel, char* block) {
  std::memset(block, 0, shape.block_bytes);
  if (n == 0) return;
  if (n > kernels::kMaxSlots) {
    // Equal hashes are one equation.
    std::sort(hashes, hashes + n);
    n = static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
  }
  if (n > kernels::kMaxSlots || !Solve(hashes, n, shape, kernel, block)) {
    PackedMatchAll(shape, block);
  }
}

}  // namespace bloomline::core
