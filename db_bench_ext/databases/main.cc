// database_bench WORKLOAD FLAGS...: the flags of all workloads, and what each run ends with.
#include <filesystem>
#include <iostream>
#include <optional>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/machine.h"

namespace bloomline::bench {
namespace {

void AddGetsFlags(CLI::App* app, Flags* flags) {
  app->add_option("--bits", flags->bits)->delimiter(',')->check(CLI::Range(2, 30));
  app->add_option("--engine", flags->engines)->check(CLI::IsMember({"leveldb", "rocksdb"}));
}

void AddDiskFlags(CLI::App* app, Flags* flags) {
  app->add_option("--cache", flags->cache_factors)->delimiter(',')->check(CLI::Range(0.1, 200.0));
  app->add_option("--layout", flags->layouts)
      ->delimiter(',')
      ->check(CLI::IsMember({"partitioned", "full"}));
  app->add_option("--sweep", flags->sweep)->delimiter(',')->check(CLI::Range(2.0, 30.0));
}

void AddRangesFlags(CLI::App* app, Flags* flags) {
  app->add_option("--scans", flags->scans)->check(CLI::Range(100, 100000000));
  app->add_option("--shapes", flags->shapes)->delimiter(',')->check(CLI::IsMember(ShapeNames()));
  app->add_option("--subjects", flags->subjects)
      ->delimiter(',')
      ->check(CLI::IsMember(SubjectNames()));
}

void AddRewritingFlags(CLI::App* app, Flags* flags) {
  app->add_option("--rate", flags->megabytes_per_second)->check(CLI::Range(1, 100000));
  app->add_option("--seconds", flags->seconds)->check(CLI::Range(1, 3600));
}

struct Job {
  Workload workload;
  Flags flags;
};

// The workload of the command line, with the numbers of its form. Nothing if the process should end
// with *exit_code.
std::optional<Job> ParseFlags(int argc, char** argv, int* exit_code) {
  Job job;
  Flags* const flags = &job.flags;
  CLI::App app(
      "Compares bloomline with the filters of LevelDB and RocksDB in databases. Exit status 1 if\n"
      "an answer was wrong, 77 if this machine lacks what the workload needs.",
      "database_bench");
  app.require_subcommand(1);
  app.add_subcommand("environment", "only describes the machine and the engines");
  const Workload workloads[] = {Gets(), Disk(), Ranges(), RangeChoice(), Rewriting()};
  for (const Workload& workload : workloads) {
    CLI::App* command = app.add_subcommand(workload.name, workload.description);
    auto* quick = command->add_flag("--quick");
    command->add_flag("--short")->excludes(quick);
    command->add_option("--keys", flags->keys)->check(CLI::Range(1000, 1000000000));
    AddRounds(command, &flags->rounds);
    AddOut(command, &flags->out_directory);
    command->add_option("--db-dir", flags->db_directory)->check(CLI::ExistingDirectory);
    command->add_option("--key-list", flags->key_list)->group("");  // db_bench_ext/run gives them
    command->add_option("--key-list-title", flags->key_list_title)->group("");
  }
  AddGetsFlags(app.get_subcommand("gets"), flags);
  AddDiskFlags(app.get_subcommand("disk"), flags);
  for (const char* name : {"ranges", "choice"}) AddRangesFlags(app.get_subcommand(name), flags);
  AddRewritingFlags(app.get_subcommand("rewriting"), flags);
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  for (const Workload& workload : workloads) {
    const CLI::App* command = app.get_subcommand(workload.name);
    if (!command->parsed()) continue;
    if (command->count("--short") > 0) flags->form = Form::kShort;
    if (command->count("--quick") > 0) flags->form = Form::kQuick;
    const Size& size = workload.sizes[static_cast<size_t>(flags->form)];
    if (flags->keys == 0) flags->keys = size.keys;
    if (flags->rounds == 0) flags->rounds = size.rounds;
    if (flags->db_directory.empty())
      flags->db_directory = std::filesystem::temp_directory_path().string();
    job.workload = workload;
    return job;
  }
  std::cout << DescribeEnvironment();
  return std::nullopt;
}

int Run(const Job& job) {
  const auto& [workload, flags] = job;
  CatchInterrupts();
  std::filesystem::create_directories(flags.out_directory);
  Output output;
  output.Print(std::string(workload.description) + "\n\n" + DescribeEnvironment() + LoadWarning());
  std::vector<Row> rows;
  const uint64_t wrong = workload.run(flags, &output, &rows);
  const int status = output.PrintVerdict(wrong);
  for (Row& row : rows) row.Word("machine", "", MachineInOneLine());
  const std::filesystem::path out(flags.out_directory);
  WriteFile(out / (std::string(workload.name) + ".txt"), output.text());
  WriteFile(out / (std::string(workload.name) + ".csv"), Csv(rows));
  return status;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  using namespace bloomline::bench;  // nothing else is here
  return Main("database_bench", argc, argv, ParseFlags, Run);
}
