// Blocked Bloom filters in the table of layouts.
#include <algorithm>
#include <cmath>

#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/layouts/leveldb_codes.h"

namespace bloomline::filter {
namespace {

FilterShape Shape(const ShapeRequest& request) {
  return FilterShape::Blocked(WholeBlocks(request, kernels::kBlockBytes), request.num_probes);
}

// To the nearest block: rounded up, the filter of 2,000 keys at 10 bits would exceed what LevelDB's
// own tests allow.
FilterShape LevelDBShape(const ShapeRequest& request) {
  const double blocks = static_cast<double>(request.num_keys) * request.bits_per_key /
                        static_cast<double>(kernels::kBlockBits);
  return FilterShape::Blocked(Saturated(std::max(1.0, std::floor(blocks + 0.5))),
                              request.num_probes);
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kBlocked;
  row.name = "blocked";
  row.long_name = "bloomline blocked";
  row.shape = Shape;
  row.table_shape = Shape;
  row.leveldb_shape = LevelDBShape;
  row.trailer_shape = [](uint32_t k) { return FilterShape::Blocked(0, static_cast<int>(k)); };
  row.min_parameter = kMinProbes;
  row.max_parameter = kMaxProbes;
  row.leveldb_code = [](const FilterShape& shape) { return kBlockedCodeBase + shape.num_probes; };
  row.open = [](const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) {
    filter->may_match = kernel.blocked.may_match_for(payload.num_probes);
    filter->may_match_many = kernel.blocked.may_match_many;
  };
  row.insert = [](const FilterShape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                  const uint64_t* hashes) {
    kernel.blocked.insert_many(ForKernel(shape, data), n, hashes);
  };
  return row;
}

}  // namespace

constexpr LayoutRow kBlockedRow = MakeRow();

}  // namespace bloomline::filter
