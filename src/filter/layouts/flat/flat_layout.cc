// Flat Bloom filters in the table of layouts.
#include <algorithm>

#include "src/filter/layouts/flat/flat.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/layouts/leveldb_codes.h"

namespace bloomline::filter {
namespace {

FilterShape TableShape(const ShapeRequest& request) {
  // As RocksDB's own smallest filter: it takes partitions smaller than this one to be pointless.
  constexpr uint64_t kMinBytes = kernels::kBlockBytes;
  return FilterShape::Flat(std::max(kMinBytes, WholeBytes(request)), request.num_probes);
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kFlat;
  row.name = "flat";
  row.long_name = "bloomline flat";
  row.table_shape = TableShape;
  row.leveldb_shape = [](const ShapeRequest& request) {
    return FilterShape::Flat(WholeBytes(request), request.num_probes);
  };
  row.trailer_shape = [](uint32_t k) { return FilterShape::Flat(0, static_cast<int>(k)); };
  row.trailer_parameter = [](const FilterShape& shape) {
    return static_cast<uint32_t>(shape.num_probes);
  };
  row.min_parameter = kMinProbes;
  row.max_parameter = kMaxProbes;
  row.max_payload_bytes = kMaxFlatBytes;
  row.leveldb_code = [](const FilterShape& shape) { return kFlatCodeBase + shape.num_probes; };
  row.open = [](const Payload&, const kernels::Kernel&, OpenFilter* filter) {
    filter->may_match = kernels::FlatMayMatch;
  };
  row.insert = [](const FilterShape& shape, const kernels::Kernel&, char* data, size_t n,
                  const uint64_t* hashes) {
    kernels::FlatInsertMany(ForKernel(shape, data), n, hashes);
  };
  return row;
}

}  // namespace

constexpr LayoutRow kFlatRow = MakeRow();

}  // namespace bloomline::filter
