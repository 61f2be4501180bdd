#include "src/engines/rocksdb/stock/stock_policies.h"

#include <algorithm>

#include "rocksdb/convenience.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/builder/useless_filter.h"
#include "src/engines/rocksdb/stock/stock_builder.h"
#include "src/filter/options/formats.h"
#include "src/filter/stock/stock_size.h"
#include "src/support/number_text.h"

namespace bloomline::engine {

thread_local int StockPolicyScope::depth_ = 0;

namespace {

// RocksDB's policies have thousandths at most.
double WrittenBits(double bits_per_key) {
  return stock::Millibits(std::max(0.0, bits_per_key)) / 1000.0;
}

}  // namespace

const char* StockPolicyName(Format format) { return filter::RowOf(format).rocksdb_policy; }

std::string StockPolicyText(Format format, double bits_per_key, int bloom_before_level) {
  const std::string bits = support::DoubleText(WrittenBits(bits_per_key));
  const std::string start = std::string(StockPolicyName(format)) + ":" + bits;
  const filter::FormatRow& row = filter::RowOf(format);
  if (!row.takes_bloom_level()) return start + row.rocksdb_suffix;
  return start + ":" + std::to_string(bloom_before_level);
}

std::shared_ptr<const FilterPolicy> StockPolicyNamed(const std::string& text) {
  const StockPolicyScope scope;
  std::shared_ptr<const FilterPolicy> policy;
  FilterPolicy::CreateFromString(ConfigOptions(), text, &policy).PermitUncheckedError();
  return policy;
}

StockPolicies::StockPolicy StockPolicies::Get(const StockFile& file) const {
  const Key key(file.policy, stock::Millibits(file.bits_per_key), file.bloom_before_level);
  const std::lock_guard<std::mutex> lock(mutex_);
  StockPolicy& stock = policies_[key];
  if (stock.policy == nullptr) {
    stock.policy =
        StockPolicyNamed(StockPolicyText(file.policy, file.bits_per_key, file.bloom_before_level));
    stock.balance = std::make_shared<MemoryBalance>(0);
  }
  return stock;
}

FilterBitsBuilder* StockPolicies::NewBuilder(const StockFile& file,
                                             const FilterBuildingContext& context,
                                             filter::FilterCounts* counts) const {
  const auto [policy, balance] = Get(file);
  std::unique_ptr<FilterBitsBuilder> builder;
  if (policy != nullptr) builder.reset(policy->GetBuilderWithContext(context));
  // Also for its Bloom filters, which share the balance.
  if (builder != nullptr && file.policy == Format::kRibbon && RibbonBitsBuilder::Serves(context)) {
    return new RibbonBitsBuilder(policy, std::move(builder), file.filter,
                                 WrittenBits(file.bits_per_key), context.table_options, balance,
                                 counts);
  }
  if (builder != nullptr) {
    return new StockBuilder(policy, std::move(builder), context.table_options.partition_filters,
                            counts);
  }
  ReportUselessFilter(context.info_log, "a RocksDB file gets no filter",
                      "RocksDB makes no builder of its own");
  return nullptr;
}

}  // namespace bloomline::engine
