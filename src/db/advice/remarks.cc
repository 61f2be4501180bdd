#include "src/db/advice/remarks.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string>

#include "src/support/number_text.h"

namespace bloomline::advice {
namespace {

using support::DoubleText;
using support::StrCat;

bool IsRocksDB(sstable::Engine engine) { return engine == sstable::Engine::kRocksDB; }

// ---- Settings.

constexpr double kDefaultRatio = 10;

// RocksDB uses it for files whose level is unknown, so it must be valid in any case.
std::string BitsPerKeyText(const Choice& choice) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(choice.format);
  return DoubleText(std::clamp(choice.bits_per_key, allowed.min, allowed.max));
}

std::string List(const std::vector<double>& bits) {
  std::string text;
  for (const double b : bits) text += (text.empty() ? "" : ":") + DoubleText(b);
  return text;
}

// A value of filter_policy in RocksDB's option strings, OPTIONS files and SetOptions. RocksDB's own
// filters follow with the levels by themselves.
std::string OptionString(const Tree& tree, const std::vector<double>& bits_from_level_0,
                         const Choice& choice) {
  std::string text = StrCat("{id=bloomline;format=", FormatName(choice.format),
                            ";bits_per_key=", BitsPerKeyText(choice));
  if (choice.is_stock()) {
    text += ";bits_by_level=auto";
    if (tree.level_size_ratio != kDefaultRatio) {
      text += ";level_size_ratio=" + DoubleText(tree.level_size_ratio);
    }
  } else if (!bits_from_level_0.empty()) {
    text += ";bits_by_level=" + List(bits_from_level_0);
  }
  // RocksDB's ribbonfilter:N does the same: flushed files have Bloom filters, which are built
  // faster.
  if (choice.format == Format::kRibbon) text += ";flush_format=bloom";
  return text + (choice.is_stock() ? ";stock_id=true}" : "}");
}

// The variables of the preload library, to put before a command. No variable has the ratio: with
// another one than kDefaultRatio, they list the bits instead of auto.
std::string EnvironmentLine(const Tree& tree, const std::vector<double>& bits_from_level_0,
                            const Choice& choice) {
  const std::string text =
      StrCat("LD_PRELOAD=libbloomline_", IsRocksDB(tree.engine) ? "rocksdb" : "leveldb",
             "_preload.so BLOOMLINE_FORMAT=", FormatName(choice.format),
             " BLOOMLINE_BITS_PER_KEY=", BitsPerKeyText(choice));
  if (bits_from_level_0.empty()) return text;
  const bool is_auto = choice.is_stock() && tree.level_size_ratio == kDefaultRatio;
  return text + " BLOOMLINE_BITS_BY_LEVEL=" + (is_auto ? "auto" : List(bits_from_level_0));
}

// ---- Remarks.

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

// The part of the keys in levels without filters.
double PartWithoutFilter(const Situation& situation, const Tree& tree) {
  double keys = 0;
  for (const Level& level : situation.levels) {
    if (level.filter_bytes == 0) keys += static_cast<double>(level.num_keys);
  }
  return keys / tree.all_keys();
}

// Whole percent, or three digits of less than one.
std::string PercentText(double part) {
  if (part >= 0.01) return support::NumberText(100 * part, 0);
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof(text), 100 * part, std::chars_format::general, 3);
  return std::string(text, end.ptr);
}

constexpr char kSomeHaveNone[] =
    " % of the keys have no filter: a Get of a missing key reads a block from each of their runs "
    "that it comes to.";
constexpr char kIsIntended[] =
    " With optimize_filters_for_hits this is intended, and RocksDB writes none there whatever the "
    "policy is.";
constexpr char kAsGood[] =
    "The filters are already as good as bloomline's would be: no choice saves a twentieth of the "
    "wasted reads or of the memory.";
constexpr char kNotLeveled[] =
    "With universal or FIFO compaction, all files have the same bits per key: RocksDB does not say "
    "how large a file is among the others.";
constexpr char kLevelDBHasNoLevels[] =
    "LevelDB does not tell a filter policy the level of a file, so all levels have the same bits "
    "per key.";
constexpr char kStock[] =
    "RocksDB Bloom or Ribbon by level keeps the filters that RocksDB itself writes; only the bits "
    "of each level change. RocksDB without bloomline uses them, and stock_id=true keeps "
    "bloomline's name out of the database. To undo it, remove the setting: no file has to be "
    "rewritten.";
constexpr char kNeedsBloomline[] =
    " without bloomline cannot use these filters: a Get of a missing key would then read a block "
    "from every file that could hold it. So each program that reads the database needs bloomline.";
constexpr char kByLevel[] =
    "Bits by level are for the levels as they are: if these fill, or the tree grows by a level, "
    "run this again. Compacting the whole database merges all levels into one, whose filters then "
    "have the fewest bits: if you often do that, use the same bits in all levels.";
constexpr char kAuto[] =
    " bits_per_key is the average for full levels; the table has this database's.";
// Measured: docs/benchmarking.md and docs/choosing.md.
constexpr char kCompactInRocksDB[] =
    "Compared with RocksDB's Bloom filters, filters of format compact take 0.9 to 1.7 times as "
    "long for a missing key, 2 to 3 times for a stored key and 1.5 to 3 times to build.";
constexpr char kCompactInLevelDB[] =
    "Filters of format compact take about 1.6 times as long to build as LevelDB's own, and no "
    "longer to query.";

}  // namespace

void AddSettings(const Tree& tree, const std::vector<double>& bits_from_level_0, Choice* choice) {
  if (IsRocksDB(tree.engine)) {
    choice->option_string = OptionString(tree, bits_from_level_0, *choice);
  }
  choice->environment = EnvironmentLine(tree, bits_from_level_0, *choice);
}

void AddRemarks(const Situation& situation, const Request& request, const Tree& tree,
                Advice* advice) {
  const bool is_rocksdb = IsRocksDB(situation.engine);
  const double without = PartWithoutFilter(situation, tree);
  const bool has_stock = std::any_of(advice->choices.begin(), advice->choices.end(),
                                     [](const Choice& choice) { return choice.is_stock(); });
  advice->remarks = Applying({
      {without > 0,
       PercentText(without) + kSomeHaveNone + (is_rocksdb && without < 1 ? kIsIntended : "")},
      {without == 0 && advice->choices.empty(), kAsGood},
      {tree.size() > 1 && is_rocksdb && !situation.leveled, kNotLeveled},
      {tree.size() > 1 && !is_rocksdb, kLevelDBHasNoLevels},
      {has_stock, kStock},
  });
  if (advice->choices.empty()) return;
  const Choice& chosen = advice->Chosen(request);
  advice->on_chosen = Applying({
      {!chosen.is_stock(), std::string(is_rocksdb ? "RocksDB" : "LevelDB") + kNeedsBloomline},
      {chosen.by_level, std::string(kByLevel) + (chosen.is_stock() ? kAuto : "")},
      {true, std::string("Only files that are written from now on get the new filters; ") +
                 (is_rocksdb ? "bloomline-rewrite (docs/operating.md) or a compaction gives them "
                               "to the others."
                             : "a compaction rewrites the others.")},
      {chosen.format == Format::kCompact, is_rocksdb ? kCompactInRocksDB : kCompactInLevelDB},
  });
}

}  // namespace bloomline::advice
