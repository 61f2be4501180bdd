// Compares filters in real databases: reads flags, writes tables and CSV.
#include <csignal>
#include <filesystem>
#include <iostream>
#include <numeric>

#include "db_bench_ext/compare/flags.h"
#include "db_bench_ext/compare/key_sets.h"
#include "db_bench_ext/compare/leveldb_engine.h"
#include "db_bench_ext/compare/measure.h"
#include "db_bench_ext/compare/report.h"
#include "db_bench_ext/compare/rocksdb_engine.h"
#include "db_bench_ext/machine/environment.h"
#include "db_bench_ext/machine/machine.h"
#include "db_bench_ext/machine/temporary_directory.h"
#include "db_bench_ext/output/output.h"
#include "db_bench_ext/output/progress.h"

namespace bloomline::bench {
namespace {

std::vector<KeySet> MakeKeySets(const Flags& flags) {
  std::vector<KeySet> sets;
  if (flags.Wants("paths")) {
    sets.push_back(
        PathKeys({flags.key_list, flags.key_list_title}, flags.path_rows, flags.max_missing));
  }
  const auto value_bytes = [&](size_t standard) {
    return flags.value_bytes == 0 ? standard : flags.value_bytes;
  };
  if (flags.Wants("be64")) {
    sets.push_back(
        BigEndianKeys(flags.counter_rows, flags.max_missing, value_bytes(kBigEndianValueBytes)));
  }
  if (flags.Wants("dec16")) {
    sets.push_back(
        DecimalKeys(flags.counter_rows, flags.max_missing, value_bytes(kDecimalValueBytes)));
  }
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
  uint64_t num_operations = 0;
  for (const Engine& engine : engines) {
    for (const KeySet& set : sets)
      num_operations += flags.bits.size() * NumOperations(engine, set, plan(flags.bits[0]));
  }
  Progress progress(flags.progress, num_operations);
  std::vector<Result> all;
  for (const Engine& engine : engines) {
    for (const int bits : flags.bits) {
      std::vector<Result> of_table;
      for (const KeySet& set : sets) {
        for (Result& result : Measure(engine, set, plan(bits), &progress))
          of_table.push_back(std::move(result));
      }
      output.Print(Table(engine, of_table) + "\n");
      all.insert(all.end(), of_table.begin(), of_table.end());
    }
  }

  const uint64_t wrong = std::accumulate(
      all.begin(), all.end(), uint64_t{0},
      [](uint64_t sum, const Result& result) { return sum + result.wrong_answers; });
  output.Print(
      (wrong == 0 ? "Every answer was right." : "WRONG ANSWERS: " + std::to_string(wrong) + ".") +
      " " + output.Elapsed());
  const std::filesystem::path out(flags.out_directory);
  WriteFile(out / "compare.txt", output.text());
  WriteFile(out / "compare.csv", Csv(all));
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto flags = bloomline::bench::ParseFlags(argc, argv, &exit_code);
  if (!flags) return exit_code;
  if (!bloomline::bench::KernelVariableIsUsable("compare")) return 1;
  std::signal(SIGPIPE, SIG_IGN);  // if the reader of the output ends, the databases must be removed
  bloomline::bench::CatchInterrupts();
  try {
    return bloomline::bench::Run(*flags);
  } catch (const std::exception& error) {
    std::cerr << "compare: " << error.what() << "\n";
    return 1;
  }
}
