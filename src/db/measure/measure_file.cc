#include "src/db/measure/measure_file.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "src/db/key_walk.h"

namespace bloomline::db {
namespace {

using sstable::FilterKind;
using sstable::Table;

constexpr uint64_t kBlocksTogether = 8;  // are read before others are skipped
// If fewer keys are stored, several neighbours of each are queried: so many in all, up to 1 GiB.
constexpr uint64_t kFewQueries = 100000;

class Meter final : public KeyWalk {
 public:
  // `key_bytes` of the table's keys, on average.
  Meter(const Table& table, uint64_t num_keys, const MeasureOptions& options, uint64_t key_bytes,
        std::vector<std::string> candidates, MeasureResult* result)
      : KeyWalk(table),
        key_bytes_(key_bytes),
        random_(options.seed),
        candidates_(std::move(candidates)),
        result_(*result) {
    const double factor = static_cast<double>(num_keys) / static_cast<double>(options.samples);
    // So that about options.samples keys are read. The half of a file is no less work than all.
    if (factor >= 2) blocks_to_skip_ = static_cast<uint64_t>((factor - 1) * kBlocksTogether);
    result_.whole_file = blocks_to_skip_ == 0;
    // Small levels waste as many reads as large ones, so their rates must be as good: of 10 keys
    // with one neighbour each, a rate of 1 % would look like none or like 10 %. Filters by offset
    // hold few keys each, and there the next key is the one that matters.
    if (!IsByOffset() && num_keys != 0) {
      const uint64_t of_size = (uint64_t{1} << 30) / (key_bytes_ + 1);
      const uint64_t queries = std::min({kFewQueries, options.samples, of_size});
      neighbours_ = (queries + num_keys - 1) / num_keys;
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [&](const std::string& a, const std::string& b) { return Precedes(a, b); });
    // A key that is queried twice says no more than once.
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  }

 private:
  bool IsByOffset() const { return table_.filter_kind() == FilterKind::kByOffset; }
  bool Precedes(std::string_view a, std::string_view b) const {
    return keys_.order().is_reversed ? b < a : a < b;
  }

  uint64_t BlocksToSkip() override {
    // Between the last key of a block and the first of the next, the index decides which filter
    // by offset is queried.
    if (IsByOffset()) has_last_ = false;
    if (blocks_to_skip_ == 0 || blocks_++ < kBlocksTogether) return 0;
    blocks_ = 0;
    has_last_ = false;
    return blocks_to_skip_;
  }

  bool OpenFilter(std::optional<uint64_t>, std::string*) override {
    // The last key may go on in the next filter, as an older version.
    if (!segment_.empty()) segment_.pop_back();
    for (std::string& key : segment_) Keep(std::move(key));
    segment_.clear();
    return true;
  }

  bool AddEntry(std::string* error) override {
    std::string_view unit = keys_.Key(entry().user_key());
    if (result_.of_prefixes && !keys_.Prefix(unit, &unit)) return true;
    // An older version of the key, perhaps in the next block or behind skipped ones.
    if (result_.keys_read != 0 && unit == last_) {
      has_last_ = true;
      return true;
    }
    if (has_last_ && !Precedes(last_, unit)) {
      // A LevelDB table on its own does not say how its keys are ordered.
      result_.adjacent = result_.elsewhere = {};
      result_.not_measured = "keys are not in the order of comparator '" + keys_.comparator() + "'";
      Stop();
      return true;
    }
    if (result_.keys_read++ == 0) first_.assign(unit);
    if (has_last_ && !AskBetween(unit, error)) return false;
    if (!AskElsewhere(unit, error)) return false;
    last_.assign(unit);
    has_last_ = true;
    return true;
  }

  // Candidates behind the last key. Where blocks were skipped the last key may be another.
  bool Finish(std::string* error) override {
    for (; has_last_ && result_.whole_file && next_ < candidates_.size(); ++next_) {
      const std::string& candidate = candidates_[next_];
      if (Precedes(last_, candidate) && !AskFor(candidate, Purpose::kElsewhere, error)) {
        return false;
      }
    }
    return true;
  }

  void Answer(const Query& query, const engine_filters::EngineFilter* filter,
              bool may_match) override {
    if (filter == nullptr) return;
    if (!filter->CanQuery()) {
      result_.not_measured = filter->why();
      return;
    }
    (query.purpose == Purpose::kAdjacent ? result_.adjacent : result_.elsewhere).Add(may_match);
  }

  // Neighbours of the last key, before `unit`.
  bool AskBetween(std::string_view unit, std::string* error) {
    const bool reversed = keys_.order().is_reversed;
    std::string_view from = reversed ? unit : last_;
    const std::string_view to = reversed ? std::string_view(last_) : unit;
    // A table may have more keys than its properties say.
    const bool has_enough = result_.adjacent.queries > 2 * kFewQueries;
    for (uint64_t i = 0; i < (has_enough ? 1 : neighbours_); ++i) {
      if (!Neighbour(from, to, &neighbour_)) {
        if (i == 0) ++result_.no_neighbour;
        break;
      }
      if (!AskFor(neighbour_, Purpose::kAdjacent, error)) return false;
      from_ = neighbour_;
      from = from_;
    }
    return true;
  }

  // LevelDB queries only the filter of the block where a key would be, where missing keys are
  // adjacent to stored ones or nearly. So keys of other blocks stand for those elsewhere. In other
  // tables, candidates do that lie before `unit`, if the key before it was read, and those before
  // the table's first key: full filters do not care for the order of keys.
  bool AskElsewhere(std::string_view unit, std::string* error) {
    if (IsByOffset()) {
      segment_.emplace_back(unit);
      if (earlier_.empty()) return true;
      const std::string& key = earlier_[random_.Below(earlier_.size())];
      return Ask(filter(), key, key.size(), Purpose::kElsewhere, error);
    }
    if (result_.keys_read == 1) return true;
    for (; next_ < candidates_.size() && !Precedes(unit, candidates_[next_]); ++next_) {
      const std::string& candidate = candidates_[next_];
      const bool is_missing = Precedes(candidate, first_) ||
                              (has_last_ && candidate != unit && Precedes(last_, candidate));
      if (is_missing && !AskFor(candidate, Purpose::kElsewhere, error)) return false;
    }
    return true;
  }

  // Asks the filter of a key that may lie anywhere between the last entry and this one.
  bool AskFor(std::string_view key, Purpose purpose, std::string* error) {
    uint64_t its_filter = filter();
    if (table_.filter_kind() == FilterKind::kPartitioned) {
      with_timestamp_.assign(key);
      with_timestamp_.append(keys_.order().timestamp_bytes, '\xff');
      its_filter = filters_.FilterOf(with_timestamp_, Table::FilterReader::kMaxSequence, 0);
    }
    return Ask(its_filter, key, key.size(), purpose, error);
  }

  // Keeps some of the keys of earlier filters: each is missing in those behind.
  void Keep(std::string key) {
    constexpr size_t kMost = 4096;
    constexpr size_t kMostBytes = 64 << 20;
    if (earlier_.size() < kMost && earlier_.size() * key_bytes_ < kMostBytes) {
      earlier_.push_back(std::move(key));
    } else {
      earlier_[random_.Below(earlier_.size())] = std::move(key);
    }
  }

  const uint64_t key_bytes_;
  Random random_;
  std::vector<std::string> candidates_;  // in key order
  MeasureResult& result_;
  uint64_t blocks_to_skip_ = 0;
  uint64_t neighbours_ = 1;           // of each key
  uint64_t blocks_ = 0;               // that were read since some were skipped
  size_t next_ = 0;                   // of candidates_
  std::vector<std::string> earlier_;  // of filters by offset
  std::vector<std::string> segment_;  // the keys of filter()
  bool has_last_ = false;
  std::string first_;
  std::string last_;
  std::string neighbour_;
  std::string from_;
  std::string with_timestamp_;
};

std::string WhyNot(const Table& table, const FilterKeys& keys) {
  if (table.filter_kind() == FilterKind::kNone) return "no filter";
  if (!keys.order().is_known) {
    return "comparator '" + keys.comparator() +
           "' is not known here, so no key can be shown to be missing";
  }
  if (!keys.whole_keys() && !keys.prefixes()) {
    return keys.unknown().empty() ? "the filters hold neither keys nor prefixes" : keys.unknown();
  }
  return std::string();
}

}  // namespace

double Queries::rate() const {
  return queries == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : static_cast<double>(matches) / static_cast<double>(queries);
}

bool MeasureFile(const Table& table, uint64_t num_keys, const MeasureOptions& options,
                 cli::FileProgress* progress, MeasureResult* result, std::string* error) {
  const FilterKeys keys(table);
  result->of_prefixes = !keys.whole_keys();
  result->not_measured = WhyNot(table, keys);
  if (!result->not_measured.empty()) {
    progress->AddBytes(table.file_bytes());
    return true;
  }
  std::vector<std::string> stored;
  if (!SampleKeys(table, &stored, error)) return false;
  std::vector<std::string> candidates;
  if (table.filter_kind() != FilterKind::kByOffset) {
    candidates = MissingCandidates(keys, options, stored);
  }
  Meter meter(table, num_keys, options, MeanBytes(stored), std::move(candidates), result);
  return meter.Run(progress, error);
}

}  // namespace bloomline::db
