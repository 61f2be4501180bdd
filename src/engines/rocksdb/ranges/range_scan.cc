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
using TableFunction = std::function<bool(const TableProperties&)>;

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
    lower = std::min_element(ranges.begin(), ranges.end(), by_lower)->lower;
    upper = std::max_element(ranges.begin(), ranges.end(), by_upper)->upper;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::shared_ptr<RangeFilter> filter;
  engine::RangeCollectors* const collectors;
  std::vector<Range> ranges;
  Slice lower, upper;
};

namespace {

enum class Answer { kMayHaveKeys, kHasNone, kIsBelow };

Answer Ask(const TableProperties& table, const std::vector<RangeScan::Range>& ranges,
           std::string_view lower, engine::RangeCollectors* collectors) {
  if (table.comparator_name != kBytewiseName) return Answer::kMayHaveKeys;
  const auto found = table.user_collected_properties.find(filter::kRangeProperty);
  if (found == table.user_collected_properties.end()) return Answer::kMayHaveKeys;
  const filter::TableRanges opened = filter::OpenedTable(found->second, kernels::ActiveKernel());
  if (!opened.last_key.empty() && opened.last_key < lower) return Answer::kIsBelow;
  bool may_have_keys = false;
  for (const RangeScan::Range& range : ranges) {
    if (collectors != nullptr) {
      collectors->asked_ranges().AddSampled(range.lower, range.upper, opened.ranges.limits);
    }
    may_have_keys = may_have_keys || filter::RangeMayMatch(opened.ranges, range.lower, range.upper);
  }
  return may_have_keys ? Answer::kMayHaveKeys : Answer::kHasNone;
}

// What RocksDB asks. Each iterator has its own copy.
template <typename StatePtr>
class TableQuestion {
 public:
  TableQuestion(StatePtr state, TableFunction of_user)
      : state_(std::move(state)), of_user_(std::move(of_user)) {}
  TableQuestion(const TableQuestion& other)
      : state_(other.state_), of_user_(other.of_user_), num_below_left_(other.num_below()) {}
  TableQuestion& operator=(const TableQuestion&) = delete;

  bool operator()(const TableProperties& table) const {
    if (of_user_ && !of_user_(table)) return false;
    const Answer answer =
        Ask(table, state_->ranges, state_->lower.ToStringView(), state_->collectors);
    const bool is_skipped =
        answer == Answer::kHasNone || (answer == Answer::kIsBelow && PassBelow());
    if (state_->collectors != nullptr) state_->collectors->CountAsked(is_skipped);
    return !is_skipped;
  }

  const TableFunction& of_user() const { return of_user_; }

 private:
  // Backward, an iterator goes on to the table before one that has no key, without a look at its
  // lower bound. So it would ask all tables of a level down to the first one. After some tables
  // below the range, a table is read instead: its last key lies below the bound and ends the scan.
  static constexpr int kMostBelow = 16;

  int num_below() const { return num_below_left_.load(std::memory_order_relaxed); }
  bool PassBelow() const { return num_below_left_.fetch_sub(1, std::memory_order_relaxed) > 0; }

  const StatePtr state_;
  const TableFunction of_user_;
  mutable std::atomic<int> num_below_left_{kMostBelow};
};

}  // namespace

RangeScan::RangeScan(std::shared_ptr<RangeFilter> filter, std::string_view lower,
                     std::string_view upper)
    : RangeScan(std::move(filter), {Range{std::string(lower), std::string(upper)}}) {}

RangeScan::RangeScan(std::shared_ptr<RangeFilter> filter, const std::vector<Range>& ranges)
    : state_(std::make_shared<const State>(std::move(filter), ranges)) {}

void RangeScan::Apply(ROCKSDB_NAMESPACE::ReadOptions* options) const {
  using Question = TableQuestion<std::shared_ptr<const State>>;
  TableFunction of_user = options->table_filter;
#if defined(__GLIBCXX__) || defined(__cpp_rtti)
  const auto* const earlier = of_user.target<Question>();
  if (earlier != nullptr) of_user = TableFunction(earlier->of_user());
#else
  // Nothing says whose function it is, and that of another scan would lose keys.
  if (options->iterate_lower_bound != nullptr) of_user = nullptr;
#endif
  options->iterate_lower_bound = &state_->lower;
  options->iterate_upper_bound = &state_->upper;
  options->table_filter = Question(state_, std::move(of_user));
}

}  // namespace bloomline
