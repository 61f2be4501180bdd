#include "db_bench_ext/filters/flags.h"

#include <cstring>
#include <iostream>

#include "db_bench_ext/flags/parse.h"

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

}  // namespace

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  flags.out_directory = "results";
  bool huge = false, native = false, print_out = false;
  int rounds = 0;

  CLI::App app(
      "Measures filters alone, through the interfaces that RocksDB and LevelDB call: bloomline\n"
      "with every SIMD implementation (kernel), and the built-in Bloom and Ribbon filters. Flags\n"
      "of Google Benchmark (--benchmark_filter=REGEX, --benchmark_list_tests, ...) work, too.",
      "db_bench_ext/run_filters");
  app.add_flag("--native", native,
               "also compare with RocksDB's filters compiled natively (-O2 -march=native) from the "
               "distribution's source package, which is downloaded at the first run");
  app.add_option("--native-library", flags.native_library, "")
      ->group("")  // from db_bench_ext/filters/native_rocksdb
      ->check(CLI::ExistingFile);
  app.add_option("--key-bytes", flags.key_bytes, "size of a key: 8 or 16 (default)")
      ->check(CLI::IsMember({8, 16}));
  app.add_option("--rounds", rounds,
                 "rounds of each measurement; the report has their median (default: 31 for what "
                 "the tables compare, 9 for the rest)")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--only-memory", flags.only_memory,
               "only the peak memory of building a filter of 30000000 keys: 20 seconds");
  app.add_flag("--threads", flags.threads,
               "also query from several threads at once, up to the number of processors");
  auto* huge_flag = app.add_flag("--huge", huge,
                                 "also filters of 100000000 keys (minutes, several GB of memory)");
  app.add_flag("--quick", flags.quick,
               "small filters, 2 rounds: takes seconds, its times mean nothing")
      ->excludes(huge_flag);
  app.add_option("--out", flags.out_directory,
                 "folder for filters.txt, filters.csv and the plots (default: "
                 "db_bench_ext/results)")
      ->take_last();  // db_bench_ext/run_filters passes its default first
  app.add_flag("--print-out", print_out, "")->group("");  // for db_bench_ext/run_filters

  std::vector<char*> own = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--benchmark_", std::strlen("--benchmark_")) == 0) {
      flags.google_benchmark.push_back(argv[i]);
    } else {
      own.push_back(argv[i]);
    }
  }
  if (!Parse(&app, static_cast<int>(own.size()), own.data(), exit_code)) return std::nullopt;
  if (flags.quick) UseQuickSizes(&flags);
  if (huge) flags.sizes.push_back(100000000);
  if (rounds != 0) flags.rounds = flags.table_rounds = rounds;
  if (print_out) {
    std::cout << (native ? "native" : "packaged") << "\n" << flags.out_directory << "\n";
    return std::nullopt;
  }
  if (native && flags.native_library.empty()) {
    std::cerr << "--native needs --native-library; db_bench_ext/run_filters provides one\n";
    *exit_code = 2;
    return std::nullopt;
  }
  return flags;
}

}  // namespace bloomline::bench
