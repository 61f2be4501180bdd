// Gets in a RocksDB database while its files get new filters (docs/rewriting.md).
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "db_bench_ext/support/flags.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/policies.h"

namespace bloomline::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  uint64_t num_keys = 6000000;
  uint64_t megabytes_per_second = 20;
  int seconds = 8;
  int rounds = 7;
  std::string directory;
};

std::string KeyOf(uint64_t i) {
  char text[24];
  std::snprintf(text, sizeof(text), "user%012" PRIu64, i);
  return text;
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
  static double MedianOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
  void Print() const {
    std::printf("%-22s %9.1f %9.1f %9.1f %11.0f %13.1f\n", name, MedianOf(median), MedianOf(p99),
                MedianOf(p999), MedianOf(gets),
                seconds > 0 ? static_cast<double>(bytes) / seconds / 1e6 : 0.0);
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
  AddDbDirectory(&app, &flags.directory, "for the database");
  if (!Parse(&app, argc, argv, exit_code)) return std::nullopt;
  return flags;
}

int Run(const Flags& flags) {
  const TemporaryDirectory directory(flags.directory.empty() ? "/tmp" : flags.directory);
  const std::string path = directory.path() + "/db";
  Write(flags.num_keys, path);
  FilterOptions compact;
  compact.format = Format::kCompact;
  const auto db = OpenWith(NewRocksDBFilterPolicy(compact), path);
  Turns turns[] = {{"no rewrite", {}, {}, {}, {}},
                   {"rewrite, limited", {}, {}, {}, {}},
                   {"rewrite, full speed", {}, {}, {}, {}}};
  Reader(db.get(), flags.num_keys, 0).Stop();
  uint64_t wrong = 0;
  for (int round = 0; round < flags.rounds; ++round) {
    for (int kind = 0; kind < 3; ++kind) {
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
  std::printf("%" PRIu64 " keys, %d rounds; Gets in us, medians of the turns\n", flags.num_keys,
              flags.rounds);
  std::printf("%-22s %9s %9s %9s %11s %13s\n", "", "median", "99 %", "99.9 %", "Gets/s",
              "MB/s rewritten");
  for (const Turns& turn : turns) turn.Print();
  std::printf("%" PRIu64 " wrong answers\n", wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  using namespace bloomline::bench;  // NOLINT: nothing else is here
  return Main("rewrite_bench", argc, argv, ParseFlags, Run);
}
