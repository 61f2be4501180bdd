// Compares scans in RocksDB databases: without filters for ranges, with RocksDB's prefix filter,
// and with bloomline's.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/ranges/database.h"
#include "db_bench_ext/ranges/real_lists.h"
#include "db_bench_ext/ranges/shapes.h"
#include "db_bench_ext/support/cells.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"
#include "db_bench_ext/support/timing.h"

namespace bloomline::bench::ranges {
namespace {

constexpr std::string_view kRanges = "compact-ranges";
constexpr std::string_view kRangesBase = "compact";  // kRanges without ranges
constexpr Subject kSubjects[] = {
    {"bloom", "RocksDB's Bloom filter, total order", Filter::kBloom},
    {"bloom-prefix", "the same with a fixed prefix, auto_prefix_mode", Filter::kBloom, true},
    {kRangesBase, "bloomline's compact, total order", Filter::kCompact},
    {kRanges, "the same with range_prefixes=auto", Filter::kCompact, true, true},
    {"ranges-off", "the same files as compact-ranges, total order", Filter::kCompact, false, true,
     Files::kShared},
    {"ranges-learned", "written with the policy of compact-ranges after 1,000 scans there",
     Filter::kCompact, true, true, Files::kLearned},
};

template <typename Named>
std::set<std::string> Names(const Named& all) {
  std::set<std::string> names;
  for (const auto& one : all) names.emplace(one.name);
  return names;
}

std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes = Shapes();
  const std::vector<Shape> lists = RealLists();
  shapes.insert(shapes.end(), lists.begin(), lists.end());
  return shapes;
}

struct Flags {
  bool quick = false;
  uint64_t keys = 2000000;
  uint64_t scans = 20000;
  int rounds = 3;
  std::string out;
  std::string db_directory;
  std::string key_list;
  // Empty: all.
  std::set<std::string> shapes;
  std::set<std::string> subjects;

  bool Has(const Subject& subject) const {
    return subjects.empty() || subjects.count(std::string(subject.name)) != 0;
  }
};

// Why the subjects cannot be compared; empty if they can.
std::string SubjectsError(const std::set<std::string>& subjects) {
  for (const Subject& subject : kSubjects) {
    if (subjects.count(std::string(subject.name)) == 0) continue;
    if (subject.files != Files::kOwn && subjects.count(std::string(kRanges)) == 0)
      return "--subjects: '" + std::string(subject.name) + "' needs '" + std::string(kRanges) +
             "', too";
  }
  return "";
}

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  CLI::App app(
      "Compares scans of empty, short and long ranges in RocksDB databases of twelve shapes of "
      "keys,\n"
      "with bloomline's filters for ranges and without, and with RocksDB's own prefix filter of\n"
      "the best length. Exit status 1 if a scan found other keys than with the first subject.",
      "db_bench_ext/run_ranges");
  AddQuick(&app, &flags.quick, "100,000 keys, 2,000 scans, one round");
  app.add_option("--keys", flags.keys, "keys in each database (default: 2000000)")
      ->check(CLI::Range(20000, 1000000000));
  app.add_option("--scans", flags.scans, "scans of each kind in a round (default: 20000)")
      ->check(CLI::Range(100, 100000000));
  AddRounds(&app, &flags.rounds, "rounds", "3");
  app.add_option("--shapes", flags.shapes, "only these, as in items,paths (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(Names(AllShapes())));
  app.add_option("--subjects", flags.subjects,
                 "compare only these, as in compact,compact-ranges (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(Names(kSubjects)));
  AddOut(&app, &flags.out, "ranges.csv and ranges.txt");
  app.add_option("--key-list", flags.key_list)->group("");  // run_ranges gives it
  AddDbDirectory(&app, &flags.db_directory, "for the databases (default: the folder of --out)");
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (const std::string error = SubjectsError(flags.subjects); !error.empty()) {
    std::cerr << error << "\n";
    *exit_code = 2;
    return std::nullopt;
  }
  if (flags.db_directory.empty()) flags.db_directory = flags.out;
  if (flags.quick) {
    flags.keys = std::min<uint64_t>(flags.keys, 100000);
    flags.scans = std::min<uint64_t>(flags.scans, 2000);
    flags.rounds = 1;
  }
  return flags;
}

// What a subject showed with one shape of keys.
struct Result {
  const Shape* shape;
  const Subject* subject;
  double build_seconds = 0;
  double filter_bits_per_key = 0;
  double memory_percent = NAN;  // of the filters, relative to those without ranges
  double get_us = 0;
  std::map<RangeKind, Scans> scans;
};

std::vector<Range> RandomRanges(const Shape& shape, RangeKind kind, const Flags& flags, int round) {
  std::mt19937_64 random(static_cast<uint64_t>(round));
  std::vector<Range> ranges;
  for (uint64_t i = 0; i < flags.scans; ++i) {
    const RangeKind one = kind != RangeKind::kMixed ? kind
                          : random() % 2 == 0       ? RangeKind::kEmpty
                                                    : RangeKind::kShort;
    ranges.push_back(shape.range(one, flags.keys, random()));
  }
  return ranges;
}

// What a policy can learn from: 70 % empty ranges, 20 % short ones, 10 % long ones, and none of
// those that are measured.
std::vector<Range> MixedRanges(const Shape& shape, const Flags& flags) {
  std::mt19937_64 random(~uint64_t{0});
  std::vector<Range> ranges;
  for (int i = 0; i < 1000; ++i) {
    const RangeKind kind = i % 10 < 7   ? RangeKind::kEmpty
                           : i % 10 < 9 ? RangeKind::kShort
                                        : RangeKind::kLong;
    ranges.push_back(shape.range(kind, flags.keys, random()));
  }
  return ranges;
}

// All subjects get the same scans. In a round they take turns, because the clock of a shared
// machine changes.
std::vector<Result> Measure(const Shape& shape, const Flags& flags) {
  std::vector<Result> results;
  std::vector<std::shared_ptr<Database>> databases;
  std::shared_ptr<Database> ranges;  // of compact-ranges
  double base_bits = NAN;
  for (const Subject& subject : kSubjects) {
    if (!flags.Has(subject)) continue;
    Result result;
    result.shape = &shape;
    result.subject = &subject;
    if (subject.files == Files::kShared) {
      databases.push_back(databases.back());
      result.build_seconds = results.back().build_seconds;
    } else {
      const bool has_learned = subject.files == Files::kLearned;
      if (has_learned) ranges->Scan(MixedRanges(shape, flags), true);
      databases.push_back(std::make_shared<Database>(
          shape, subject, has_learned ? ranges->policy() : subject.NewPolicy(), flags.keys,
          flags.db_directory));
      result.build_seconds = databases.back()->Build();
    }
    if (subject.name == kRanges) ranges = databases.back();
    result.filter_bits_per_key = databases.back()->FilterBitsPerKey();
    if (subject.name == kRangesBase) base_bits = result.filter_bits_per_key;
    for (const RangeKind kind : kRangeKinds)  // fills the cache
      databases.back()->Scan(RandomRanges(shape, kind, flags, 0), false);
    results.push_back(std::move(result));
  }
  for (Result& result : results)
    result.memory_percent = 100 * result.filter_bits_per_key / base_bits;
  const size_t n = results.size();
  const auto is_shared = [&](size_t i) { return results[i].subject->files == Files::kShared; };
  const auto get_us = InTurns(flags.rounds, n, [&](int round, size_t i) {
    // Right after another one on the same files, it finds them in the processor's cache.
    return is_shared(i)
               ? NAN
               : databases[i]->GetMicroseconds(flags.scans, static_cast<uint64_t>(round) + 1);
  });
  for (size_t i = 0; i < n; ++i) results[i].get_us = Median(get_us[is_shared(i) ? i - 1 : i]);
  for (const RangeKind kind : kRangeKinds) {
    const auto scans = InTurns(flags.rounds, n, [&](int round, size_t i) {
      return databases[i]->Scan(RandomRanges(shape, kind, flags, round + 1),
                                results[i].subject->has_prefixes);
    });
    for (size_t i = 0; i < n; ++i) {
      Scans& all = results[i].scans[kind];
      all.us = Median(Each(scans[i], &Scans::us));
      all.blocks = Median(Each(scans[i], &Scans::blocks));
      for (const Scans& of_round : scans[i]) {
        all.num_found += of_round.num_found;
        all.checksum += of_round.checksum;
      }
    }
  }
  return results;
}

// Scans that found other keys than those of the first subject.
uint64_t NumWrong(const Result& result, const Result& first) {
  uint64_t num_wrong = 0;
  for (const auto& [kind, scans] : result.scans) {
    const Scans& right = first.scans.at(kind);
    const bool is_wrong = scans.num_found != right.num_found || scans.checksum != right.checksum ||
                          (kind == RangeKind::kEmpty) != (scans.num_found == 0);
    num_wrong += is_wrong ? 1 : 0;
  }
  return num_wrong;
}

std::string Table(const std::vector<Result>& results) {
  std::vector<Cells> rows = {{"subject", "build s", "bits/key", "memory", "Get us"}};
  for (const RangeKind kind : kRangeKinds) {
    rows[0].push_back(std::string(RangeKindName(kind)) + " us");
    rows[0].push_back("blocks");
  }
  for (const Result& result : results) {
    rows.push_back({std::string(result.subject->name), Cell(result.build_seconds, 1),
                    Cell(result.filter_bits_per_key, 2), Cell(result.memory_percent, 1, " %"),
                    Cell(result.get_us, 2)});
    for (const auto& [kind, scans] : result.scans) {
      rows.back().push_back(Cell(scans.us, 1));
      rows.back().push_back(Cell(scans.blocks, 3));
    }
  }
  const Shape& shape = *results.front().shape;
  return std::string(shape.name) + ": " + shape.description + "\n" + cli::TextTable(rows, 1) + "\n";
}

std::string Csv(const std::vector<Result>& results) {
  std::string csv =
      "shape,subject,build_seconds,filter_bits_per_key,memory_percent,get_us,range,"
      "scan_us,blocks_per_scan,found\n";
  for (const Result& result : results) {
    for (const auto& [kind, scans] : result.scans) {
      csv += std::string(result.shape->name) + "," + std::string(result.subject->name) + "," +
             CsvCell(result.build_seconds, 3) + "," + CsvCell(result.filter_bits_per_key, 4) + "," +
             CsvCell(result.memory_percent, 2) + "," + CsvCell(result.get_us, 4) + "," +
             RangeKindName(kind) + "," + CsvCell(scans.us, 4) + "," + CsvCell(scans.blocks, 5) +
             "," + std::to_string(scans.num_found) + "\n";
    }
  }
  return csv;
}

int Run(const Flags& flags) {
  CatchInterrupts();
  std::filesystem::create_directories(flags.out);
  Output output;
  output.Print(DescribeEnvironment() + LoadWarning() + "\n");
  std::string legend = "keys       " + cli::CountText(flags.keys) + ", values of " +
                       std::to_string(kValueBytes) + " bytes, all blocks in the block cache\n";
  for (const Subject& subject : kSubjects) {
    if (!flags.Has(subject)) continue;
    legend += std::string(subject.name) + std::string(16 - subject.name.size(), ' ') +
              subject.description + "\n";
  }
  output.Print(legend +
               "us, blocks      of a scan, with its iterator: time, and data blocks that it\n"
               "                touched; median of the rounds. Get: half of the keys stored\n"
               "mixed           empty or short by chance\n"
               "memory          of the filters, relative to compact\n"
               "build           writing all keys, until no compaction runs\n\n");
  std::vector<Result> results;
  uint64_t num_wrong = 0;
  FileListPath() = flags.key_list;
  const std::vector<Shape> shapes = AllShapes();  // the results point to them
  for (const Shape& shape : shapes) {
    if (!flags.shapes.empty() && flags.shapes.count(shape.name) == 0) continue;
    Flags of_list = flags;
    if (shape.max_keys != nullptr) of_list.keys = std::min(flags.keys, shape.max_keys());
    const std::vector<Result> of_shape = Measure(shape, of_list);
    for (const Result& result : of_shape) num_wrong += NumWrong(result, of_shape.front());
    output.Print(Table(of_shape));
    results.insert(results.end(), of_shape.begin(), of_shape.end());
  }
  return Finish(&output, num_wrong, flags.out, "ranges", {{"ranges.csv", Csv(results)}});
}

}  // namespace
}  // namespace bloomline::bench::ranges

int bloomline::bench::Ranges(int argc, char** argv) {
  return Main("ranges", argc, argv, ranges::ParseFlags, ranges::Run);
}
