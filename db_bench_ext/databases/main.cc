// PROGRAM WORKLOAD FLAGS...: the flags that all workloads have, and what each run ends with.
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/machine.h"

namespace bloomline::bench {
namespace {

std::string ProgramName(char** argv) { return std::filesystem::path(argv[0]).filename().string(); }

struct Job {
  Workload workload;
  Flags flags;
};

// The workload of the command line, with the numbers of its form. Nothing if the process should end
// with *exit_code.
std::optional<Job> ParseFlags(int argc, char** argv, int* exit_code) {
  Job job;
  Flags* const flags = &job.flags;
  CommandLine line(
      ProgramName(argv).c_str(),
      "Compares bloomline with the filters of LevelDB and RocksDB in databases. Exit status 1 if\n"
      "an answer was wrong, 77 if this machine lacks what the workload needs.");
  line.AddCommand("environment", "only describes the machine and the engines");
  const std::vector<Workload> workloads = Workloads();
  bool is_quick = false, is_short = false;
  std::map<std::string, CommandLine*> commands;
  for (const Workload& workload : workloads) {
    CommandLine* command = line.AddCommand(workload.name, workload.description);
    commands[workload.name] = command;
    command->AddForms(&is_quick, &is_short);
    command->AddNumber("--keys", &flags->keys, uint64_t{1000}, uint64_t{1000000000});
    command->AddRounds(&flags->rounds);
    command->AddOut(&flags->out_directory);
    command->AddFolder("--db-dir", &flags->db_directory);
    command->AddHidden("--key-list", &flags->key_list);
    command->AddHidden("--key-list-title", &flags->key_list_title);
    if (workload.add_flags != nullptr) workload.add_flags(command, flags);
  }
  if (!line.Parse(argc, argv, exit_code)) return std::nullopt;
  if (is_short) flags->form = Form::kShort;
  if (is_quick) flags->form = Form::kQuick;
  for (const Workload& workload : workloads) {
    if (!commands[workload.name]->is_chosen()) continue;
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
  output.Print(std::string(workload.description) + "\n\n" + DescribeEnvironment() +
               (flags.only_counts ? "" : LoadWarning()));
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
  return Main(ProgramName(argv).c_str(), argc, argv, ParseFlags, Run);
}
