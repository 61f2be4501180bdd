#include "tests/support/leveldb_filter.h"

#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"

namespace bloomline::tests {
namespace {

filter::FilterShape ShapeFor(const FilterOptions& options, size_t num_keys) {
  if (options.format == Format::kCompact) {
    const filter::FilterShape shape =
        filter::kSmallSetRow.leveldb_shape({num_keys, options.bits_per_key});
    if (!shape.always_matches()) return shape;
  }
  return filter::LevelDBShapes(options.format, options.bits_per_key).For(num_keys);
}

}  // namespace

std::string LevelDBFilter(const FilterOptions& options, const std::vector<std::string_view>& keys) {
  const bool classic = options.format == Format::kClassic;
  std::vector<uint64_t> hashes;
  for (const std::string_view key : keys) {
    const uint64_t hash = classic ? filter::LevelDBHash32(key) : filter::Hash64(key, options.seed);
    if (classic || hashes.empty() || hashes.back() != hash) hashes.push_back(hash);
  }
  filter::FilterShape shape = ShapeFor(options, hashes.size());
  std::string filter(shape.payload_bytes(), '\0');
  filter::BuildSmallPayload(hashes.data(), hashes.size(), &shape, kernels::ActiveKernel(),
                            filter.data());
  return filter + filter::LevelDBCode(shape);
}

}  // namespace bloomline::tests
