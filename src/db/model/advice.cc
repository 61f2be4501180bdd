#include "src/db/model/advice.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "bloomline/sizing.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/options/formats.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"

namespace bloomline::model {
namespace {

using engine_filters::FiguresFor;
using filter::Divider;
using filter::Division;
using support::DoubleText;
using support::StrCat;

bool HasKeys(const Level& level) { return level.num_keys > 0; }

// The levels that have keys.
Situation WithKeys(Situation situation) {
  std::vector<Level>& levels = situation.levels;
  levels.erase(std::remove_if(levels.begin(), levels.end(), std::not_fn(HasKeys)), levels.end());
  return situation;
}

bool CanDifferByLevel(const Situation& tree) {
  return tree.engine == tables::Engine::kRocksDB && tree.compaction != Compaction::kOther &&
         tree.levels.size() > 1 && tree.levels.front().number >= 0;
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// ---- Memory and wasted reads of filters by their bits per key.

// Bits per key are printed in hundredths.
constexpr int kStepsPerBit = 100;
double Hundredths(double bits) { return std::round(bits * kStepsPerBit) / kStepsPerBit; }

// More bits gain nothing, because filters have at most 30 probes (filter_options.h).
double MostBits(Format format) {
  constexpr double kMostUsefulBits = 45;
  return std::min(AllowedBitsPerKey(format).max, kMostUsefulBits);
}

// Rounds down to hundredths, to stay within the memory, but not below the format's range.
double DownToHundredths(Format format, double bits) {
  constexpr double kRoundingError = 1e-9;
  return std::clamp(std::floor(bits * kStepsPerBit + kRoundingError) / kStepsPerBit,
                    AllowedBitsPerKey(format).min, MostBits(format));
}

uint64_t ToWhole(double number) {
  constexpr double kMost = 18446744073709549568.0;  // the largest below 2^64
  return static_cast<uint64_t>(std::min(std::round(number), kMost));
}

uint64_t KeysPerFilter(const Level& level) {
  const uint64_t rest = level.num_keys % level.num_filters;
  const uint64_t mean = level.num_keys / level.num_filters + (rest >= level.num_filters - rest);
  return std::max<uint64_t>(1, mean);
}

// The bits per key whose filters have this memory.
double AllowedBits(Format format, double memory_bits) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return std::clamp(filter::BitsOfMemory(format, memory_bits), allowed.min, allowed.max);
}

// The keys that have filters.
filter::TreeFill FillOf(const Situation& tree) {
  filter::TreeFill fill;
  for (const Level& level : tree.levels) {
    const bool is_skipped = tree.skips_last_level && &level == &tree.levels.back();
    const auto number = static_cast<size_t>(std::max(level.number, 0));  // -1: unknown
    fill.levels.resize(number + 1);
    fill.levels.back().keys = is_skipped ? 0 : static_cast<double>(level.num_keys);
  }
  const double top_keys = fill.levels[0].keys;
  if (top_keys > 0) {
    constexpr double kMostFiles = 100000;
    const double files = std::clamp(top_keys / tree.targets.least_keys, 1.0, kMostFiles);
    fill.top_keys.assign(static_cast<size_t>(std::round(files)), top_keys / std::round(files));
  }
  filter::SetTargets(tree.targets, &fill);
  return fill;
}

// The figures of these bits, rounded down to hundredths.
Division Divide(const Situation& tree, Format format, bool by_level, double bits_per_key) {
  Division division;
  division.bits_per_key = DownToHundredths(format, bits_per_key);
  if (tree.levels.empty()) {
    division.wasted_reads = kUnknown;
    return division;
  }
  std::vector<double> by_number;
  if (by_level) by_number = BitsByLevel(tree, format, division.bits_per_key);
  for (const Level& level : tree.levels) {
    const bool is_skipped = tree.skips_last_level && &level == &tree.levels.back();
    double bits = division.bits_per_key;
    if (by_level) bits = by_number[static_cast<size_t>(level.number)];
    if (is_skipped) bits = 0;
    const auto figures = FiguresFor(tree.engine, format, KeysPerFilter(level), bits);
    division.bits_of_level.push_back(bits);
    division.bytes += figures.bytes_per_key * static_cast<double>(level.num_keys);
    division.wasted_reads += level.Wasted(figures.rate * level.num_runs);
  }
  return division;
}

// Divides the bits of one format: the same bits per key in all levels or, with by_level, those of
// bits_by_level=auto. All levels of `tree` must have keys. The tree must outlive the divider.
Divider MakeDivider(const Situation& tree, Format format, bool by_level) {
  const bool is_whole = tree.takes_whole_bits && !by_level;  // those come from a rewrite
  return Divider(
      {AllowedBitsPerKey(format).min, MostBits(format)}, is_whole ? 1 : kStepsPerBit,
      [&tree, format, by_level](double bits) { return Divide(tree, format, by_level, bits); });
}

// ---- States of the tree.

double WastedNow(const Level& level) {
  return level.filter_bytes == 0 ? level.num_runs : level.wasted_reads;
}

double WastedNow(const Situation& tree) {
  double wasted = tree.levels.empty() ? kUnknown : 0;
  for (const Level& level : tree.levels) wasted += WastedNow(level);
  return wasted;
}

// The tree without level 0. Without levels if keys stay in level 0, or levels are unknown.
Situation AtRest(Situation tree) {
  std::vector<Level>& levels = tree.levels;
  const bool is_known = levels.front().number >= 0 && levels.back().number > 0;
  if (tree.compaction == Compaction::kOther || !is_known) return Situation();
  if (levels.front().number == 0) levels.erase(levels.begin());
  return tree;
}

// A file of level 0. If there is none: one of all the range, with the mean bits of the filters that
// are there. If RocksDB has filters only above the last level, and no level is there, those that
// its users mostly have.
Level FlushedFile(const Situation& tree) {
  Level file = tree.levels.front();
  if (file.number == 0) {
    const double part = tree.targets.least_keys / static_cast<double>(file.num_keys);
    file.wasted_reads = WastedNow(file) * part;
    file.num_runs *= part;
    return file;
  }
  constexpr double kUsualBits = 10;
  constexpr double kLeastRate = 1e-9;
  double keys = 0, log_rate = 0;
  for (const Level& level : tree.levels) {
    file.num_runs = std::max(file.num_runs, level.num_runs);
    if (level.filter_bytes == 0) continue;
    const double rate = std::max(level.wasted_reads / level.num_runs, kLeastRate);
    keys += static_cast<double>(level.num_keys);
    log_rate += static_cast<double>(level.num_keys) * std::log(rate);
  }
  double rate = 1;
  if (keys > 0) {
    rate = std::exp(log_rate / keys);
  } else if (tree.skips_last_level) {
    rate = FalsePositiveRate(Format::kBlocked, kUsualBits);
  }
  file.wasted_reads = rate * file.num_runs;
  return file;
}

// What kFilesWritten such files waste that are flushed above the levels at rest.
double WastedInFlushes(const Situation& at_rest, const Level& file, Format format, bool by_level,
                       const Division& of_rest) {
  const filter::PromisedMemory promise = {format, filter::MemoryBits(format, of_rest.bits_per_key)};
  filter::TreeFill fill = FillOf(at_rest);
  for (size_t i = 0; i < of_rest.bits_of_level.size(); ++i) {
    filter::LevelFill& level = fill.levels[static_cast<size_t>(at_rest.levels[i].number)];
    level.memory_bits = level.keys * filter::MemoryBits(format, of_rest.bits_of_level[i]);
  }
  double wasted = 0;
  for (int i = 0; i < kFilesWritten; ++i) {
    const double keys = at_rest.targets.least_keys;
    fill.top_keys.push_back(keys);
    fill.levels[0].keys += keys;
    const double memory =
        by_level ? filter::LeftOverBits(promise, fill, {0, true, keys}) : promise.mean_bits;
    fill.levels[0].memory_bits += keys * memory;
    wasted +=
        file.num_runs *
        FiguresFor(at_rest.engine, format, KeysPerFilter(file), AllowedBits(format, memory)).rate;
  }
  return wasted;
}

// ---- Which choices are better.

// A choice that saves less is not worth a change, and is within the error of a measured rate.
constexpr double kWorthwhile = 0.95;

// The constraint on choices, and what they save.
struct Goal {
  using DivideFormat = std::function<std::optional<Division>(Format, const Divider&)>;

  std::string text;  // names the constraint that `divide` meets, such as "same memory"
  DivideFormat divide;
  bool saves_memory = false;  // false: it saves wasted reads
  bool must_gain = false;     // drops choices that save less than a twentieth
};

// RocksDB's own filters come first, because they need no other reader, and last if they are
// expensive.
int Rank(const Choice& choice) {
  if (!choice.is_stock()) return 1;
  return choice.build_share <= kMostBuildShare ? 0 : 2;
}

// Blocked filters are faster than LevelDB's compact ones, and the same bits everywhere are easier
// to understand.
int Complexity(const Choice& choice) {
  return (choice.format == Format::kCompact ? 2 : 0) + (choice.by_level ? 1 : 0);
}

// ---- Settings.

// RocksDB uses this value for files of unknown level, so it must always be valid.
std::string BitsPerKeyText(const Choice& choice) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(choice.format);
  return DoubleText(std::clamp(choice.bits_per_key, allowed.min, allowed.max));
}

// RocksDB writes these filters without bloomline.
bool IsPlainBloom(Format format, bool by_level) { return format == Format::kBloom && !by_level; }

// A value of filter_policy for bloomline, also as the --policy of `bloomline db rewrite`.
std::string BloomlineText(Format format, const std::string& bits_per_key, bool by_level) {
  std::string text =
      StrCat("{id=bloomline;format=", FormatName(format), ";bits_per_key=", bits_per_key);
  if (by_level) text += ";bits_by_level=auto";
  return text + (filter::IsStock(format) ? ";stock_id=true}" : "}");
}

std::string BloomlineString(const Choice& choice) {
  return BloomlineText(choice.format, BitsPerKeyText(choice), choice.by_level);
}

// A value of filter_policy in RocksDB's option strings, OPTIONS files and SetOptions. Before 7.0,
// the name of the Bloom policy has a second number, and Ribbon's may have one name only.
std::string OptionString(const Situation& tree, const Choice& choice) {
  const std::string bits = BitsPerKeyText(choice);
  if (IsPlainBloom(choice.format, choice.by_level)) {
    return "bloomfilter:" + bits + (tree.loads_bloomline ? "" : ":false");
  }
  if (choice.by_level || !filter::IsStock(choice.format)) {
    return tree.loads_bloomline ? BloomlineString(choice) : "";
  }
  return tree.ribbon_name + ":" + bits + (tree.ribbon_name == "ribbonfilter" ? ":-1" : "");
}

// The variables of the preload library, to put before a command.
std::string EnvironmentLine(const Situation& tree, const Choice& choice) {
  if (!tree.loads_bloomline || IsPlainBloom(choice.format, choice.by_level)) return "";
  std::string line = StrCat("LD_PRELOAD=libbloomline_",
                            tree.engine == tables::Engine::kRocksDB ? "rocksdb" : "leveldb",
                            "_preload.so BLOOMLINE_FORMAT=", FormatName(choice.format),
                            " BLOOMLINE_BITS_PER_KEY=", BitsPerKeyText(choice));
  if (filter::RowOf(choice.format).takes_bloom_level() && tree.asks_ribbon) {
    line += " BLOOMLINE_BLOOM_BEFORE_LEVEL=-1";
  }
  if (choice.by_level) line += " BLOOMLINE_BITS_BY_LEVEL=auto";
  return line;
}

class Adviser {
 public:
  Adviser(const Situation& situation, const Request& request, Advice* advice)
      : situation_(situation),
        request_(request),
        advice_(advice),
        tree_(WithKeys(situation)),
        at_rest_(AtRest(tree_)) {}

  // Returns an empty string, or why the request is impossible.
  std::string Run() {
    double bytes = 0;
    for (const Level& level : tree_.levels) bytes += static_cast<double>(level.filter_bytes);
    advice_->filter_bytes_now = ToWhole(bytes);
    advice_->wasted_reads_now = WastedNow(tree_);
    advice_->wasted_at_rest_now = WastedNow(at_rest_);
    advice_->wasted_busy_now =
        advice_->wasted_at_rest_now + kFilesWritten * FlushedFile(tree_).wasted_reads;
    const bool is_asked = request_.memory_bytes || request_.wasted_reads;
    if (is_asked) {
      AddRequested();
    } else {
      AddBetter();
    }
    return is_asked && advice_->choices.empty() ? WhyImpossible() : "";
  }

 private:
  static auto Within(uint64_t bytes) {
    return
        [=](Format, const Divider& divider) { return divider.Within(static_cast<double>(bytes)); };
  }
  static auto Wasting(double reads) {
    return [=](Format, const Divider& divider) { return divider.For(reads); };
  }

  void AddRequested() {
    if (request_.memory_bytes) {
      AddChoices({"at most the given memory", Within(*request_.memory_bytes)});
    } else if (*request_.wasted_reads < AllRuns()) {
      // Any larger rate is met even without filters.
      Goal goal{"the given rate", Wasting(*request_.wasted_reads)};
      goal.saves_memory = true;
      AddChoices(goal);
    }
  }

  // Adds choices that are better than the current filters.
  void AddBetter() {
    const auto end = tree_.levels.end() - (tree_.skips_last_level ? 1 : 0);
    is_filtered_ = std::all_of(tree_.levels.begin(), end, [](const Level& level) {
      return level.filter_bytes > 0 && level.unfiltered_keys == 0;
    });
    if (!is_filtered_) {
      const auto wanted = [&](Format format, const Divider& divider) {
        return divider.At(Hundredths(filter::BitsOfMemory(format, tree_.wanted_bits)));
      };
      Goal goal{DoubleText(std::round(10 * tree_.wanted_bits) / 10) + " bits per key", wanted};
      goal.must_gain = true;
      AddChoices(goal);
    }
    if (advice_->filter_bytes_now == 0 || tree_.missing_bytes() != 0) return;
    Goal goal{"same memory", Within(advice_->filter_bytes_now)};
    goal.must_gain = true;
    AddChoices(goal);
    // Filters that exclude few keys are no measure for others.
    constexpr double kMostReads = 0.5;
    const double reads = advice_->wasted_reads_now;
    if (reads > 0 && reads < std::min(kMostReads, kWorthwhile * AllRuns())) {
      goal = {"same wasted reads", Wasting(reads)};
      goal.must_gain = true;
      goal.saves_memory = true;
      AddChoices(goal);
    }
  }

  std::vector<Format> Formats() const {
    std::vector<Format> formats;
    const bool is_rocksdb = tree_.engine == tables::Engine::kRocksDB;
    for (const filter::FormatRow& row : filter::kFormats) {
      const bool is_own = filter::IsOwn(row.format);
      const bool is_possible = is_rocksdb
                                   ? row.in_rocksdb && (!is_own || situation_.loads_bloomline)
                                   : row.in_leveldb && is_own;
      if (!is_possible) continue;
      if (row.format == Format::kRibbon && !situation_.reads_ribbon) continue;
      formats.push_back(row.format);
    }
    return formats;
  }

  // Adds the worthwhile choices, the recommended one first.
  void AddChoices(const Goal& goal) {
    std::vector<Choice> choices;
    for (const Format format : Formats()) {
      double uniform_cost = HUGE_VAL;
      for (const bool by_level : {false, true}) {
        const bool is_present = goal.must_gain && is_filtered_ && format == situation_.stock_format;
        // With optimize_filters_for_hits, a program's new files have other bits by level than here.
        const bool is_kept = !goal.must_gain || !tree_.skips_last_level;
        if (by_level ? !CanDifferByLevel(tree_) || !is_kept : is_present) continue;
        const std::optional<Division> division =
            goal.divide(format, MakeDivider(tree_, format, by_level));
        if (!division) continue;
        Choice choice = MakeChoice(goal, format, by_level, *division);
        const double cost = Cost(choice, goal.saves_memory);
        if (by_level && cost > kWorthwhile * uniform_cost) continue;
        if (!by_level) uniform_cost = cost;
        if (!goal.must_gain || Gains(choice, goal)) choices.push_back(std::move(choice));
      }
    }
    std::sort(choices.begin(), choices.end(), [&](const Choice& a, const Choice& b) {
      return std::pair(Rank(a), Cost(a, goal.saves_memory)) <
             std::pair(Rank(b), Cost(b, goal.saves_memory));
    });
    const auto first_of_rank = [&](int rank) {
      return std::find_if(choices.begin(), choices.end(),
                          [=](const Choice& choice) { return Rank(choice) >= rank; });
    };
    for (const int rank : {0, 1}) {
      const auto begin = first_of_rank(rank);
      const auto end = first_of_rank(rank + 1);
      const auto best = Recommended(goal.saves_memory, begin, end);
      std::rotate(begin, best, best + (best == end ? 0 : 1));
    }
    std::move(choices.begin(), choices.end(), std::back_inserter(advice_->choices));
  }

  // What a choice saves. With optimize_filters_for_hits, no filter saves the reads in the last
  // level; of the others, less than one in 100,000 Gets counts as none.
  double Reads(double wasted) const {
    constexpr double kNone = 1e-5;
    return std::max(wasted - (tree_.skips_last_level ? tree_.levels.back().num_runs : 0), kNone);
  }
  double Cost(const Choice& choice, bool in_memory) const {
    return in_memory ? static_cast<double>(choice.filter_bytes) : Reads(choice.wasted_reads);
  }

  // Returns the simplest choice of those that are as good as the best.
  using Choices = std::vector<Choice>::iterator;
  Choices Recommended(bool saves_memory, Choices begin, Choices end) const {
    if (begin == end) return end;
    constexpr double kAsGood = 1.1;
    const auto cost = [&](const Choice& choice) { return Cost(choice, saves_memory); };
    const auto other_cost = [&](const Choice& choice) { return Cost(choice, !saves_memory); };
    const double most = kAsGood * cost(*begin);
    double most_other = HUGE_VAL;
    for (Choices i = begin; i != end && cost(*i) <= most; ++i) {
      most_other = std::min(most_other, kAsGood * other_cost(*i));
    }
    constexpr int kLast = 100;  // ranks after all choices that are as good
    const auto rank = [&](const Choice& choice) {
      const bool is_as_good = cost(choice) <= most && other_cost(choice) <= most_other;
      return is_as_good ? Complexity(choice) : kLast;
    };
    return std::min_element(begin, end,
                            [&](const Choice& a, const Choice& b) { return rank(a) < rank(b); });
  }

  // And wastes no more than now while much is written.
  bool Gains(const Choice& choice, const Goal& goal) const {
    constexpr double kRounding = 1.02;
    const double now = goal.saves_memory ? static_cast<double>(advice_->filter_bytes_now)
                                         : Reads(advice_->wasted_reads_now);
    return Cost(choice, goal.saves_memory) <= kWorthwhile * now &&
           !(choice.wasted_busy > kRounding * advice_->wasted_busy_now);
  }

  Choice MakeChoice(const Goal& goal, Format format, bool by_level,
                    const Division& division) const {
    Choice choice;
    choice.kind = KindName(format) + (by_level ? " by level" : "");
    choice.goal = goal.text;
    choice.format = format;
    choice.by_level = by_level;
    choice.bits_per_key = division.bits_per_key;
    choice.filter_bytes = ToWhole(division.bytes);
    choice.wasted_reads = division.wasted_reads;
    const Division of_rest = Divide(at_rest_, format, by_level, division.bits_per_key);
    choice.wasted_at_rest = choice.wasted_busy = of_rest.wasted_reads;
    if (!at_rest_.levels.empty()) {
      choice.wasted_busy +=
          WastedInFlushes(at_rest_, FlushedFile(tree_), format, by_level, of_rest);
    }
    choice.build_ns = BuildNs(format, situation_.cpu);
    if (tree_.engine == tables::Engine::kRocksDB) {
      choice.build_share = choice.build_ns / CompactionNs(BytesPerKey());
    }
    auto of_level = division.bits_of_level.begin();
    for (const Level& level : situation_.levels) {
      const double bits = HasKeys(level) ? *of_level++ : 0;
      choice.bits_of_level.push_back(Hundredths(filter::MemoryBits(format, bits)));
    }
    if (tree_.engine == tables::Engine::kRocksDB) {
      choice.option_string = OptionString(tree_, choice);
      if (choice.option_string.empty()) choice.rewrite_policy = BloomlineString(choice);
      if (filter::RowOf(format).takes_bloom_level() && !by_level && tree_.loads_bloomline) {
        choice.faster_option_string = BloomlineString(choice);
        const double own_share = kRocksDBRibbonBuildNs / CompactionNs(BytesPerKey());
        if (own_share > kMostBuildShare) {
          choice.option_string = std::exchange(choice.faster_option_string, "");
        }
      }
    }
    choice.needs_format_version =
        tree_.writes_old_bloom && filter::HasLegacy(format) && choice.rewrite_policy.empty();
    if (!choice.needs_format_version) choice.environment = EnvironmentLine(tree_, choice);
    return choice;
  }

  double BytesPerKey() const {
    constexpr double kUsual = 100;
    if (situation_.table_bytes == 0) return kUsual;
    uint64_t keys = 0;
    for (const Level& level : tree_.levels) keys += level.num_keys;
    return static_cast<double>(situation_.table_bytes) / static_cast<double>(keys);
  }

  double AllRuns() const {
    return std::accumulate(tree_.levels.begin(), tree_.levels.end(), 0.0,
                           [](double sum, const Level& level) { return sum + level.num_runs; });
  }

  std::string WhyImpossible() const {
    double least_bytes = HUGE_VAL;
    double least_reads = HUGE_VAL;
    for (const Format format : Formats()) {
      const Divider divider = MakeDivider(tree_, format, /*by_level=*/false);
      least_bytes = std::min(least_bytes, divider.Least().bytes);
      least_reads = std::min(least_reads, divider.Most().wasted_reads);
    }
    if (request_.memory_bytes) {
      return StrCat("memory is ", *request_.memory_bytes, " B; allowed: from ",
                    ToWhole(std::ceil(least_bytes)), " B on, the smallest filters for these keys");
    }
    return StrCat("wasted reads are ", *request_.wasted_reads,
                  " per Get of a missing key; allowed: from ", least_reads, " to less than ",
                  AllRuns(), ", which the database wastes without filters");
  }

  const Situation& situation_;
  const Request& request_;
  Advice* const advice_;
  const Situation tree_;  // only levels that have keys
  const Situation at_rest_;
  bool is_filtered_ = true;
};

}  // namespace

std::vector<double> BitsByLevel(const Situation& tree, Format format, double bits_per_key) {
  const double mean = filter::MemoryBits(format, bits_per_key);
  std::vector<double> bits = filter::LeftOverBitsOfAll({format, mean}, FillOf(tree));
  for (double& of_level : bits) of_level = AllowedBits(format, of_level);
  return bits;
}

uint64_t Situation::missing_bytes() const {
  double keys = 0;
  for (const Level& level : levels) keys += static_cast<double>(level.unfiltered_keys);
  return ToWhole(keys * wanted_bits / 8);
}

std::string KindName(Format format) { return filter::RowOf(format).title; }

std::string Choice::column_family_option() const {
  return filters_last_level ? "optimize_filters_for_hits=false" : "";
}

std::string Choice::database_option() const {
  return by_level && rewrite_policy.empty() ? "listeners=bloomline.account" : "";
}

std::string PolicyText(Format format, double bits_per_key, bool by_level) {
  const std::string bits = DoubleText(bits_per_key);
  if (filter::IsStock(format) && !by_level) {
    return StrCat(filter::RowOf(format).rocksdb_policy, ":", bits);
  }
  return BloomlineText(format, bits, by_level);
}

bool Advise(const Situation& situation, const Request& request, Advice* advice,
            std::string* error) {
  if (std::none_of(situation.levels.begin(), situation.levels.end(), HasKeys)) {
    return support::Refuse(error, "no level has keys; allowed: at least one with more than 0");
  }
  Advice result;
  std::string wrong = Adviser(situation, request, &result).Run();
  Situation with_filters = situation;
  with_filters.skips_last_level = false;
  for (Level& level : with_filters.levels) level.unqueried_share = 0;
  const bool is_unqueried = std::any_of(situation.levels.begin(), situation.levels.end(),
                                        [](const Level& one) { return one.unqueried_share != 0; });
  if (situation.skips_last_level || is_unqueried) {
    with_filters.stock_format.reset();  // the last level has none of them yet
    Advice filtered;
    const std::string also_wrong = Adviser(with_filters, request, &filtered).Run();
    if (wrong.empty() || also_wrong.empty()) wrong.clear();
    for (Choice& choice : filtered.choices) {
      choice.filters_last_level = true;
      choice.goal += ", optimize_filters_for_hits=false";
      choice.environment.clear();
      result.choices.push_back(std::move(choice));
    }
  }
  // Without filters in the last level, nearly every Get of a missing key in range reads a block.
  constexpr double kNearlyAll = 0.9;
  std::stable_partition(result.choices.begin(), result.choices.end(), [&](const Choice& choice) {
    return !situation.skips_last_level || choice.filters_last_level ||
           choice.wasted_reads < kNearlyAll;
  });
  const size_t num_choices = result.choices.size();
  if (wrong.empty() && num_choices != 0 && static_cast<size_t>(request.choice) > num_choices) {
    wrong = StrCat("choice is ", request.choice, "; allowed: 1 to ", num_choices);
  }
  if (!wrong.empty()) return support::Refuse(error, wrong);
  *advice = std::move(result);
  return true;
}

}  // namespace bloomline::model
