// The false-positive rate of one table's filters, by queries of keys that are certainly missing.
#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "src/db/key_walk.h"
#include "src/db/measure/measurement.h"

namespace bloomline::db {
namespace {

using sstable::FilterKind;
using sstable::Table;

constexpr uint64_t kBlocksTogether = 8;  // are read before others are skipped
// If fewer keys are stored, several neighbours of each are queried: this many in all, up to 1 GiB.
constexpr uint64_t kFewQueries = 100000;

// ---- Missing keys.

// splitmix64: fast, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }

 private:
  uint64_t state_;
};

// Returns the key after `low` of the same length: its last byte is one higher, with a carry. False
// if it is not below `high`.
bool Neighbour(std::string_view low, std::string_view high, std::string* key) {
  key->assign(low);
  for (size_t i = key->size(); i-- > 0;) {
    char& c = (*key)[i];
    c = static_cast<char>(c + 1);
    if (c != '\0') return *key < high;
  }
  return false;
}

bool IsIn(char c, char first, char last) { return c >= first && c <= last; }

// Returns a byte of the same kind: a digit for a digit, a letter for a letter, any for other bytes.
char ByteLike(char c, Random* random) {
  if (IsIn(c, '0', '9')) return static_cast<char>('0' + random->Below(10));
  if (IsIn(c, 'a', 'z')) return static_cast<char>('a' + random->Below(26));
  if (IsIn(c, 'A', 'Z')) return static_cast<char>('A' + random->Below(26));
  return IsIn(c, ' ', '~') ? c : static_cast<char>(random->Next() >> 56);
}

// Makes keys with random bytes at the places where the sampled keys differ. The first byte that
// differs stays between the least and the greatest of the sample, so that most keys lie between
// stored ones; for keys outside, the byte before it is random, too.
class RandomKeys {
 public:
  explicit RandomKeys(const std::vector<std::string>& sample) : sample_(sample) {
    for (const std::string& key : sample) {
      if (lows_.size() < key.size()) {
        lows_.resize(key.size(), 255);
        highs_.resize(key.size(), 0);
      }
      for (size_t i = 0; i < key.size(); ++i) {
        const auto byte = static_cast<unsigned char>(key[i]);
        lows_[i] = std::min(lows_[i], byte);
        highs_[i] = std::max(highs_[i], byte);
      }
    }
    while (first_ < lows_.size() && lows_[first_] == highs_[first_]) ++first_;
  }

  void Make(size_t i, bool is_outside, Random* random, std::string* key) const {
    *key = sample_[i % sample_.size()];
    if (is_outside && first_ > 0 && first_ <= key->size()) {
      (*key)[first_ - 1] = ByteLike((*key)[first_ - 1], random);
    }
    for (size_t at = first_; at < key->size(); ++at) {
      if (at == first_ && !is_outside) {
        const size_t many = static_cast<size_t>(highs_[at] - lows_[at]) + 1;
        (*key)[at] = static_cast<char>(lows_[at] + random->Below(many));
      } else if (lows_[at] != highs_[at]) {
        (*key)[at] = ByteLike((*key)[at], random);
      }
    }
  }

 private:
  const std::vector<std::string>& sample_;
  std::vector<unsigned char> lows_;
  std::vector<unsigned char> highs_;
  size_t first_ = 0;  // the first byte that differs
};

uint64_t MeanBytes(const std::vector<std::string>& keys) {
  uint64_t bytes = 0;
  for (const std::string& key : keys) bytes += key.size();
  return keys.empty() ? 0 : bytes / keys.size();
}

// Returns about options.samples random keys, or prefixes, that look like the sampled ones: half of
// them lie between those, the others before or behind most. Most are missing in the table.
std::vector<std::string> MissingCandidates(const FilterKeys& keys, const MeasureOptions& options,
                                           const std::vector<std::string>& stored) {
  if (stored.empty()) return {};
  constexpr uint64_t kMost = 1000000;
  // 100,000 keys of 64 KiB would take 6 GiB.
  constexpr uint64_t kMostBytes = 64 << 20;
  const uint64_t most_of_size = kMostBytes / (MeanBytes(stored) + sizeof(std::string));
  const auto most = static_cast<size_t>(std::min({options.samples, kMost, most_of_size + 1}));
  std::vector<std::string> candidates;
  Random random(options.seed ^ 0x5eed);
  const RandomKeys random_keys(stored);
  std::string key;
  for (size_t i = 0; i < most; ++i) {
    random_keys.Make(i, i % 2 == 1, &random, &key);
    std::string_view unit = key;
    if (!keys.whole_keys() && !keys.Prefix(unit, &unit)) continue;
    candidates.emplace_back(unit);
  }
  return candidates;
}

// Returns some 60 keys of a table, in stretches of 8 spread over it, without timestamps. False with
// *error if the table is damaged.
bool SampleKeys(const Table& table, std::vector<std::string>* keys, std::string* error) {
  constexpr uint64_t kBlocks = 8;
  constexpr int kKeysOfBlock = 8;
  constexpr uint64_t kBytesOfBlock = 8192;  // rather too many, so that the sample ends in the file
  const FilterKeys filter_keys(table);
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  const uint64_t skip = table.file_bytes() / kBytesOfBlock / kBlocks;
  for (uint64_t block = 0; block < kBlocks; ++block) {
    for (int i = 0; i < kKeysOfBlock; ++i) {
      if (!reader->Next()) {
        *error = reader->error();
        return error->empty();
      }
      keys->emplace_back(filter_keys.Key(reader->user_key()));
    }
    reader->SkipBlocks(skip);
  }
  return true;
}

// ---- The file's filters.

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
    // Skips blocks so that about options.samples keys are read. Reading half of a file is no less
    // work than reading all.
    if (factor >= 2) blocks_to_skip_ = static_cast<uint64_t>((factor - 1) * kBlocksTogether);
    result_.whole_file = blocks_to_skip_ == 0;
    // Small levels waste as many reads as large ones, so their rates must be as precise: from 10
    // keys with one neighbour each, a rate of 1 % would look like 0 or 10 %. Filters by offset hold
    // few keys each, and there the next key is the one that matters.
    if (!IsByOffset() && num_keys != 0) {
      const uint64_t of_size = (uint64_t{1} << 30) / (key_bytes_ + 1);
      const uint64_t queries = std::min({kFewQueries, options.samples, of_size});
      neighbours_ = (queries + num_keys - 1) / num_keys;
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [&](const std::string& a, const std::string& b) { return Precedes(a, b); });
    // Querying a key twice adds no information.
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
    // The last key may continue in the next filter, as an older version.
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

  // Queries candidates behind the last key. If blocks were skipped, the last key may be another.
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

  // LevelDB queries only the filter of the block where a key would be, in which missing keys are
  // adjacent to stored ones or nearly. So keys of other blocks stand for those elsewhere. In other
  // tables we use candidates before `unit`, if the key before it was read, and those before the
  // table's first key: full filters do not depend on the order of keys.
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

  // Queries the filter of a key that may lie anywhere between the last entry and this one.
  bool AskFor(std::string_view key, Purpose purpose, std::string* error) {
    uint64_t its_filter = filter();
    if (table_.filter_kind() == FilterKind::kPartitioned) {
      with_timestamp_.assign(key);
      with_timestamp_.append(keys_.order().timestamp_bytes, '\xff');
      its_filter = filters_.FilterOf(with_timestamp_, Table::FilterReader::kMaxSequence, 0);
    }
    return Ask(its_filter, key, key.size(), purpose, error);
  }

  // Keeps some of the keys of earlier filters: each is missing in later ones.
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
