#include "src/engines/rocksdb/stock/ribbon_bits_builder.h"

#include <cstring>
#include <utility>

#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/builder/useless_filter.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/kernel_table.h"
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

// A filter's memory, and the part of it that is the payload.
struct Allocation {
  std::unique_ptr<char[]> buffer;
  uint64_t payload_bytes;
};

size_t FilterBytes(uint64_t payload_bytes) {
  return static_cast<size_t>(payload_bytes) + stock::kTrailerBytes;
}

// As much smaller than it should be as the balance allows, but no less than three quarters.
uint64_t LeastPayloadBytes(const stock::RibbonBuilder& builder, int64_t balance) {
  const uint64_t target = builder.payload_bytes();
  if (balance >= 0) return target;
  const double allowed_rate =
      static_cast<double>(-balance) / double{0x100000000} + builder.ExpectedRate(target);
  for (const uint64_t rough : {uint64_t{3} * target / 4, uint64_t{13} * target / 16,
                               uint64_t{7} * target / 8, uint64_t{15} * target / 16}) {
    const uint64_t bytes = builder.AllowedPayloadBytes(rough);
    if (builder.ExpectedRate(bytes) <= allowed_rate) return bytes;
  }
  return target;
}

// XXPH3FilterBitsBuilder::AllocateMaybeRounding: with optimize_filters_for_memory, a filter gets
// all of what malloc has set aside for it.
Allocation Allocate(const stock::RibbonBuilder& builder, MemoryBalance* balance) {
  const uint64_t target = builder.payload_bytes();
  if (balance == nullptr) {
    return {std::unique_ptr<char[]>(new char[FilterBytes(target)]()), target};
  }
  uint64_t bytes = LeastPayloadBytes(builder, balance->load());
  const size_t requested = FilterBytes(bytes) + kBlockTrailerBytes;
  std::unique_ptr<char[]> buffer(new char[requested]);
  const size_t usable = support::UsableBytes(buffer.get());
  const bool is_far_more = usable - usable / 4 > requested;
  if (usable > requested && !is_far_more) {
    bytes = builder.AllowedPayloadBytes(usable - kBlockTrailerBytes - stock::kTrailerBytes);
  }
  std::memset(buffer.get(), 0, FilterBytes(bytes));
  const double excess = builder.ExpectedRate(bytes) - builder.ExpectedRate(target);
  balance->fetch_add(static_cast<int64_t>(excess * double{0x100000000}));
  return {std::move(buffer), bytes};
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
      builder_(kernels::ActiveKernel().stock.ribbon_solver, bits_per_key, balance_ != nullptr,
               /*only_bloom=*/format == Format::kBloom) {}

Slice RibbonBitsBuilder::Build(std::unique_ptr<const char[]>* buf, Status* status, Facts* facts) {
  if (builder_.num_entries() == 0) return StockBuilder::Build(buf, status, facts);
  if (status != nullptr) *status = Status::OK();
  builder_.Solve();
  Allocation memory = Allocate(builder_, balance_.get());
  builder_.FinishTo(memory.payload_bytes, memory.buffer.get());
  if (memory.payload_bytes == 0) return AlwaysMatch();
  const Slice filter(memory.buffer.get(), FilterBytes(memory.payload_bytes));
  *buf = std::move(memory.buffer);
  return filter;
}

}  // namespace bloomline::engine
