#include "src/db/survey/measurement.h"

#include <deque>
#include <optional>
#include <random>
#include <string_view>
#include <unordered_set>

#include "src/db/survey/key_walk.h"
#include "src/db/survey/report.h"
#include "src/tool/commands.h"
#include "src/tool/quantity.h"

namespace bloomline::db {
namespace {

using tables::FilterKind;
using tables::Table;

constexpr uint64_t kBlocksTogether = 8;  // blocks read before others are skipped
// The total number of queries if fewer keys are stored: then each has several missing keys.
constexpr uint64_t kFewQueries = 100000;
constexpr uint64_t kMaxAskedBytes = 64 << 20;  // above this, one query for each key

// Makes the next key of the same length: adds one to the last byte, with a carry. False: none.
bool Increment(std::string* key) {
  for (size_t i = key->size(); i-- > 0;) {
    char& c = (*key)[i];
    c = static_cast<char>(c + 1);
    if (c != '\0') return true;
  }
  return false;
}

// Reads about options.samples keys of the table's `num_keys` (0: unknown). Memory: that of KeyWalk.
// In an unknown order (result->by_bytes), the neighbours of a missing key may be anywhere in the
// file. So the file is then read once more, to its end, and the queries stay in memory until then.
class Meter final : public KeyWalk {
 public:
  Meter(const Table& table, uint64_t num_keys, const MeasureOptions& options, MeasureResult* result)
      : KeyWalk(table),
        random_(options.seed),
        result_(*result),
        most_later_(4 * std::max(kFewQueries, options.samples)) {
    const double factor = static_cast<double>(num_keys) / static_cast<double>(options.samples);
    // Skips blocks so that about options.samples keys are read. Reading half of a file is no less
    // work than reading all.
    if (factor >= 2) blocks_to_skip_ = static_cast<uint64_t>((factor - 1) * kBlocksTogether);
    result_.whole_file = blocks_to_skip_ == 0;
    // Small levels waste as many reads as large ones, so their rates must be as precise: 10 keys
    // with one query each would show a rate of 1 % as 0 or 10 %. Filters by offset hold few keys
    // each, so only the next key matters there.
    if (!IsByOffset() && num_keys != 0) {
      queries_of_key_ = (std::min(kFewQueries, options.samples) + num_keys - 1) / num_keys;
    }
  }

 private:
  bool IsByOffset() const { return table_.filter_kind() == FilterKind::kByOffset; }

  uint64_t BlocksToSkip() override {
    begins_block_ = true;
    if (blocks_to_skip_ == 0 || blocks_++ < kBlocksTogether) return 0;
    blocks_ = 0;
    has_last_ = false;
    return blocks_to_skip_;
  }

  bool AddEntry(std::string* error) override {
    std::string_view unit = keys_.Key(entry().user_key());
    if (result_.of_prefixes && !keys_.Prefix(unit, &unit)) return true;
    // This is an older version of the key, perhaps in the next block or after skipped ones.
    if (result_.keys_read != 0 && unit == last_) {
      has_last_ = true;
      begins_block_ = false;
      return true;
    }
    if (!result_.by_bytes.empty()) {
      begins_block_ = false;
      if (!AskBetween(unit, std::nullopt, error)) return false;
    } else if (has_last_) {
      const bool reversed = keys_.order.is_reversed;
      const std::string_view low = reversed ? unit : last_;
      const std::string_view high = reversed ? std::string_view(last_) : unit;
      if (low >= high) {
        // A LevelDB table on its own does not say how its keys are ordered.
        result_.adjacent = result_.elsewhere = {};
        result_.keys_read = 0;
        result_.by_bytes = "keys are not in the order of comparator '" + keys_.comparator + "'";
        Stop();
        return true;
      }
      if (!AskBetween(low, high, error)) return false;
    }
    ++result_.keys_read;
    last_.assign(unit);
    has_last_ = true;
    begins_block_ = false;
    return true;
  }

  void Answer(const Query& query, const engine_filters::EngineFilter* filter,
              bool may_match) override {
    if (filter == nullptr) return;
    if (!filter->CanQuery()) {
      result_.not_measured = filter->why;
      return;
    }
    const bool is_adjacent = query.purpose == Purpose::kAdjacent;
    Queries& queries = is_adjacent ? result_.adjacent : result_.elsewhere;
    queries.Add(may_match);
  }

  using Bound = std::optional<std::string_view>;  // nullopt: the order is unknown

  // Queries missing keys between `low` and `high`, which are adjacent stored keys.
  bool AskBetween(std::string_view low, Bound high, std::string* error) {
    if (!high && IsFull()) return true;
    // A table may have more keys than its properties say, and keys longer than the memory allows.
    const uint64_t queries = asked_bytes_ > kMaxAskedBytes
                                 ? 1
                                 : std::min(queries_of_key_, kMaxAskedBytes / (low.size() + 1) + 1);
    return AskAdjacent(queries, low, high, error) && AskElsewhere(queries, low, high, error);
  }

  bool AskAdjacent(uint64_t queries, std::string_view low, Bound high, std::string* error) {
    // Between the last key of a block and the first key of the next, the index decides which filter
    // by offset the engine queries.
    if (IsByOffset() && begins_block_) return true;
    key_.assign(low);
    for (uint64_t i = 0; i < queries; ++i) {
      if (!Increment(&key_) || (high && key_ >= *high)) return true;
      if (!AskFor(Purpose::kAdjacent, error)) return false;
    }
    return true;
  }

  // For a hash, a key with eight more random bytes is another key. Prefixes have no room for them.
  bool AskElsewhere(uint64_t queries, std::string_view low, Bound high, std::string* error) {
    if (result_.of_prefixes) return true;
    for (uint64_t i = 0; i < queries; ++i) {
      key_.assign(low);
      const uint64_t suffix = random_();
      key_.append(reinterpret_cast<const char*>(&suffix), sizeof(suffix));
      if ((!high || key_ < *high) && !AskFor(Purpose::kElsewhere, error)) return false;
    }
    return true;
  }

  // Queries the filter for key_, which may lie anywhere between the last entry and this one.
  bool AskFor(Purpose purpose, std::string* error) {
    if (!result_.by_bytes.empty()) {
      AskLater(purpose);
      return true;
    }
    uint64_t its_filter = filter();
    if (table_.filter_kind() == FilterKind::kPartitioned) {
      with_timestamp_.assign(key_);
      with_timestamp_.append(keys_.order.timestamp_bytes, '\xff');
      its_filter =
          filters_.reader().FilterOf(with_timestamp_, Table::FilterReader::kMaxSequence, 0);
    }
    asked_bytes_ += key_.size();
    return Ask(its_filter, key_, key_.size(), purpose, place(), error);
  }

  bool IsFull() const { return asked_bytes_ > kMaxAskedBytes || later_.size() >= most_later_; }

  void AskLater(Purpose purpose) {
    if (IsFull()) return;
    uint64_t its_filter = filter();
    if (its_filter == Table::FilterReader::kUnknownFilter) {
      // The fraction of the file that is read covers the same fraction of the partitions.
      const uint64_t filters = filters_.reader().num_filters();
      const double part = Quotient(place().block_offset, table_.file_bytes());
      its_filter = static_cast<uint64_t>(part * static_cast<double>(filters));
    }
    constexpr uint64_t kBytesBeside = 128;  // a query, its place in the set, and allocations
    asked_bytes_ += kBytesBeside + key_.size();
    later_.push_back({key_, its_filter, purpose});
    if (!missing_.insert(later_.back().key).second) later_.pop_back();
  }

  // Makes the queries for the keys that are not in the file.
  bool Finish(std::string* error) override {
    if (later_.empty()) return true;
    const auto reader = table_.NewKeyReader(error);
    if (reader == nullptr) return false;
    while (reader->Next()) {
      std::string_view unit = keys_.Key(reader->user_key());
      if (!result_.of_prefixes || keys_.Prefix(unit, &unit)) missing_.erase(unit);
    }
    *error = reader->error();
    if (!error->empty()) return false;
    for (const Later& one : later_) {
      if (missing_.count(one.key) == 0) continue;
      if (!Ask(one.filter, one.key, one.key.size(), one.purpose, {}, error)) return false;
    }
    return true;
  }

  struct Later {
    std::string key;
    uint64_t filter;
    Purpose purpose;
  };

  std::mt19937_64 random_;
  MeasureResult& result_;
  uint64_t blocks_to_skip_ = 0;
  uint64_t queries_of_key_ = 1;  // for each kind of query
  uint64_t blocks_ = 0;          // blocks read since some were skipped
  bool begins_block_ = true;
  bool has_last_ = false;
  std::string last_;
  std::string key_;
  std::string with_timestamp_;
  uint64_t asked_bytes_ = 0;
  const uint64_t most_later_;
  std::deque<Later> later_;
  std::unordered_set<std::string_view> missing_;  // the queried keys not found in the file so far
};

std::string WhyNot(const Table& table, const FilterKeys& keys) {
  if (table.filter_kind() == FilterKind::kNone) return kNoFilter;
  if (!table.HasSequenceNumbers()) return kNoSequenceNumbers;
  if (!keys.whole_keys && !keys.prefixes) {
    return keys.unknown.empty() ? "the filters hold neither keys nor prefixes" : keys.unknown;
  }
  return std::string();
}

constexpr uint64_t kEnough = 100;  // with fewer queries, most files show no false positive

// A file's rate for missing keys adjacent to stored ones or, with too few of these, for missing
// keys elsewhere. NaN: too few of both.
double MeasuredRate(const MeasureResult& result) {
  for (const Queries& queries : {result.adjacent, result.elsewhere}) {
    if (queries.queries >= kEnough) return queries.rate();
  }
  return std::nan("");
}

}  // namespace

void AddMeasureOptions(CLI::App* command, MeasureOptions* options) {
  tool::AddQuantity(
      command, "--samples", &options->samples,
      [](const std::string& text, std::string* error) {
        return tool::ParseWhole(text, kEnough, 1000000000, error);
      },
      "About how many missing keys to query per file and kind\n"
      "[100000]");
  tool::AddQuantity(command, "--seed", &options->seed, tool::ParseSeed,
                    "Seed of the random keys [1]");
}

std::vector<MeasureResult> Measure(Inputs* inputs, const CommonOptions& common,
                                   const MeasureOptions& options, const std::string& name,
                                   const Inspection& inspection) {
  std::vector<MeasureResult> results(inputs->files.size());
  ForEachFile(inputs, common, name, [&](size_t i, const tables::Table& table, std::string* error) {
    if (options.only_weak_hashes && !inspection.files[i].facts.has_weak_hash()) return true;
    const FilterKeys keys(table);
    results[i].of_prefixes = !keys.whole_keys;
    results[i].not_measured = WhyNot(table, keys);
    if (!results[i].not_measured.empty()) return true;
    MeasureOptions its_options = options;
    its_options.seed += 1000003 * (inputs->files[i].number + i);
    if (!keys.order.is_known) {
      results[i].by_bytes = "comparator '" + keys.comparator + "' is not known to this program";
    }
    const uint64_t num_keys = inspection.files[i].facts.num_keys;
    const std::string by_bytes = results[i].by_bytes;
    return Meter(table, num_keys, its_options, &results[i]).Run(error) &&
           (results[i].by_bytes == by_bytes ||
            Meter(table, num_keys, its_options, &results[i]).Run(error));
  });
  for (size_t i = 0; i < results.size(); ++i) {
    SurveyedFile& file = inputs->files[i];
    if (file.state != FileState::kDone) results[i] = {};
    if (file.state == FileState::kFailed && file.is_gone) file.state = FileState::kVanished;
    if (file.state == FileState::kFailed) {
      results[i].not_measured = "an error (stderr says which); counted with the expected rate";
    } else if (file.state == FileState::kDone && results[i].not_measured.empty() &&
               std::isnan(MeasuredRate(results[i]))) {
      results[i].not_measured = "fewer than 100 queries; counted with the expected rate";
    }
  }
  return results;
}

MeasuredGroup MeasuredRates(const Group& group, const Inspection& inspection,
                            const std::vector<MeasureResult>& results) {
  MeasuredGroup measured;
  for (const size_t i : group.files) {
    const InspectedFile& file = inspection.files[i];
    const Queries& adjacent = results[i].adjacent;
    const Queries& elsewhere = results[i].elsewhere;
    const double rate = MeasuredRate(results[i]);
    // Gets also query a file that vanished or failed meanwhile, or its replacement.
    measured.wasted_reads +=
        file.coverage * (file.used() && !std::isnan(rate) ? rate : file.rate());
    if (!results[i].not_measured.empty()) ++measured.not_measured[results[i].not_measured];
    if (!results[i].by_bytes.empty()) ++measured.by_bytes[results[i].by_bytes];
    if (adjacent.queries + elsewhere.queries == 0) continue;
    if (!std::isnan(rate)) ++measured.files;
    // A file that hardly any Get queries still tells how good its filter is.
    const double weight = std::fmax(file.coverage, 1e-9);
    measured.adjacent.Add(weight, adjacent.rate(), adjacent.queries);
    measured.elsewhere.Add(weight, elsewhere.rate(), elsewhere.queries);
    const double expected = file.facts.expected_rate;
    if (!std::isnan(expected)) measured.expected.Add(weight, expected, 1);
  }
  return measured;
}

}  // namespace bloomline::db
