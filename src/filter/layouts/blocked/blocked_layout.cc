// Blocked Bloom filters in the table of layouts.
#include "bloomline/filter_theory.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/layouts/leveldb_codes.h"

namespace bloomline::filter {
namespace {

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kBlocked;
  row.name = "blocked";
  row.long_name = "bloomline blocked";
  row.trailer_shape = [](uint32_t k) { return FilterShape::Blocked(0, static_cast<int>(k)); };
  row.trailer_parameter = [](const FilterShape& shape) {
    return static_cast<uint32_t>(shape.num_probes);
  };
  row.min_parameter = kMinProbes;
  row.max_parameter = kMaxProbes;
  row.leveldb_code = [](const FilterShape& shape) { return kBlockedCodeBase + shape.num_probes; };
  row.open = [](const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) {
    filter->may_match = kernel.blocked.may_match_for(payload.num_probes);
    filter->may_match_many = kernel.blocked.may_match_many;
  };
  row.rate = [](const FilterShape& shape, double bits_per_key) {
    return BlockedFalsePositiveRate(bits_per_key, shape.num_probes);
  };
  row.exact_rate = [](const FilterShape& shape, uint64_t num_keys) {
    return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
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
