// Blocked Bloom filters in the table of layouts.
#include <algorithm>
#include <cmath>

#include "bloomline/filter_theory.h"
#include "src/filter/layouts/blocked/blocked.h"
#include "src/filter/layouts/flat/flat.h"

namespace bloomline::filter {
namespace {

int NumProbes(double bits_per_key) {
  static constexpr double kMoreProbesFrom[] = {2.0820,  3.5842,  5.1037,  6.6734,  8.3169,  10.0575,
                                               11.9197, 13.9304, 16.1198, 18.5220, 21.1757, 24.1256,
                                               27.4234, 31.1291, 35.3131, 40.0578, 45.4604, 51.6358,
                                               58.7204, 66.8767, 76.2983, 87.2172, 99.9121};
  return NumProbesFrom(kMoreProbesFrom, bits_per_key);
}

FilterShape Shape(const ShapeRequest& request) {
  return FilterShape::Blocked(WholeBlocks(request, kernels::kBlockBytes),
                              NumProbes(request.bits_per_key));
}

// Up to this many keys, filters in tables are flat. At 10 bits per key, blocks would give 60 keys
// 84 bytes and a false-positive rate of 1.7 %, and 186 keys 276 bytes and 0.6 %; flat they take 95
// and 253 bytes, at 0.8 %. A query in the cache then takes 4.5 (up to 102 keys) or 6.3 ns instead
// of 2.9 (AVX-512); in RocksDB's own filter it takes 6.4 to 11. With more keys, rounding costs less
// than that time: flat filters of 201 to 500 keys would have 0.82 instead of 0.88 %, in 12 of 470
// bytes less.
constexpr uint64_t kMaxFlatTableKeys = 200;

FilterShape LittleRoundedShape(const ShapeRequest& request) {
  if (request.num_keys <= kMaxFlatTableKeys) return kFlatRow.sstable_shape(request);
  FilterShape shape = Shape(request);
  // More keys never take fewer bytes.
  const FilterShape largest_flat =
      kFlatRow.sstable_shape({kMaxFlatTableKeys, request.bits_per_key});
  shape.num_blocks =
      std::max(shape.num_blocks, CeilDiv(largest_flat.payload_bytes(), kernels::kBlockBytes));
  return shape;
}

// Rounds to the nearest block: rounded up, the filter of 2,000 keys at 10 bits would exceed what
// LevelDB's own tests allow.
FilterShape LevelDBShape(const ShapeRequest& request) {
  const double blocks = static_cast<double>(request.num_keys) * request.bits_per_key /
                        static_cast<double>(kernels::kBlockBits);
  return FilterShape::Blocked(Saturated(std::max(1.0, std::floor(blocks + 0.5))),
                              NumProbes(request.bits_per_key));
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kBlocked;
  row.name = "blocked";
  row.long_name = "bloomline blocked";
  row.format = Format::kBlocked;
  row.shape = Shape;
  row.sstable_shape = LittleRoundedShape;
  row.leveldb_shape = LevelDBShape;
  row.num_probes = NumProbes;
  row.rate = [](const FilterShape& shape, uint64_t num_keys) {
    return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
  };
  row.trailer_shape = [](uint32_t k) { return FilterShape::Blocked(0, static_cast<int>(k)); };
  row.min_parameter = kMinProbes;
  row.max_parameter = kMaxProbes;
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
