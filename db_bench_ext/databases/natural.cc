// Wasted reads and the memory of filters in RocksDB databases that grow by compaction.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/natural_database.h"
#include "db_bench_ext/databases/two_numbers.h"
#include "src/tool/terminal.h"

namespace bloomline::bench {
namespace natural {
namespace {

using PolicyPointer = std::shared_ptr<const rocksdb::FilterPolicy>;

// Bits per key that a uniform Ribbon filter of 14.5 bits takes, which all Ribbon filters promise.
constexpr double kRibbonMemory = 9.84;
constexpr double kTwoNumbersBits = 13.5;

struct Filter {
  const char* name;
  const char* option;  // filter_policy of an OPTIONS file; null: NewTwoNumbers
  double promised_bits;
  bool is_in_short = true;
};

constexpr Filter kFilters[] = {
    {"Bloom", "bloomfilter:10:false", 10, false},
    {"Ribbon", "ribbonfilter:14.5:-1", kRibbonMemory},
    {"two numbers", nullptr, kRibbonMemory},
    {"Ribbon by level",
     "{id=bloomline;format=ribbon;bits_per_key=14.5;bits_by_level=auto;stock_id=true}",
     kRibbonMemory},
};

PolicyPointer PolicyOf(const Filter& filter) {
  if (filter.option == nullptr) return NewTwoNumbers(kTwoNumbersBits);
  return NewRocksDBPolicy({filter.name, 0, filter.option});
}

struct Kind {
  const char* name;  // of --compaction
  const char* title;
  Compaction compaction;
  bool is_default;
};
constexpr Kind kKinds[] = {
    {"dynamic", "dynamic levels", Compaction::kDynamicLevels, true},
    {"static", "static levels", Compaction::kStaticLevels, true},
    {"universal", "universal compaction", Compaction::kUniversal, false},
};

constexpr uint64_t kGets[] = {100000, 50000, 2000};
// Where level 0 has a large part of the keys, as in small databases, it decides on everything.
constexpr uint64_t kMostKeysForGain = 500000;

struct State {
  std::string name;
  bool is_at_rest;
  uint64_t num_written;
  std::vector<FileSums> levels;
  FileSums files;
  NaturalDatabase::Reads reads;
  NaturalDatabase::Lookups stored = {};  // in some states

  uint64_t num_wrong() const { return reads.num_found + stored.num_lost + stored.num_back; }
  double bits_per_key() const { return files.FilterBitsPerKey(); }
  // How many times as many reads a uniform Ribbon filter of the same bytes wastes in these files.
  // One of 9.86 bits has 0.141 % false positives, and each bit halves them.
  double gain() const {
    const double uniform = reads.probes * 0.00141 * std::exp2(9.86 - bits_per_key());
    return uniform / std::max(reads.positives, 0.000005);
  }
};

double PercentOver(double bits_per_key, const Filter& filter) {
  return 100 * (bits_per_key / filter.promised_bits - 1);
}

// What was seen of a database with one filter.
struct History {
  const Kind* kind;
  const Filter* filter;
  std::vector<State> states;
};

class Life {
 public:
  Life(const Kind& kind, const Filter& filter, const Flags& flags)
      : history_{&kind, &filter, {}},
        keys_(flags.keys),
        gets_(kGets[static_cast<size_t>(flags.form)]),
        database_(kind.compaction, PolicyOf(filter), flags.db_directory) {}

  static constexpr size_t kSteps = 9;

  History Run() {
    Grow("1/16", keys_ / 16);
    Grow("1/4", keys_ / 4);
    Grow("1/2", keys_ / 2);
    Restart();
    Grow("3/4", keys_ * 3 / 4);
    Grow("all", keys_);
    Overwrite();
    DeleteAndShrink();
    Grow("again", keys_ + keys_ / 5);
    LookUpStoredKeys();
    return history_;
  }

 private:
  void BeginStep(const std::string& what) const {
    Begin(std::string(history_.kind->title) + ", " + history_.filter->name + ": " + what);
  }

  void Measure(const std::string& name, bool is_at_rest) {
    State state{name, is_at_rest, database_.num_written(), database_.SumsOfLevels(), {}, {}};
    for (const FileSums& level : state.levels) state.files.Add(level);
    if (state.files.num_files == 0) return;
    state.reads = database_.ReadMissing(gets_);
    history_.states.push_back(state);
  }

  void MeasureWhileWritten(const std::string& name) {
    database_.Pause();
    Measure(name, false);
    database_.Continue();
  }

  void MeasureBoth(const std::string& name) {
    MeasureWhileWritten(name);
    database_.Rest();
    Measure(name, true);
  }

  void Grow(const std::string& name, uint64_t keys) {
    BeginStep(name);
    database_.GrowTo(keys);
    MeasureBoth(name);
  }

  // The policy of a new process has seen no file.
  void Restart() {
    BeginStep("restart");
    database_.ReopenWith(PolicyOf(*history_.filter));
    for (int flush = 0; flush < 3; ++flush) {
      database_.GrowTo(database_.num_written() + std::min(keys_ / 16, uint64_t{3000}));
      database_.Flush();
    }
    MeasureWhileWritten("restart");
  }

  void Overwrite() {
    BeginStep("overwritten");
    database_.Overwrite(keys_ / 2);
    MeasureBoth("overwritten");
    LookUpStoredKeys();
  }

  void DeleteAndShrink() {
    BeginStep("deleted");
    database_.DeleteTwoThirds(keys_ / 2);
    MeasureWhileWritten("half deleted");
    database_.DeleteTwoThirds(keys_);
    MeasureBoth("deleted");
    Check(database_.db()->CompactRange({}, nullptr, nullptr));
    Measure("shrunk", true);
  }

  void LookUpStoredKeys() { history_.states.back().stored = database_.LookUpStoredKeys(); }

  History history_;
  const uint64_t keys_;
  const uint64_t gets_;
  NaturalDatabase database_;
};

// Means of the states at rest or of the others.
class Summary {
 public:
  Summary(const History& history, bool at_rest, uint64_t min_keys) {
    double log_gain = 0;
    int num_gains = 0;
    for (const State& state : history.states) {
      if (state.is_at_rest != at_rest) continue;
      wasted_.push_back(100 * state.reads.positives);
      bits_.push_back(state.bits_per_key());
      if (state.files.num_keys < min_keys) continue;
      log_gain += std::log(state.gain());
      ++num_gains;
    }
    most_over_ = PercentOver(*std::max_element(bits_.begin(), bits_.end()), *history.filter);
    if (num_gains > 0) gain_ = std::exp(log_gain / num_gains);
  }

  Cells AsCells(const std::string& name) const {
    const auto [min, max] = std::minmax_element(wasted_.begin(), wasted_.end());
    return {name,
            NumberText(Mean(wasted_), 2),
            NumberText(*min, 2) + " - " + NumberText(*max, 2),
            NumberText(Mean(bits_), 2),
            NumberText(most_over_, 1),
            Cell(gain_, 2)};
  }

 private:
  static double Mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }

  std::vector<double> wasted_;  // per 100 Gets
  std::vector<double> bits_;    // per key
  double most_over_ = 0;        // the promise, in percent
  double gain_ = NAN;
};

// "1:24k 16.1" of each level that has files.
Cells ShapeOf(const std::vector<FileSums>& levels) {
  Cells cells;
  for (size_t level = 0; level < levels.size(); ++level) {
    const FileSums& sums = levels[level];
    if (sums.num_files == 0) continue;
    const double thousands = static_cast<double>(sums.num_keys) / 1000;
    cells.push_back(std::to_string(level) + ":" + NumberText(thousands, 0) + "k " +
                    NumberText(sums.FilterBitsPerKey(), 1));
  }
  return cells;
}

std::string Joined(const Cells& cells, const std::string& between) {
  std::string text;
  for (const std::string& cell : cells) text += (text.empty() ? "" : between) + cell;
  return text;
}

Row MakeRow(const History& history, const State& state, uint64_t gets) {
  const double bits = state.bits_per_key();
  return Row()
      .Word("levels", "", history.kind->name)
      .Word("filter", "", history.filter->name)
      .Word("option", "", history.filter->option == nullptr ? "" : history.filter->option)
      .Word("state", "", state.name)
      .Word("is_at_rest", "", state.is_at_rest ? "1" : "0")
      .Count("gets", "", gets)
      .Count("keys_written", "", state.num_written)
      .Count("entries", "", state.files.num_keys)
      .Count("files", "", state.files.num_files)
      .Count("files_in_level0", "", state.levels[0].num_files)
      .Number("bits_per_key", "", bits)
      .Number("percent_over_promise", "", PercentOver(bits, *history.filter))
      .Number("wasted_reads_per_get", "", state.reads.positives)
      .Number("filters_queried_per_get", "", state.reads.probes)
      .Number("gain", "", state.gain())
      .Word("shape", "", Joined(ShapeOf(state.levels), "; "))
      .Count("stored_keys", "", state.stored.num)
      .Count("lost_keys", "", state.stored.num_lost)
      .Count("wrong_answers", "", state.num_wrong());
}

std::string Legend(uint64_t keys, uint64_t gets, uint64_t min_keys) {
  return "databases    " + tool::CountText(keys) +
         " keys of 16 bytes in random order, values of 20 bytes; buffers of\n"
         "             256 KiB, files of 512 KiB, level 1 of 1 MiB; no compression\n"
         "levels       level_compaction_dynamic_level_bytes; dynamic is RocksDB's default from\n"
         "             8.4 on, static its default before\n"
         "states       loaded to 1/16, 1/4, 1/2, 3/4 and all of the keys; three flushes after a\n"
         "             restart; half as many keys overwritten; two thirds deleted; shrunk by\n"
         "             CompactRange; a fifth loaded again\n"
         "written      while the database is written: compactions stop where they are\n"
         "at rest      no compaction is left to do\n"
         "wasted       per 100 Gets of missing keys: files that a filter let be searched in vain\n"
         "             (" +
         tool::CountText(gets) +
         " Gets in each state); mean, least and most of the states\n"
         "bits/key     filters of all live files; mean of the states\n"
         "over         the most bits/key of a state, in percent over those promised: 10 of\n"
         "             Bloom, 9.84 of Ribbon filters\n"
         "gain         how many times as many reads uniform Ribbon filters of the same bytes\n"
         "             would waste in the same files; geometric mean of the states with\n"
         "             " +
         tool::CountText(min_keys) +
         " entries or more\n"
         "two numbers  RocksDB's Ribbon filters of 13.5 bits in bottommost files, of 20.5 in\n"
         "             all others\n\n";
}

std::string SummaryTable(const std::vector<History>& histories, uint64_t min_keys) {
  std::vector<Cells> lines = {{"", "wasted", "range", "bits/key", "over %", "gain"}};
  for (const Kind& kind : kKinds) {
    for (const bool at_rest : {true, false}) {
      Cells heading = {std::string(kind.title) + (at_rest ? ", at rest" : ", written")};
      for (const History& history : histories) {
        if (history.kind != &kind) continue;
        if (!heading.empty()) lines.push_back(std::exchange(heading, {}));
        const Summary summary(history, at_rest, min_keys);
        lines.push_back(summary.AsCells(std::string("  ") + history.filter->name));
      }
    }
  }
  return tool::TextTable(lines, 1);
}

// The states with all keys: for each level, its entries and the bits per key of its filters.
std::string ShapeTable(const std::vector<History>& histories) {
  std::string text = "Levels with all keys, as LEVEL:ENTRIES BITS/KEY\n";
  std::vector<Cells> lines;
  for (const History& history : histories) {
    for (const State& state : history.states) {
      if (state.name != "all") continue;
      lines.push_back(
          {history.kind->name, history.filter->name, state.is_at_rest ? "rest" : "written"});
      for (const std::string& cell : ShapeOf(state.levels)) lines.back().push_back(cell);
    }
  }
  return text + tool::TextTable(lines, 3);
}

uint64_t Run(const Flags& flags, Output* output, std::vector<Row>* rows) {
  const uint64_t gets = kGets[static_cast<size_t>(flags.form)];
  const uint64_t min_keys = std::min(flags.keys / 2, kMostKeysForGain);
  std::vector<std::pair<const Kind*, const Filter*>> chosen;
  for (const Kind& kind : kKinds) {
    const bool is_named = flags.compactions.count(kind.name) > 0;
    if (!is_named && !(flags.compactions.empty() && kind.is_default)) continue;
    for (const Filter& filter : kFilters) {
      if (filter.is_in_short || flags.form != Form::kShort) chosen.emplace_back(&kind, &filter);
    }
  }
  ExpectSteps(chosen.size() * Life::kSteps);
  output->Print(Legend(flags.keys, gets, min_keys));
  uint64_t wrong = 0;
  std::vector<History> histories;
  for (const auto& [kind, filter] : chosen) {
    histories.push_back(Life(*kind, *filter, flags).Run());
    for (const State& state : histories.back().states) {
      rows->push_back(MakeRow(histories.back(), state, gets));
      wrong += state.num_wrong();
    }
  }
  output->Print(SummaryTable(histories, min_keys) + "\n" + ShapeTable(histories) + "\n");
  return wrong;
}

void AddFlags(CommandLine* command, Flags* flags) {
  std::set<std::string> names;
  for (const Kind& kind : kKinds) names.insert(kind.name);
  command->AddNames("--compaction", &flags->compactions, names);
  command->AddFlag("--counts", &flags->only_counts);
}

}  // namespace
}  // namespace natural

Workload Natural() {
  return {"natural",
          "wasted reads of missing keys in RocksDB databases that grow by compaction",
          {{1000000, 1}, {200000, 1}, {20000, 1}},
          natural::Run,
          natural::AddFlags};
}

}  // namespace bloomline::bench
