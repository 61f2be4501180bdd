// Compares filters where memory is short: reads flags, writes tables and CSV.
#include <csignal>
#include <filesystem>
#include <iostream>

#include "db_bench_ext/disk/direct_reads.h"
#include "db_bench_ext/disk/flags.h"
#include "db_bench_ext/disk/measure.h"
#include "db_bench_ext/disk/report.h"
#include "db_bench_ext/machine/environment.h"
#include "db_bench_ext/machine/machine.h"
#include "db_bench_ext/machine/temporary_directory.h"
#include "db_bench_ext/output/output.h"
#include "db_bench_ext/output/progress.h"

namespace bloomline::bench {
namespace {

constexpr int kNotHere = 77;

int Run(Flags flags) {
  const std::string why_not = WhyNotOnDisk(flags.db_directory, NeededDiskBytes(flags.plan));
  if (!why_not.empty()) {
    std::cerr << "disk_bench: " << why_not << "\n";
    return kNotHere;
  }
  std::filesystem::create_directories(flags.out_directory);
  const TemporaryDirectory directory(flags.db_directory);
  flags.plan.directory = directory.path();
  Output output;
  output.Print("bloomline compared with the filters of RocksDB where memory is short\n\n" +
               DescribeEnvironment() + LoadWarning());

  Progress progress(flags.progress, NumSteps(flags.plan));
  const Results results = Measure(flags.plan, &progress);
  output.Print(Legend(flags.plan, results) + "\n" + DatabaseTables(flags.plan, results) +
               RegimeTables(flags.plan, results) + SummaryTables(flags.plan, results));

  const uint64_t wrong = results.WrongAnswers();
  output.Print(
      (wrong == 0 ? "Every answer was right." : "WRONG ANSWERS: " + std::to_string(wrong) + ".") +
      " " + output.Elapsed());
  const std::filesystem::path out(flags.out_directory);
  WriteFile(out / "disk.txt", output.text());
  WriteFile(out / "disk.csv", Csv(results));
  WriteFile(out / "disk_levels.csv", LevelsCsv(results));
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto flags = bloomline::bench::ParseFlags(argc, argv, &exit_code);
  if (!flags) return exit_code;
  if (!bloomline::bench::KernelVariableIsUsable("disk_bench")) return 1;
  std::signal(SIGPIPE, SIG_IGN);  // if the reader of the output ends, the databases must be removed
  bloomline::bench::CatchInterrupts();
  try {
    return bloomline::bench::Run(*flags);
  } catch (const std::exception& error) {
    std::cerr << "disk_bench: " << error.what() << "\n";
    return 1;
  }
}
