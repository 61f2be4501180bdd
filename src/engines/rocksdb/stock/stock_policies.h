// RocksDB's own policies, which build the filters of its own formats.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_POLICIES_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_POLICIES_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "bloomline/filter_options.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/stock/ribbon_bits_builder.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline::engine {

// "bloomfilter" or "ribbonfilter": the name of RocksDB's policy.
const char* StockPolicyName(Format format);

// RocksDB's policy for these filters: "bloomfilter:9.5:false", or "ribbonfilter:9.5:-1" with its
// bloom_before_level.
std::string StockPolicyText(Format format, double bits_per_key, int bloom_before_level);

// Returns RocksDB's policy of such a text or filter::kRocksDBName, or null if RocksDB lacks it. It
// asks by name, because a preloaded library may replace the functions that make policies.
std::shared_ptr<const FilterPolicy> StockPolicyNamed(const std::string& text);

// While one exists, this thread makes policies of RocksDB. RocksDB then calls its functions
// NewBloomFilterPolicy and NewRibbonFilterPolicy, which a preloaded library may have replaced by
// bloomline's.
class StockPolicyScope {
 public:
  StockPolicyScope() { ++depth_; }
  ~StockPolicyScope() { --depth_; }
  StockPolicyScope(const StockPolicyScope&) = delete;
  StockPolicyScope& operator=(const StockPolicyScope&) = delete;

  static bool IsActive() { return depth_ != 0; }

 private:
  static thread_local int depth_;
};

// A file with RocksDB's own filter.
struct StockFile {
  Format policy;  // whose policy makes it: RocksDB's Ribbon policy also makes Bloom filters
  Format filter;
  double bits_per_key;
  int bloom_before_level;  // of the Ribbon policy
};

// RocksDB's policies with the bits per key and the levels that files ask for. Thread-safe.
class StockPolicies {
 public:
  // Returns a builder of RocksDB's filters for the file of the context, which counts the filters it
  // builds. Returns null if RocksDB has none for these options; the log of the context and stderr
  // then report this.
  FilterBitsBuilder* NewBuilder(const StockFile& file, const FilterBuildingContext& context,
                                filter::FilterCounts* counts) const;

 private:
  // With optimize_filters_for_memory, each policy balances the sizes of its filters.
  struct StockPolicy {
    std::shared_ptr<const FilterPolicy> policy;  // null if RocksDB lacks it
    std::shared_ptr<MemoryBalance> balance;      // of RibbonBitsBuilder
  };
  StockPolicy Get(const StockFile& file) const;

  using Key = std::tuple<Format, int, int>;  // thousandths of bits per key, bloom_before_level

  mutable std::mutex mutex_;
  mutable std::map<Key, StockPolicy> policies_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_POLICIES_H_
