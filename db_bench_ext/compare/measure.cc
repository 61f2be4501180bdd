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

// Microseconds per Get, by contender, with one Get of each key in a round. Comparing the answers
// with the expected ones makes sure that the compiler does not drop the Gets.
std::vector<Spread> TimeGets(const std::vector<std::string>& keys, bool expected, int rounds,
                             std::vector<Contender>* contenders, Progress* progress) {
  const auto us = InTurns(rounds, contenders->size(), [&](int, size_t now) {
    Contender& contender = (*contenders)[now];
    std::string value;
    size_t found = 0;
    const double seconds = SecondsOf([&] {
      for (const std::string& key : keys) found += contender.database->Get(key, &value) ? 1 : 0;
    });
    contender.result.wrong_answers += expected ? keys.size() - found : found;
    progress->Add(keys.size());
    return 1e6 * seconds / static_cast<double>(keys.size());
  });
  std::vector<Spread> spreads;
  for (const std::vector<double>& of_contender : us) spreads.push_back(SpreadOf(of_contender));
  return spreads;
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
    contender.directory = std::make_unique<TemporaryDirectory>(plan.directory);
    contender.database = engine.open(policy, contender.directory->path());
    progress->Start(where + "loading with " + policy.name);
    Load(keys, &contender);
    progress->Add(2 * keys.keys.size());
    result.filters = contender.database->Filters();
    result.theory_fpr = engine.theory(policy, result.filters, keys.keys.size());
    progress->Start(where + "checking every answer with " + policy.name);
    CheckStored(keys, &contender);
    result.near = CheckMissing(keys.near, &contender);
    result.far = CheckMissing(keys.far, &contender);
    progress->Add(keys.keys.size() + keys.near.size() + keys.far.size());
    contenders.push_back(std::move(contender));
  }
  progress->Start(where + "timing all policies in alternation");
  const auto time = [&](const std::vector<std::string>& of_kind, bool expected) {
    return TimeGets(of_kind, expected, plan.rounds, &contenders, progress);
  };
  const auto hit_us = time(SampleStored(keys.keys, plan.timed_queries), true);
  const auto miss_near_us = time(First(keys.near, plan.timed_queries), false);
  const auto miss_far_us = time(First(keys.far, plan.timed_queries), false);
  std::vector<Result> results;
  for (size_t i = 0; i < contenders.size(); ++i) {
    Result& result = results.emplace_back(std::move(contenders[i].result));
    result.hit_us = hit_us[i];
    result.miss_near_us = miss_near_us[i];
    result.miss_far_us = miss_far_us[i];
  }
  return results;
}

}  // namespace bloomline::bench::compare
