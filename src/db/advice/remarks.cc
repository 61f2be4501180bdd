#include "src/db/advice/remarks.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "src/db/advice/instructions.h"
#include "src/filter/sizing/memory_division.h"
#include "src/support/number_text.h"

namespace bloomline::advice {
namespace {

// Three digits: "0.226 %".
std::string PercentText(double number) {
  char text[32];
  const auto result =
      std::to_chars(text, text + sizeof(text), 100 * number, std::chars_format::general, 3);
  return std::string(text, result.ptr) + " %";
}

// Two digits: "10.00".
std::string BitsText(double bits) {
  char text[32];
  const auto result =
      std::to_chars(text, text + sizeof(text), Hundredths(bits), std::chars_format::fixed, 2);
  return std::string(text, result.ptr);
}

class RemarkList {
 public:
  RemarkList(const Situation& situation, const Request& request, const Tree& tree,
             const Advice& advice)
      : situation_(situation), request_(request), tree_(tree), advice_(advice) {}

  std::vector<std::string> General() {
    AddOnFiltersNow();
    AddOnMemory();
    AddOnMissingByLevel();
    AddOnStock();
    return std::exchange(remarks_, {});
  }

  // There are choices.
  std::vector<std::string> OnChosen() {
    const Choice& choice = advice_.Chosen(request_);
    if (!choice.is_stock()) AddOnReaders();
    if (choice.by_level) choice.is_stock() ? AddOnAuto(choice) : AddOnByLevel(choice);
    AddOnFilesToCome(choice);
    if (choice.format == Format::kCompact) AddOnCompact();
    return std::exchange(remarks_, {});
  }

 private:
  void Add(std::string remark) { remarks_.push_back(std::move(remark)); }

  bool is_rocksdb() const { return situation_.engine == sstable::Engine::kRocksDB; }
  bool is_asked() const { return request_.memory_bytes || request_.wasted_reads; }
  template <typename Is>
  const Choice* First(Is is) const {
    const auto found = std::find_if(advice_.choices.begin(), advice_.choices.end(), is);
    return found == advice_.choices.end() ? nullptr : &*found;
  }
  bool HasByLevel() const {
    return First([](const Choice& choice) { return choice.by_level; }) != nullptr;
  }
  bool Has(Format format) const {
    return First([=](const Choice& choice) { return choice.format == format; }) != nullptr;
  }

  void AddOnFiltersNow() {
    std::string without;
    double keys_without = 0;
    for (const Level& level : situation_.levels) {
      if (level.num_keys == 0 || level.filter_bytes > 0) continue;
      without += (without.empty() ? "" : ", ") + std::to_string(level.number);
      keys_without += static_cast<double>(level.num_keys);
    }
    if (advice_.filter_bytes_now == 0) {
      Add("The database has no filters: a Get of a missing key reads a block in each run that it "
          "comes to." +
          std::string(is_asked() ? "" : " The advice is for the default, 10 bits per key.") +
          " A program that creates no filter policy gets none from the preload library: set one in "
          "its options or its code.");
    } else if (!without.empty()) {
      Add("Of all keys, " + PercentText(keys_without / tree_.all_keys()) +
          " have no filter (level " + without + ")." +
          (is_rocksdb() ? " With optimize_filters_for_hits that is intended, for Gets of stored "
                          "keys, and RocksDB writes none there whatever the policy is: the figures "
                          "of choices with filters there are for when that option is off."
                        : ""));
    } else if (advice_.choices.empty()) {
      Add("The filters are already as good as bloomline's would be: no choice saves a twentieth of "
          "the wasted reads or of the memory.");
    } else if (is_asked()) {
      const Choice& best = advice_.choices.front();
      if (best.filter_bytes >= advice_.filter_bytes_now &&
          best.wasted_reads >= advice_.wasted_reads_now) {
        Add("The present filters are better than the request: " +
            PercentText(advice_.wasted_reads_now) + " wasted reads in " +
            std::to_string(advice_.filter_bytes_now) + " bytes.");
      }
    }
    if (advice_.filter_bytes_now > 0 && advice_.wasted_reads_now == 0) {
      Add("No false positive was measured, so the memory for the same wasted reads is unknown.");
    }
  }

  void AddOnMemory() {
    if (!request_.memory_bytes || advice_.choices.empty()) return;
    const double wanted = static_cast<double>(*request_.memory_bytes);
    const double used = static_cast<double>(advice_.choices.front().filter_bytes);
    if (used >= 0.95 * wanted) return;
    Add("More than " + std::to_string(advice_.choices.front().filter_bytes) +
        " bytes would save next to nothing.");
  }

  void AddOnMissingByLevel() {
    if (!is_rocksdb()) {
      if (tree_.size() > 1) {
        Add("LevelDB does not tell a filter policy the level of a file, so all levels have the "
            "same bits per key.");
      }
    } else if (!situation_.leveled) {
      Add("With universal or FIFO compaction, all files have the same bits per key: RocksDB does "
          "not say how large a file is among the others.");
    } else if (tree_.numbers.front() < 0) {
      Add("The levels of the files are unknown, so the advice is the same for all of them.");
    } else if (tree_.size() == 1) {
      Add("All keys are in one level, so there is nothing to divide among levels yet.");
    } else if (!advice_.choices.empty() && !HasByLevel()) {
      Add("Bits by level would save less than a twentieth here: the levels overlap little, or are "
          "alike in size.");
    }
  }

  // What RocksDB's own filters have over the others, or why there is nothing to gain with them.
  void AddOnStock() {
    if (!situation_.stock_format) return;
    const Choice* const stock = First([](const Choice& choice) { return choice.is_stock(); });
    if (stock != nullptr) {
      Add("(" + std::to_string(stock - advice_.choices.data() + 1) +
          ") keeps the filters that RocksDB itself writes; only the bits of each level change. "
          "RocksDB without bloomline uses them, and stock_id=true keeps bloomline's name out of "
          "the database. To undo it, remove the setting: no file has to be rewritten.");
    } else {
      Add(std::string("The files have RocksDB's own filters. bloomline queries them as they are, "
                      "faster than RocksDB does.") +
          (!HasByLevel() ? ""
           : is_asked()  ? " With other bits in each level, they would not meet the request."
                         : " Other bits in each level would save less than a twentieth of the "
                           "wasted reads.") +
          (advice_.choices.empty() || is_asked() ? "" : " Only another format saves more here."));
    }
    if (Has(Format::kBlocked) && Has(Format::kCompact)) {
      Add("Of the other formats, blocked is faster and compact wastes fewer reads.");
    }
  }

  void AddOnReaders() {
    const std::string engine = is_rocksdb() ? "RocksDB" : "LevelDB";
    Add(engine +
        " without bloomline cannot use these filters: a Get of a missing key would then read a "
        "block from every file that could hold it. So each program that reads the database needs "
        "bloomline.");
  }

  // With bits_by_level=auto, in this tree.
  double BitsOfAuto(Format format, double bits_per_key) const {
    return 8 * Divider(tree_, format, Spread::kAuto).At(bits_per_key).bytes / tree_.all_keys();
  }
  static bool IsFar(double bits, double from) { return bits < 0.95 * from || bits > 1.05 * from; }

  void AddOnAuto(const Choice& choice) {
    const double full = filter::MemoryBits(choice.format, choice.bits_per_key);
    const double here = BitsOfAuto(choice.format, choice.bits_per_key);
    const std::string option = support::DoubleText(choice.bits_per_key);
    const bool is_ribbon = choice.format == Format::kRibbon;
    Add("bits_per_key=" + option + " is the average for full levels" +
        (is_ribbon ? ", as in ribbonfilter:" + option + ", which takes " + BitsText(full) +
                         " bits per key; in this database it takes "
                   : "; in this database it comes to ") +
        BitsText(here) + "." +
        (IsFar(full, here) ? " The levels are far from full: as they fill, the filters come to " +
                                 BitsText(full) + " bits per key. Run this again then."
                           : ""));
    if (tree_.level_size_ratio == kDefaultRatio) return;
    Add("The variables list the bits of each level, because their auto is for levels that grow "
        "tenfold, and these grow " +
        support::DoubleText(tree_.level_size_ratio) +
        "-fold. If the tree grows by a level, run this again.");
  }

  void AddOnByLevel(const Choice& choice) {
    Add("Bits by level are for the levels as they are. If the tree grows by a level, run this "
        "again: new levels take the bits of the deepest level.");
    Add("RocksDB moves a file whose keys overlap with no other to the next level without rewriting "
        "it, so it keeps the bits of its first level. Where keys mostly ascend, take a choice with "
        "the same bits in all levels.");
    if (choice.bits_per_key < AllowedBitsPerKey(choice.format).min) return;
    const Settings settings{situation_.engine,     choice.format, choice.bits_per_key, {}, true,
                            tree_.level_size_ratio};
    Add("To let bloomline choose each level's bits, set " + OptionString(settings) +
        ". It assumes full levels; in this database it comes to " +
        BitsText(BitsOfAuto(choice.format, choice.bits_per_key)) + " bits per key.");
  }

  void AddOnFilesToCome(const Choice& choice) {
    if (is_rocksdb() && situation_.leveled && tree_.all_runs() > 1.5) {
      const double rate =
          FiguresOf(situation_.engine, choice.format, tree_.keys_per_filter.back(),
                    choice.by_level ? filter::BitsOfMemory(choice.format, BitsOfBottom(choice))
                                    : choice.bits_per_key)
              .rate;
      const double rate_now = RateOfBottomNow();
      Add("Only files that are written from now on get the new filters. The figures assume that "
          "each level keeps its keys. Compacting the whole database merges all levels into one: "
          "wasted reads are then " +
          PercentText(rate) + " (" + PercentText(rate_now) +
          " with the present filters), until the other levels fill again." +
          (rate > 1.05 * rate_now ? " If you often compact all of it, keep the present filters."
                                  : ""));
    } else {
      Add("Only files that are written from now on get the new filters; a compaction rewrites the "
          "others.");
    }
    if (is_rocksdb() && situation_.partitioned) {
      Add("Partitions have a fixed size in bytes, so with fewer bits per key each holds more "
          "keys.");
    }
  }

  double BitsOfBottom(const Choice& choice) const {
    double bits = 0;
    for (size_t i = 0; i < situation_.levels.size(); ++i) {
      if (situation_.levels[i].num_keys > 0) bits = choice.bits_of_level[i];
    }
    return bits;
  }

  // Of one run of the deepest level with keys.
  double RateOfBottomNow() const {
    double rate = 1;
    for (const Level& level : situation_.levels) {
      if (level.num_keys == 0) continue;
      rate = level.filter_bytes == 0 ? 1 : std::min(1.0, level.wasted_reads / level.num_runs);
    }
    return rate;
  }

  // Measured: docs/benchmarking.md and docs/choosing.md.
  void AddOnCompact() {
    if (!is_rocksdb()) {
      Add("Filters of format compact take about 1.6 times as long to build as LevelDB's own, and "
          "no longer to query.");
    } else if (situation_.stock_format == Format::kRibbon) {
      Add("Filters of format compact are queried and built faster than Ribbon filters.");
    } else if (situation_.stock_format) {
      Add("Compared with RocksDB's Bloom filters, filters of format compact take 0.9 to 1.7 times "
          "as long for a missing key, 2 to 3 times for a stored key and 1.5 to 3 times to build.");
    } else {
      Add("Compared with blocked filters, filters of format compact take 1.6 to 2 times as long "
          "for a missing key, 3 to 4 times for a stored key and 3 to 5 times to build.");
    }
  }

  const Situation& situation_;
  const Request& request_;
  const Tree& tree_;
  const Advice& advice_;
  std::vector<std::string> remarks_;
};

}  // namespace

void AddRemarks(const Situation& situation, const Request& request, const Tree& tree,
                Advice* advice) {
  RemarkList list(situation, request, tree, *advice);
  std::vector<std::string> general = list.General();
  if (!advice->choices.empty()) advice->on_chosen = list.OnChosen();
  advice->remarks = std::move(general);
}

}  // namespace bloomline::advice
