#include "src/db/verify/verify_file.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace bloomline::db {
namespace {

using engine_filters::EngineFilter;
using sstable::Engine;
using sstable::FilterKind;
using sstable::Table;

constexpr const char* kNoFilterQueried = "the engine queries no filter for them";
constexpr const char* kRangeDeletions = "range deletions, which are not in filters";
constexpr const char* kNoPrefix = "the filters hold only prefixes, and they have none";

class Verifier final : public KeyWalk {
 public:
  Verifier(const Table& table, uint64_t max_listed, std::atomic<uint64_t>* listed,
           VerifyResult* result)
      : KeyWalk(table), max_listed_(max_listed), listed_(listed), result_(*result) {}

 private:
  bool OpenFilter(std::optional<uint64_t> before, std::string* error) override {
    // The engine would not find such keys; and a filter would be read for each of them.
    if (before && filter() < *before) {
      if (!AnswerAll(error)) return false;
      *error = table_.path() + ": data block at offset " + std::to_string(place().block_offset) +
               ": entry " + std::to_string(place().entry) +
               ": its key is before others in the order of comparator '" + keys_.comparator + "'";
      return false;
    }
    last_key_.reset();
    last_prefix_.reset();
    is_empty_partition_ = false;
    if (table_.filter_kind() != FilterKind::kPartitioned) return true;
    if (!AnswerAll(error) || !ReadFilters(filter(), error)) return false;
    if (!IsFilter(filter())) return true;
    if (filters_.At(filter(), error) == nullptr) return false;
    const bool is_queried = keys_.whole_keys || keys_.prefixes || !keys_.unknown.empty();
    is_empty_partition_ = is_queried && filters_.bytes() == 0;
    return true;
  }

  bool AddEntry(std::string* error) override {
    ++result_.counts.entries;
    const std::string_view user_key = entry().user_key();
    const std::string_view key = keys_.Key(user_key);
    if (last_key_ == key) return true;  // another version of it
    last_key_ = key;
    if (is_empty_partition_) {
      ++result_.counts.keys;
      AddLost({user_key, key, Purpose::kKey, filter(), place()},
              keys_.whole_keys ? Loss::kKey : Loss::kEmptyPartition);
      return true;
    }
    if (keys_.whole_keys && !Ask(filter(), user_key, key.size(), Purpose::kKey, error)) {
      return false;
    }
    if (!keys_.unknown.empty()) result_.counts.AddNotChecked(keys_.unknown, 1, true);
    std::string_view prefix;
    if (!keys_.prefixes || !keys_.Prefix(key, &prefix)) {
      if (!keys_.whole_keys && keys_.unknown.empty()) {
        result_.counts.AddNotChecked(kNoPrefix, 1, false);
      }
      return true;
    }
    if (last_prefix_ == prefix) return true;
    last_prefix_ = prefix;
    return Ask(filter(), user_key, prefix.size(), Purpose::kPrefix, error);
  }

  bool Finish(std::string* error) override { return ReadFilters(filters_.num_filters(), error); }

  // Filters that no key leads to may be damaged, too. Those by offset are one block.
  bool ReadFilters(uint64_t end, std::string* error) {
    if (table_.filter_kind() == FilterKind::kByOffset) return true;
    for (; next_filter_ < std::min(end, filters_.num_filters()); ++next_filter_) {
      if (filters_.At(next_filter_, error) == nullptr) return false;
    }
    return true;
  }

  void Answer(const Query& query, const EngineFilter* filter, bool may_match) override {
    const bool is_prefix = query.purpose == Purpose::kPrefix;
    const bool has_ranges = filter != nullptr && filter->ranges() != nullptr;
    // The empty prefix only stands for ranges.
    if (has_ranges && is_prefix &&
        table_.properties().prefix_extractor == engine_filters::kRangeExtractor) {
      return;
    }
    if (query.filter == Table::FilterReader::kNoFilter) {
      result_.counts.AddNotChecked(kNoFilterQueried, 1, false);
      return;
    }
    if (filter == nullptr || !filter->CanQuery()) {
      result_.counts.AddNotChecked(WhyUnknown(filter), 1, true);
      return;
    }
    ++(is_prefix ? result_.counts.prefixes : result_.counts.keys);
    if (has_ranges) ++result_.counts.ranges;
    if (!may_match) return AddLost(query, is_prefix ? Loss::kPrefix : Loss::kKey);
    if (has_ranges && !filter->RangesAroundMayMatch(query.queried)) AddLost(query, Loss::kRange);
  }

  // `filter` is null if it is unknown which one the engine queries. A filter that matches every key
  // because it is not understood here proves nothing.
  std::string WhyUnknown(const EngineFilter* filter) const {
    if (filter != nullptr) return filter->why();
    return "their partitions are not known: comparator '" + keys_.comparator +
           "' is not known here";
  }

  void AddLost(const Query& query, Loss loss) {
    if (result_.counts.lost++ == 0 && !keys_.order.is_known &&
        table_.engine() == Engine::kRocksDB) {
      result_.doubt = "comparator '" + keys_.comparator +
                      "' is not known here: if its keys end in timestamps, which filters leave "
                      "out, they need not be lost";
    }
    if (listed_->fetch_add(1) >= max_listed_) return;
    const std::string_view prefix = loss == Loss::kPrefix ? query.queried : std::string_view();
    result_.lost.push_back(
        {std::string(query.key), std::string(prefix), loss, query.place, query.filter});
  }

  const uint64_t max_listed_;
  std::atomic<uint64_t>* const listed_;
  VerifyResult& result_;
  uint64_t next_filter_ = 0;  // the first that was not read
  bool is_empty_partition_ = false;
  std::optional<std::string> last_key_;
  std::optional<std::string> last_prefix_;
};

}  // namespace

void VerifyCounts::Add(const VerifyCounts& other) {
  entries += other.entries;
  keys += other.keys;
  prefixes += other.prefixes;
  ranges += other.ranges;
  lost += other.lost;
  for (const auto& [reason, keys_of_it] : other.not_checked) {
    AddNotChecked(reason, keys_of_it.count, keys_of_it.may_be_lost);
  }
}

void VerifyCounts::AddNotChecked(const std::string& reason, uint64_t count, bool may_be_lost) {
  NotChecked& of_reason = not_checked[reason];
  of_reason.count += count;
  of_reason.may_be_lost = of_reason.may_be_lost || may_be_lost;
}

bool VerifyCounts::others_may_be_lost() const {
  return std::any_of(not_checked.begin(), not_checked.end(),
                     [](const auto& reason) { return reason.second.may_be_lost; });
}

bool VerifyFile(const Table& table, uint64_t max_listed, std::atomic<uint64_t>* listed,
                VerifyResult* result, std::string* error) {
  const uint64_t range_deletions = table.properties().num_range_deletions;
  if (range_deletions != sstable::kUnknownCount && range_deletions != 0) {
    result->counts.AddNotChecked(kRangeDeletions, range_deletions, false);
  }
  if (table.filter_kind() == FilterKind::kNone) {
    result->has_filter = false;
    return true;
  }
  result->has_checksums = table.has_checksums();
  return Verifier(table, max_listed, listed, result).Run(error);
}

}  // namespace bloomline::db
