#include "src/filter/writer/compact_builder.h"

#include <algorithm>
#include <cstring>

#include "src/filter/kernels/compact/compact_block.h"
#include "src/filter/kernels/compact/compact_bloom_block.h"

namespace bloomline::filter {

void SolveBlock(uint64_t* hashes, size_t n, const FilterShape& shape, const kernels::Kernel& kernel,
                char* block) {
  std::memset(block, 0, shape.block_bytes);
  if (n == 0) return;
  if (n > kernels::kMaxCompactSlots) {
    // Equal hashes are one equation.
    std::sort(hashes, hashes + n);
    n = static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
  }
  const bool solved =
      n <= kernels::kMaxCompactSlots && kernel.compact.solve(shape.arrangement, hashes, n, block);
  if (!solved)
    kernels::WriteBloomBlock(kernels::kArrangements[shape.arrangement], hashes, n, block);
}

}  // namespace bloomline::filter
