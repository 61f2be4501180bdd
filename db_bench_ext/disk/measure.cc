#include <algorithm>
#include <cmath>
#include <numeric>

#include "db_bench_ext/disk/disk.h"

namespace bloomline::bench::disk {
namespace {

// More than a run can do in its time; a warm-up takes several portions.
constexpr size_t kQueriesPerRun = 60000;
constexpr size_t kWarmUpQueries = 30000;
constexpr size_t kWasteQueries = 2000000;

uint64_t NumKeys(const Plan& plan) {
  uint64_t keys = 0, of_level = plan.keys_of_top_level;
  for (int level = 0; level < kNumLevels; ++level, of_level *= kLevelSizeRatio) keys += of_level;
  return keys;
}

struct Contender {
  Policy policy;
  std::unique_ptr<DiskDatabase> database;
  size_t result;  // index in Results::databases
};

class Bench {
 public:
  explicit Bench(const Plan& plan)
      : plan_(plan), stored_(plan.keys_of_top_level), queries_(stored_) {}

  Results Run() {
    Begin("writing the keys of all levels");
    const LevelFiles files(stored_, plan_.directory);
    results_.disk_read_us = MedianDirectReadUs(files.OfLevel(kNumLevels));
    for (const Layout& layout : plan_.layouts) {
      BuildAll(layout, files);
      CheckThatWrongAnswersCount();
      uint64_t filter_bytes = 0;
      for (const BuiltDatabase& database : results_.databases) {
        if (database.layout == layout && database.policy.name == kBuiltinBloom)
          filter_bytes = database.summary.all.filter_bytes;
      }
      for (const double factor : plan_.cache_factors) {
        const double bytes = factor * static_cast<double>(filter_bytes);
        MeasureRegime({layout, factor, static_cast<uint64_t>(std::llround(bytes))});
      }
      CountWastedReads(layout);
      for (const Contender& contender : contenders_) contender.database->CheckLevels();
      contenders_.clear();
    }
    return std::move(results_);
  }

 private:
  void BuildAll(const Layout& layout, const LevelFiles& files) {
    for (const Policy& policy : plan_.policies) {
      Begin(std::string(layout.name) + " filters: writing five levels with " + policy.name);
      Contender contender{policy, nullptr, results_.databases.size()};
      const double seconds = SecondsOf([&] {
        contender.database =
            std::make_unique<DiskDatabase>(policy, layout, stored_, files, plan_.directory);
      });
      results_.databases.push_back(
          {layout, policy, contender.database->summary(), ModelRates(policy), seconds, {}});
      contenders_.push_back(std::move(contender));
    }
  }

  // The control of every "0 wrong answers": a missing key expected to be stored, a stored one
  // expected to be missing, and one with another value.
  void CheckThatWrongAnswersCount() {
    const uint64_t stored = stored_.NumberOfRank(0), other = stored_.NumberOfRank(1);
    const std::vector<Query> wrong = {{KeyOf(stored), false, stored},
                                      {KeyOf(stored + 1), true, stored + 1},
                                      {KeyOf(stored), true, other}};
    const RunResult run = RunQueries(*contenders_.front().database, wrong, {plan_.warm_up_seconds});
    if (run.counts.wrong_answers != wrong.size())
      throw std::runtime_error("the bench does not notice wrong answers");
  }

  // Wasted reads by level are few, so they get more Gets than the timed rounds have. The cache is
  // that of the last regime.
  void CountWastedReads(const Layout& layout) {
    Begin(std::string(layout.name) + " filters: counting wasted reads");
    const std::vector<Query> queries = NextQueries(kMissing, kWasteQueries);
    for (Contender& contender : contenders_) {
      const RunResult run = RunQueries(*contender.database, queries, {plan_.waste_seconds});
      results_.wrong_answers += run.counts.wrong_answers;
      results_.databases[contender.result].missing.Add(run.counts);
      CheckInterrupted();
    }
  }

  // Every seed is used once, by all policies.
  std::vector<Query> NextQueries(const Workload& workload, size_t count) {
    return queries_.Make(workload, count, ++seed_);
  }

  // A cache is warm when as much has been read through it as it holds.
  void WarmUp(const Workload& workload, const Regime& regime) {
    const std::vector<Query> queries = NextQueries(workload, kWarmUpQueries);
    for (Contender& contender : contenders_) {
      const RunResult run =
          RunQueries(*contender.database, queries, {plan_.warm_up_seconds, regime.cache_bytes});
      results_.wrong_answers += run.counts.wrong_answers;
    }
  }

  // Uniform Gets of stored keys bring in all filters and indexes. Missing keys would need millions
  // of Gets for that, because the filters keep them away from the indexes.
  void FillCaches(const Regime& regime) {
    for (Contender& contender : contenders_) contender.database->SetCacheBytes(regime.cache_bytes);
    WarmUp(kUniform, regime);
  }

  void MeasureRegime(const Regime& regime) {
    const std::string what = std::string(regime.layout.name) + " filters, cache of " +
                             std::to_string(regime.cache_bytes >> 10) + " KiB: ";
    Begin(what + "filling the cache");
    FillCaches(regime);
    for (const Workload& workload : plan_.workloads) {
      Begin(what + workload.name);
      WarmUp(workload, regime);
      MeasureWorkload(regime, workload);
    }
  }

  void MeasureWorkload(const Regime& regime, const Workload& workload) {
    std::vector<Measured> cells;
    for (const Contender& contender : contenders_)
      cells.push_back({regime, workload, contender.policy, {}, {}, {}});
    std::vector<Query> queries;
    int round_of_queries = -1;
    const auto ops = InTurns(plan_.rounds, contenders_.size(), [&](int round, size_t now) {
      if (round != round_of_queries) queries = NextQueries(workload, kQueriesPerRun);
      round_of_queries = round;
      const RunResult run = RunQueries(*contenders_[now].database, queries, {plan_.run_seconds});
      results_.wrong_answers += run.counts.wrong_answers;
      cells[now].counts.Add(run.counts);
      cells[now].us.insert(cells[now].us.end(), run.us.begin(), run.us.end());
      if (workload == kMissing) results_.databases[contenders_[now].result].missing.Add(run.counts);
      CheckInterrupted();
      return static_cast<double>(run.counts.gets) / run.seconds;
    });
    for (size_t i = 0; i < cells.size(); ++i) cells[i].ops_per_second = ops[i];
    for (Measured& cell : cells) {
      std::sort(cell.us.begin(), cell.us.end());
      results_.cells.push_back(std::move(cell));
    }
  }

  const Plan& plan_;
  const StoredKeys stored_;
  const Queries queries_;
  uint64_t seed_ = 0;
  std::vector<Contender> contenders_;
  Results results_;
};

}  // namespace

double BuiltDatabase::ModelWaste() const {
  return std::accumulate(model_rates.begin(), model_rates.end(), 0.0);
}

double BuiltDatabase::Waste() const {
  // Few bits by level leave the last level without a filter, which then has no false positives.
  const bool all_filtered =
      std::all_of(summary.levels.begin(), summary.levels.end(),
                  [](const FileSums& level) { return level.filter_bytes > 0; });
  return missing.PerGet(all_filtered ? missing.blocks.filter_positives
                                     : missing.blocks.data_blocks);
}

double Measured::Percentile(double part) const {
  if (us.empty()) return NAN;
  return us[static_cast<size_t>(part * static_cast<double>(us.size() - 1))];
}

const Measured* Results::Find(const Regime& regime, const Workload& workload,
                              const std::string& policy) const {
  for (const Measured& cell : cells) {
    if (cell.regime == regime && cell.workload == workload && cell.policy.name == policy)
      return &cell;
  }
  return nullptr;
}

std::vector<double> Results::Ratios(const Measured& cell, const std::string& other) const {
  std::vector<double> ratios;
  const Measured* found = Find(cell.regime, cell.workload, other);
  if (found == nullptr) return ratios;
  for (size_t i = 0; i < cell.ops_per_second.size(); ++i)
    ratios.push_back(cell.ops_per_second[i] / found->ops_per_second[i]);
  return ratios;
}

uint64_t NeededDiskBytes(const Plan& plan) {
  constexpr uint64_t kBytesPerKey = 125;  // with the index and a filter
  // The ingested copy of a level is a link; a compaction holds its input and its output.
  return (plan.policies.size() + 2) * NumKeys(plan) * kBytesPerKey;
}

Results Measure(const Plan& plan) { return Bench(plan).Run(); }

}  // namespace bloomline::bench::disk
