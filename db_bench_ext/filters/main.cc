// Measures filters alone: reads flags, writes tables and CSV.
#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "bloomline/cpu.h"
#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"

namespace bloomline::bench {
namespace {

void UseQuickSizes(Flags* flags) {
  flags->sizes = {1000, 20000};
  flags->bits = {10};
  flags->rounds = flags->table_rounds = 2;
  flags->query_chunks = flags->table_query_chunks = 4;
  flags->num_leveldb_filters = 64;
  flags->memory_keys = 1000000;
}

void UseShortSizes(Flags* flags) {
  flags->sizes = {1000000};
  flags->bits = {kTableBits};
  flags->rounds = flags->table_rounds = 9;
}

// The benchmarks of the short form: a regular expression.
std::string ShortSelection() {
  const std::string kernel = ActiveKernelName();
  const std::string subjects =
      "((Bloom|Ribbon)_packaged|(Bloom|Ribbon|blocked)_" + kernel + ")/keys:[0-9]+/bits:[0-9]+";
  return "^(query/" + subjects + "/hits:0/single|build/" + subjects + ")";
}

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  bool native = false;
  int rounds = 0;
  int pause = 0;

  CommandLine line(
      "filter_bench",
      "Measures filters alone, through the interfaces that RocksDB and LevelDB call: bloomline\n"
      "with every SIMD implementation (kernel), and the built-in Bloom and Ribbon filters. Flags\n"
      "of Google Benchmark (--benchmark_filter=REGEX, --benchmark_list_tests, ...) work, too.");
  line.AddFlag("--native", &native);
  line.AddHidden("--native-library", &flags.native_library);
  line.AddRounds(&rounds);
  line.AddNumbers("--bits", &flags.bits, 1, 100);
  line.AddNumber("--pause", &pause, 0, 1000000);
  line.AddFlag("--only-memory", &flags.only_memory);
  line.AddForms(&flags.quick, &flags.is_short);
  line.AddOut(&flags.out_directory);

  std::vector<char*> own = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--benchmark_", std::strlen("--benchmark_")) == 0) {
      flags.google_benchmark.push_back(argv[i]);
    } else {
      own.push_back(argv[i]);
    }
  }
  if (!line.Parse(static_cast<int>(own.size()), own.data(), exit_code)) return std::nullopt;
  if (flags.quick) UseQuickSizes(&flags);
  if (flags.is_short) UseShortSizes(&flags);
  flags.pause = std::chrono::microseconds(pause);
  if (rounds != 0) flags.rounds = flags.table_rounds = rounds;
  if (native && flags.native_library.empty()) {
    std::cerr << "--native needs --native-library; db_bench_ext/run provides one\n";
    *exit_code = 2;
    return std::nullopt;
  }
  return flags;
}

// False if Google Benchmark does not know a flag; it has then reported that.
bool InitializeGoogleBenchmark(const std::vector<std::string>& user_flags) {
  // Rounds of all subjects in random order, so that a slow minute of the machine affects all.
  // Google Benchmark keeps a pointer to the name.
  static std::vector<std::string> flags = {"filter_bench",
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
  out << "keys        random-looking, " << kKeyBytes
      << " bytes, each queried once, in random order; made in chunks of\n            " << kChunkKeys
      << " while the clock stands still\n"
      << "filters     begin " << kHeapOffset
      << " bytes after a 64-byte boundary, as RocksDB's do in malloc's memory\n"
      << "rounds      medians of " << flags.rounds << ", or " << flags.table_rounds
      << " for what the tables compare; rounds of all subjects in\n"
         "            random order in one process\n"
         "builds      RocksDB's filters: the thread's CPU time, which other programs do not "
         "change\n";
  return out.str();
}

bool Selects(const std::vector<std::string>& google_benchmark_flags) {
  for (const std::string& flag : google_benchmark_flags) {
    if (flag.rfind("--benchmark_filter=", 0) == 0) return true;
  }
  return false;
}

int Run(const Flags& flags) {
  std::filesystem::create_directories(flags.out_directory);
  Output output;
  const bool is_selection = Selects(flags.google_benchmark);
  std::vector<std::string> google_benchmark = flags.google_benchmark;
  if (flags.is_short && !is_selection)
    google_benchmark.push_back("--benchmark_filter=" + ShortSelection());
  if (!InitializeGoogleBenchmark(google_benchmark)) return 2;
  const std::string header =
      "bloomline's filters compared with those of LevelDB and RocksDB\n\n" + Describe(flags) + "\n";
  std::vector<Subject> subjects = AllSubjects(flags.native_library);
  const bool lists_cases = is_selection || flags.is_short;  // most cells of tables would be empty
  std::string memory_table;
  if (!lists_cases) {  // first, while this process has little memory
    memory_table = PeakMemoryTable(subjects, flags.memory_keys);
    if (flags.only_memory) {
      output.Print(header + memory_table);
      return 0;
    }
  }
  Suite suite(flags, std::move(subjects));
  RegisterQueries(&suite);
  RegisterBuilds(&suite);
  RegisterLevelDB(&suite);
  RegisterMemory(&suite);

  if (!is_selection) ExpectSteps(suite.NumRuns(flags.is_short ? ShortSelection() : ""));
  Results results(suite.cases());
  output.Print(header);
  benchmark::RunSpecifiedBenchmarks(&results);
  if (results.empty()) return results.errors().empty() ? 0 : 1;

  output.Print(lists_cases ? results.List() : Tables(suite, results) + memory_table);
  output.Print(output.Elapsed());
  if (!results.errors().empty()) output.Print("FAILED\n" + results.errors());
  if (!is_selection) {  // which must not replace the files of a whole run
    const std::filesystem::path out(flags.out_directory);
    WriteFile(out / "filters.txt", output.text());
    WriteFile(out / "filters.csv", results.Csv());
  }
  return results.errors().empty() ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  using namespace bloomline::bench;  // nothing else is here
  return Main("filter_bench", argc, argv, ParseFlags, Run);
}
