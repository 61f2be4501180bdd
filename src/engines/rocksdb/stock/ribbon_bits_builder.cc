#include "src/engines/rocksdb/stock/ribbon_bits_builder.h"

#include <algorithm>
#include <utility>

#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/builder/useless_filter.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/stock/stock_size.h"
#include "src/filter/table/layout_table.h"
#include "src/support/memory.h"

namespace bloomline::engine {
namespace {

bool ChargesConstruction(const BlockBasedTableOptions& options) {
  if (options.block_cache == nullptr) return false;
#if BLOOMLINE_ROCKSDB_VERSION >= 703
  using ROCKSDB_NAMESPACE::CacheEntryRole;
  const auto& usage = options.cache_usage_options;
  const auto of_role = usage.options_overrides.find(CacheEntryRole::kFilterConstruction);
  const auto charged =
      of_role != usage.options_overrides.end() ? of_role->second.charged : usage.options.charged;
  return charged == ROCKSDB_NAMESPACE::CacheEntryRoleOptions::Decision::kEnabled;
#else
  return options.reserve_table_builder_memory;
#endif
}

size_t FilterBytes(const filter::FilterShape& shape) {
  return static_cast<size_t>(shape.payload_bytes()) + stock::kMetadataBytes;
}

// The plan of a filter, and filters of other sizes in its place.
struct Sizes {
  const filter::FilterShape& plan;
  uint64_t num_keys;

  // The same with the whole blocks of `bytes`. A Bloom filter gets the k for its size and not for
  // its bits per key.
  filter::FilterShape Of(uint64_t bytes) const {
    filter::FilterShape shape = plan;
    shape.num_blocks = std::min(bytes, stock::kMaxPayloadBytes) / shape.block_bytes;
    if (filter::IsBloom(shape)) {
      shape.num_probes =
          stock::BloomNumProbes(static_cast<int>(shape.payload_bytes() * 8000 / num_keys));
    }
    return shape;
  }
  // What RocksDB expects.
  double Rate(const filter::FilterShape& shape) const {
    if (shape.num_blocks == 0) return 1;
    if (filter::IsBloom(shape)) {
      return stock::ExpectedBloomRateOf(num_keys, shape.payload_bytes(), shape.num_probes);
    }
    return stock::ExpectedRibbonRateOf({shape.row_blocks, shape.payload_bytes()});
  }
};

// As much smaller than it should be as the balance allows, but no less than three quarters.
filter::FilterShape LeastShape(const Sizes& sizes, int64_t balance) {
  const uint64_t target = sizes.plan.payload_bytes();
  const filter::FilterShape planned = sizes.Of(target);
  if (balance >= 0) return planned;
  const double allowed_rate =
      static_cast<double>(-balance) / double{0x100000000} + sizes.Rate(planned);
  for (const uint64_t rough : {uint64_t{3} * target / 4, uint64_t{13} * target / 16,
                               uint64_t{7} * target / 8, uint64_t{15} * target / 16}) {
    const filter::FilterShape shape = sizes.Of(rough);
    if (sizes.Rate(shape) <= allowed_rate) return shape;
  }
  return planned;
}

// XXPH3FilterBitsBuilder::AllocateMaybeRounding: with optimize_filters_for_memory, a filter gets
// all of what malloc sets aside for it. RocksDB asks malloc about the block that it writes the
// filter into, which operator new gave.
filter::FilterShape FittedShape(const filter::FilterShape& plan, uint64_t num_keys,
                                MemoryBalance* balance) {
  const Sizes sizes = {plan, num_keys};
  filter::FilterShape shape = LeastShape(sizes, balance->load());
  const size_t requested = FilterBytes(shape) + kBlockTrailerBytes;
  const size_t usable = support::HeapBytes(requested);
  const bool is_far_more = usable - usable / 4 > requested;
  if (usable > requested && !is_far_more) {
    shape = sizes.Of(usable - kBlockTrailerBytes - stock::kMetadataBytes);
  }
  const double excess = sizes.Rate(shape) - sizes.Rate(sizes.Of(plan.payload_bytes()));
  balance->fetch_add(static_cast<int64_t>(excess * double{0x100000000}));
  return shape;
}

}  // namespace

bool RibbonBitsBuilder::Serves(const FilterBuildingContext& context) {
  const BlockBasedTableOptions& options = context.table_options;
  return stock::kHashesAsRocksDB && !options.detect_filter_construct_corruption &&
         !ChargesConstruction(options);
}

RibbonBitsBuilder::RibbonBitsBuilder(std::shared_ptr<const FilterPolicy> policy,
                                     std::unique_ptr<FilterBitsBuilder> stock, Format format,
                                     double bits_per_key, const BlockBasedTableOptions& options,
                                     std::shared_ptr<MemoryBalance> balance,
                                     filter::FilterCounts* counts)
    : StockBuilder(std::move(policy), std::move(stock), options.partition_filters, counts),
      balance_(options.optimize_filters_for_memory ? std::move(balance) : nullptr),
      writer_({format, bits_per_key}, filter::PlanRow(format)) {}

Slice RibbonBitsBuilder::Build(std::unique_ptr<const char[]>* buf, Status* status,
                               BuildFacts* facts) {
  if (writer_.num_keys() == 0) return StockBuilder::Build(buf, status, facts);
  if (status != nullptr) *status = Status::OK();
  filter::FilterShape shape = writer_.Plan({});
  if (balance_ != nullptr) shape = FittedShape(shape, writer_.num_keys(), balance_.get());
  std::unique_ptr<char[]> memory(new char[FilterBytes(shape)]);
  writer_.FinishTo(shape, memory.get());
  if (shape.num_blocks == 0) return AlwaysMatch();
  const Slice filter(memory.get(), FilterBytes(shape));
  *buf = std::move(memory);
  return filter;
}

}  // namespace bloomline::engine
