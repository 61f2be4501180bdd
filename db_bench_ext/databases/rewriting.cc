// Gets in a RocksDB database while its files get new filters.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>

#include "bloomline/rewrite_filters.h"
#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/rocksdb_database.h"
#include "db_bench_ext/support/keys.h"
#include "rocksdb/cache.h"

namespace bloomline::bench {
namespace rewriting {
namespace {

std::string KeyOf(uint64_t i) {
  std::string key(kDecimalBytes, '\0');
  WriteDecimal(i, key.data());
  return key;
}

rocksdb::BlockBasedTableOptions TableOptions(const Policy& policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBPolicy(policy);
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  return table;
}

// Even numbers in random order.
void Write(uint64_t num_keys, RocksDBDatabase* database) {
  std::vector<uint64_t> order(num_keys);
  for (uint64_t i = 0; i < num_keys; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  const std::string value(100, 'v');
  for (const uint64_t i : order) database->Put(KeyOf(2 * i), value);
  database->Flush();
  Check(database->db()->CompactRange({}, nullptr, nullptr));
}

// What a thread sees that reads stored and missing keys in turns.
struct Reads {
  double us_median, us_p99, us_p999;
  double gets_per_second;
  uint64_t wrong;
};

class Reader {
 public:
  Reader(RocksDBDatabase* database, uint64_t num_keys, uint64_t seed)
      : thread_([this, database, num_keys, seed] { Run(database, num_keys, seed); }) {}

  Reads Stop() {
    stop_ = true;
    thread_.join();
    return {At(0.5), At(0.99), At(0.999), static_cast<double>(us_.size()) / seconds_, wrong_};
  }

 private:
  void Run(RocksDBDatabase* database, uint64_t num_keys, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string value;
    seconds_ = SecondsOf([&] {
      for (uint64_t n = 0; !stop_; ++n) {
        const bool is_stored = n % 2 == 0;
        const std::string key = KeyOf(2 * (random() % num_keys) + (is_stored ? 0 : 1));
        bool is_found = false;
        us_.push_back(
            static_cast<float>(1e6 * SecondsOf([&] { is_found = database->Get(key, &value); })));
        if (is_found != is_stored) ++wrong_;
      }
    });
  }

  double At(double share) {
    const auto n = static_cast<std::ptrdiff_t>(share * static_cast<double>(us_.size() - 1));
    std::nth_element(us_.begin(), us_.begin() + n, us_.end());
    return us_[static_cast<size_t>(n)];
  }

  std::vector<float> us_;  // of each Get
  uint64_t wrong_ = 0;
  double seconds_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// All turns of one kind.
struct Turns {
  const char* name;
  bool rewrites;
  uint64_t bytes_per_second;  // 0: no limit
  std::vector<Reads> reads;
  uint64_t bytes_rewritten = 0;
  double seconds_rewriting = 0;
};

Reads RunTurn(const Flags& flags, uint64_t seed, RocksDBDatabase* database, Turns* turns) {
  Reader reader(database, flags.keys, seed);
  std::atomic<bool> cancel{false};
  std::thread clock([&] {
    std::this_thread::sleep_for(std::chrono::seconds(flags.seconds));
    cancel = true;
  });
  std::string error;
  bool ok = true;
  while (turns->rewrites && !cancel && ok) {
    RewriteOptions options;
    options.all_files = true;
    options.cancel = &cancel;
    options.bytes_per_second = turns->bytes_per_second;
    RewriteReport report;
    rocksdb::DB* const db = database->db();
    ok = RewriteFilters(db, db->DefaultColumnFamily(), options, &report, &error);
    turns->bytes_rewritten += report.bytes_read;
    turns->seconds_rewriting += report.seconds;
  }
  clock.join();
  const Reads reads = reader.Stop();
  if (!ok) throw std::runtime_error(error);
  return reads;
}

Row MakeRow(const Turns& turns) {
  return Row()
      .Word("turns", "turns", turns.name)
      .Rounds("us", "median us", SpreadOf(Each(turns.reads, &Reads::us_median)), 1)
      .Rounds("us_p99", "99 %", SpreadOf(Each(turns.reads, &Reads::us_p99)), 1)
      .Rounds("us_p999", "99.9 %", SpreadOf(Each(turns.reads, &Reads::us_p999)), 1)
      .Rounds("gets_per_second", "Gets/s", SpreadOf(Each(turns.reads, &Reads::gets_per_second)))
      .Number("rewritten_mb_per_second", "MB/s rewritten",
              turns.rewrites
                  ? static_cast<double>(turns.bytes_rewritten) / turns.seconds_rewriting / 1e6
                  : NAN,
              1);
}

uint64_t Run(const Flags& flags, Output* output, std::vector<Row>* rows) {
  RocksDBDatabase database({}, TableOptions(BuiltinBloom(10)), flags.db_directory);
  Turns all_turns[] = {
      {"no rewrite", false, 0, {}},
      {"rewrite limited", true, flags.megabytes_per_second * 1000000, {}},
      {"rewrite at full speed", true, 0, {}},
  };
  ExpectSteps(1 + std::size(all_turns) * static_cast<size_t>(flags.rounds));
  Begin("writing");
  Write(flags.keys, &database);
  database.Reopen(TableOptions(RibbonByLevel("ribbon-by-level", kRibbonBitsOfTen)));
  uint64_t wrong = 0;
  const auto reads = InTurns(flags.rounds, std::size(all_turns), [&](int round, size_t kind) {
    Turns* const turns = &all_turns[kind];
    Begin(turns->name);
    return RunTurn(flags, 3 * static_cast<uint64_t>(round) + kind, &database, turns);
  });
  for (size_t kind = 0; kind < reads.size(); ++kind) {
    all_turns[kind].reads = reads[kind];
    for (const Reads& of_round : reads[kind]) wrong += of_round.wrong;
    rows->push_back(MakeRow(all_turns[kind]));
  }
  output->Print("\n" + tool::CountText(flags.keys) + " keys, " + std::to_string(flags.rounds) +
                " rounds; Gets of stored and missing keys in turns, by one thread; medians\n" +
                Table(*rows, 1));
  return wrong;
}

void AddFlags(CommandLine* command, Flags* flags) {
  command->AddNumber("--rate", &flags->megabytes_per_second, uint64_t{1}, uint64_t{100000});
  command->AddNumber("--seconds", &flags->seconds, 1, 3600);
}

}  // namespace
}  // namespace rewriting

Workload Rewriting() {
  return {"rewriting",
          "Gets in a RocksDB database while RewriteFilters gives its files new filters",
          {{6000000, 7}, {600000, 3}, {60000, 1}},
          rewriting::Run,
          rewriting::AddFlags};
}

}  // namespace bloomline::bench
