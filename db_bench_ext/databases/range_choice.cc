// What each constant of `auto` does: files that scans of empty ranges read, without a database.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/range_shapes.h"
#include "src/filter/ranges/asked_ranges.h"
#include "src/filter/ranges/choice_constants.h"
#include "src/filter/ranges/level_memory.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_property.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/table/kernel_table.h"

namespace bloomline::bench {
namespace ranges {
namespace {

using filter::ChoiceConstants;

constexpr double kBitsPerKey = 10;
constexpr size_t kNumLevels = 4;

// A file with range entries.
class File {
 public:
  File(std::vector<std::string> keys, const filter::RangeEntryOptions& options) {
    std::sort(keys.begin(), keys.end());
    filter::RangeEntries entries(options);
    for (const std::string& key : keys) entries.Add(key);
    property_ = entries.Finish();
    table_ = filter::OpenedTable(property_, kernels::ActiveKernel());
  }
  File(const File&) = delete;  // it refers to its bytes
  File& operator=(const File&) = delete;

  bool MayMatch(const Range& range) const {
    return filter::RangeMayMatch(table_.ranges, range.begin, range.end);
  }
  size_t num_bytes() const { return property_.size(); }

 private:
  std::string property_;
  filter::TableRanges table_;
};

// The keys of a shape in four files, one of each level, and empty ranges.
struct Files {
  std::array<std::vector<std::string>, kNumLevels> keys;  // the last level first
  std::vector<Range> empty_ranges;
  filter::RangeCounts::SampledRanges sample;  // of others
};

Files FilesOf(const Shape& shape, uint64_t num_keys, uint64_t num_scans, double ratio) {
  std::vector<uint32_t> order(num_keys);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  Files files;
  double of_level = static_cast<double>(num_keys) * (1 - 1 / ratio);
  size_t next = 0;
  for (size_t level = 0; level < kNumLevels; ++level) {
    const size_t end = level + 1 == kNumLevels ? num_keys : next + static_cast<size_t>(of_level);
    for (; next < end; ++next) files.keys[level].push_back(shape.key(order[next]));
    of_level /= ratio;
  }
  std::mt19937_64 random(2);
  for (uint64_t i = 0; i < num_scans; ++i)
    files.empty_ranges.push_back(shape.range(RangeKind::kEmpty, num_keys, random()));
  filter::AskedRanges asked;
  for (int i = 0; i < 1000; ++i) {
    const Range range = shape.range(RangeKind::kEmpty, num_keys, random());
    asked.Add(range.begin, range.end);
  }
  files.sample = filter::SampledPlaces(asked);
  return files;
}

struct Found {
  double files_per_scan = 0;
  double bits_per_key = 0;
};

// What the filters get besides the constants.
struct Setting {
  double memory = 0.2;       // of that of point filters
  bool knows_scans = false;  // 1,000 other ranges of the same kind were scanned
};

// Adds to *num_lost the keys that their file's filter denies.
Found Simulate(const Files& files, const ChoiceConstants& constants, const Setting& setting,
               uint64_t* num_lost) {
  uint64_t num_files = 0;
  uint64_t num_keys = 0;
  uint64_t bytes = 0;
  filter::TreeFill tree;
  tree.levels.resize(kNumLevels + 1);
  for (size_t level = 0; level < kNumLevels; ++level) {
    const auto keys = static_cast<double>(files.keys[level].size());
    tree.levels[kNumLevels - level] = {keys, 0, keys};
  }
  for (size_t level = 0; level < kNumLevels; ++level) {
    const auto number = static_cast<int>(kNumLevels - level);
    filter::RangeEntryOptions options;
    options.is_auto = true;
    options.memory = setting.memory * filter::LevelMemory(tree, number, true, constants);
    options.bits_per_key = kBitsPerKey;
    options.is_last_level = level == 0;
    options.constants = constants;
    if (setting.knows_scans) options.sample = files.sample;
    const File file(files.keys[level], options);
    for (const Range& range : files.empty_ranges) num_files += file.MayMatch(range) ? 1 : 0;
    for (const std::string& key : files.keys[level])
      *num_lost += file.MayMatch({key, key + '\0'}) ? 0 : 1;
    num_keys += files.keys[level].size();
    bytes += file.num_bytes();
  }
  return {static_cast<double>(num_files) / static_cast<double>(files.empty_ranges.size()),
          8 * static_cast<double>(bytes) / static_cast<double>(num_keys)};
}

struct Constant {
  const char* name;
  double* (*of)(ChoiceConstants*);
  std::vector<double> values;  // others than the default
};

std::vector<Constant> Constants() {
  using C = ChoiceConstants;
  return {
      {"upper_levels", [](C* c) { return &c->upper_levels; }, {0.4, 0.6, 0.8}},
      {"numbers", [](C* c) { return &c->numbers; }, {0, 0.1, 0.4}},
      {"beside_delimiters", [](C* c) { return &c->beside_delimiters; }, {0, 0.05, 0.2}},
      {"nearly_all_in_upper_level",
       [](C* c) { return &c->nearly_all_in_upper_level; },
       {0, 0.075, 0.3, 1}},
      {"next_byte", [](C* c) { return &c->next_byte; }, {0.001, 0.05, 0.2}},
      {"nearly_all", [](C* c) { return &c->nearly_all; }, {0.5, 0.97, 1}},
      {"least_gain", [](C* c) { return &c->least_gain; }, {0, 0.0005, 0.002}},
      {"of_shorter", [](C* c) { return &c->of_shorter; }, {0.25, 1}},
  };
}

// One value of one constant. The first variant has the defaults.
struct Variant {
  const char* name = "";
  double value = 0;
  ChoiceConstants constants;
};

std::vector<Variant> Variants() {
  std::vector<Variant> variants(1);
  for (const Constant& constant : Constants()) {
    for (const double value : constant.values) {
      variants.push_back({constant.name, value, {}});
      *constant.of(&variants.back().constants) = value;
    }
  }
  return variants;
}

// A shape, and how many times as many keys a level has as the one above it.
struct Case {
  std::string shape;
  double ratio;
  std::vector<Found> found;  // by variant
  std::vector<Found> with;   // by setting
};

// The cases in which a variant changes most, as in "events/10 0.34>1.02".
std::string Changes(const std::vector<Case>& cases, size_t variant) {
  constexpr size_t kMost = 2;
  constexpr double kFew = 0.02;  // files
  std::vector<std::pair<double, const Case*>> changes;
  for (const Case& one : cases) {
    const double before = one.found[0].files_per_scan;
    const double change = std::abs(one.found[variant].files_per_scan - before);
    if (change > std::max(kFew, before / 10)) changes.emplace_back(-change, &one);
  }
  std::sort(changes.begin(), changes.end());
  std::string text;
  for (size_t i = 0; i < std::min(changes.size(), kMost); ++i) {
    const Case& one = *changes[i].second;
    text += (i == 0 ? "" : "  ") + one.shape + "/" + NumberText(one.ratio, 0) + " " +
            NumberText(one.found[0].files_per_scan, 2) + ">" +
            NumberText(one.found[variant].files_per_scan, 2);
  }
  return text;
}

double MeanFiles(const std::vector<Case>& cases, double ratio, size_t variant) {
  double sum = 0;
  double num = 0;
  for (const Case& one : cases) {
    if (one.ratio != ratio) continue;
    sum += one.found[variant].files_per_scan;
    ++num;
  }
  return sum / num;
}

constexpr double kRatios[] = {4, 10};
constexpr Setting kSettings[] = {{0.2, false}, {0.5, false}, {1, false},
                                 {0.2, true},  {0.5, true},  {1, true}};

std::vector<Case> Measure(const Flags& flags, uint64_t* num_lost) {
  constexpr uint64_t kScans = 10000;
  const std::vector<Shape> shapes = AllShapes();
  const std::vector<Variant> variants = Variants();
  const size_t num_shapes = flags.shapes.empty() ? shapes.size() : flags.shapes.size();
  ExpectSteps(num_shapes * std::size(kRatios));
  std::vector<Case> cases;
  for (const Shape& shape : shapes) {
    if (!flags.shapes.empty() && flags.shapes.count(shape.name) == 0) continue;
    const uint64_t num_keys =
        shape.max_keys == nullptr ? flags.keys : std::min(flags.keys, shape.max_keys());
    for (const double ratio : kRatios) {
      Begin(shape.name);
      const Files files = FilesOf(shape, num_keys, flags.scans != 0 ? flags.scans : kScans, ratio);
      cases.push_back({shape.name, ratio, {}, {}});
      for (const Variant& variant : variants) {
        cases.back().found.push_back(Simulate(files, variant.constants, {}, num_lost));
      }
      for (const Setting& setting : kSettings) {
        cases.back().with.push_back(Simulate(files, {}, setting, num_lost));
      }
    }
  }
  return cases;
}

uint64_t Run(const Flags& flags, Output* output, std::vector<Row>* rows) {
  FileListPath() = flags.key_list;
  output->Print(
      "ratio       how many times as many keys a level has as the one above it\n"
      "memory      of keys and ranges with 20 %, in percent of filters of 10 bits per key\n"
      "20 % ...    files of four, one of each level, that a scan of an empty range reads: with\n"
      "            prefixes=auto and so much memory; then the same after 1,000 scans\n\n");
  uint64_t num_lost = 0;
  const std::vector<Case> cases = Measure(flags, &num_lost);
  const std::vector<Variant> variants = Variants();
  std::vector<Row> table;
  for (const Case& one : cases) {
    Row row;
    row.Word("shape", "shape", one.shape)
        .Number("level_size_ratio", "ratio", one.ratio)
        .Number("memory_percent", "memory", 100 + 100 * one.found[0].bits_per_key / kBitsPerKey, 1);
    for (size_t i = 0; i < std::size(kSettings); ++i) {
      const std::string percent = NumberText(100 * kSettings[i].memory, 0) + " %";
      row.Number(percent, percent, one.with[i].files_per_scan, 3);
    }
    table.push_back(row);
  }
  output->Print(Table(table, 1) + "\n");
  for (size_t i = 0; i < variants.size(); ++i) {
    Row row;
    row.Word("constant", "constant", i == 0 ? "as they are" : variants[i].name)
        .Word("value", "value", i == 0 ? "" : NumberText(variants[i].value, 4));
    for (const double ratio : kRatios) {
      const std::string name = "files/" + NumberText(ratio, 0);
      row.Number(name, name, MeanFiles(cases, ratio, i), 3);
    }
    rows->push_back(row.Word("changes", "changes most", Changes(cases, i)));
  }
  output->Print(Table(*rows, 1));
  return num_lost;
}

}  // namespace
}  // namespace ranges

Workload RangeChoice() {
  return {"choice",
          "What each constant by which range filters are chosen does",
          {{60000, 1}, {20000, 1}, {6000, 1}},
          ranges::Run,
          ranges::AddShapeFlags};
}

}  // namespace bloomline::bench
