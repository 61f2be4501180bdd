// Gets of stored and missing keys in LevelDB and RocksDB databases of one sorted run.
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "db_bench_ext/databases/harness.h"
#include "db_bench_ext/databases/key_sets.h"

namespace bloomline::bench {
namespace {

struct BenchedEngine {
  const char* name;
  std::vector<Policy> (*policies)(double bits_per_key);
  std::unique_ptr<Database> (*open)(const Policy& policy, const std::string& parent);
};
constexpr BenchedEngine kEngines[] = {
    {"leveldb",
     [](double bits) {
       return std::vector<Policy>{BuiltinBloom(bits), Blocked(bits), Compact(bits)};
     },
     NewLevelDBDatabase},
    {"rocksdb",
     [](double bits) {
       return std::vector<Policy>{BuiltinBloom(bits), BuiltinRibbon(bits), Blocked(bits)};
     },
     NewUncachedRocksDB},
};

// What one run does.
struct Plan {
  const BenchedEngine& engine;
  const KeySet& keys;
  int bits_per_key;
  int rounds;
  size_t timed_queries;  // of each kind of key in a round
  const std::string& db_directory;
};

struct Contender {
  Policy policy;
  std::unique_ptr<Database> database;
  double load_seconds = 0;
  FilterSummary filters;
  BlockCounts near, far;
  uint64_t wrong = 0;
};

// Gets every loaded key and compares its value. This also opens every table and brings the files
// into the page cache.
void CheckStored(const KeySet& keys, Contender* contender) {
  std::string value;
  for (size_t i = 0; i < keys.keys.size(); ++i) {
    if (!contender->database->Get(keys.keys[i], &value) || value != keys.Value(i))
      ++contender->wrong;
  }
}

BlockCounts CheckMissing(const std::vector<std::string>& keys, Contender* contender) {
  std::string value;
  contender->database->StartCounting();
  for (const std::string& key : keys) {
    if (contender->database->Get(key, &value)) ++contender->wrong;
  }
  const BlockCounts counts = contender->database->StopCounting();
  if (counts.Reads() != counts.data_reads)
    throw std::runtime_error("index or filter blocks were read by Gets");
  return counts;
}

Contender MakeContender(const Plan& plan, const Policy& policy) {
  Contender contender;
  contender.policy = policy;
  const std::string where =
      std::string(plan.engine.name) + " " + plan.keys.name + " " + policy.name + ": ";
  Begin(where + "loading");
  contender.database = plan.engine.open(policy, plan.db_directory);
  contender.load_seconds = SecondsOf([&] {
    for (size_t i = 0; i < plan.keys.keys.size(); ++i)
      contender.database->Put(plan.keys.keys[i], plan.keys.Value(i));
    contender.database->CompactAndReopen();
  });
  contender.filters = contender.database->Filters();
  Begin(where + "checking every answer");
  CheckStored(plan.keys, &contender);
  contender.near = CheckMissing(plan.keys.near, &contender);
  contender.far = CheckMissing(plan.keys.far, &contender);
  return contender;
}

// A copy, so that keys of all kinds lie equally close in memory.
std::vector<std::string> First(const std::vector<std::string>& keys, size_t n) {
  return {keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(std::min(n, keys.size()))};
}

// Loaded keys, not in the order of loading.
std::vector<std::string> SampleStored(const std::vector<std::string>& keys, size_t n) {
  std::vector<std::string> sample;
  constexpr size_t kPrime = 7919;
  for (size_t i = 1; i <= std::min(n, keys.size()); ++i)
    sample.push_back(keys[i * kPrime % keys.size()]);
  return sample;
}

// Microseconds per Get, with one Get of each key. Comparing the answers with the expected ones
// makes sure that the compiler does not drop the Gets.
double TimeGets(const std::vector<std::string>& keys, bool expected, Contender* contender) {
  std::string value;
  size_t found = 0;
  const double seconds = SecondsOf([&] {
    for (const std::string& key : keys) found += contender->database->Get(key, &value) ? 1 : 0;
  });
  contender->wrong += expected ? keys.size() - found : found;
  CheckInterrupted();
  return 1e6 * seconds / static_cast<double>(keys.size());
}

struct Times {
  double hit_us, near_us;
};

Row MakeRow(const Plan& plan, const Contender& contender, const std::vector<Times>& times) {
  const auto num_keys = static_cast<double>(plan.keys.keys.size());
  const auto per_key = [&](uint64_t bytes) { return 8.0 * static_cast<double>(bytes) / num_keys; };
  const auto per_get = [](uint64_t count, const std::vector<std::string>& keys) {
    return static_cast<double>(count) / static_cast<double>(keys.size());
  };
  return Row()
      .Word("engine", "engine", plan.engine.name)
      .Word("keys", "keys", plan.keys.name)
      .Word("policy", "policy", contender.policy.name)
      .Count("requested_bits_per_key", "bits", static_cast<uint64_t>(plan.bits_per_key))
      .Count("rows", "", plan.keys.keys.size())
      .Number("filter_bits_per_key", "written", per_key(contender.filters.filter_bytes), 2)
      .Number("filter_block_bits_per_key", "block", per_key(contender.filters.block_bytes), 2)
      .Count("near_missing_keys", "", plan.keys.near.size())
      .Count("far_missing_keys", "", plan.keys.far.size())
      .Number("near_fpr", "near %", per_get(contender.near.filter_positives, plan.keys.near), 3,
              100)
      .Number("far_fpr", "far %", per_get(contender.far.filter_positives, plan.keys.far), 3, 100)
      .Number("near_data_block_reads_per_get", "reads near",
              per_get(contender.near.data_reads, plan.keys.near), 4)
      .Number("far_data_block_reads_per_get", "far",
              per_get(contender.far.data_reads, plan.keys.far), 4)
      .Number("load_seconds", "load s", plan.rounds == 0 ? NAN : contender.load_seconds, 2)
      .Rounds("hit_us", "hit us", SpreadOf(Each(times, &Times::hit_us)), 2)
      .Rounds("near_miss_us", "near us", SpreadOf(Each(times, &Times::near_us)), 2)
      .Count("wrong_answers", "wrong", contender.wrong);
}

// Loads and checks one database per policy, then times all of them in alternation. Returns the
// number of wrong answers.
uint64_t Measure(const Plan& plan, std::vector<Row>* rows) {
  std::vector<Contender> contenders;
  for (const Policy& policy : plan.engine.policies(plan.bits_per_key))
    contenders.push_back(MakeContender(plan, policy));
  const std::string timing = std::string(plan.engine.name) + " " + plan.keys.name + ": timing ";
  const std::vector<std::string> stored = SampleStored(plan.keys.keys, plan.timed_queries);
  const std::vector<std::string> near = First(plan.keys.near, plan.timed_queries);
  const auto times = InTurns(plan.rounds, contenders.size(), [&](int, size_t now) {
    Contender* const contender = &contenders[now];
    Begin(timing + contender->policy.name);
    return Times{TimeGets(stored, true, contender), TimeGets(near, false, contender)};
  });
  uint64_t wrong = 0;
  for (size_t i = 0; i < contenders.size(); ++i) {
    rows->push_back(MakeRow(plan, contenders[i], times[i]));
    wrong += contenders[i].wrong;
  }
  return wrong;
}

std::string Legend(const std::vector<KeySet>& sets, const Flags& flags) {
  std::string out;
  for (const KeySet& set : sets)
    out += set.name + std::string(12 - set.name.size(), ' ') + set.description + "\n";
  return out +
         R"(databases   no compression, no block cache (LevelDB reads through mmap, RocksDB through
            pread, both from the page cache); LevelDB has a write buffer of 32 MiB,
            RocksDB no write-ahead log; otherwise the engines' defaults
bits        per key: requested; written, without and with LevelDB's array of filter offsets
near, far   missing keys adjacent to stored ones; missing keys elsewhere. %: false positives;
            reads: data blocks per Get. RocksDB reads two if the key falls between them
us          microseconds per Get: median of )" +
         std::to_string(flags.rounds) + R"( rounds, policies in alternation. The page cache
            serves the block reads, so a read that a filter avoids is as cheap as it can be
load s      all rows in random order, then full compaction

)";
}

uint64_t Run(const Flags& flags, Output* output, std::vector<Row>* rows) {
  constexpr size_t kMaxMissing[] = {200000, 150000, 10000};
  constexpr size_t kTimedQueries[] = {50000, 30000, 5000};
  const auto form = static_cast<size_t>(flags.form);
  const std::vector<KeySet> sets = {
      PathKeys(flags.key_list, flags.key_list_title, flags.keys, kMaxMissing[form]),
      BigEndianKeys(flags.keys, kMaxMissing[form]), DecimalKeys(flags.keys, kMaxMissing[form])};
  output->Print(Legend(sets, flags));
  const int rounds = flags.only_counts ? 0 : flags.rounds;
  size_t steps = 0;
  for (const BenchedEngine& engine : kEngines) {
    steps += engine.policies(flags.bits[0]).size() * (static_cast<size_t>(rounds) + 2);
  }
  ExpectSteps(steps * flags.bits.size() * sets.size());
  uint64_t wrong = 0;
  for (const BenchedEngine& engine : kEngines) {
    for (const int bits : flags.bits) {
      std::vector<Row> table;
      for (const KeySet& set : sets) {
        wrong +=
            Measure({engine, set, bits, rounds, kTimedQueries[form], flags.db_directory}, &table);
      }
      output->Print(Table(table, 3) + "\n");
      rows->insert(rows->end(), table.begin(), table.end());
    }
  }
  return wrong;
}

void AddFlags(CommandLine* command, Flags* flags) {
  command->AddNumbers("--bits", &flags->bits, 2, 30);
  command->AddFlag("--counts", &flags->only_counts);
}

}  // namespace

Workload Gets() {
  return {"gets",
          "Gets of stored and missing keys in databases of both engines",
          {{1000000, 7}, {150000, 3}, {20000, 2}},
          Run,
          AddFlags};
}

}  // namespace bloomline::bench
