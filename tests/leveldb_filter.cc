#include "tests/leveldb_filter.h"

#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "src/build/bloom_builder.h"
#include "src/build/small_set_builder.h"
#include "src/format/layout.h"
#include "src/format/leveldb_codes.h"

namespace bloomline::tests {
namespace {

core::FilterShape ShapeFor(const FilterOptions& options, size_t num_keys) {
  const double bits_per_key = options.bits_per_key;
  if (options.format == Format::kClassic) return core::ClassicShape(num_keys, bits_per_key);
  if (options.format == Format::kCompact) {
    const core::FilterShape shape = core::SmallSetCompactShape(num_keys, bits_per_key);
    if (shape.layout == core::Layout::kSmallSet) return shape;
  }
  return core::SmallSetShape(num_keys, bits_per_key, OptimalStandardNumProbes(bits_per_key),
                             OptimalNumProbes(Format::kBlocked, bits_per_key));
}

}  // namespace

std::string LevelDBFilter(const FilterOptions& options, const std::vector<std::string_view>& keys) {
  const bool classic = options.format == Format::kClassic;
  const core::Layout layout = classic ? core::Layout::kClassic : core::Layout::kFlat;
  std::vector<uint64_t> hashes;
  for (const std::string_view key : keys) {
    const uint64_t hash = core::LayoutHash(layout, key, options.seed);
    if (classic || hashes.empty() || hashes.back() != hash) hashes.push_back(hash);
  }
  core::FilterShape shape = ShapeFor(options, hashes.size());
  std::string filter(shape.payload_bytes(), '\0');
  if (shape.layout == core::Layout::kSmallSet) {
    core::BuildSmallSet(hashes.data(), hashes.size(), &shape, kernels::ActiveKernel(),
                        filter.data());
  } else {
    core::InsertHashes(shape, kernels::ActiveKernel(), filter.data(), hashes.size(), hashes.data());
  }
  return filter + core::LevelDBCode(shape);
}

}  // namespace bloomline::tests
