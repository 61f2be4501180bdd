// Gets in RocksDB databases that are much larger than their block cache.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "db_bench_ext/databases/disk_database.h"
#include "db_bench_ext/databases/disk_keys.h"
#include "db_bench_ext/databases/harness.h"
#include "rocksdb/db.h"
#include "rocksdb/perf_context.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::bench {
namespace disk {
namespace {

// More than a run can do in its time; a warm-up takes several portions.
constexpr size_t kQueriesPerRun = 60000;
constexpr size_t kWarmUpQueries = 30000;
constexpr double kBits = 10;
constexpr double kAllCached = 0;  // instead of a multiple of Bloom's filters
// Where nothing is timed, a run ends with this: 1000 Gets, if each reads all filters whole. A 64th
// in the short form, and a 64th of that in the quick one.
constexpr uint64_t kMostBytesRead = uint64_t{4} << 30;

// What the form decides besides keys and rounds.
struct Limits {
  double run_seconds;  // at most, of a policy in a round
  double warm_up_seconds;
};
constexpr Limits kLimits[] = {{0.06, 0.3}, {0.04, 0.1}, {0.02, 0.02}};

std::vector<Policy> Policies(const Flags& flags) {
  const std::vector<double>& sweep = flags.sweep;
  if (flags.is_by_level) {
    std::vector<Policy> policies = {BuiltinBloom(kBits), BuiltinRibbon(kRibbonBitsOfTen),
                                    RibbonByLevel("ribbon-by-level", kRibbonBitsOfTen)};
    if (flags.only_counts) policies.push_back(RibbonByLevel("ribbon-by-level-8bits", 8));
    return policies;
  }
  if (sweep.empty()) {
    return {BuiltinBloom(kBits), BuiltinRibbon(kBits),
            RibbonByLevel("ribbon-by-level", kRibbonBitsOfTen),
            RibbonByLevel("ribbon-by-level-10bits", kBits)};
  }
  std::vector<Policy> policies = {BuiltinBloom(kBits)};
  for (const double bits : sweep) {
    policies.push_back(BuiltinRibbon(filter::BitsOfMemory(Format::kRibbon, bits)));
    policies.back().name = "ribbon-" + NumberText(bits, 1);
  }
  for (const double bits : sweep) {
    policies.push_back(RibbonByLevel("ribbon-by-level-" + NumberText(bits, 1),
                                     filter::BitsOfMemory(Format::kRibbon, bits)));
  }
  return policies;
}

struct Counts {
  uint64_t gets = 0;
  uint64_t wrong_answers = 0;
  double seconds = 0;
  std::vector<float> seconds_of_gets;
  BlockCounts blocks;

  void Add(const Counts& other) {
    seconds_of_gets.insert(seconds_of_gets.end(), other.seconds_of_gets.begin(),
                           other.seconds_of_gets.end());
    gets += other.gets;
    wrong_answers += other.wrong_answers;
    seconds += other.seconds;
    blocks.Add(other.blocks);
  }
  double PerGet(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(gets);
  }
  // 99 of 100 Gets took at most that.
  double SecondsOfSlowest() const {
    if (seconds_of_gets.empty()) return NAN;
    std::vector<float> sorted = seconds_of_gets;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) * 99 / 100);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }
};

// Checks every answer. Stops at a limit or at the end of the queries.
Counts RunQueries(DiskDatabase* database, const std::vector<Query>& queries, double max_seconds,
                  uint64_t max_bytes_read) {
  Counts counts;
  counts.seconds_of_gets.reserve(queries.size());
  std::string value;
  database->StartCounting();
  const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
  const auto start = std::chrono::steady_clock::now();
  for (const Query& query : queries) {
    if (counts.seconds >= max_seconds || perf.block_read_byte >= max_bytes_read) break;
    const bool found = database->Get(AsText(query.key), &value);
    if (found != query.stored || (found && value != AsText(ValueOf(query.number))))
      ++counts.wrong_answers;
    ++counts.gets;
    const double until =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    counts.seconds_of_gets.push_back(static_cast<float>(until - counts.seconds));
    counts.seconds = until;
  }
  counts.blocks = database->StopCounting();
  return counts;
}

// The share of the keys for which KeyMayExist answers "may". It reads no block.
double ShareOfMays(const DiskDatabase& database, const std::vector<Query>& queries) {
  std::string value;
  const auto mays = std::count_if(queries.begin(), queries.end(), [&](const Query& query) {
    const rocksdb::Slice key(query.key.data(), query.key.size());
    return database.db()->KeyMayExist(rocksdb::ReadOptions(), key, &value);
  });
  return static_cast<double>(mays) / static_cast<double>(queries.size());
}

struct Contender {
  Policy policy;
  std::unique_ptr<DiskDatabase> database;
};

const char* LayoutName(bool is_partitioned) { return is_partitioned ? "partitioned" : "full"; }

// The databases of one layout of filters and indexes.
class Bench {
 public:
  Bench(const Flags& flags, bool is_partitioned, const StoredKeys& stored, const LevelFiles& files)
      : flags_(flags),
        limits_(flags.only_counts ? Limits{1e9, 1e9} : kLimits[static_cast<size_t>(flags.form)]),
        layout_(LayoutName(is_partitioned)),
        stored_(stored),
        queries_(stored) {
    for (const Policy& policy : Policies(flags)) {
      Begin(layout_ + " filters: writing five levels with " + policy.name);
      contenders_.push_back(
          {policy, std::make_unique<DiskDatabase>(policy, is_partitioned, stored, files,
                                                  flags.db_directory, !flags.only_counts)});
      if (policy.name == kBuiltinBloom) bloom_ = contenders_.back().database->SumsOfFiles();
    }
    CheckThatWrongAnswersCount();
  }

  const FileSums& bloom() const { return bloom_; }

  std::vector<Row> Measure(double cache_factor, const std::vector<Stream>& streams) {
    const bool is_all_cached = cache_factor == kAllCached;
    const uint64_t cache_bytes =
        is_all_cached ? 2 * (bloom_.data_bytes + bloom_.index_bytes + bloom_.filter_bytes)
                      : static_cast<uint64_t>(
                            std::llround(cache_factor * static_cast<double>(bloom_.filter_bytes)));
    const std::string what = layout_ + " filters, cache of " + tool::BytesText(cache_bytes) + ": ";
    Begin(what + "filling the cache");
    // Uniform Gets of stored keys bring in all filters and indexes. Missing keys would need
    // millions of Gets for that, because the filters keep them away from the indexes.
    for (Contender& contender : contenders_) {
      contender.database->SetCacheBytes(cache_bytes);
      if (is_all_cached) contender.database->ReadAll();
    }
    WarmUp(kUniform, cache_bytes);
    std::vector<Row> rows;
    for (const Stream& stream : streams) {
      WarmUp(stream, cache_bytes);
      MeasureStream(stream, cache_factor, cache_bytes, &rows);
    }
    for (const Contender& contender : contenders_) contender.database->CheckLevels();
    return rows;
  }

  uint64_t wrong_answers() const { return wrong_answers_; }

 private:
  // The control of every "0 wrong answers": a missing key expected to be stored, a stored one
  // expected to be missing, and one with another value.
  void CheckThatWrongAnswersCount() {
    const uint64_t stored = stored_.NumberOfRank(0), other = stored_.NumberOfRank(1);
    const std::vector<Query> wrong = {{KeyOf(stored), false, stored},
                                      {KeyOf(stored + 1), true, stored + 1},
                                      {KeyOf(stored), true, other}};
    if (RunQueries(contenders_.front().database.get(), wrong, 1e9, kMostBytesRead).wrong_answers !=
        wrong.size())
      throw std::runtime_error("the bench does not notice wrong answers");
  }

  // Every seed is used once, by all policies.
  std::vector<Query> NextQueries(const Stream& stream, size_t count) {
    return queries_.Make(stream, count, ++seed_);
  }

  // A cache is warm when as much has been read through it as it holds.
  void WarmUp(const Stream& stream, uint64_t cache_bytes) {
    const std::vector<Query> queries = NextQueries(stream, kWarmUpQueries);
    for (Contender& contender : contenders_) {
      wrong_answers_ +=
          RunQueries(contender.database.get(), queries, limits_.warm_up_seconds, cache_bytes)
              .wrong_answers;
    }
  }

  void MeasureStream(const Stream& stream, double cache_factor, uint64_t cache_bytes,
                     std::vector<Row>* rows) {
    std::vector<Counts> counts(contenders_.size());
    std::vector<Query> queries;
    int round_of_queries = -1;
    const auto speeds = InTurns(flags_.rounds, contenders_.size(), [&](int round, size_t now) {
      if (round != round_of_queries) queries = NextQueries(stream, kQueriesPerRun);
      round_of_queries = round;
      Begin(layout_ + " filters, " + stream.name + ": " + contenders_[now].policy.name);
      const Counts run = RunQueries(
          contenders_[now].database.get(), queries, limits_.run_seconds,
          flags_.only_counts ? kMostBytesRead >> 6 * static_cast<int>(flags_.form) : UINT64_MAX);
      counts[now].Add(run);
      return flags_.only_counts ? NAN : static_cast<double>(run.gets) / run.seconds;
    });
    const bool asks_mays = flags_.only_counts && stream.part_missing == 1;
    if (asks_mays) queries = queries_.Make(stream, kWarmUpQueries, ~seed_);
    const auto bloom = std::find_if(
        contenders_.begin(), contenders_.end(),
        [](const Contender& contender) { return contender.policy.name == kBuiltinBloom; });
    const auto timed = [&](const char* heading) { return flags_.only_counts ? "" : heading; };
    const auto& speeds_of_bloom = speeds[static_cast<size_t>(bloom - contenders_.begin())];
    for (size_t i = 0; i < contenders_.size(); ++i) {
      std::vector<double> ratios;
      for (size_t round = 0; round < speeds[i].size(); ++round)
        ratios.push_back(speeds[i][round] / speeds_of_bloom[round]);
      wrong_answers_ += counts[i].wrong_answers;
      const Counts& all = counts[i];
      const BlockCounts& blocks = all.blocks;
      rows->push_back(
          Row()
              .Word("filters", "", layout_)
              .Number("cache_times_bloom_filters", "", cache_factor)
              .Count("cache_bytes", "", cache_bytes)
              .Word("workload", "workload", stream.name)
              .Word("policy", "policy", contenders_[i].policy.name)
              .Number("filter_bits_per_key", "bits/key",
                      contenders_[i].database->SumsOfFiles().FilterBitsPerKey(), 2)
              .Rounds("ops_per_second", timed("kops/s"), SpreadOf(speeds[i]), 1, 1e-3)
              .Rounds("times_bloom", timed("x Bloom"), SpreadOf(ratios), 2)
              .Number("p99_us", timed("p99 us"),
                      flags_.only_counts ? NAN : 1e6 * all.SecondsOfSlowest(), 1)
              .Number("reads_per_get", "reads/Get", all.PerGet(blocks.Reads()), 4)
              .Number("data_reads_per_get", "data", all.PerGet(blocks.data_reads), 4)
              .Number("index_reads_per_get", "index", all.PerGet(blocks.index_reads), 4)
              .Number("filter_reads_per_get", "filter", all.PerGet(blocks.filter_reads), 4)
              .Number("cache_hit_rate", "cache %",
                      static_cast<double>(blocks.cache_hits) /
                          static_cast<double>(blocks.cache_hits + blocks.Reads()),
                      1, 100)
              .Number("kib_read_per_get", "KiB", all.PerGet(blocks.bytes_read) / 1024, 1)
              .Number("wasted_reads_per_get", "wasted",
                      all.PerGet(blocks.filter_positives) - (1 - stream.part_missing), 5)
              .Number("key_may_exist", flags_.only_counts ? "may %" : "",
                      asks_mays ? ShareOfMays(*contenders_[i].database, queries) : NAN, 1, 100)
              .Count("gets", "", all.gets)
              .Count("wrong_answers", "wrong", all.wrong_answers));
    }
  }

  const Flags& flags_;
  const Limits limits_;
  const std::string layout_;
  const StoredKeys& stored_;
  const Queries queries_;
  uint64_t seed_ = 0;
  std::vector<Contender> contenders_;
  FileSums bloom_;
  uint64_t wrong_answers_ = 0;
};

std::string Legend(const Flags& flags, const StoredKeys& stored) {
  const auto form = static_cast<size_t>(flags.form);
  std::ostringstream out;
  out << "databases   " << tool::CountText(stored.size()) << " keys of " << kDecimalBytes
      << " bytes in levels 1 to " << kNumLevels << ", each level with " << kLevelSizeRatio
      << " times as\n"
      << "            many as the one above it, every key in one level; values of " << kValueBytes
      << " bytes; files\n"
         "            of 64 MiB; the levels were checked afterwards\n"
         "reading     "
      << (flags.only_counts ? "through the page cache" : "use_direct_reads")
      << ", blocks of 4 KiB, LRU block cache with one shard, the same\n"
         "            capacity for every policy; cache_index_and_filter_blocks with high "
         "priority;\n"
         "            pinned are only the top levels of partitioned filters and indexes\n"
         "missing     odd numbers, next to stored ones and within their range\n"
         "zipf        probability of a key 1/rank^0.99; the ranks are spread over all keys\n"
         "mixed       half of the Gets for stored keys, half for missing ones\n"
         "policies    10 bits per key, but "
      << (flags.only_counts   ? "ribbon-by-level-8bits takes the setting bits_per_key=8\n"
          : flags.is_by_level ? "Ribbon takes those of the same memory\n"
                              : "builtin-ribbon and ribbon-by-level-10bits take the setting\n"
                                "            bits_per_key=10, which is 7.1 bits\n");
  if (!flags.only_counts) {
    out << "kops/s      thousands of keys per second, median of " << flags.rounds
        << " rounds of up to " << NumberText(kLimits[form].run_seconds, 2)
        << " s; policies in\n"
           "            alternation with the same queries. x Bloom: as a multiple of built-in\n"
           "            Bloom's in the same round\n"
           "p99         99 of 100 Gets of all rounds took at most these microseconds\n";
  }
  out << "reads/Get   blocks read from the disk per key; cache: hit rate of blocks of all kinds\n"
         "KiB         read from the disk per Get\n"
         "wasted      files per Get that a filter let be searched in vain\n"
      << (flags.only_counts ? "may         missing keys for which KeyMayExist answers \"may\"\n\n"
                            : "\n");
  return out.str();
}

uint64_t NeededBytes(const Flags& flags) {
  constexpr uint64_t kBytesPerKey = 125;  // with the index and a filter
  // The ingested copy of a level is a link; a compaction holds its input and its output.
  return (Policies(flags).size() + 2) * flags.keys * kBytesPerKey;
}

uint64_t Run(const Flags& given, Output* output, std::vector<Row>* rows) {
  Flags flags = given;
  if (flags.only_counts) {
    flags.is_by_level = true;
    flags.rounds = 1;
  }
  CheckIsOnDisk(flags.db_directory, NeededBytes(flags));
  std::vector<double> cache_factors =
      flags.form == Form::kComplete ? std::vector<double>{1, 4} : std::vector<double>{2};
  std::vector<Stream> streams = {kMissing, kMixedZipf};
  if (flags.is_by_level) {
    cache_factors = flags.only_counts ? std::vector<double>{1, 0.5, 0.25, 0.1}
                                      : std::vector<double>{2, kAllCached};
    streams = {kMissing, kUniform};
  }
  std::vector<bool> layouts = {true};  // partitioned
  if (flags.only_counts) layouts.push_back(false);
  const size_t policies = Policies(flags).size();
  const size_t turns = streams.size() * static_cast<size_t>(flags.rounds) * policies;
  ExpectSteps(1 + layouts.size() * (policies + cache_factors.size() * (1 + turns)));
  const StoredKeys stored(flags.keys);
  Begin("writing the keys of all levels");
  const TemporaryDirectory directory(flags.db_directory);
  const LevelFiles files(stored, directory.path());
  output->Print(Legend(flags, stored));
  uint64_t wrong = 0;
  for (const bool is_partitioned : layouts) {
    Bench bench(flags, is_partitioned, stored, files);
    for (const double factor : cache_factors) {
      const std::vector<Row> table = bench.Measure(factor, streams);
      const std::string cache =
          factor == kAllCached
              ? "all blocks in the cache"
              : "cache of " + NumberText(factor, 2) + " times built-in Bloom's filters, " +
                    NumberText(100 * factor * static_cast<double>(bench.bloom().filter_bytes) /
                                   static_cast<double>(bench.bloom().data_bytes),
                               1) +
                    " % of the data";
      output->Print(std::string(LayoutName(is_partitioned)) + " filters, " + cache + "\n" +
                    Table(table, 2) + "\n");
      rows->insert(rows->end(), table.begin(), table.end());
    }
    wrong += bench.wrong_answers();
  }
  return wrong;
}

void AddFlags(CommandLine* command, Flags* flags) {
  command->AddNumbers("--sweep", &flags->sweep, 2.0, 30.0);
  command->AddFlag("--by-level", &flags->is_by_level);
  command->AddFlag("--counts", &flags->only_counts);
  command->Exclude("--by-level", {"--sweep"});
  command->Exclude("--counts", {"--sweep", "--rounds"});
}

}  // namespace
}  // namespace disk

Workload Disk() {
  return {"disk",
          "Gets in RocksDB databases where memory is short",
          {{3333300, 5}, {555550, 3}, {111110, 1}},
          disk::Run,
          disk::AddFlags};
}

}  // namespace bloomline::bench
