// Compact filters in the table of layouts.
#include <cstring>

#include "src/filter/layouts/compact/compact_block.h"
#include "src/filter/layouts/compact/compact_bloom_block.h"
#include "src/filter/layouts/layout_row.h"

namespace bloomline::filter {
namespace {

static_assert(kMaxSolvedKeys == kernels::kMaxCompactSlots);

const kernels::Arrangement& ArrangementOf(const FilterShape& shape) {
  return kernels::kArrangements[shape.arrangement];
}

// More different hashes than a block can have slots, or no solution, give a Bloom block.
void SolveBlock(uint64_t* hashes, size_t n, const FilterShape& shape, const kernels::Kernel& kernel,
                char* block) {
  std::memset(block, 0, shape.block_bytes);
  if (n == 0) return;
  if (n > kMaxSolvedKeys) n = DropRepeats(hashes, n);
  const bool solved =
      n <= kMaxSolvedKeys && kernel.compact.solve(shape.arrangement, hashes, n, block);
  if (!solved) kernels::WriteBloomBlock(ArrangementOf(shape), hashes, n, block);
}

// A Bloom block takes more hashes at any time. An overfull one becomes one here: whatever follows,
// SolveBlock would make it of all hashes.
bool AddToBlock(const uint64_t* hashes, size_t n, const FilterShape& shape, bool is_overfull,
                char* block) {
  const kernels::Arrangement& arrangement = ArrangementOf(shape);
  if (kernels::IsBloomBlock(arrangement, block)) {
    kernels::InsertIntoBloomBlock(arrangement, hashes, n, block);
    return true;
  }
  if (is_overfull) kernels::WriteBloomBlock(arrangement, hashes, n, block);
  return is_overfull;
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kCompact;
  row.name = "compact";
  row.trailer_shape = [](uint32_t arrangement) { return FilterShape::Compact(0, arrangement); };
  row.trailer_parameter = [](const FilterShape& shape) { return shape.arrangement; };
  row.max_parameter = kernels::kNumArrangements - 1;
  row.open = [](const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) {
    filter->may_match = kernel.compact.may_match[payload.arrangement];
    filter->may_match_many = kernel.compact.may_match_many[payload.arrangement];
  };
  row.solve_block = SolveBlock;
  row.add_to_block = AddToBlock;
  row.match_all_block = [](const FilterShape& shape, char* block) {
    kernels::WriteMatchAllBlock(ArrangementOf(shape), block);
  };
  return row;
}

}  // namespace

constexpr LayoutRow kCompactRow = MakeRow();

}  // namespace bloomline::filter
