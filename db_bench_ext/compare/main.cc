// Compares filters in real databases: reads flags, writes tables and CSV.
#include <filesystem>
#include <iostream>
#include <numeric>

#include "db_bench_ext/compare/compare.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"
#include "src/cli/shared/quantity.h"

namespace bloomline::bench::compare {
namespace {

struct Flags {
  std::string part = "short";  // for db_bench_ext/run; compare itself is the part databases
  std::string engine = "all";
  size_t path_rows = 150000;
  size_t counter_rows = 150000;
  size_t max_missing = 150000;
  size_t timed_queries = 30000;
  int rounds = 3;
  std::vector<int> bits = {10};
  std::string out_directory;
  std::string db_directory;  // parent of the temporary folder
  std::string key_list;
  std::string key_list_title;
  bool quick = false;
};

void UseQuickSizes(Flags* flags) {
  flags->path_rows = flags->counter_rows = 20000;
  flags->max_missing = 10000;
  flags->timed_queries = 5000;
  flags->rounds = 2;
}

void UseFullSizes(Flags* flags) {
  flags->path_rows = flags->counter_rows = 1000000;
  flags->max_missing = 200000;
  flags->timed_queries = 50000;
  flags->rounds = 7;
}

// Ranges and disk are parts of RocksDB alone.
std::string PartsOf(const Flags& flags) {
  if (flags.part != "short" && flags.part != "all") return flags.part;
  const bool rocksdb = flags.engine != "leveldb";
  std::string parts = rocksdb ? "databases filters ranges" : "databases filters";
  if (flags.part == "all") parts += rocksdb ? " db_bench disk" : " db_bench";
  return parts;
}

// For db_bench_ext/run, in lines: the key list that is needed, the parts, the folder of the
// results, the engine, whether tables are printed, the flags of
// db_bench/main.py, "--", the flags of the workload disk in its short form.
void PrintPlan(const Flags& flags, size_t rows, int rounds, bool full, bool tables,
               bool db_directory_given) {
  const std::string parts = PartsOf(flags);
  const bool needs_list = parts.find("databases") != std::string::npos && flags.key_list.empty();
  const std::string list = full ? "distribution" : "machine";
  std::string common = "--out=" + flags.out_directory + "\n";
  if (flags.quick) common += "--quick\n";
  if (rounds != 0) common += "--rounds=" + std::to_string(rounds) + "\n";
  if (db_directory_given) common += "--db-dir=" + flags.db_directory + "\n";
  const Policy same_rate = CompactOfSameRate(flags.bits[0]);
  std::cout << (needs_list ? list : "no") << "\n"
            << parts << "\n"
            << flags.out_directory << "\n"
            << flags.engine << "\n"
            << (tables || parts.find("databases") == std::string::npos ? "tables" : "summary")
            << "\n"
            << common << "--bits=" << flags.bits[0]
            << "\n--same-fpr-bits=" << cli::NumberText(same_rate.bits_per_key, 2) << "\n";
  if (rows != 0) std::cout << "--rows=" << rows << "\n";
  if (full && rounds == 0) std::cout << "--rounds=" << flags.rounds << "\n";
  std::cout << "--\n" << common << (flags.quick ? "" : "--short\n");
}

// Also ends the process after --print-plan and --print-environment, for db_bench_ext/run.
std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  size_t rows = 0;
  int rounds = 0;
  std::vector<int> bits;
  bool full = false, tables = false, disk = false, print_plan = false, print_environment = false;
  flags.db_directory = std::filesystem::temp_directory_path().string();

  CLI::App app(
      "Compares bloomline with the filters of LevelDB and RocksDB in real databases with real\n"
      "keys. Exit status 1 if any answer was wrong.",
      "db_bench_ext/run");
  auto* part =
      app.add_option("--part", flags.part,
                     "databases (filters in databases of the bench itself), filters (alone, in "
                     "memory), ranges (scans), db_bench (the engines' own db_bench programs), disk "
                     "(RocksDB where memory is short, in its short form) or all; default: the "
                     "first three")
          ->check(CLI::IsMember({"databases", "filters", "ranges", "db_bench", "disk", "all"}));
  app.add_flag("--tables", tables, "print the tables, too, not only what they say in short");
  app.add_flag("--disk", disk,
               "only the part disk, in its complete form of eight minutes, with flags of its own: "
               "db_bench_ext/run --disk --help");
  app.add_option("--engine", flags.engine, "leveldb, rocksdb or all (default)")
      ->check(CLI::IsMember({"leveldb", "rocksdb", "all"}));
  app.add_option("--rows", rows,
                 "rows to load (default: 150000; db_bench: 500000 in RocksDB, 300000 in LevelDB)")
      ->check(CLI::Range(1000, 100000000));
  app.add_option("--bits", bits,
                 "bits per key, one or several: --bits 8,10,16 (default: 10); whole numbers, "
                 "because LevelDB's own filter takes no others; db_bench takes the first")
      ->delimiter(',')
      ->check(CLI::Range(2, 30));
  AddRounds(&app, &rounds, "timed rounds", "3");
  auto* full_flag = app.add_flag(
      "--full", full,
      "all parts with 1000000 rows and 7 rounds, paths from the distribution's file list, which is "
      "downloaded (51 MB): about 25 minutes");
  AddQuick(&app, &flags.quick, "20000 rows, 2 rounds (db_bench: 1)")->excludes(full_flag);
  AddOut(&app, &flags.out_directory, "the tables as text and CSV and the plots");
  auto* db_directory =
      AddDbDirectory(&app, &flags.db_directory,
                     "for the temporary databases, which are removed at the end (default: the "
                     "system's temporary folder; db_bench: memory; disk: "
                     "${XDG_CACHE_HOME:-~/.cache}/bloomline)");
  app.add_option("--key-list", flags.key_list,
                 "file of \"key value\" or \"key\" lines for the data set paths (default: "
                 "db_bench_ext/run provides one)")
      ->check(CLI::ExistingFile);
  app.add_option("--key-list-title", flags.key_list_title, "what to call that file in the output");
  app.add_flag("--print-plan", print_plan)->group("");
  app.add_flag("--print-environment", print_environment)->group("");

  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (print_environment) {
    std::cout << DescribeEnvironment();
    return std::nullopt;
  }
  if (flags.quick) UseQuickSizes(&flags);
  if (full) UseFullSizes(&flags);
  if (full && part->count() == 0) flags.part = "all";
  if (rows != 0) flags.path_rows = flags.counter_rows = rows;
  if (rounds != 0) flags.rounds = rounds;
  if (!bits.empty()) flags.bits = bits;
  if (print_plan) {
    PrintPlan(flags, rows, rounds, full, tables, db_directory->count() > 0);
    return std::nullopt;
  }
  if (flags.key_list.empty()) {
    std::cerr << "--key-list is needed for the data set paths; db_bench_ext/run provides one\n";
    *exit_code = 2;
    return std::nullopt;
  }
  if (flags.key_list_title.empty()) flags.key_list_title = flags.key_list;
  return flags;
}

std::vector<KeySet> MakeKeySets(const Flags& flags) {
  std::vector<KeySet> sets;
  sets.push_back(
      PathKeys({flags.key_list, flags.key_list_title}, flags.path_rows, flags.max_missing));
  sets.push_back(BigEndianKeys(flags.counter_rows, flags.max_missing));
  sets.push_back(DecimalKeys(flags.counter_rows, flags.max_missing));
  return sets;
}

std::string DescribeRun(const Flags& flags, const std::vector<KeySet>& sets) {
  std::string out = DescribeEnvironment();
  for (const KeySet& set : sets)
    out += set.name + std::string(12 - set.name.size(), ' ') + set.description + "\n";
  out +=
      "databases   no compression, no block cache (LevelDB reads through mmap, RocksDB through\n"
      "            pread, both from the page cache); LevelDB has a write buffer of 32 MiB,\n"
      "            RocksDB no write-ahead log; otherwise the engines' defaults\n"
      "timing      " +
      std::to_string(flags.rounds) + " rounds of up to " + std::to_string(flags.timed_queries) +
      " Gets per policy and kind of key\n";
  return out + Legend() + "\n";
}

int Run(const Flags& flags) {
  CatchInterrupts();
  std::filesystem::create_directories(flags.out_directory);
  const TemporaryDirectory directory(flags.db_directory);
  Output output;

  std::vector<Engine> engines;
  for (const Engine& engine : {LevelDBEngine(), RocksDBEngine()}) {
    if (flags.engine == "all" || flags.engine == engine.name) engines.push_back(engine);
  }
  const std::vector<KeySet> sets = MakeKeySets(flags);
  output.Print("bloomline compared with the filters of LevelDB and RocksDB\n\n" +
               DescribeRun(flags, sets));

  const auto plan = [&](int bits) {
    return Plan{bits, flags.rounds, flags.timed_queries, directory.path()};
  };
  std::vector<Result> all;
  for (const Engine& engine : engines) {
    for (const int bits : flags.bits) {
      std::vector<Result> of_table;
      for (const KeySet& set : sets) {
        for (Result& result : Measure(engine, set, plan(bits)))
          of_table.push_back(std::move(result));
      }
      output.Print(Table(engine, of_table) + "\n");
      all.insert(all.end(), of_table.begin(), of_table.end());
    }
  }

  const uint64_t wrong = std::accumulate(
      all.begin(), all.end(), uint64_t{0},
      [](uint64_t sum, const Result& result) { return sum + result.wrong_answers; });
  return Finish(&output, wrong, flags.out_directory, "compare", {{"compare.csv", Csv(all)}});
}

}  // namespace
}  // namespace bloomline::bench::compare

int bloomline::bench::Compare(int argc, char** argv) {
  return Main("compare", argc, argv, compare::ParseFlags, compare::Run);
}
