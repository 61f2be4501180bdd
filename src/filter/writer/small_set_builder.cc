#include "src/filter/writer/small_set_builder.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "src/filter/format/leveldb_codes.h"
#include "src/filter/kernels/small_set/small_set_block.h"
#include "src/filter/writer/keys_by_block.h"
#include "src/filter/writer/partition.h"

namespace bloomline::filter {

// The decoder's limits are the kernels'.
static_assert(kMaxSmallSetBlockBytes == kernels::small_set::kMaxBlockBytes);
static_assert(kAttemptsPerCode == kernels::small_set::kHeaderAttempts &&
              kAttemptsPerCode * kNumOneBlockCodes == kernels::small_set::kMaxAttempts);

namespace {

// Returns the number of the attempt. Throws nothing.
unsigned SolveBlock(uint64_t* hashes, size_t n, unsigned num_attempts, uint32_t block_bytes,
                    const kernels::Kernel& kernel, char* block) {
  if (n > kernels::small_set::kMaxBlockSlots) {
    // Equal hashes are one equation.
    std::sort(hashes, hashes + n);
    n = static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
  }
  if (n <= kernels::small_set::kMaxBlockSlots) {
    const int attempt = kernel.small_set.solve(hashes, n, num_attempts, block_bytes, block);
    if (attempt >= 0) return static_cast<unsigned>(attempt);
  }
  std::memset(block, 0, block_bytes);
  static_assert(kernels::small_set::kMatchAllSlots == 0, "matches every key");
  return 0;
}

}  // namespace

void BuildSmallSet(uint64_t* hashes, size_t n, FilterShape* shape, const kernels::Kernel& kernel,
                   char* data) {
  if (shape->num_blocks == 1) {
    const unsigned attempt =
        SolveBlock(hashes, n, kernels::small_set::kMaxAttempts, shape->block_bytes, kernel, data);
    shape->first_attempt = attempt / kAttemptsPerCode * kAttemptsPerCode;
    return;
  }
  std::vector<uint64_t> sorted(n);
  KeysByBlock by_block(shape->num_blocks, {0, shape->num_blocks});
  by_block.Sort(hashes, n, sorted.data());
  by_block.ForEachBlock(sorted.data(), [&](size_t i, uint64_t* of_block, size_t count) {
    SolveBlock(of_block, count, kAttemptsPerCode, shape->block_bytes, kernel,
               data + i * shape->block_bytes);
  });
}

}  // namespace bloomline::filter
