// LevelDB opens no small set for many queries.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "src/filter/bits/small_set_block.h"
#include "src/filter/layouts/small_set/small_set.h"
#include "src/filter/rates/rates.h"

namespace bloomline::filter {
namespace {

using kernels::small_set::kHeaderAttempts;

// Takes the bytes of a flat filter. Layout kAlwaysMatch if no blocks fit.
FilterShape Shape(const ShapeRequest& request) {
  constexpr uint64_t kMaxKeysOfOneBlock = 56;  // of up to 63 slots
  constexpr uint64_t kMeanKeysOfSeveral = 40;  // and a block's load varies
  const uint64_t bytes = WholeBytes(request);
  const uint64_t for_keys =
      request.num_keys <= kMaxKeysOfOneBlock ? 1 : CeilDiv(request.num_keys, kMeanKeysOfSeveral);
  const uint64_t num_blocks = std::max(for_keys, CeilDiv(bytes, kMaxSmallSetBlockBytes));
  const uint64_t block_bytes = bytes / num_blocks;
  if (block_bytes < kMinSmallSetBlockBytes || num_blocks > kMaxSmallSetBlocks) return {};
  return FilterShape::SmallSet(num_blocks, static_cast<uint32_t>(block_bytes), 0);
}

// Drops equal hashes, which are one equation. Returns how many are left, at the start of the array.
size_t DropRepeats(uint64_t* hashes, size_t n) {
  std::sort(hashes, hashes + n);
  return static_cast<size_t>(std::unique(hashes, hashes + n) - hashes);
}

// Returns the number of the attempt.
unsigned SolveBlock(uint64_t* hashes, size_t n, unsigned num_attempts, uint32_t block_bytes,
                    const kernels::Kernel& kernel, char* block) {
  if (n > kernels::small_set::kMaxBlockSlots) n = DropRepeats(hashes, n);
  if (n <= kernels::small_set::kMaxBlockSlots) {
    const int attempt = kernel.small_set.solve(hashes, n, num_attempts, block_bytes, block);
    if (attempt >= 0) return static_cast<unsigned>(attempt);
  }
  std::memset(block, 0, block_bytes);
  static_assert(kernels::small_set::kMatchAllSlots == 0, "matches every key");
  return 0;
}

// Sets shape->attempt.
void Build(uint64_t* hashes, size_t n, FilterShape* shape, const kernels::Kernel& kernel,
           char* data) {
  if (shape->num_blocks == 1) {
    const unsigned attempt =
        SolveBlock(hashes, n, kernels::small_set::kMaxAttempts, shape->block_bytes, kernel, data);
    shape->attempt = attempt / kHeaderAttempts * kHeaderAttempts;
    return;
  }
  // A counting sort by block.
  std::vector<uint64_t> sorted(n);
  size_t ends[kMaxSmallSetBlocks] = {};
  const auto block_of = [num_blocks = shape->num_blocks](uint64_t hash) {
    return kernels::BlockIndex(hash, num_blocks);
  };
  std::for_each(hashes, hashes + n, [&](uint64_t hash) { ++ends[block_of(hash)]; });
  size_t sum = 0;
  for (size_t& end : ends) sum += std::exchange(end, sum);
  std::for_each(hashes, hashes + n, [&](uint64_t hash) { sorted[ends[block_of(hash)]++] = hash; });
  size_t start = 0;
  for (uint64_t i = 0; i < shape->num_blocks; start = ends[i++]) {
    SolveBlock(sorted.data() + start, ends[i] - start, kHeaderAttempts, shape->block_bytes, kernel,
               data + i * shape->block_bytes);
  }
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kSmallSet;
  row.name = "compact, small set";
  row.long_name = "bloomline small set";
  row.format = Format::kCompact;
  row.leveldb_shape = Shape;
  row.rate = [](const FilterShape& shape, uint64_t num_keys) {
    return SmallSetRate(num_keys, shape.num_blocks, shape.block_bytes);
  };
  row.build = Build;
  return row;
}

}  // namespace

constexpr LayoutRow kSmallSetRow = MakeRow();

}  // namespace bloomline::filter
