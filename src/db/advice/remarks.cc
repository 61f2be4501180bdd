// Remarks for an operator beside the figures of a piece of advice (instructions.h).
#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "src/db/advice/instructions.h"
#include "src/filter/sizing/divider.h"
#include "src/support/number_text.h"

namespace bloomline::advice {
namespace {

struct Remark {
  bool applies;
  std::string text;
};

std::vector<std::string> Applying(std::initializer_list<Remark> remarks) {
  std::vector<std::string> texts;
  for (const Remark& remark : remarks) {
    if (remark.applies) texts.push_back(remark.text);
  }
  return texts;
}

// Three digits: "0.226 %".
std::string PercentText(double number) {
  char text[32];
  const auto result =
      std::to_chars(text, text + sizeof(text), 100 * number, std::chars_format::general, 3);
  return std::string(text, result.ptr) + " %";
}

// The part of the keys in levels without filters.
double PartWithoutFilter(const Situation& situation, const Tree& tree) {
  double keys = 0;
  for (const Level& level : situation.levels) {
    if (level.filter_bytes == 0) keys += static_cast<double>(level.num_keys);
  }
  return keys / tree.all_keys();
}

const Choice* FirstStock(const Advice& advice) {
  const auto found = std::find_if(advice.choices.begin(), advice.choices.end(),
                                  [](const Choice& choice) { return choice.is_stock(); });
  return found == advice.choices.end() ? nullptr : &*found;
}

// The false-positive rates of one run of the deepest level with keys: with the choice, and now.
struct BottomRates {
  double chosen = 1;
  double now = 1;
};
BottomRates RatesOfBottom(const Situation& situation, const Tree& tree, const Choice& choice) {
  BottomRates rates;
  double bits = choice.bits_per_key;
  for (size_t i = 0; i < situation.levels.size(); ++i) {
    const Level& level = situation.levels[i];
    if (level.num_keys == 0) continue;
    rates.now = level.filter_bytes == 0 ? 1 : std::min(1.0, level.wasted_reads / level.num_runs);
    if (choice.by_level) bits = filter::BitsOfMemory(choice.format, choice.bits_of_level[i]);
  }
  rates.chosen =
      FiguresFor(situation.engine, choice.format, tree.keys_per_filter.back(), bits).rate;
  return rates;
}

std::string ByLevelText(const Tree& tree, const Choice& choice) {
  if (!choice.is_stock()) {
    return "Bits by level are for the levels as they are. If the tree grows by a level, run this "
           "again: new levels take the bits of the deepest level.";
  }
  const double bits =
      8 * MakeDivider(tree, choice.format, Spread::kAuto).At(choice.bits_per_key).bytes /
      tree.all_keys();
  return "bits_per_key=" + support::DoubleText(choice.bits_per_key) +
         " is the average for full levels; in this database it comes to " +
         support::NumberText(bits, 2) + ". If the levels fill or the tree grows, run this again.";
}

std::string NewFilesText(const Situation& situation, const Tree& tree, const Choice& choice) {
  const std::string text = "Only files that are written from now on get the new filters";
  const bool is_rocksdb = situation.engine == sstable::Engine::kRocksDB;
  if (!is_rocksdb || !situation.leveled || tree.all_runs() <= 1.5) {
    return text + "; a compaction rewrites the others.";
  }
  const BottomRates rates = RatesOfBottom(situation, tree, choice);
  return text +
         "; bloomline-rewrite gives them to the others (docs/operating.md). The figures assume "
         "that each level keeps its keys. Compacting the whole database merges all levels into "
         "one: wasted reads are then " +
         PercentText(rates.chosen) + " (" + PercentText(rates.now) +
         " with the present filters), until the other levels fill again." +
         (rates.chosen > 1.05 * rates.now
              ? " If you often compact all of it, keep the present filters."
              : "");
}

// Measured: docs/benchmarking.md and docs/choosing.md.
std::string CompactText(sstable::Engine engine) {
  return engine == sstable::Engine::kRocksDB
             ? "Compared with RocksDB's Bloom filters, filters of format compact take 0.9 to 1.7 "
               "times as long for a missing key, 2 to 3 times for a stored key and 1.5 to 3 times "
               "to build."
             : "Filters of format compact take about 1.6 times as long to build as LevelDB's own, "
               "and no longer to query.";
}

}  // namespace

void AddRemarks(const Situation& situation, const Request& request, const Tree& tree,
                Advice* advice) {
  const bool is_rocksdb = situation.engine == sstable::Engine::kRocksDB;
  const std::string engine = is_rocksdb ? "RocksDB" : "LevelDB";
  const double without = PartWithoutFilter(situation, tree);
  const Choice* const stock = FirstStock(*advice);
  const auto number = stock == nullptr ? 0 : stock - advice->choices.data() + 1;
  advice->remarks = Applying({
      {without > 0,
       PercentText(without) +
           " of the keys have no filter: a Get of a missing key reads a block from each of their "
           "runs that it comes to." +
           (is_rocksdb && without < 1
                ? " With optimize_filters_for_hits this is intended, and RocksDB writes none there "
                  "whatever the policy is."
                : "")},
      {without == 0 && advice->choices.empty(),
       "The filters are already as good as bloomline's would be: no choice saves a twentieth of "
       "the wasted reads or of the memory."},
      {tree.size() > 1 && (!is_rocksdb || !situation.leveled),
       is_rocksdb ? "With universal or FIFO compaction, all files have the same bits per key: "
                    "RocksDB does not say how large a file is among the others."
                  : "LevelDB does not tell a filter policy the level of a file, so all levels have "
                    "the same bits per key."},
      {stock != nullptr,
       "(" + std::to_string(number) +
           ") keeps the filters that RocksDB itself writes; only the bits of each level change. "
           "RocksDB without bloomline uses them, and stock_id=true keeps bloomline's name out of "
           "the database. To undo it, remove the setting: no file has to be rewritten."},
  });
  if (advice->choices.empty()) return;
  const Choice& chosen = advice->Chosen(request);
  advice->on_chosen = Applying({
      {!chosen.is_stock(),
       engine +
           " without bloomline cannot use these filters: a Get of a missing key would then read a "
           "block from every file that could hold it. So each program that reads the database "
           "needs bloomline."},
      {chosen.by_level, chosen.by_level ? ByLevelText(tree, chosen) : ""},
      {true, NewFilesText(situation, tree, chosen)},
      {chosen.format == Format::kCompact, CompactText(situation.engine)},
  });
}

}  // namespace bloomline::advice
