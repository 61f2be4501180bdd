#include "db_bench_ext/scaling/flags.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include "db_bench_ext/flags/parse.h"

namespace bloomline::bench {
namespace {

// min_keys times 1, 10, 100, ... below max_keys, and max_keys itself.
std::vector<uint64_t> Decades(uint64_t min_keys, uint64_t max_keys) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = min_keys; size < max_keys; size *= 10) sizes.push_back(size);
  sizes.push_back(max_keys);
  return sizes;
}

}  // namespace

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  flags.out_directory = "results";
  flags.temp_directory = std::filesystem::temp_directory_path().string();
  flags.max_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  double min_keys = 1e6, max_keys = 1e8, max_checked = static_cast<double>(flags.max_checked);
  uint64_t build_memory_mib = flags.build_memory >> 20;
  bool print_out = false;

  CLI::App app(
      "Builds and queries filters of 1e6, 1e7, ... keys, and compares their times with random\n"
      "memory accesses: cache lines loaded, or read and written.",
      "db_bench_ext/scale");
  auto* max_option = app.add_option("--max-keys", max_keys, "largest filter (default: 1e8)")
                         ->check(CLI::Range(1e4, 1e12));
  auto* min_option = app.add_option("--min-keys", min_keys, "smallest filter (default: 1e6)")
                         ->check(CLI::Range(1e4, 1e12));
  app.add_option("--subjects", flags.subjects,
                 "default: all of bloom,atomic,blocked,compact,on_disk")
      ->delimiter(',')
      ->check(CLI::IsMember(kSubjects));
  app.add_option("--threads", flags.max_threads, "measure on 1 to this many threads (default: all)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--rate", flags.rate, "requested false-positive rate (default: 0.01)")
      ->check(CLI::Range(0.001, 0.5));
  app.add_option("--check-keys", max_checked,
                 "stored keys to query, evenly spread (default: 1e8; each must match)")
      ->check(CLI::Range(1e4, 1e12));
  app.add_option("--build-memory", build_memory_mib,
                 "memory budget of the on-disk builder in MiB (default: 512)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option(
         "--temp-dir", flags.temp_directory,
         "folder for the files of the on-disk builder (default: the system's temporary folder)")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--quick", flags.quick, "1e6 and 1e7 keys, fewer queries: takes seconds")
      ->excludes(max_option)
      ->excludes(min_option);
  app.add_option("--out", flags.out_directory,
                 "folder for scale.txt and scale.csv (default: db_bench_ext/results)")
      ->take_last();  // db_bench_ext/scale passes its default first
  app.add_flag("--progress", flags.progress, "")->group("");  // for db_bench_ext/scale
  app.add_flag("--print-out", print_out, "")->group("");      // for db_bench_ext/scale

  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (flags.quick) {
    max_keys = 1e7;
    flags.num_missing = 4000000;
    max_checked = 4e6;
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
  flags.max_checked = static_cast<uint64_t>(max_checked);
  flags.build_memory = build_memory_mib << 20;
  if (print_out) {
    std::cout << flags.out_directory << "\n";
    return std::nullopt;
  }
  return flags;
}

}  // namespace bloomline::bench
