// Measures filters alone: reads flags, writes tables and CSV.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "db_bench_ext/filters/flags.h"
#include "db_bench_ext/filters/peak_memory.h"
#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/results.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/filters/tables.h"
#include "db_bench_ext/machine/environment.h"
#include "db_bench_ext/machine/machine.h"
#include "db_bench_ext/output/output.h"

namespace bloomline::bench {
namespace {

// False if Google Benchmark does not know a flag; it has then reported that.
bool InitializeGoogleBenchmark(const std::vector<std::string>& user_flags) {
  // Rounds of all subjects in random order, so that a slow minute of the machine affects all.
  std::vector<std::string> flags = {"db_bench_ext/run_filters",
                                    "--benchmark_enable_random_interleaving=true"};
  flags.insert(flags.end(), user_flags.begin(), user_flags.end());
  std::vector<char*> arguments;
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  return !benchmark::ReportUnrecognizedArguments(count, arguments.data());
}

std::string Describe(const Flags& flags) {
  std::ostringstream out;
  out << DescribeEnvironment();
  out << "kernels     measured:";
  for (const kernels::Kernel* kernel : SupportedKernels()) out << ' ' << kernel->name;
  out << "\n";
  if (flags.native_library.empty()) {
    out << "native      not compared: --native adds RocksDB's filters compiled for this "
           "processor\n";
  } else {
    out << "native      RocksDB's filters of the same version, -O2 -march=native -DNDEBUG, loaded "
           "together with\n            the packaged ones\n";
  }
  std::ifstream huge_pages("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  if (std::getline(huge_pages, line)) out << "huge pages  " << line << "\n";
  out << LoadWarning();
  out << "keys        random-looking, " << flags.key_bytes
      << " bytes, each queried once, in random order; made in chunks of\n            " << kChunkKeys
      << " while the clock stands still\n"
      << "filters     begin " << kHeapOffset
      << " bytes after a 64-byte boundary, as RocksDB's do in malloc's memory\n"
      << "rounds      medians of " << flags.rounds << ", or " << flags.table_rounds
      << " for what the tables compare; rounds of all subjects in\n"
         "            random order in one process\n";
  return out.str();
}

bool Selects(const std::vector<std::string>& google_benchmark_flags) {
  for (const std::string& flag : google_benchmark_flags) {
    if (flag.rfind("--benchmark_filter=", 0) == 0) return true;
  }
  return false;
}

int Run(const Flags& flags) {
  Output output;
  if (!InitializeGoogleBenchmark(flags.google_benchmark)) return 2;
  const std::string header =
      "bloomline's filters compared with those of LevelDB and RocksDB\n\n" + Describe(flags) + "\n";
  std::filesystem::create_directories(flags.out_directory);
  std::vector<Subject> subjects = AllSubjects(flags.native_library);
  const bool is_selection = Selects(flags.google_benchmark);
  std::string memory_table;
  if (!is_selection) {  // first, while this process has little memory
    memory_table = PeakMemoryTable(subjects, flags.memory_keys, flags.key_bytes);
    if (flags.only_memory) {
      output.Print(header + memory_table);
      return 0;
    }
  }
  Suite suite(flags, std::move(subjects));
  RegisterQueries(&suite);
  RegisterBuilds(&suite);
  RegisterHashQueries(&suite);
  RegisterLevelDB(&suite);
  RegisterMemory(&suite);

  Results results(suite.cases());
  output.Print(header);
  benchmark::RunSpecifiedBenchmarks(&results);
  if (results.empty()) return results.errors().empty() ? 0 : 1;

  // A selection would leave most cells of the tables empty, and must not replace the files of a
  // whole run.
  output.Print(is_selection ? results.List() : Tables(suite, results) + memory_table);
  output.Print(output.Elapsed());
  if (!results.errors().empty()) output.Print("FAILED\n" + results.errors());
  if (!is_selection) {
    const std::filesystem::path out(flags.out_directory);
    WriteFile(out / "filters.txt", output.text());
    WriteFile(out / "filters.csv", results.Csv(flags.key_bytes));
  }
  return results.errors().empty() ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto flags = bloomline::bench::ParseFlags(argc, argv, &exit_code);
  if (!flags) return exit_code;
  if (!bloomline::bench::KernelVariableIsUsable("filter_bench")) return 1;
  try {
    return bloomline::bench::Run(*flags);
  } catch (const std::exception& error) {
    std::cerr << "filter_bench: " << error.what() << "\n";
    return 1;
  }
}
