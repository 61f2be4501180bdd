// Measures filters of 1e6 to 5e9 keys: reads flags, writes a table and CSV.
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

std::vector<Case> Cases(const Flags& flags) {
  std::vector<Case> cases;
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
      << "raw         random lines of as much memory on as many threads, prefetched "
      << kRawPrefetchAhead
      << " ahead, one\n            64-bit word loaded, or read, changed and written\n"
      << "keys        " << kKeyBytes << " bytes, made from a counter in batches of " << kBatchKeys
      << " while the clock stands still\n"
      << "times       ns per key: medians over batches; Finish as a whole; of the on-disk "
         "builder's\n"
      << "            AddKey the mean, as it writes rarely but much; several threads: all "
         "together\n";
  out << LoadWarning();
  return out.str();
}

// The reason to skip the case: too little free memory or disk space. Empty: none.
std::string WhyNot(const Case& c, const Flags& flags) {
  const auto mib = [](uint64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; };
  const uint64_t memory = c.MemoryBytes(flags);
  const uint64_t available = AvailableMemory();
  if (available != 0 && memory > available / 10 * 9) {
    return "needs " + mib(memory) + " of memory, " + mib(available) + " available";
  }
  std::error_code error;
  const auto space = std::filesystem::space(flags.temp_directory, error);
  const uint64_t disk = c.DiskBytes(flags);
  if (!error && disk > space.available / 10 * 9) {
    return "needs " + mib(disk) + " in " + flags.temp_directory + ", " + mib(space.available) +
           " available";
  }
  return "";
}

int Run(const Flags& flags) {
  CatchInterrupts();
  std::filesystem::create_directories(flags.out_directory);
  Output output;
  output.Print("bloomline's filters by number of keys\n\n" + Describe() + "\n");
  const std::vector<Case> cases = Cases(flags);
  uint64_t work = 0;
  for (const Case& c : cases) work += c.Work(flags);
  Progress progress(flags.progress, work);
  std::vector<Row> rows;
  for (const Case& c : cases) {
    if (rows.empty() || rows.back().num_keys != c.num_keys) {
      output.Print(TableHead(c.num_keys));
    }
    const std::string why_not = WhyNot(c, flags);
    if (why_not.empty()) {
      rows.push_back(Measure(c, flags, &progress));
    } else {
      rows.push_back({});
      rows.back().subject = c.subject;
      rows.back().num_keys = c.num_keys;
      rows.back().num_threads = c.num_threads;
      rows.back().skipped = why_not;
      progress.Add(c.Work(flags));
    }
    output.Print(TableRow(rows.back()));
  }
  const std::string failures = Failures(rows);
  output.Print(ThreadScaling(rows) + output.Elapsed());
  if (!failures.empty()) output.Print("FAILED\n" + failures);
  const std::filesystem::path out(flags.out_directory);
  WriteFile(out / "scale.txt", output.text());
  WriteFile(out / "scale.csv", Csv(rows));
  return failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto flags = bloomline::bench::ParseFlags(argc, argv, &exit_code);
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
