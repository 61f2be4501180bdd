// Filters of 1e6 to 5e9 keys: flags in, table and CSV out.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "db_bench_ext/machine/machine.h"
#include "db_bench_ext/output/output.h"
#include "db_bench_ext/scaling/flags.h"
#include "db_bench_ext/scaling/report.h"
#include "db_bench_ext/scaling/subjects.h"

namespace bloomline::bench {
namespace {

std::vector<ScaleCase> Cases(const ScaleFlags& flags) {
  std::vector<ScaleCase> cases;
  for (const uint64_t num_keys : flags.sizes) {
    for (const std::string& subject : flags.subjects) {
      // One thread at a time may change a BloomFilter.
      const int max_threads = subject == "bloom" ? 1 : flags.max_threads;
      for (int threads = 1; threads <= max_threads; ++threads) {
        cases.push_back({subject, num_keys, static_cast<size_t>(threads)});
      }
    }
  }
  return cases;
}

std::string Describe() {
  std::ostringstream out;
  out << DescribeMachine() << BuildWarning() << "memory      " << (AvailableMemory() >> 20)
      << " MiB available at the start\n"
      << "raw         random lines of as much memory on as many threads, requested "
      << kRawRequestAhead
      << " ahead, one\n            64-bit word loaded, or read, changed and written\n"
      << "keys        " << kScaleKeyBytes << " bytes, made from a counter in batches of "
      << kScaleBatch << " while the clock stands still\n"
      << "times       ns per key, medians over batches; of Finish all, of the partitioned "
         "builder's\n"
      << "            Add the mean, for it writes seldom and much; several threads: of all "
         "together\n";
  out << LoadWarning();
  return out.str();
}

// Empty if there is room for the case now.
std::string WhyNot(const ScaleCase& scale_case, const ScaleFlags& flags) {
  const auto mib = [](uint64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; };
  const uint64_t memory = scale_case.MemoryBytes(flags);
  const uint64_t available = AvailableMemory();
  if (available != 0 && memory > available / 10 * 9) {
    return "needs " + mib(memory) + " of memory, " + mib(available) + " available";
  }
  std::error_code error;
  const auto space = std::filesystem::space(flags.temp_directory, error);
  const uint64_t disk = scale_case.DiskBytes(flags);
  if (!error && disk > space.available / 10 * 9) {
    return "needs " + mib(disk) + " in " + flags.temp_directory + ", " + mib(space.available) +
           " available";
  }
  return "";
}

int Run(const ScaleFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  CatchInterrupts();
  std::filesystem::create_directories(flags.out_directory);
  Output output;
  output.Print("bloomline's filters as they grow\n\n" + Describe() + "\n");
  const std::vector<ScaleCase> cases = Cases(flags);
  uint64_t work = 0;
  for (const ScaleCase& scale_case : cases) work += scale_case.Work(flags);
  Progress progress(flags.progress, work);
  std::vector<ScaleRow> rows;
  for (const ScaleCase& scale_case : cases) {
    if (rows.empty() || rows.back().num_keys != scale_case.num_keys) {
      output.Print(ScaleTableHead(scale_case.num_keys));
    }
    const std::string why_not = WhyNot(scale_case, flags);
    if (why_not.empty()) {
      rows.push_back(Measure(scale_case, flags, &progress));
    } else {
      rows.push_back({});
      rows.back().subject = scale_case.subject;
      rows.back().num_keys = scale_case.num_keys;
      rows.back().num_threads = scale_case.num_threads;
      rows.back().skipped = why_not;
      progress.Add(scale_case.Work(flags));
    }
    output.Print(ScaleTableRow(rows.back()));
  }
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
  const std::string failures = ScaleFailures(rows);
  output.Print(ThreadScaling(rows) + "Elapsed: " + std::to_string(seconds.count()) + " s.\n");
  if (!failures.empty()) output.Print("FAILED\n" + failures);
  const std::filesystem::path out(flags.out_directory);
  WriteFile(out / "scale.txt", output.text());
  WriteFile(out / "scale.csv", ScaleCsv(rows));
  return failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto flags = bloomline::bench::ParseScaleFlags(argc, argv, &exit_code);
  if (!flags) return exit_code;
  if (!bloomline::bench::KernelVariableIsUsable("scale")) return 1;
  try {
    return bloomline::bench::Run(*flags);
  } catch (const bloomline::bench::Interrupted&) {
    std::cerr << "scale: interrupted\n";
    return 130;
  } catch (const std::exception& error) {
    std::cerr << "scale: " << error.what() << "\n";
    return 1;
  }
}
