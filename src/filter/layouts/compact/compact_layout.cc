// Compact filters in the table of layouts, and their queries in plain C++: the specification.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/compact_block.h"
#include "src/filter/hash/block_run.h"
#include "src/filter/layouts/compact/compact.h"
#include "src/filter/layouts/compact/compact_query.h"
#include "src/filter/layouts/compact/solver/solve.h"

namespace bloomline::kernels {
namespace {

struct Query : PlainQuery<Query> {};

}  // namespace

CompactKernel PortableCompact() { return MakeCompactKernel<Query>(PortableSolveCompact); }

}  // namespace bloomline::kernels

namespace bloomline::filter {
namespace {

const kernels::Arrangement& ShapeArrangement(const FilterShape& shape) {
  return kernels::kArrangements[shape.arrangement];
}

// The number of fast columns, by the least bits per key at which it is used: more of them end a
// missing key's query sooner, but have room for fewer slots. Chosen by measurement:
// docs/rejected.md.
struct ArrangementChoice {
  double from_bits_per_key;
  uint32_t arrangement;
};
constexpr ArrangementChoice kArrangementChoices[] = {
    {9.8, kernels::k64Fast7}, {8.2, kernels::k64Fast6}, {6.4, kernels::k64Fast5},
    {5.5, kernels::k64Fast4}, {3.6, kernels::k32Fast3}, {0, kernels::k32Fast2}};

uint32_t ArrangementFor(double bits_per_key) {
  for (const ArrangementChoice& choice : kArrangementChoices) {
    if (bits_per_key >= choice.from_bits_per_key) return choice.arrangement;
  }
  return kernels::k32Fast2;
}

// Blocks have 64 bytes, or 32 below 5.5 bits per key, because blocks of 64 would have more keys
// than slots.
FilterShape Shape(const ShapeRequest& request) {
  const uint32_t arrangement = ArrangementFor(request.bits_per_key);
  const uint32_t block_bytes = kernels::kArrangements[arrangement].block_bytes;
  return FilterShape::Compact(WholeBlocks(request, block_bytes), arrangement);
}

// Takes blocks of 32 bytes if larger ones, with the container, would take more than kMaxRounding
// times what the keys pay for, and the small blocks alone take at least kMinPayload times that: the
// container may not cost most of the accuracy. At 10 bits per key, 186 keys then take 244 instead
// of 276 bytes, at 0.27 instead of 0.08 %.
FilterShape LittleRoundedShape(const ShapeRequest& request) {
  constexpr double kMaxRounding = 1.1;
  constexpr double kMinPayload = 0.95;
  // At more bits per key, such a block has too few keys for its slots, which are at least 22.
  constexpr double kMaxSmallBlocksBitsPerKey = 11;
  const FilterShape shape = Shape(request);
  const double paid_bytes = static_cast<double>(request.num_keys) * request.bits_per_key / 8;
  const auto num_bytes = static_cast<double>(shape.payload_bytes() + request.end_bytes);
  if (shape.num_blocks == 1 || request.bits_per_key > kMaxSmallBlocksBitsPerKey ||
      num_bytes <= kMaxRounding * paid_bytes) {
    return shape;
  }
  FilterShape small = FilterShape::Compact(1, kernels::k32Fast3);
  const double blocks =
      std::ceil((paid_bytes - static_cast<double>(request.end_bytes)) / small.block_bytes);
  small.num_blocks = static_cast<uint64_t>(std::max(1.0, blocks));
  const bool is_accurate = static_cast<double>(small.payload_bytes()) >= kMinPayload * paid_bytes;
  return is_accurate && small.payload_bytes() < shape.payload_bytes() ? small : shape;
}

void SetBloomHeader(const kernels::Arrangement& arrangement, unsigned num_probes, char* block) {
  char* const last = block + arrangement.block_bytes - 8;
  kernels::StoreLittleEndian64(
      kernels::LoadLittleEndian64(last) | kernels::HeaderBits(kernels::kBloomCode, num_probes),
      last);
}

// Writes the block of n > 0 hashes into zeroed bytes.
void WriteBloomBlock(const kernels::Arrangement& arrangement, const uint64_t* hashes, size_t n,
                     char* block) {
  const unsigned num_probes = kernels::BloomBlockNumProbes(arrangement.payload_bits(), n);
  SetBloomHeader(arrangement, num_probes, block);
  for (size_t i = 0; i < n; ++i) {
    for (unsigned j = 0; j < num_probes; ++j) {
      kernels::SetBit(block, kernels::BloomBlockBit(hashes[i], j, arrangement.payload_bits()));
    }
  }
}

// With more different hashes than a block can have slots, or without a solution, the block becomes
// a Bloom block.
void SolveBlock(uint64_t* hashes, size_t n, const FilterShape& shape, const kernels::Kernel& kernel,
                char* block) {
  std::memset(block, 0, shape.block_bytes);
  if (n == 0) return;
  if (n > kernels::kMaxCompactSlots) n = DropRepeats(hashes, n);
  const bool solved =
      n <= kernels::kMaxCompactSlots && kernel.compact.solve(shape.arrangement, hashes, n, block);
  if (!solved) WriteBloomBlock(ShapeArrangement(shape), hashes, n, block);
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kCompact;
  row.name = "compact";
  row.long_name = "bloomline compact";
  row.format = Format::kCompact;
  row.shape = Shape;
  row.table_shape = LittleRoundedShape;
  row.trailer_shape = [](uint32_t arrangement) { return FilterShape::Compact(0, arrangement); };
  row.max_parameter = kernels::kNumArrangements - 1;
  row.open = [](const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) {
    filter->may_match = kernel.compact.may_match[payload.arrangement];
    filter->may_match_many = kernel.compact.may_match_many[payload.arrangement];
  };
  row.solve_block = SolveBlock;
  return row;
}

}  // namespace

constexpr LayoutRow kCompactRow = MakeRow();

}  // namespace bloomline::filter
