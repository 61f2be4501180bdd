#include <algorithm>

#include "db_bench_ext/compare/compare.h"

namespace bloomline::bench::compare {
namespace {

struct Contender {
  Result result;
  std::unique_ptr<TemporaryDirectory> directory;
  std::unique_ptr<Database> database;
};

void Load(const KeySet& keys, Contender* contender) {
  contender->result.load_seconds = SecondsOf([&] {
    for (size_t i = 0; i < keys.keys.size(); ++i)
      contender->database->Put(keys.keys[i], keys.Value(i));
  });
  contender->result.compact_seconds = SecondsOf([&] { contender->database->CompactAndReopen(); });
}

// Gets every loaded key and compares its value. This also opens every table and brings the files
// into the page cache.
void CheckStored(const KeySet& keys, Contender* contender) {
  std::string value;
  for (size_t i = 0; i < keys.keys.size(); ++i) {
    if (!contender->database->Get(keys.keys[i], &value) || value != keys.Value(i))
      ++contender->result.wrong_answers;
  }
}

MissingResult CheckMissing(const std::vector<std::string>& keys, Contender* contender) {
  MissingResult result;
  result.num_queries = keys.size();
  std::string value;
  contender->database->StartCounting();
  for (const std::string& key : keys) {
    if (contender->database->Get(key, &value)) ++contender->result.wrong_answers;
  }
  result.counts = contender->database->StopCounting();
  return result;
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
  contender->result.wrong_answers += expected ? keys.size() - found : found;
  CheckInterrupted();
  return 1e6 * seconds / static_cast<double>(keys.size());
}

}  // namespace

std::vector<Result> Measure(const Engine& engine, const KeySet& keys, const Plan& plan) {
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
    contender.directory = std::make_unique<TemporaryDirectory>(plan.directory);
    contender.database = engine.open(policy, contender.directory->path());
    Begin(where + "loading with " + policy.name);
    Load(keys, &contender);
    result.filters = contender.database->Filters();
    result.theory_fpr = engine.theory(policy, result.filters, keys.keys.size());
    Begin(where + "checking every answer with " + policy.name);
    CheckStored(keys, &contender);
    result.near = CheckMissing(keys.near, &contender);
    result.far = CheckMissing(keys.far, &contender);
    contenders.push_back(std::move(contender));
  }
  Begin(where + "timing all policies in alternation");
  const std::vector<std::string> stored = SampleStored(keys.keys, plan.timed_queries);
  const std::vector<std::string> near = First(keys.near, plan.timed_queries);
  const std::vector<std::string> far = First(keys.far, plan.timed_queries);
  struct Times {
    double hit_us, miss_near_us, miss_far_us;
  };
  const auto times = InTurns(plan.rounds, contenders.size(), [&](int, size_t now) {
    Contender* const contender = &contenders[now];
    return Times{TimeGets(stored, true, contender), TimeGets(near, false, contender),
                 TimeGets(far, false, contender)};
  });
  std::vector<Result> results;
  for (size_t i = 0; i < contenders.size(); ++i) {
    Result& result = results.emplace_back(std::move(contenders[i].result));
    result.hit_us = SpreadOf(Each(times[i], &Times::hit_us));
    result.miss_near_us = SpreadOf(Each(times[i], &Times::miss_near_us));
    result.miss_far_us = SpreadOf(Each(times[i], &Times::miss_far_us));
  }
  return results;
}

}  // namespace bloomline::bench::compare
