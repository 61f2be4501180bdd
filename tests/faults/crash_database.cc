#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tests/faults/crash_cycle.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kNewKeysPerCycle = 8000;
constexpr uint64_t kKeysPerFlush = 300;
constexpr uint64_t kMaxMissing = 2000;
constexpr uint64_t kBatch = 32;

std::string Key(KeyMaker* maker, uint64_t i) { return std::string((*maker)(2 * i)); }
std::string MissingKey(KeyMaker* maker, uint64_t i) { return std::string((*maker)(2 * i + 1)); }
std::string Value(uint64_t i) { return std::to_string(i) + std::string(90, 'v'); }

class KillingObserver : public FilterObserver {
 public:
  explicit KillingObserver(const KillPlan& plan) : plan_(plan) {}
  void Enter(bool building) override {
    if (building && !plan_.as_it_ends) Count();
  }
  void Leave(bool building) override {
    if (building && plan_.as_it_ends) Count();
  }

 private:
  void Count() {
    if (plan_.by == KillBy::kFilter && ++count_ == plan_.nth_filter) KillThisProcess();
  }

  const KillPlan plan_;
  std::atomic<uint64_t> count_{0};
};

}  // namespace

void WriteDatabase(const DatabaseCycle& cycle, const KillPlan& plan, const std::string& path,
                   Shared* shared) {
  KillingObserver observer(plan);
  StoreOptions options = cycle.writer;
  options.observer = &observer;
  if (cycle.durability != Durability::kSync) SkipSyncs();
  if (plan.by == KillBy::kFileOperation) ArmKillPoint(plan.point);
  std::string error;
  const std::unique_ptr<Store> store = OpenStore(options, path, &error);
  if (store == nullptr) GiveUp(shared, "cannot open: " + error);

  KeyMaker maker(cycle.shape);
  const uint64_t end = shared->acknowledged + kNewKeysPerCycle;
  const uint64_t batch_keys = cycle.durability == Durability::kSync ? 64 : 8;
  uint64_t unflushed = 0;
  // After the new keys, all keys are written again and again, so that the engine's threads are
  // always busy.
  for (uint64_t next = shared->acknowledged;;) {
    KeysAndValues pairs;
    for (uint64_t i = 0; i < batch_keys; ++i, ++next) {
      pairs.emplace_back(Key(&maker, next % end), Value(next % end));
    }
    if (!store->Write(pairs, cycle.durability, &error)) GiveUp(shared, "cannot write: " + error);
    unflushed += batch_keys;
    if (cycle.durability == Durability::kNone) {
      if (unflushed < kKeysPerFlush) continue;
      if (!store->Flush(&error)) GiveUp(shared, "cannot flush: " + error);
      unflushed = 0;
    }
    if (next <= end) shared->acknowledged = next;
  }
}

void VerifyDatabase(const DatabaseCycle& cycle, const std::string& path, Shared* shared) {
  Findings& findings = shared->findings;
  StoreOptions options = cycle.writer;
  options.filter = cycle.reader;
  SkipSyncs();
  std::string error;
  const std::unique_ptr<Store> store = OpenStore(options, path, &error);
  if (store == nullptr) {
    ++findings.wrong;
    Complain(shared, "cannot be opened again: " + error);
    return;
  }

  const uint64_t acknowledged = shared->acknowledged;
  KeyMaker maker(cycle.shape);
  const auto judge = [&](Answer answer, uint64_t i, const char* call) {
    ++findings.present_queried;
    if (answer == Answer::kFound) return;
    ++(answer == Answer::kNotFound ? findings.lost : findings.wrong);
    Complain(shared, std::string(call) + " of acknowledged key " + std::to_string(i) +
                         (answer == Answer::kNotFound ? ": not found" : ": an error"));
  };
  std::string value;
  std::vector<std::string> batch;
  for (uint64_t i = 0; i < acknowledged; ++i) {
    batch.push_back(Key(&maker, i));
    const Answer answer = store->Get(batch.back(), &value);
    judge(answer, i, "Get");
    if (answer == Answer::kFound && value != Value(i)) {
      ++findings.wrong;
      Complain(shared, "acknowledged key " + std::to_string(i) + " has another value");
    }
    if (batch.size() < kBatch && i + 1 < acknowledged) continue;
    const uint64_t first = i + 1 - batch.size();
    if (first / kBatch % 4 == 0) {
      const std::vector<Answer> answers = store->GetMany(batch);
      for (size_t j = 0; j < answers.size(); ++j) judge(answers[j], first + j, "GetMany");
    }
    batch.clear();
  }

  const FilterCounts before = store->filter_counts();
  const uint64_t missing = std::min(acknowledged, kMaxMissing);
  for (uint64_t j = 0; j < missing; ++j) {
    ++findings.missing_queried;
    const Answer answer = store->Get(MissingKey(&maker, j * acknowledged / missing), &value);
    if (answer == Answer::kNotFound) continue;
    ++findings.missing_found;
    Complain(shared, "a key that was never written is found, or gives an error");
  }
  const FilterCounts after = store->filter_counts();
  findings.filters = {after.yes - before.yes, after.no - before.no};
  // LevelDB's hash is bad on some shapes, and stock policies read our filters as "may match".
  const double queries = static_cast<double>(findings.filters.yes + findings.filters.no);
  if (cycle.shape == KeyShape::kUuid && cycle.reader != FilterKind::kStock && missing >= 500) {
    if (queries < 0.5 * static_cast<double>(missing) ||
        static_cast<double>(findings.filters.yes) > 0.05 * queries) {
      ++findings.wrong;
      Complain(shared, "filters are not used: " + std::to_string(findings.filters.yes) + " yes, " +
                           std::to_string(findings.filters.no) + " no for " +
                           std::to_string(missing) + " missing keys");
    }
  }
  findings.finished = true;
}

}  // namespace bloomline::tests
