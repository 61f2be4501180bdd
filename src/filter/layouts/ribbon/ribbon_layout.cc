// Ribbon filters in the table of layouts, and their size.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>

#include "src/filter/layouts/blocked/blocked.h"
#include "src/filter/layouts/flat/flat.h"
#include "src/filter/layouts/ribbon/ribbon.h"
#include "src/filter/layouts/ribbon/ribbon_solution.h"

namespace bloomline::filter {
namespace {

constexpr uint64_t kRowsPerBlock = stock::RibbonShape::kRowsPerBlock;
constexpr uint64_t kSegmentBytes = stock::RibbonShape::kSegmentBytes;

// With more keys, a seed would need more than 2^30 rows to have a solution.
constexpr uint64_t kMaxKeys = 950000000;

// Entry i is the most keys for 2^(8 + i) rows: as in RocksDB (stock/ribbon_size.cc), one seed of
// twenty then has no solution. In whole keys, because the size must be the same on every machine.
constexpr uint32_t kMinLog2Rows = 8;
constexpr uint64_t kKeysForRows[] = {248,      499,       1001,      2003,      4005,     8000,
                                     15966,    31828,     63447,     126506,    252087,   502339,
                                     1001033,  1994830,   3975292,   7922053,   15787450, 31462398,
                                     62701386, 124959113, 249037166, 496324592, 989174205};
static_assert(std::end(kKeysForRows)[-1] > kMaxKeys);

// At least two: the format has no filter of one block.
uint64_t BlocksOfRows(uint64_t num_keys) {
  const auto* const above =
      std::upper_bound(std::begin(kKeysForRows), std::end(kKeysForRows), num_keys);
  if (above == std::begin(kKeysForRows)) return 2;
  const uint64_t lower = above[-1];
  const auto lower_rows = uint64_t{1} << (kMinLog2Rows + (above - 1 - std::begin(kKeysForRows)));
  const uint64_t rows = lower_rows + CeilDiv((num_keys - lower) * lower_rows, *above - lower);
  return CeilDiv(rows, kRowsPerBlock);
}

// Bytes of the segments and of the field that says how many blocks they have.
uint64_t BytesOfSegments(uint64_t num_segments) {
  return num_segments * kSegmentBytes + kRowsFieldBytes;
}

// Whether a Ribbon filter has a lower rate than a flat Bloom filter of the same bytes. Few keys pay
// for 256 rows, and others for up to 127 rows by rounding. The binary logarithm of a Ribbon
// filter's rate is the mean number of columns where keys start, or up to 0.09 less where blocks
// differ by one column. All but one of the starts are before the last block, which has most
// columns. That of a Bloom filter is 0.693 times its bits per key.
bool IsRibbonBetter(uint64_t num_keys, uint64_t num_blocks, uint64_t num_segments) {
  constexpr uint64_t kManyKeys = 1 << 16;  // below, the products have fewer than 64 bits
  if (num_keys >= kManyKeys) return true;
  const uint64_t before_last = num_segments - CeilDiv(num_segments, num_blocks);
  return 100 * num_keys * before_last >
         (num_blocks - 1) * (9 * num_keys + 555 * BytesOfSegments(num_segments));
}

double BitsPerKeyOf(uint64_t num_bytes, uint64_t num_keys) {
  return std::min(kMaxBitsPerKey,
                  8 * static_cast<double>(num_bytes) / static_cast<double>(num_keys));
}

// Bloom filters in the place of these segments and their field. A blocked one leaves bytes for a
// field that readers skip.
FilterShape FlatInsteadOf(uint64_t num_segments, uint64_t num_keys) {
  const uint64_t num_bytes = BytesOfSegments(num_segments);
  return FilterShape::Flat(num_bytes, kFlatRow.num_probes(BitsPerKeyOf(num_bytes, num_keys)));
}
FilterShape BlockedInsteadOf(uint64_t num_segments, uint64_t num_keys) {
  const uint64_t num_bytes = BytesOfSegments(num_segments);
  return FilterShape::Blocked(num_bytes / kernels::kBlockBytes,
                              kBlockedRow.num_probes(BitsPerKeyOf(num_bytes, num_keys)));
}

// More keys than a Ribbon filter can have: as many bytes, rounded up to whole blocks.
FilterShape BlockedOfManyKeys(uint64_t num_segments, const ShapeRequest& request) {
  const uint64_t num_bytes = BytesOfSegments(num_segments);
  const uint64_t most = std::max<uint64_t>(request.max_payload_bytes / kernels::kBlockBytes, 1);
  return FilterShape::Blocked(std::min(num_bytes / kernels::kBlockBytes + 1, most),
                              kBlockedRow.num_probes(BitsPerKeyOf(num_bytes, request.num_keys)));
}

// More keys never take fewer bytes.
FilterShape Shape(const ShapeRequest& request) {
  const uint64_t num_keys = request.num_keys;
  if (num_keys == 0) return kBlockedRow.shape(request);
  const uint64_t num_blocks = BlocksOfRows(std::min(num_keys, kMaxKeys));
  ShapeRequest segments = request;
  segments.end_bytes += kRowsFieldBytes;
  segments.max_payload_bytes -= std::min(request.max_payload_bytes, kRowsFieldBytes);
  const uint64_t num_segments = WholeBlocks(segments, kSegmentBytes);
  if (num_keys > kMaxKeys) return BlockedOfManyKeys(num_segments, request);
  const uint64_t most_segments = num_blocks * stock::RibbonShape::kMaxColumns;
  const uint64_t used = std::min(num_segments, most_segments);
  if (!IsRibbonBetter(num_keys, num_blocks, used)) return FlatInsteadOf(used, num_keys);
  return FilterShape::Ribbon(used, static_cast<uint32_t>(num_blocks));
}

// One seed of twenty has no solution. If these all have none, hashes were chosen for that, and more
// seeds would only take more time: a Bloom filter takes the same bytes.
constexpr uint32_t kMaxSeeds = 32;

// The first seed with a solution, from 0 on.
std::unique_ptr<Solution> Solve(HashList* hashes, uint64_t, const ShapeRequest& request,
                                const kernels::Kernel& kernel, FilterShape* shape) {
  auto solution = std::make_unique<RibbonSolution>(kernel, *shape);
  if (solution->Solve(hashes, 0, kMaxSeeds)) {
    shape->attempt = static_cast<uint32_t>(solution->seed());
    return solution;
  }
  const uint64_t num_segments = shape->num_blocks;
  const bool has_whole_block = BytesOfSegments(num_segments) > kernels::kBlockBytes;
  *shape = has_whole_block ? BlockedInsteadOf(num_segments, request.num_keys)
                           : FlatInsteadOf(num_segments, request.num_keys);
  solution->set_fallback(has_whole_block ? kBlockedRow : kFlatRow);
  return solution;
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kRibbon;
  row.name = "ribbon";
  row.long_name = "bloomline ribbon";
  row.format = Format::kRibbon;
  row.shape = Shape;
  row.rate = RibbonRate;
  row.trailer_shape = [](uint32_t seed) {
    FilterShape shape = FilterShape::Ribbon(0, 0);
    shape.attempt = seed;
    return shape;
  };
  row.has_rows_field = true;
  row.open = [](const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) {
    OpenRibbon(payload, payload.attempt, kernel, filter);
  };
  row.solve = Solve;
  return row;
}

}  // namespace

constexpr LayoutRow kRibbonRow = MakeRow();

}  // namespace bloomline::filter
