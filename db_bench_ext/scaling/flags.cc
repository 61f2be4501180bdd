#include "db_bench_ext/scaling/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

namespace bloomline::bench {
namespace {

// 1e6, 1e7, ... and the last one itself.
std::vector<uint64_t> Decades(uint64_t min_keys, uint64_t max_keys) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = min_keys; size < max_keys; size *= 10) sizes.push_back(size);
  sizes.push_back(max_keys);
  return sizes;
}

}  // namespace

std::optional<ScaleFlags> ParseScaleFlags(int argc, char** argv, int* exit_code) {
  ScaleFlags flags;
  flags.out_directory = "results";
  flags.temp_directory = std::filesystem::temp_directory_path().string();
  flags.max_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  double min_keys = 1e6, max_keys = 1e8, max_checked = static_cast<double>(flags.max_checked);
  uint64_t build_memory_mib = flags.build_memory >> 20;
  bool print_out = false;

  CLI::App app(
      "Builds and asks filters of 1e6 keys and ten times as many each time, and puts their times\n"
      "beside what the machine's memory allows: random lines loaded, or read and written.",
      "db_bench_ext/scale");
  auto* max_option = app.add_option("--max-keys", max_keys, "largest filter (default: 1e8)")
                         ->check(CLI::Range(1e4, 1e12));
  auto* min_option = app.add_option("--min-keys", min_keys, "smallest filter (default: 1e6)")
                         ->check(CLI::Range(1e4, 1e12));
  app.add_option("--subjects", flags.subjects,
                 "default: all of bloom,atomic,blocked,compact,partitioned")
      ->delimiter(',')
      ->check(CLI::IsMember(kScaleSubjects));
  app.add_option("--threads", flags.max_threads, "measure on 1 to so many threads (default: all)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--rate", flags.rate, "false-positive rate asked for (default: 0.01)")
      ->check(CLI::Range(0.001, 0.5));
  app.add_option(
         "--check-keys", max_checked,
         "keys that are asked for again, evenly spread (default: 1e8; no filter may lose one)")
      ->check(CLI::Range(1e4, 1e12));
  app.add_option("--build-memory", build_memory_mib,
                 "MiB for the partitioned builder (default: 512)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--temp-dir", flags.temp_directory,
                 "where the partitioned builder keeps its files (default: the system's)")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--quick", flags.quick, "1e6 and 1e7 keys, fewer queries: seconds")
      ->excludes(max_option)
      ->excludes(min_option);
  app.add_option("--out", flags.out_directory,
                 "folder for scale.txt and scale.csv (default: db_bench_ext/results)")
      ->take_last();  // the run script gives its default first
  app.add_flag("--progress", flags.progress, "")->group("");  // for the run script
  app.add_flag("--print-out", print_out, "")->group("");      // for the run script

  *exit_code = 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (flags.quick) {
    max_keys = 1e7;
    flags.num_absent = 4000000;
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
