#include "src/db/measure/measure_file.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>

namespace bloomline::db {
namespace {

using sstable::FilterKind;
using sstable::Table;

constexpr uint64_t kBlocksTogether = 8;  // are read before others are skipped
// If fewer keys are stored, several neighbours of each are queried: so many in all, up to 1 GiB.
constexpr uint64_t kFewQueries = 100000;

class Meter {
 public:
  Meter(const Table& table, const FilterKeys& keys, const MeasureOptions& options,
        uint64_t key_bytes, MeasureResult* result)
      : table_(table),
        keys_(keys),
        options_(options),
        key_bytes_(key_bytes),
        random_(options.seed),
        result_(*result) {}

  bool Run(uint64_t num_keys, std::vector<std::string> candidates, cli::FileProgress* progress,
           std::string* error) {
    candidates_ = std::move(candidates);
    std::sort(candidates_.begin(), candidates_.end(),
              [&](const std::string& a, const std::string& b) { return Precedes(a, b); });
    // A key that is queried twice says no more than once.
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
    if (!filters_.Init(table_, error)) return false;
    const auto reader = table_.NewKeyReader(error);
    if (reader == nullptr) return false;
    neighbours_ = NeighboursOfKey(num_keys);
    const uint64_t skip = BlocksToSkip(num_keys);
    result_.whole_file = skip == 0;
    uint64_t blocks = 0;
    uint64_t shown_offset = 0;
    while (reader->Next()) {
      if (reader->block_offset() != block_) {
        if (skip != 0 && blocks++ == kBlocksTogether) {
          reader->SkipBlocks(skip - 1);
          blocks = 0;
          have_last_ = false;
          continue;
        }
        OpenBlock(*reader);
        progress->AddBytes(block_ - std::min(block_, shown_offset));
        shown_offset = block_;
      }
      if (!AddEntry(*reader, error)) return false;
      if (!in_order_) break;
    }
    progress->AddBytes(table_.file_bytes() - std::min(table_.file_bytes(), shown_offset));
    if (!reader->error().empty()) {
      *error = reader->error();
      return false;
    }
    return !in_order_ || QueryRest(error);
  }

 private:
  bool Precedes(std::string_view a, std::string_view b) const {
    return keys_.order().is_reversed ? b < a : a < b;
  }

  // So that about options_.samples keys are read. The half of a file is no less work than all.
  uint64_t BlocksToSkip(uint64_t num_keys) const {
    const double factor = static_cast<double>(num_keys) / static_cast<double>(options_.samples);
    return factor < 2 ? 0 : static_cast<uint64_t>((factor - 1) * kBlocksTogether);
  }

  void OpenBlock(const Table::KeyReader& reader) {
    block_ = reader.block_offset();
    if (table_.filter_kind() == FilterKind::kPartitioned) return;
    const uint64_t filter = filters_.FilterOf(reader.user_key(), reader.sequence(), block_);
    if (filter != filter_ && !segment_.empty()) {
      // The last one may go on in the next filter, as an older version.
      segment_.pop_back();
      for (std::string& key : segment_) Keep(std::move(key));
      segment_.clear();
    }
    filter_ = filter;
    // Between the last key of a block and the first of the next, the index decides.
    if (table_.filter_kind() == FilterKind::kByOffset) have_last_ = false;
  }

  bool AddEntry(const Table::KeyReader& reader, std::string* error) {
    std::string_view unit = keys_.Key(reader.user_key());
    if (result_.of_prefixes && !keys_.Prefix(unit, &unit)) return true;
    // An older version of the key, perhaps in the next block or behind skipped ones.
    if (result_.keys_read != 0 && unit == last_) {
      have_last_ = true;
      return true;
    }
    if (have_last_ && !Precedes(last_, unit)) return NotInOrder();
    ++result_.keys_read;
    if (have_last_ && !Between(last_, unit, error)) return false;
    if (!SkipCandidates(unit, error)) return false;
    if (table_.filter_kind() == FilterKind::kByOffset) {
      if (!earlier_.empty() &&
          !Query(filter_, earlier_[random_.Below(earlier_.size())], &result_.elsewhere, error)) {
        return false;
      }
      segment_.emplace_back(unit);
    }
    last_.assign(unit);
    have_last_ = true;
    return true;
  }

  // A LevelDB table on its own does not say how its keys are ordered.
  bool NotInOrder() {
    in_order_ = false;
    result_.adjacent = result_.elsewhere = {};
    result_.not_measured = "keys are not in the order of comparator '" + keys_.comparator() + "'";
    return true;
  }

  // Queries the candidates that lie before `unit`, if the key before it was read, and those before
  // the table's first key. Full filters do not care for the order of keys.
  bool SkipCandidates(std::string_view unit, std::string* error) {
    if (result_.keys_read == 1) {
      first_.assign(unit);
      return true;
    }
    for (; next_ < candidates_.size() && !Precedes(unit, candidates_[next_]); ++next_) {
      const std::string& candidate = candidates_[next_];
      const bool missing = Precedes(candidate, first_) ||
                           (have_last_ && candidate != unit && Precedes(last_, candidate));
      if (missing && !Query(FilterOf(candidate), candidate, &result_.elsewhere, error)) {
        return false;
      }
    }
    return true;
  }

  // Those behind the last key. Where blocks were skipped the last key may be another.
  bool QueryRest(std::string* error) {
    for (; have_last_ && result_.whole_file && next_ < candidates_.size(); ++next_) {
      const std::string& candidate = candidates_[next_];
      if (Precedes(last_, candidate) &&
          !Query(FilterOf(candidate), candidate, &result_.elsewhere, error)) {
        return false;
      }
    }
    return Flush(error);
  }

  bool Between(std::string_view last, std::string_view unit, std::string* error) {
    const bool reversed = keys_.order().is_reversed;
    std::string_view from = reversed ? unit : last;
    const std::string_view to = reversed ? last : unit;
    // A table may have more keys than its properties say.
    const bool has_enough = result_.adjacent.queries > 2 * kFewQueries;
    for (uint64_t i = 0; i < (has_enough ? 1 : neighbours_); ++i) {
      if (!Neighbour(from, to, &neighbour_)) {
        if (i == 0) ++result_.no_neighbour;
        break;
      }
      if (!Query(FilterOf(neighbour_), neighbour_, &result_.adjacent, error)) return false;
      from_ = neighbour_;
      from = from_;
    }
    return true;
  }

  // Small levels waste as many reads as large ones, so their rates must be as good: of 10 keys with
  // one neighbour each, a rate of 1 % would look like none or like 10 %. Filters by offset hold few
  // keys each, and there the next key is the one that matters.
  uint64_t NeighboursOfKey(uint64_t num_keys) const {
    if (table_.filter_kind() == FilterKind::kByOffset || num_keys == 0) return 1;
    const uint64_t of_size = (uint64_t{1} << 30) / (key_bytes_ + 1);
    return (std::min({kFewQueries, options_.samples, of_size}) + num_keys - 1) / num_keys;
  }

  // Returns the number of the filter for a key between the last one and the next.
  uint64_t FilterOf(std::string_view key) {
    if (table_.filter_kind() != FilterKind::kPartitioned) return filter_;
    with_timestamp_.assign(key);
    with_timestamp_.append(keys_.order().timestamp_bytes, '\xff');
    return filters_.FilterOf(with_timestamp_, Table::FilterReader::kMaxSequence, block_);
  }

  bool Query(uint64_t filter, std::string_view key, Queries* queries, std::string* error) {
    if (filter == Table::FilterReader::kNoFilter || filter == Table::FilterReader::kUnknownFilter) {
      return true;
    }
    if ((batch_.is_full() || filter != batch_filter_) && !Flush(error)) return false;
    batch_filter_ = filter;
    batch_.Add(key, key.size(), queries);
    return true;
  }

  bool Flush(std::string* error) {
    if (batch_.size() == 0) return true;
    const engine_filters::EngineFilter* filter = filters_.At(batch_filter_, error);
    if (filter == nullptr) return false;
    if (filter->CanQuery()) {
      batch_.Query(*filter, [](std::string_view, std::string_view, Queries* queries, bool match) {
        queries->Add(match);
      });
    } else {
      result_.not_measured = filter->why();
    }
    batch_.Clear();
    return true;
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

  const Table& table_;
  const FilterKeys& keys_;
  const MeasureOptions& options_;
  const uint64_t key_bytes_;  // of the table's keys, on average
  Random random_;
  MeasureResult& result_;
  TableFilters filters_;
  KeyBatch<Queries*> batch_;
  uint64_t batch_filter_ = 0;
  std::vector<std::string> candidates_;  // in key order
  size_t next_ = 0;
  std::vector<std::string> earlier_;  // of kByOffset
  std::vector<std::string> segment_;  // the keys of filter_
  uint64_t block_ = ~uint64_t{0};
  uint64_t filter_ = 0;
  bool in_order_ = true;
  bool have_last_ = false;
  std::string first_;
  std::string last_;
  uint64_t neighbours_ = 1;  // of each key
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
                 const std::vector<std::string>& own, const std::vector<std::string>& others,
                 cli::FileProgress* progress, MeasureResult* result, std::string* error) {
  const FilterKeys keys(table);
  result->of_prefixes = !keys.whole_keys();
  result->not_measured = WhyNot(table, keys);
  if (!result->not_measured.empty()) {
    progress->AddBytes(table.file_bytes());
    return true;
  }
  // LevelDB queries only the filter of the block where a key would be, where missing keys are
  // adjacent to stored ones or nearly. So keys of other blocks stand for those elsewhere.
  std::vector<std::string> candidates;
  if (table.filter_kind() != FilterKind::kByOffset) {
    candidates =
        MissingCandidates(keys, result->of_prefixes, options.samples, options.seed, own, others);
  }
  const auto meter = std::make_unique<Meter>(table, keys, options, MeanBytes(own), result);
  return meter->Run(num_keys, std::move(candidates), progress, error);
}

}  // namespace bloomline::db
