// What a scan asks a table: RangeScan.
#include <algorithm>
#include <atomic>
#include <functional>
#include <string_view>
#include <utility>

#include "bloomline/rocksdb_range_filter.h"
#include "rocksdb/options.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/ranges/range_collector.h"
#include "src/filter/ranges/range_property.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/table/kernel_table.h"

namespace bloomline {
namespace {

using engine::Slice;
using ROCKSDB_NAMESPACE::TableProperties;

// BytewiseComparator's. Those with timestamps have other names.
constexpr std::string_view kBytewiseName = "leveldb.BytewiseComparator";

engine::RangeCollectors* CollectorsOf(const std::shared_ptr<RangeFilter>& filter) {
  return filter == nullptr
             ? nullptr
             : filter->GetOptions<engine::RangeCollectors>(engine::RangeCollectors::kOwnName);
}

}  // namespace

// The iterators share it, because they keep a copy of the ReadOptions.
struct RangeScan::State {
  State(std::shared_ptr<RangeFilter> range_filter, std::vector<Range> all_ranges)
      : filter(std::move(range_filter)),
        collectors(CollectorsOf(filter)),
        ranges(std::move(all_ranges)) {
    const auto by_lower = [](const Range& a, const Range& b) { return a.lower < b.lower; };
    const auto by_upper = [](const Range& a, const Range& b) { return a.upper < b.upper; };
    if (ranges.empty()) ranges.emplace_back();
    for (const Range& range : ranges) are_ordered = are_ordered && range.lower < range.upper;
    lower = std::min_element(ranges.begin(), ranges.end(), by_lower)->lower;
    upper = std::max_element(ranges.begin(), ranges.end(), by_upper)->upper;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::shared_ptr<RangeFilter> filter;
  engine::RangeCollectors* const collectors;
  std::vector<Range> ranges;
  bool are_ordered = true;  // no range is empty or turned around
  Slice lower, upper;
};

// What a scan learns about one table.
enum class ScanAnswer { kMayHaveKeys, kHasNone, kIsBelow };

// What RocksDB asks. Each iterator has its own copy.
class RangeScan::Question {
 public:
  Question(std::shared_ptr<const State> state, TableFilter own_filter)
      : state_(std::move(state)), own_filter_(std::move(own_filter)) {}
  Question(const Question& other)
      : state_(other.state_), own_filter_(other.own_filter_), num_below_left_(other.num_below()) {}
  Question& operator=(const Question&) = delete;

  bool operator()(const TableProperties& table) const {
    if (own_filter_ && !own_filter_(table)) return false;
    const ScanAnswer answer = Ask(table);
    const bool is_skipped =
        answer == ScanAnswer::kHasNone || (answer == ScanAnswer::kIsBelow && PassBelow());
    if (state_->collectors != nullptr) state_->collectors->CountAsked(is_skipped);
    return !is_skipped;
  }

 private:
  // Backward, an iterator goes on to the table before one that has no key, without a look at its
  // lower bound. So it would ask all tables of a level down to the first one. After some tables
  // below the range, a table is read instead: its last key lies below the bound and ends the scan.
  static constexpr int kMostBelow = 16;

  ScanAnswer Ask(const TableProperties& table) const {
    if (table.comparator_name != kBytewiseName) return ScanAnswer::kMayHaveKeys;
    const auto found = table.user_collected_properties.find(filter::kRangeProperty);
    if (found == table.user_collected_properties.end()) return ScanAnswer::kMayHaveKeys;
    const filter::TableRanges opened = filter::OpenedTable(found->second, kernels::ActiveKernel());
    // Ranges that are turned around come with another order, whatever the table says of it.
    if (state_->are_ordered && !opened.last_key.empty() &&
        opened.last_key < state_->lower.ToStringView()) {
      return ScanAnswer::kIsBelow;
    }
    bool may_have_keys = false;
    for (const Range& range : state_->ranges) {
      if (state_->collectors != nullptr) {
        state_->collectors->asked_ranges().AddSampled(range.lower, range.upper,
                                                      opened.ranges.limits);
      }
      may_have_keys =
          may_have_keys || filter::RangeMayMatch(opened.ranges, range.lower, range.upper);
    }
    return may_have_keys ? ScanAnswer::kMayHaveKeys : ScanAnswer::kHasNone;
  }

  int num_below() const { return num_below_left_.load(std::memory_order_relaxed); }
  bool PassBelow() const { return num_below_left_.fetch_sub(1, std::memory_order_relaxed) > 0; }

  const std::shared_ptr<const State> state_;
  const TableFilter own_filter_;
  mutable std::atomic<int> num_below_left_{kMostBelow};
};

RangeScan::RangeScan(std::shared_ptr<RangeFilter> filter, std::string_view lower,
                     std::string_view upper)
    : RangeScan(std::move(filter), {Range{std::string(lower), std::string(upper)}}) {}

RangeScan::RangeScan(std::shared_ptr<RangeFilter> filter, const std::vector<Range>& ranges)
    : state_(std::make_shared<const State>(std::move(filter), ranges)) {}

void RangeScan::Apply(ROCKSDB_NAMESPACE::ReadOptions* options, TableFilter own_filter) const {
  options->iterate_lower_bound = &state_->lower;
  options->iterate_upper_bound = &state_->upper;
  if (options->tailing && state_->ranges.size() > 1) {
    // RocksDB's ForwardIterator drops a level in which a Seek finds nothing, as in the table that
    // was skipped for the first range, and does not look for the second range there.
    options->table_filter = std::move(own_filter);
    return;
  }
  options->table_filter = Question(state_, std::move(own_filter));
}

}  // namespace bloomline
