#include "db_bench_ext/compare/flags.h"

#include <filesystem>
#include <iostream>

#include "db_bench_ext/flags/parse.h"
#include "db_bench_ext/machine/environment.h"

namespace bloomline::bench {
namespace {

void UseQuickSizes(Flags* flags) {
  flags->path_rows = flags->counter_rows = 20000;
  flags->max_missing = 10000;
  flags->timed_queries = 5000;
  flags->rounds = 2;
}

void UseFullSizes(Flags* flags) {
  flags->path_rows = 100000000;  // all there are
  flags->counter_rows = 3000000;
  flags->max_missing = 500000;
  flags->timed_queries = 200000;
  flags->rounds = 9;
  flags->bits = {10, 16};
}

// What db_bench/main.py is called with, one argument per line.
std::string DbBenchFlags(const Flags& flags, size_t rows, int rounds, bool full,
                         bool db_directory_given) {
  std::string lines = "--engine=" + flags.engine + "\n--bits=" + std::to_string(flags.bits[0]) +
                      "\n--out=" + flags.out_directory + "\n";
  if (flags.quick) lines += "--quick\n";
  if (rows != 0) lines += "--rows=" + std::to_string(rows) + "\n";
  if (rounds != 0 || full) lines += "--rounds=" + std::to_string(flags.rounds) + "\n";
  if (db_directory_given) lines += "--db-dir=" + flags.db_directory + "\n";
  return lines;
}

// What disk_bench is called with, one argument per line: its short form.
std::string DiskFlags(const Flags& flags, int rounds, bool db_directory_given) {
  std::string lines = "--out=" + flags.out_directory + "\n";
  lines += flags.quick ? "--quick\n" : "--short\n";
  if (rounds != 0) lines += "--rounds=" + std::to_string(rounds) + "\n";
  if (db_directory_given) lines += "--db-dir=" + flags.db_directory + "\n";
  return lines;
}

void PrintPlan(const Flags& flags, const std::string& db_bench_flags,
               const std::string& disk_flags) {
  // The part disk is of RocksDB alone.
  const std::string all =
      flags.engine == "leveldb" ? "databases db_bench" : "databases db_bench disk";
  const std::string parts = flags.part == "all" ? all : flags.part;
  const bool needs_list = parts.find("databases") != std::string::npos && flags.Wants("paths") &&
                          flags.key_list.empty();
  std::cout << (!needs_list   ? "no"
                : flags.quick ? "any"
                              : "real")
            << "\n"
            << flags.out_directory << "\n"
            << parts << "\n"
            << db_bench_flags << "--\n"
            << disk_flags;
}

}  // namespace

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  size_t rows = 0;
  int rounds = 0;
  std::vector<int> bits;
  bool full = false, disk = false, print_plan = false, print_environment = false;
  flags.out_directory = "results";
  flags.db_directory = std::filesystem::temp_directory_path().string();

  CLI::App app(
      "Compares bloomline with the filters of LevelDB and RocksDB in real databases with real\n"
      "keys. Exit status 1 if any answer was wrong.",
      "db_bench_ext/run");
  app.add_option("--part", flags.part,
                 "databases (filters in databases of the bench itself), db_bench (the engines' own "
                 "db_bench programs), disk (RocksDB where memory is short, in its short form) or "
                 "all (default)")
      ->check(CLI::IsMember({"databases", "db_bench", "disk", "all"}));
  app.add_flag("--disk", disk,
               "only the part disk, in its complete form of eight minutes, with flags of its own: "
               "db_bench_ext/run --disk --help");
  app.add_option("--engine", flags.engine, "leveldb, rocksdb or all (default)")
      ->check(CLI::IsMember({"leveldb", "rocksdb", "all"}));
  app.add_option("--data", flags.data,
                 "of the part databases: paths (the distribution's file list), be64 (8-byte "
                 "big-endian counters), dec16 (%016d counters) or all (default)")
      ->check(CLI::IsMember({"paths", "be64", "dec16", "all"}));
  app.add_option("--rows", rows,
                 "rows to load (default: 1000000; db_bench: 500000 in RocksDB, 300000 in LevelDB)")
      ->check(CLI::Range(1000, 100000000));
  app.add_option("--value-bytes", flags.value_bytes,
                 "of the part databases: size of the values in be64 and dec16 (default: 102 and "
                 "100, which gives 36 keys per filter in LevelDB)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--bits", bits,
                 "bits per key, one or several: --bits 8,10,16 (default: 10); whole numbers, "
                 "because LevelDB's own filter takes no others; db_bench takes the first")
      ->delimiter(',')
      ->check(CLI::Range(2, 30));
  app.add_option("--rounds", rounds, "timed rounds; the report has their median (default: 7)")
      ->check(CLI::Range(1, 1000));
  auto* full_flag = app.add_flag(
      "--full", full, "all paths, 3000000 counters, bits 10 and 16, 9 rounds: about 25 minutes");
  app.add_flag("--quick", flags.quick,
               "20000 rows, 2 rounds (db_bench: 1): takes seconds, its times mean nothing")
      ->excludes(full_flag);
  app.add_option("--out", flags.out_directory,
                 "folder for the tables as text and CSV and the plots (default: "
                 "db_bench_ext/results)")
      ->take_last();  // db_bench_ext/run passes its default first
  auto* db_directory =
      app.add_option("--db-dir", flags.db_directory,
                     "existing folder for the temporary databases, which are removed at the end "
                     "(default: the system's temporary folder; db_bench: memory; disk: "
                     "${XDG_CACHE_HOME:-~/.cache}/bloomline)")
          ->check(CLI::ExistingDirectory);
  app.add_option("--key-list", flags.key_list,
                 "file of \"key value\" or \"key\" lines for the data set paths (default: "
                 "db_bench_ext/run provides one)")
      ->check(CLI::ExistingFile);
  app.add_option("--key-list-title", flags.key_list_title, "what to call that file in the output");
  app.add_flag("--progress", flags.progress, "")->group("");  // for progress.py
  // For db_bench_ext/run.
  app.add_flag("--print-plan", print_plan, "")->group("");
  app.add_flag("--print-environment", print_environment, "")->group("");

  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (print_environment) {
    std::cout << DescribeEnvironment();
    return std::nullopt;
  }
  if (flags.quick) UseQuickSizes(&flags);
  if (full) UseFullSizes(&flags);
  if (rows != 0) flags.path_rows = flags.counter_rows = rows;
  if (rounds != 0) flags.rounds = rounds;
  if (!bits.empty()) flags.bits = bits;
  if (print_plan) {
    const bool db_directory_given = db_directory->count() > 0;
    PrintPlan(flags, DbBenchFlags(flags, rows, rounds, full, db_directory_given),
              DiskFlags(flags, rounds, db_directory_given));
    return std::nullopt;
  }
  if (flags.Wants("paths") && flags.key_list.empty()) {
    std::cerr << "--key-list is needed for the data set paths; db_bench_ext/run provides one\n";
    *exit_code = 2;
    return std::nullopt;
  }
  if (flags.key_list_title.empty()) flags.key_list_title = flags.key_list;
  return flags;
}

}  // namespace bloomline::bench
