// Measures filters of 1e6 to 5e9 keys: reads flags, writes a table and CSV.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>

#include "db_bench_ext/scaling/scaling.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"

namespace bloomline::bench {
namespace {

// min_keys times 1, 10, 100, ... below max_keys, and max_keys itself.
std::vector<uint64_t> Decades(uint64_t min_keys, uint64_t max_keys) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = min_keys; size < max_keys; size *= 10) sizes.push_back(size);
  sizes.push_back(max_keys);
  return sizes;
}

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  flags.max_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  double min_keys = 1e6, max_keys = 1e8;

  CLI::App app(
      "Builds and queries filters of 1e6, 1e7, ... keys, and compares their times with random\n"
      "memory accesses: cache lines loaded, or read and written.",
      "db_bench_ext/scale");
  auto* max_option = app.add_option("--max-keys", max_keys, "largest filter (default: 1e8)")
                         ->check(CLI::Range(1e4, 1e12));
  auto* min_option = app.add_option("--min-keys", min_keys, "smallest filter (default: 1e6)")
                         ->check(CLI::Range(1e4, 1e12));
  app.add_option("--subjects", flags.subjects, "default: all of bloom,atomic,blocked,compact")
      ->delimiter(',')
      ->check(CLI::IsMember(kSubjects));
  app.add_option("--threads", flags.max_threads, "measure on 1 to this many threads (default: all)")
      ->check(CLI::Range(1, 1024));
  AddQuick(&app, &flags.quick, "1e6 and 1e7 keys, fewer queries")
      ->excludes(max_option)
      ->excludes(min_option);
  AddOut(&app, &flags.out_directory, "scale.txt and scale.csv");
  AddProgress(&app, &flags.progress);

  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (flags.quick) {
    max_keys = 1e7;
    flags.num_missing = 4000000;
    flags.max_checked = 4000000;
  }
  if (min_keys > max_keys) {
    if (min_option->count() != 0) {
      std::cerr << "--min-keys is above --max-keys\n";
      *exit_code = 2;
      return std::nullopt;
    }
    min_keys = max_keys;
  }
  flags.sizes = Decades(static_cast<uint64_t>(min_keys), static_cast<uint64_t>(max_keys));
  return flags;
}

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
      << "times       ns per key: medians over batches; Finish as a whole; several threads: all "
         "together\n"
      << "mixed       half of the keys are stored, by chance\n";
  out << LoadWarning();
  return out.str();
}

// The reason to skip the case: too little free memory. Empty: none.
std::string WhyNot(const Case& c) {
  const auto mib = [](uint64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; };
  const uint64_t memory = c.MemoryBytes();
  const uint64_t available = AvailableMemory();
  if (available != 0 && memory > available / 10 * 9) {
    return "needs " + mib(memory) + " of memory, " + mib(available) + " available";
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
    if (rows.empty() || rows.back().of.num_keys != c.num_keys) {
      output.Print(TableHead(c.num_keys));
    }
    const std::string why_not = WhyNot(c);
    if (why_not.empty()) {
      rows.push_back(Measure(c, flags, &progress));
    } else {
      rows.emplace_back();
      rows.back().of = c;
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
  using namespace bloomline::bench;  // NOLINT: nothing else is here
  return Main("scale", argc, argv, ParseFlags, Run);
}
