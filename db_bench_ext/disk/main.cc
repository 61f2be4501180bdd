// Compares filters where memory is short: reads flags, writes tables and CSV.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "db_bench_ext/disk/disk.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"

namespace bloomline::bench::disk {
namespace {

struct Flags {
  Plan plan;  // without directory
  std::string out_directory;
  std::string db_directory;  // parent of the temporary folder
};

void MakeShort(Plan* plan) {
  plan->keys_of_top_level = 50;
  plan->layouts = {kPartitioned};
  plan->cache_factors = {2};
  plan->workloads = {kMissing, kZipf, kMixedZipf};
  plan->rounds = 3;
  plan->run_seconds = 0.04;
  plan->warm_up_seconds = plan->waste_seconds = 0.1;
}

void MakeQuick(Plan* plan) {
  MakeShort(plan);
  plan->keys_of_top_level = 10;
  plan->workloads = {kMissing, kMixedZipf};
  plan->rounds = 1;
  plan->run_seconds = plan->warm_up_seconds = plan->waste_seconds = 0.02;
}

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  flags.db_directory = ".";
  bool is_short = false, quick = false;
  int rounds = 0;
  std::vector<double> cache_factors, sweep;
  std::vector<std::string> layouts, all_layouts;
  for (const Layout& layout : flags.plan.layouts) all_layouts.push_back(layout.name);

  CLI::App app(
      "Compares filters of RocksDB where memory is short: a database of five levels, read with\n"
      "direct I/O through a small block cache that also holds the filters and indexes. All\n"
      "policies get the same cache. Exit status 1 if any answer was wrong, 77 if the databases\n"
      "cannot lie on a disk. The complete form takes about eight minutes.",
      "db_bench_ext/run --disk");
  auto* short_flag = app.add_flag(
      "--short", is_short,
      "a database of 555,550 keys, one layout, one size of the cache: about 25 seconds");
  AddQuick(&app, &quick, "111,110 keys, two workloads, one round")->excludes(short_flag);
  app.add_option("--cache", cache_factors,
                 "sizes of the block cache, as multiples of the bytes of built-in Bloom's filters "
                 "(default: 1,2,4; four times the filters is 4.4 % of the data)")
      ->delimiter(',')
      ->check(CLI::Range(0.1, 200.0));
  app.add_option(
         "--layout", layouts,
         "partitioned (filters and indexes in blocks of 4 KiB) or full (one filter and one index "
         "per file) (default: both)")
      ->delimiter(',')
      ->check(CLI::IsMember(all_layouts));
  app.add_option("--sweep", sweep,
                 "instead of the usual policies: built-in Bloom, and compact at each of these bits "
                 "per key, to find the best one for a cache: --sweep 4,6,8,10,12,14")
      ->delimiter(',')
      ->check(CLI::Range(2.0, 30.0));
  AddRounds(&app, &rounds, "timed rounds", "5");
  AddOut(&app, &flags.out_directory, "the tables as text and CSV and the plots");
  AddDbDirectory(&app, &flags.db_directory,
                 "on a disk for the temporary databases, 5 GB, which are removed at the end "
                 "(default: ${XDG_CACHE_HOME:-~/.cache}/bloomline)");
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  Plan& plan = flags.plan;
  if (quick) MakeQuick(&plan);
  if (is_short) MakeShort(&plan);
  if (rounds != 0) plan.rounds = rounds;
  if (!cache_factors.empty()) plan.cache_factors = cache_factors;
  if (!sweep.empty()) plan.policies = SweepPolicies(sweep);
  if (!layouts.empty()) {
    plan.layouts.clear();
    for (const Layout& layout : {kPartitioned, kFull}) {
      if (std::count(layouts.begin(), layouts.end(), layout.name) != 0)
        plan.layouts.push_back(layout);
    }
  }
  return flags;
}

constexpr int kNotHere = 77;

int Run(const Flags& flags) {
  CatchInterrupts();
  const std::string why_not = WhyNotOnDisk(flags.db_directory, NeededDiskBytes(flags.plan));
  if (!why_not.empty()) {
    std::cerr << "disk: " << why_not << "\n";
    return kNotHere;
  }
  std::filesystem::create_directories(flags.out_directory);
  const TemporaryDirectory directory(flags.db_directory);
  Plan plan = flags.plan;
  plan.directory = directory.path();
  Output output;
  output.Print("bloomline compared with the filters of RocksDB where memory is short\n\n" +
               DescribeEnvironment() + LoadWarning());

  const Results results = Measure(plan);
  output.Print(Legend(plan, results) + "\n" + DatabaseTables(plan, results) +
               RegimeTables(plan, results));

  return Finish(&output, results.wrong_answers, flags.out_directory, "disk",
                {{"disk.csv", Csv(results)}, {"disk_levels.csv", LevelsCsv(results)}});
}

}  // namespace
}  // namespace bloomline::bench::disk

int bloomline::bench::Disk(int argc, char** argv) {
  return Main("disk", argc, argv, disk::ParseFlags, disk::Run);
}
