// Wasted reads and the memory of filters in RocksDB databases that grow by compaction.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "db_bench_ext/databases/file_sums.h"
#include "db_bench_ext/databases/former_release.h"
#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/natural_database.h"
#include "db_bench_ext/databases/natural_life.h"
#include "db_bench_ext/databases/two_numbers.h"
#include "src/tool/terminal.h"

namespace bloomline::bench {
namespace natural {
namespace {

// Bits per key that a uniform Ribbon filter of 14.5 bits takes, which all filters promise.
constexpr double kPromisedBits = 9.84;
constexpr double kTwoNumbersBits = 13.5;
constexpr char kByLevel[] =
    "{id=bloomline;format=ribbon;bits_per_key=14.5;bits_by_level=auto;stock_id=true}";

enum class Source { kOptions, kTwoNumbers, kFormerRelease };

struct Filter {
  const char* name;
  Source source;
  const char* option;  // filter_policy of an OPTIONS file
  bool has_account;
  bool is_in_short = true;
};

constexpr Filter kFilters[] = {
    {"Bloom", Source::kOptions, "bloomfilter:10:false", false},
    {"Ribbon", Source::kOptions, "ribbonfilter:14.5:-1", false},
    {"two numbers", Source::kTwoNumbers, "", false},
    {"by level", Source::kOptions, kByLevel, true},
    {"by level alone", Source::kOptions, kByLevel, false, false},
    {"former release", Source::kFormerRelease, kByLevel, false},
};

FilterSetup SetupOf(const Filter& filter, const Flags& flags) {
  FilterSetup setup;
  switch (filter.source) {
    case Source::kOptions:
      setup.policy = NewRocksDBPolicy({filter.name, 0, filter.option});
      break;
    case Source::kTwoNumbers:
      setup.policy = NewTwoNumbers(kTwoNumbersBits);
      break;
    case Source::kFormerRelease:
      setup.policy = PolicyOfRelease(flags.former_library, filter.option);
      break;
  }
  if (filter.has_account) setup.listener = NewFilterAccount();
  return setup;
}

struct Kind {
  const char* name;  // of --compaction
  const char* title;
  Compaction compaction;
  bool is_in_short = true;
};
constexpr Kind kKinds[] = {
    {"dynamic", "dynamic levels", Compaction::kDynamicLevels},
    {"static", "static levels", Compaction::kStaticLevels},
    {"universal", "universal compaction", Compaction::kUniversal, false},
};

constexpr uint64_t kGets[] = {200000, 16000, 2000};
// The short form has fewer keys, which fill as many levels of smaller files.
constexpr size_t kBufferBytes[] = {NaturalDatabase::kBufferBytes, size_t{64} << 10,
                                   NaturalDatabase::kBufferBytes};
// Where level 0 has a large part of the keys, as in small databases, it decides on everything.
constexpr uint64_t kMostKeysForGain = 500000;

// How many runs there are, if all had as many keys: 2 to the entropy of their shares.
double EqualRuns(const std::vector<FileSums>& levels) {
  double keys = 0, entropy = 0;
  for (const FileSums& level : levels) keys += static_cast<double>(level.num_keys);
  for (const FileSums& level : levels) {
    if (level.num_keys == 0) continue;
    const double share = static_cast<double>(level.num_keys) / keys;
    const bool is_top = &level == &levels[0];
    const double runs = is_top ? static_cast<double>(level.num_files) : 1;
    entropy -= share * std::log2(share / runs);
  }
  return std::exp2(entropy);
}

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
  double percent_over() const { return 100 * (bits_per_key() / kPromisedBits - 1); }
  double percent_wasted() const { return 100 * reads.positives; }
  double gain() const { return Gain(reads, bits_per_key()); }
  // How many times as many reads are wasted as by the best division of the same bytes.
  double times_least() const {
    return reads.positives / (RibbonRate(bits_per_key()) * EqualRuns(levels));
  }
};

// What was seen of a database with one filter.
struct History {
  const Kind* kind;
  const Filter* filter;
  std::vector<State> states;
};

History LiveWith(const Kind& kind, const Filter& filter, const Flags& flags) {
  const auto form = static_cast<size_t>(flags.form);
  const uint64_t gets = kGets[form];
  History history = {&kind, &filter, {}};
  const TemporaryDirectory directory(flags.db_directory);
  NaturalDatabase database(kind.compaction, SetupOf(filter, flags), directory.path(),
                           kBufferBytes[form]);
  Life life;
  life.reopen = [&] { return SetupOf(filter, flags); };
  life.look = [&](const std::string& name, bool is_at_rest) {
    Begin(std::string(kind.title) + ", " + filter.name + ": " + name);
    State state{name, is_at_rest, database.num_written(), SumsOfLevels(database.db()), {}, {}};
    for (const FileSums& level : state.levels) state.files.Add(level);
    if (state.files.num_files == 0) return;
    state.reads = database.ReadMissing(gets);
    const bool reads_all = name == "overwritten" || name == "again";
    if (reads_all && is_at_rest) state.stored = database.LookUpStoredKeys();
    history.states.push_back(state);
  };
  Live(flags.keys, life, &database);
  return history;
}

// A column of the table: a number of each state that counts, and what is said of all.
struct Column {
  const char* title;
  bool (*counts)(const State& state);  // null: all do
  double (State::*number)() const;
  double (*summary)(const std::vector<double>& numbers);
  int digits;
  bool is_of_large;  // only databases that are large enough
};

double Most(const std::vector<double>& numbers) {
  return *std::max_element(numbers.begin(), numbers.end());
}
double Least(const std::vector<double>& numbers) {
  return *std::min_element(numbers.begin(), numbers.end());
}
double Mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}
double GeometricMean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += std::log(number);
  return std::exp(sum / static_cast<double>(numbers.size()));
}

bool IsAtRest(const State& state) { return state.is_at_rest; }
bool IsUnderLoad(const State& state) { return !state.is_at_rest; }
bool HasEmptyTop(const State& state) { return state.is_at_rest && state.levels[0].num_files == 0; }

constexpr Column kColumns[] = {
    {"over: max", nullptr, &State::percent_over, Most, 1, false},
    {"large", nullptr, &State::percent_over, Most, 1, true},
    {"mean", nullptr, &State::percent_over, Mean, 1, false},
    {"min", nullptr, &State::percent_over, Least, 1, false},
    {"wasted: mean", nullptr, &State::percent_wasted, Mean, 2, false},
    {"max", nullptr, &State::percent_wasted, Most, 2, false},
    {"gain: rest", IsAtRest, &State::gain, GeometricMean, 2, true},
    {"no L0", HasEmptyTop, &State::gain, GeometricMean, 2, true},
    {"load", IsUnderLoad, &State::gain, GeometricMean, 2, true},
    {"/least", IsUnderLoad, &State::times_least, GeometricMean, 2, true},
};

std::string Cell(const Column& column, const History& history, uint64_t min_keys) {
  std::vector<double> numbers;
  for (const State& state : history.states) {
    if (column.counts != nullptr && !column.counts(state)) continue;
    if (column.is_of_large && state.files.num_keys < min_keys) continue;
    numbers.push_back((state.*column.number)());
  }
  return numbers.empty() ? "" : NumberText(column.summary(numbers), column.digits);
}

std::string SummaryTable(const std::vector<History>& histories, uint64_t min_keys) {
  std::vector<Cells> lines = {{"levels", "filter"}};
  for (const Column& column : kColumns) lines[0].push_back(column.title);
  for (const History& history : histories) {
    Cells& line = lines.emplace_back(Cells{history.kind->name, history.filter->name});
    for (const Column& column : kColumns) line.push_back(Cell(column, history, min_keys));
  }
  return tool::TextTable(lines, 2);
}

// "1:24k 16.1" of each level that has files.
std::string ShapeOf(const std::vector<FileSums>& levels) {
  std::string shape;
  for (size_t level = 0; level < levels.size(); ++level) {
    const FileSums& sums = levels[level];
    if (sums.num_files == 0) continue;
    const double thousands = static_cast<double>(sums.num_keys) / 1000;
    shape += (shape.empty() ? "" : "; ") + std::to_string(level) + ":" + NumberText(thousands, 0) +
             "k " + NumberText(sums.FilterBitsPerKey(), 1);
  }
  return shape;
}

Row MakeRow(const History& history, const State& state, uint64_t gets) {
  return Row()
      .Word("levels", "", history.kind->name)
      .Word("filter", "", history.filter->name)
      .Word("option", "", history.filter->option)
      .Word("state", "", state.name)
      .Word("is_at_rest", "", state.is_at_rest ? "1" : "0")
      .Count("gets", "", gets)
      .Count("keys_written", "", state.num_written)
      .Count("entries", "", state.files.num_keys)
      .Count("files", "", state.files.num_files)
      .Count("files_in_level0", "", state.levels[0].num_files)
      .Number("bits_per_key", "", state.bits_per_key())
      .Number("percent_over_promise", "", state.percent_over())
      .Number("wasted_reads_per_get", "", state.reads.positives)
      .Number("filters_queried_per_get", "", state.reads.probes)
      .Number("gain", "", state.gain())
      .Number("times_least", "", state.times_least())
      .Word("shape", "", ShapeOf(state.levels))
      .Count("stored_keys", "", state.stored.num)
      .Count("lost_keys", "", state.stored.num_lost)
      .Count("wrong_answers", "", state.num_wrong());
}

std::string Legend(uint64_t keys, uint64_t gets, uint64_t min_keys, size_t buffer_bytes) {
  const size_t kib = buffer_bytes >> 10;
  return "databases    " + tool::CountText(keys) +
         " keys of 16 bytes in random order, values of 20 bytes; buffers of\n"
         "             " +
         std::to_string(kib) + " KiB, files of " + std::to_string(2 * kib) + " KiB, level 1 of " +
         std::to_string(4 * kib) +
         " KiB; no compression\n"
         "levels       level_compaction_dynamic_level_bytes; dynamic is RocksDB's default from\n"
         "             8.4 on, static its default before; or universal compaction\n"
         "states       21: loaded to 1/58, 1/17, 1/5, 3/7, 5/7 and all of the keys; three flushes\n"
         "             after a restart; 3/7 overwritten; two thirds deleted; shrunk by\n"
         "             CompactRange; some loaded again. Most are at rest, where no compaction is\n"
         "             left to do, and under load, where compactions stop where they are\n"
         "Bloom        RocksDB's, 10 bits per key\n"
         "by level     bits_by_level=auto with a FilterAccount; alone: without one\n"
         "two numbers  RocksDB's Ribbon filters of 13.5 bits in bottommost files, of 20.5 in\n"
         "             all others\n"
         "over         bits per key of all live files, in percent over the 9.84 of Ribbon\n"
         "large        states with " +
         tool::CountText(min_keys) +
         " entries or more, as for gain and /least\n"
         "wasted       per 100 Gets of missing keys: files that a filter let be searched in vain\n"
         "             (" +
         tool::CountText(gets) +
         " Gets in each state)\n"
         "gain         how many times as many reads uniform Ribbon filters of the same bytes\n"
         "             would waste in the same files; geometric means of the states at rest, of\n"
         "             those of them with an empty level 0, and under load\n"
         "/least       how many times as many reads are wasted under load as by the best division\n"
         "             of the same bytes\n\n";
}

uint64_t Run(const Flags& flags, Output* output, std::vector<Row>* rows) {
  const auto form = static_cast<size_t>(flags.form);
  const uint64_t gets = kGets[form];
  const uint64_t min_keys = std::min(flags.keys / 2, kMostKeysForGain);
  const bool is_short = flags.form == Form::kShort;
  std::vector<std::pair<const Kind*, const Filter*>> chosen;
  for (const Kind& kind : kKinds) {
    const bool is_chosen = flags.compactions.empty() ? kind.is_in_short || !is_short
                                                     : flags.compactions.count(kind.name) != 0;
    if (!is_chosen) continue;
    for (const Filter& filter : kFilters) {
      if (filter.source == Source::kFormerRelease && flags.former_library.empty()) continue;
      if (filter.is_in_short || !is_short) chosen.emplace_back(&kind, &filter);
    }
  }
  ExpectSteps(chosen.size() * kStatesOfLife);
  output->Print(Legend(flags.keys, gets, min_keys, kBufferBytes[form]));
  uint64_t wrong = 0;
  std::vector<History> histories;
  for (const auto& [kind, filter] : chosen) {
    histories.push_back(LiveWith(*kind, *filter, flags));
    for (const State& state : histories.back().states) {
      rows->push_back(MakeRow(histories.back(), state, gets));
      wrong += state.num_wrong();
    }
  }
  output->Print(SummaryTable(histories, min_keys) + "\n");
  return wrong;
}

void AddFlags(CommandLine* command, Flags* flags) {
  std::set<std::string> names;
  for (const Kind& kind : kKinds) names.insert(kind.name);
  command->AddNames("--compaction", &flags->compactions, names);
  command->AddFlag("--counts", &flags->only_counts);
  command->AddFile("--former", &flags->former_library);
}

}  // namespace
}  // namespace natural

Workload Natural() {
  return {"natural",
          "wasted reads of missing keys in RocksDB databases that grow by compaction",
          {{3500000, 1}, {115000, 1}, {20000, 1}},
          natural::Run,
          natural::AddFlags};
}

}  // namespace bloomline::bench
