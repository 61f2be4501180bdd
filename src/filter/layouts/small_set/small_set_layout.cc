// LevelDB opens no small set for many queries.
#include <algorithm>
#include <cstring>
#include <vector>

#include "src/filter/bits/small_set_block.h"
#include "src/filter/hash/block_run.h"
#include "src/filter/layouts/small_set/small_set.h"

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

// Sets shape->first_attempt.
void Build(uint64_t* hashes, size_t n, FilterShape* shape, const kernels::Kernel& kernel,
           char* data) {
  if (shape->num_blocks == 1) {
    const unsigned attempt =
        SolveBlock(hashes, n, kernels::small_set::kMaxAttempts, shape->block_bytes, kernel, data);
    shape->first_attempt = attempt / kHeaderAttempts * kHeaderAttempts;
    return;
  }
  std::vector<uint64_t> sorted(n);
  KeysByBlock by_block(shape->num_blocks, {0, static_cast<size_t>(shape->num_blocks)});
  const auto for_each_hash = [=](auto f) { std::for_each(hashes, hashes + n, f); };
  by_block.Sort(for_each_hash, sorted.data());
  by_block.ForEachBlock(sorted.data(), [&](size_t i, uint64_t* of_block, size_t count) {
    SolveBlock(of_block, count, kHeaderAttempts, shape->block_bytes, kernel,
               data + i * shape->block_bytes);
  });
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kSmallSet;
  row.name = "compact, small set";
  row.long_name = "bloomline small set";
  row.format = Format::kCompact;
  row.leveldb_shape = Shape;
  row.build = Build;
  return row;
}

}  // namespace

constexpr LayoutRow kSmallSetRow = MakeRow();

}  // namespace bloomline::filter
