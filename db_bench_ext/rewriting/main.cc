// Gets in a RocksDB database while its files get new filters (docs/operating.md).
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/support/cells.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"
#include "src/cli/shared/quantity.h"

namespace bloomline::bench::rewriting {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  uint64_t num_keys = 6000000;
  uint64_t megabytes_per_second = 20;
  int seconds = 8;
  int rounds = 7;
  std::string out_directory;
  std::string db_directory;
};

std::string KeyOf(uint64_t i) {
  std::string key(kDecimalBytes, '\0');
  WriteDecimal(i, key.data());
  return key;
}

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::unique_ptr<rocksdb::DB> OpenWith(std::shared_ptr<const rocksdb::FilterPolicy> policy,
                                      const std::string& path) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return OpenRocksDB(options, path);
}

void Write(uint64_t num_keys, const std::string& path) {
  const auto db = OpenWith(
      std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)), path);
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  std::vector<uint64_t> order(num_keys);
  for (uint64_t i = 0; i < num_keys; ++i) order[i] = i;
  std::mt19937_64 random(1);
  std::shuffle(order.begin(), order.end(), random);
  const std::string value(100, 'v');
  for (const uint64_t i : order) Check(db->Put(write, KeyOf(2 * i), value));
  Check(db->Flush({}));
  Check(db->CompactRange({}, nullptr, nullptr));
}

// What one thread sees, which reads stored and missing keys in turns.
struct Reads {
  std::vector<float> us;
  uint64_t wrong = 0;
  double seconds = 0;
};

class Reader {
 public:
  Reader(rocksdb::DB* db, uint64_t num_keys, uint64_t seed)
      : thread_([this, db, num_keys, seed] { Run(db, num_keys, seed); }) {}
  Reads Stop() {
    stop_ = true;
    thread_.join();
    return std::move(reads_);
  }

 private:
  void Run(rocksdb::DB* db, uint64_t num_keys, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string value;
    const Clock::time_point begin = Clock::now();
    for (uint64_t n = 0; !stop_; ++n) {
      const bool is_stored = n % 2 == 0;
      const std::string key = KeyOf(2 * (random() % num_keys) + (is_stored ? 0 : 1));
      const Clock::time_point start = Clock::now();
      const bool is_found = db->Get({}, key, &value).ok();
      reads_.us.push_back(std::chrono::duration<float, std::micro>(Clock::now() - start).count());
      if (is_found != is_stored) ++reads_.wrong;
    }
    reads_.seconds = SecondsSince(begin);
  }

  Reads reads_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Of the turns of one kind.
struct Turns {
  const char* name;
  std::vector<double> median, p99, p999, gets;
  uint64_t bytes = 0;
  double seconds = 0;

  double MegabytesPerSecond() const {
    return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e6 : 0;
  }
  void Add(Reads* reads) {
    const auto at = [&](double share) {
      const auto n = static_cast<size_t>(share * static_cast<double>(reads->us.size() - 1));
      std::nth_element(reads->us.begin(), reads->us.begin() + static_cast<std::ptrdiff_t>(n),
                       reads->us.end());
      return static_cast<double>(reads->us[n]);
    };
    median.push_back(at(0.5));
    p99.push_back(at(0.99));
    p999.push_back(at(0.999));
    gets.push_back(static_cast<double>(reads->us.size()) / reads->seconds);
  }
};

std::optional<Flags> ParseFlags(int argc, char** argv, int* exit_code) {
  Flags flags;
  CLI::App app(
      "Measures Gets in a RocksDB database while RewriteFilters gives its files new filters: one\n"
      "thread reads stored and missing keys in turns. Exit status 1 if an answer was wrong.",
      "db_bench_ext/run_rewrite");
  app.add_option("--keys", flags.num_keys, "keys, with values of 100 bytes (default: 6000000)")
      ->check(CLI::Range(10000, 1000000000));
  app.add_option("--rate", flags.megabytes_per_second, "bytes_per_second in MB (default: 20)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--seconds", flags.seconds, "of each turn (default: 8)")
      ->check(CLI::Range(1, 3600));
  AddRounds(&app, &flags.rounds, "rounds of three turns", "7");
  AddOut(&app, &flags.out_directory, "rewrite.txt and rewrite.csv");
  AddDbDirectory(&app, &flags.db_directory, "for the database (default: the folder of --out)");
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  if (flags.db_directory.empty()) flags.db_directory = flags.out_directory;
  return flags;
}

int Run(const Flags& flags) {
  CatchInterrupts();
  std::filesystem::create_directories(flags.out_directory);
  const TemporaryDirectory directory(flags.db_directory);
  Output output;
  output.Print(DescribeEnvironment() + LoadWarning() + "\n");
  const std::string path = directory.path() + "/db";
  Write(flags.num_keys, path);
  FilterOptions compact;
  compact.format = Format::kCompact;
  const auto db = OpenWith(NewRocksDBFilterPolicy(compact), path);
  Turns turns[] = {{"no rewrite", {}, {}, {}, {}},
                   {"rewrite limited", {}, {}, {}, {}},
                   {"rewrite at full speed", {}, {}, {}, {}}};
  Reader(db.get(), flags.num_keys, 0).Stop();
  uint64_t wrong = 0;
  for (int round = 0; round < flags.rounds; ++round) {
    for (int kind = 0; kind < 3; ++kind) {
      CheckInterrupted();
      Reader reader(db.get(), flags.num_keys, static_cast<uint64_t>(3 * round + kind));
      std::atomic<bool> cancel{false};
      std::thread clock([&] {
        std::this_thread::sleep_for(std::chrono::seconds(flags.seconds));
        cancel = true;
      });
      while (kind > 0 && !cancel) {
        RewriteOptions options;
        options.all_files = true;
        options.cancel = &cancel;
        if (kind == 1) options.bytes_per_second = flags.megabytes_per_second * 1000000;
        RewriteReport report;
        std::string error;
        if (!RewriteFilters(db.get(), db->DefaultColumnFamily(), options, &report, &error)) {
          throw std::runtime_error(error);
        }
        turns[kind].bytes += report.bytes_read;
        turns[kind].seconds += report.seconds;
      }
      clock.join();
      Reads reads = reader.Stop();
      wrong += reads.wrong;
      turns[kind].Add(&reads);
    }
  }
  std::vector<Cells> rows = {{"", "median us", "99 %", "99.9 %", "Gets/s", "MB/s rewritten"}};
  std::string csv =
      "turns,us_median,us_min,us_max,us_p99_median,us_p99_min,us_p99_max,us_p999_median,us_p999_"
      "min,"
      "us_p999_max,gets_per_second_median,gets_per_second_min,gets_per_second_max,"
      "rewritten_mb_per_second\n";
  for (const Turns& turn : turns) {
    rows.push_back({turn.name, Cell(Median(turn.median), 1), Cell(Median(turn.p99), 1),
                    Cell(Median(turn.p999), 1), Cell(Median(turn.gets), 0),
                    Cell(turn.MegabytesPerSecond(), 1)});
    csv += std::string(turn.name) + "," + CsvCells(SpreadOf(turn.median), 3) + "," +
           CsvCells(SpreadOf(turn.p99), 3) + "," + CsvCells(SpreadOf(turn.p999), 3) + "," +
           CsvCells(SpreadOf(turn.gets), 0) + "," + CsvCell(turn.MegabytesPerSecond(), 2) + "\n";
  }
  output.Print(cli::CountText(flags.num_keys) + " keys, " + std::to_string(flags.rounds) +
               " rounds; Gets, medians of the turns\n" + cli::TextTable(rows, 1));
  return Finish(&output, wrong, flags.out_directory, "rewrite", {{"rewrite.csv", csv}});
}

}  // namespace
}  // namespace bloomline::bench::rewriting

int bloomline::bench::Rewrite(int argc, char** argv) {
  return Main("rewrite", argc, argv, rewriting::ParseFlags, rewriting::Run);
}
