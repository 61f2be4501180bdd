#include <algorithm>
#include <filesystem>

#include "db_bench_ext/compare/compare.h"

namespace bloomline::bench {
namespace {

constexpr size_t kRowsPerReport = 20000;

struct Contender {
  Result result;
  std::string directory;
  std::unique_ptr<Database> database;
  std::vector<double> hit_us, miss_near_us, miss_far_us;  // one entry per round

  Contender() = default;
  Contender(Contender&&) = default;
  ~Contender() {
    database.reset();
    std::error_code ignored;
    if (!directory.empty()) std::filesystem::remove_all(directory, ignored);
  }
};

void Load(const KeySet& keys, Contender* contender, Progress* progress) {
  contender->result.load_seconds = SecondsOf([&] {
    for (size_t i = 0; i < keys.keys.size(); ++i) {
      contender->database->Put(keys.keys[i], keys.Value(i));
      if ((i + 1) % kRowsPerReport == 0) progress->Add(kRowsPerReport);
    }
  });
  progress->Add(keys.keys.size() % kRowsPerReport);
  contender->result.compact_seconds = SecondsOf([&] { contender->database->CompactAndReopen(); });
  progress->Add(keys.keys.size());
}

// Gets every loaded key and compares its value. This also opens every table and brings the files
// into the page cache.
void CheckStored(const KeySet& keys, Contender* contender, Progress* progress) {
  std::string value;
  for (size_t i = 0; i < keys.keys.size(); ++i) {
    if (!contender->database->Get(keys.keys[i], &value) || value != keys.Value(i))
      ++contender->result.wrong_answers;
    if ((i + 1) % kRowsPerReport == 0) progress->Add(kRowsPerReport);
  }
  progress->Add(keys.keys.size() % kRowsPerReport);
}

MissingResult CheckMissing(const std::vector<std::string>& keys, Contender* contender,
                           Progress* progress) {
  MissingResult result;
  result.num_queries = keys.size();
  std::string value;
  contender->database->StartCounting();
  for (const std::string& key : keys) {
    if (contender->database->Get(key, &value)) ++contender->result.wrong_answers;
  }
  result.counts = contender->database->StopCounting();
  progress->Add(keys.size());
  return result;
}

// Microseconds per Get, with one Get of each key. Comparing the answers with the expected ones
// makes sure that the compiler does not drop the Gets.
double TimeGets(const std::vector<std::string>& keys, bool expected, Contender* contender,
                Progress* progress) {
  std::string value;
  size_t found = 0;
  const double seconds = SecondsOf([&] {
    for (const std::string& key : keys) found += contender->database->Get(key, &value) ? 1 : 0;
  });
  contender->result.wrong_answers += expected ? keys.size() - found : found;
  progress->Add(keys.size());
  return 1e6 * seconds / static_cast<double>(keys.size());
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

// Policies take turns within each round, and each round begins with another one: what else the
// machine does affects all of them alike.
void TimeInRounds(const KeySet& keys, const Plan& plan, std::vector<Contender>* contenders,
                  Progress* progress) {
  const std::vector<std::string> stored = SampleStored(keys.keys, plan.timed_queries);
  const std::vector<std::string> near = First(keys.near, plan.timed_queries);
  const std::vector<std::string> far = First(keys.far, plan.timed_queries);
  for (int round = 0; round < plan.rounds; ++round) {
    for (size_t turn = 0; turn < contenders->size(); ++turn) {
      Contender& now = (*contenders)[(turn + static_cast<size_t>(round)) % contenders->size()];
      now.hit_us.push_back(TimeGets(stored, true, &now, progress));
      now.miss_near_us.push_back(TimeGets(near, false, &now, progress));
      now.miss_far_us.push_back(TimeGets(far, false, &now, progress));
    }
  }
}

}  // namespace

uint64_t NumOperations(const Engine& engine, const KeySet& keys, const Plan& plan) {
  const auto timed = [&](const std::vector<std::string>& kind) {
    return std::min(plan.timed_queries, kind.size()) * static_cast<size_t>(plan.rounds);
  };
  return engine.policies(plan.bits_per_key).size() *
         (3 * keys.keys.size() + keys.near.size() + keys.far.size() + timed(keys.keys) +
          timed(keys.near) + timed(keys.far));
}

std::vector<Result> Measure(const Engine& engine, const KeySet& keys, const Plan& plan,
                            Progress* progress) {
  std::vector<Contender> contenders;
  const std::string where = std::string(engine.title) + " " + keys.name + ": ";
  for (const Policy& policy : engine.policies(plan.bits_per_key)) {
    Contender contender;
    Result& result = contender.result;
    result.engine = engine.name;
    result.key_set = keys.name;
    result.policy = policy;
    result.bits_per_key = plan.bits_per_key;
    result.rows = keys.keys.size();
    contender.directory = plan.directory + "/" + engine.name + "-" + policy.name;
    contender.database = engine.open(policy, contender.directory);
    progress->Start(where + "loading with " + policy.name);
    Load(keys, &contender, progress);
    result.filters = contender.database->Filters();
    result.theory_fpr = engine.theory(policy, result.filters, keys.keys.size());
    progress->Start(where + "checking every answer with " + policy.name);
    CheckStored(keys, &contender, progress);
    result.near = CheckMissing(keys.near, &contender, progress);
    result.far = CheckMissing(keys.far, &contender, progress);
    contenders.push_back(std::move(contender));
  }
  progress->Start(where + "timing all policies in alternation");
  TimeInRounds(keys, plan, &contenders, progress);
  std::vector<Result> results;
  for (Contender& contender : contenders) {
    contender.result.hit_us = SpreadOf(contender.hit_us);
    contender.result.miss_near_us = SpreadOf(contender.miss_near_us);
    contender.result.miss_far_us = SpreadOf(contender.miss_far_us);
    results.push_back(contender.result);
  }
  return results;
}

}  // namespace bloomline::bench
