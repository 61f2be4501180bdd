#include "tests/faults/failures_unit.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "leveldb/env.h"
#include "rocksdb/env.h"
#include "rocksdb/version.h"
#include "tests/faults/failing_new.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests {

const char* Name(Phase phase) {
  constexpr const char* kNames[] = {"open", "flush", "compact", "get", "flip"};
  return kNames[static_cast<int>(phase)];
}

std::string Describe(const Unit& unit) {
  return std::string(Name(unit.engine)) + ", " + Name(unit.filter) + ", " + Name(unit.phase);
}

namespace {

constexpr uint64_t kKeys = 800;      // in the database before the faults
constexpr uint64_t kInTables = 600;  // keys in tables; the others are in the log
constexpr uint64_t kNewKeys = 400;   // written during faults: more than a write buffer

// One fault, or one place from which on all operations fail.
struct Case {
  bool allocation = false;
  FaultyOperation operation = FaultyOperation::kOpen;
  Fault fault = Fault::kNone;
  uint64_t nth = 1;  // kFlip: the byte
  bool lasting = false;
};

std::string Describe(const Case& c) {
  const std::string what = c.allocation ? std::string("allocation")
                                        : std::string(Name(c.fault)) + " at " + Name(c.operation);
  return what + " " + std::to_string(c.nth) + (c.lasting ? " and all after it" : "");
}

std::string Key(uint64_t i) { return std::string(KeyMaker(KeyShape::kUuid)(i)); }
std::string Value(uint64_t i) { return std::to_string(i) + std::string(200, 'v'); }

KeysAndValues Pairs(uint64_t first, uint64_t last) {
  KeysAndValues pairs;
  for (uint64_t i = first; i < last; ++i) pairs.emplace_back(Key(i), Value(i));
  return pairs;
}

// Allocations fail while a filter policy's code is on the stack, and only then: not every part of
// the engines survives a failed allocation.
class PolicyScopes : public FilterObserver {
 public:
  void Enter(bool) override { EnterScope(); }
  void Leave(bool) override { LeaveScope(); }
};

class UnitRun {
 public:
  UnitRun(const Unit& unit, uint64_t sample, const std::string& directory, Shared* shared)
      : unit_(unit),
        sample_(sample),
        image_(directory + "/image"),
        work_(directory + "/work"),
        shared_(shared),
        leveldb_env_(NewFaultyLevelDBEnv(&points_)),
        rocksdb_env_(NewFaultyRocksDBEnv(&points_)) {}

  void Run() {
    if (!shared_->counted) {
      MakeImage();
      Count();
      shared_->counted = true;
    }
    const std::vector<Case> cases = Cases();
    if (shared_->running) {  // the previous process ended in this case
      case_ = cases[shared_->next];
      VerifyAfter();
      ++shared_->next;
    }
    while (shared_->next < cases.size()) {
      case_ = cases[shared_->next];
      shared_->may_end = unit_.engine == Engine::kLevelDB && case_.allocation && case_.lasting;
      shared_->running = true;
      RunCase();
      ++shared_->next;
      shared_->running = false;
    }
  }

 private:
  bool IsFlip() const { return unit_.phase == Phase::kFlip; }

  StoreOptions Options() {
    StoreOptions options;
    options.engine = unit_.engine;
    options.filter = unit_.filter;
    options.small_buffers = unit_.phase == Phase::kFlush;
    options.large_blocks = unit_.phase == Phase::kCompact;
    options.verify_filters = true;
    options.observer = &policy_scopes_;
    options.leveldb_env = leveldb_env_.get();
    options.rocksdb_env = rocksdb_env_.get();
    return options;
  }

  [[noreturn]] void Stop(const std::string& what) {
    std::printf("cannot go on: %s: %s\n", Describe(unit_).c_str(), what.c_str());
    std::fflush(stdout);
    _exit(3);
  }

  std::unique_ptr<Store> MustOpen(const std::string& path) {
    std::string error;
    std::unique_ptr<Store> store = OpenStore(Options(), path, &error);
    if (store == nullptr) Stop(path + ": " + error);
    return store;
  }

  // Writes overlapping tables and a log; for flips, one table.
  void MakeImage() {
    std::filesystem::remove_all(image_);
    std::filesystem::create_directories(image_);
    std::string error;
    for (const auto& [first, last] : {std::pair<uint64_t, uint64_t>{0, kInTables / 2},
                                      {kInTables / 2, kInTables},
                                      {kInTables, kKeys}}) {
      const std::unique_ptr<Store> store = MustOpen(image_);
      if (!store->Write(Pairs(first, last), Durability::kLog, &error)) Stop(error);
    }
    if (!IsFlip()) return;
    const std::unique_ptr<Store> store = MustOpen(image_);
    if (!store->Compact(&error)) Stop(error);
  }

  void Count() {
    case_ = Case();
    case_.fault = Fault::kNone;
    shared_->acknowledged = kKeys;
    CopyImage();
    if (IsFlip()) {
      std::string table;
      for (const auto& entry : std::filesystem::directory_iterator(work_)) {
        const std::string extension = entry.path().extension();
        if (extension == ".ldb" || extension == ".sst") table = entry.path();
      }
      if (table.empty()) Stop("no table");
      shared_->table_bytes = std::filesystem::file_size(table);
      return;
    }
    Perform([&] {
      points_.Disarm();
      ArmAllocations(0, false);
    });
    for (int i = 0; i < kNumFaultyOperations; ++i) {
      shared_->operations[i] = points_.count(static_cast<FaultyOperation>(i));
    }
    shared_->allocations = Disarm().seen;
  }

  // The n-th allocation of the policy's code from now on fails; 0: none.
  static void ArmAllocations(uint64_t nth, bool lasting) {
    FailurePlan plan{nth, lasting};
    plan.in_scopes = true;
    tests::Arm(plan, 0);
  }

  // Every n-th of `count`, at most sample_ of them (0: all), and always the last one.
  template <typename F>
  void ForEachOf(uint64_t count, F f) const {
    const uint64_t step = sample_ == 0 ? 1 : std::max<uint64_t>(1, (count + sample_ - 1) / sample_);
    for (uint64_t nth = count; nth > 0; nth -= std::min(step, nth)) f(nth);
  }

  std::vector<Case> Cases() const {
    std::vector<Case> cases;
    Case c;
    if (IsFlip()) {
      // A table has too many bytes for one database each. Those of its filter are at its end.
      const uint64_t bytes = shared_->table_bytes;
      const uint64_t count = sample_ == 0 ? std::min<uint64_t>(bytes, 4000) : 20 * sample_;
      for (uint64_t i = 0; i < count; ++i) {
        const double at = static_cast<double>(i) / static_cast<double>(count);
        c.nth = static_cast<uint64_t>((1 - (1 - at) * (1 - at)) * static_cast<double>(bytes));
        cases.push_back(c);
      }
      return cases;
    }
    for (const bool lasting : {false, true}) {
      c = Case();
      c.lasting = lasting;
      for (int operation = 0; operation < kNumFaultyOperations; ++operation) {
        for (int fault = 0; fault < kNumFaults; ++fault) {
          c.operation = static_cast<FaultyOperation>(operation);
          c.fault = static_cast<Fault>(fault);
          if (!CanHave(c.operation, c.fault)) continue;
          // RocksDB 9 asserts in its FilePrefetchBuffer after a short read, with any filters.
          if (ROCKSDB_MAJOR >= 9 && unit_.engine != Engine::kLevelDB &&
              c.fault == Fault::kShortRead) {
            continue;
          }
          ForEachOf(shared_->operations[operation], [&](uint64_t nth) {
            c.nth = nth;
            cases.push_back(c);
          });
        }
      }
      if (unit_.filter == FilterKind::kStock) continue;  // its policy throws
      c.allocation = true;
      ForEachOf(shared_->allocations, [&](uint64_t nth) {
        c.nth = nth;
        cases.push_back(c);
      });
    }
    return cases;
  }

  void CopyImage() {
    std::filesystem::remove_all(work_);
    std::filesystem::copy(image_, work_);
  }

  void Arm() {
    if (IsFlip()) {
      points_.ArmFlip(case_.nth);
    } else if (case_.allocation) {
      ArmAllocations(case_.nth, case_.lasting);
    } else {
      points_.Arm(case_.operation, case_.fault, case_.nth, case_.lasting);
    }
  }

  void RunCase() {
    Totals& totals = shared_->totals;
    CopyImage();
    shared_->acknowledged = kKeys;
    ++totals.cases;
    Perform([&] { Arm(); });
    const uint64_t failed_allocations = Disarm().failed;
    const uint64_t injected = case_.allocation ? failed_allocations : points_.injected();
    points_.Disarm();
    if (injected == 0) {
      ++totals.without_fault;
    } else if (IsFlip()) {
      totals.flips += injected;
    } else if (case_.allocation) {
      totals.failed_allocations += injected;
    } else {
      totals.faults[static_cast<int>(case_.operation)][static_cast<int>(case_.fault)] += injected;
    }
    VerifyAfter();
  }

  // Does the phase's work, with faults once `arm` is called, then queries all keys under the same
  // faults. Closes the store at the end.
  template <typename F>
  void Perform(F arm) {
    Totals& totals = shared_->totals;
    const bool during_open = unit_.phase == Phase::kOpen || IsFlip();
    std::string error;
    std::unique_ptr<Store> store;
    if (during_open) {
      arm();
      store = OpenStore(Options(), work_, &error);
      if (store == nullptr) {
        ++totals.refused_opens;
        Refused("Open", error);
        return;
      }
    } else {
      store = MustOpen(work_);
      arm();
    }
    if (unit_.phase == Phase::kFlush) {
      constexpr uint64_t kBatch = 20;
      for (uint64_t i = 0; i < kNewKeys; i += kBatch) {
        if (!store->Write(Pairs(kKeys + i, kKeys + i + kBatch), Durability::kLog, &error)) {
          ++totals.refused_writes;
          Refused("Write", error);
          break;
        }
        shared_->acknowledged += kBatch;
      }
      if (!store->Flush(&error)) Refused("Flush", error);
    }
    if (unit_.phase == Phase::kCompact && !store->Compact(&error)) Refused("Compact", error);
    QueryDuring(store.get());
  }

  // The engine reports failing files. A policy without memory must not make anything fail: at worst
  // its filters match every key.
  void Refused(const char* call, const std::string& error) {
    if (case_.allocation) Fail(std::string(call) + ": " + error);
  }

  void QueryDuring(Store* store) {
    Totals& totals = shared_->totals;
    std::string value;
    const auto judge = [&](Answer answer, uint64_t i, const char* call) {
      if (answer == Answer::kFound) {
        ++totals.found;
      } else if (answer == Answer::kError) {
        ++totals.errors;
        Refused(call, "an error");
      } else {
        ++totals.lost;
        Fail(std::string(call) + " of acknowledged key " + std::to_string(i) + ": not found");
      }
    };
    for (uint64_t i = 0; i < shared_->acknowledged; ++i) {
      const Answer answer = store->Get(Key(i), &value);
      judge(answer, i, "Get");
      if (answer == Answer::kFound && value != Value(i)) {
        ++totals.wrong_values;
        Fail("acknowledged key " + std::to_string(i) + " has another value");
      }
    }
    for (uint64_t i = 0; i + 32 <= shared_->acknowledged; i += 160) {
      std::vector<std::string> keys;
      for (uint64_t j = i; j < i + 32; ++j) keys.push_back(Key(j));
      const std::vector<Answer> answers = store->GetMany(keys);
      for (size_t j = 0; j < answers.size(); ++j) judge(answers[j], i + j, "GetMany");
    }
  }

  void VerifyAfter() {
    Totals& totals = shared_->totals;
    std::string error;
    const std::unique_ptr<Store> store = OpenStore(Options(), work_, &error);
    if (store == nullptr) {
      // LevelDB continues to write to a manifest after a failed write. It then cannot read what
      // follows the torn record, with its own filters as with ours.
      if (unit_.engine == Engine::kLevelDB && !case_.allocation && !IsFlip() &&
          case_.operation == FaultyOperation::kWriteManifest) {
        ++totals.torn_manifests;
        return;
      }
      totals.lost_after += shared_->acknowledged;
      return Fail("cannot be opened after the fault: " + error);
    }
    std::string value;
    for (uint64_t i = 0; i < shared_->acknowledged; ++i) {
      if (store->Get(Key(i), &value) == Answer::kFound && value == Value(i)) {
        ++totals.found_after;
      } else {
        ++totals.lost_after;
        Fail("acknowledged key " + std::to_string(i) + " is lost after the fault");
      }
    }
  }

  void Fail(const std::string& what) {
    if (failed_case_ == shared_->next + 1) return;  // once for each case
    failed_case_ = shared_->next + 1;
    ++shared_->totals.failures;
    std::printf("FAILED %s, %s: %s\n", Describe(unit_).c_str(), Describe(case_).c_str(),
                what.c_str());
    std::fflush(stdout);
  }

  const Unit unit_;
  const uint64_t sample_;
  const std::string image_;
  const std::string work_;
  Shared* const shared_;
  FaultPoints points_;
  PolicyScopes policy_scopes_;
  const std::unique_ptr<leveldb::Env> leveldb_env_;
  const std::unique_ptr<rocksdb::Env> rocksdb_env_;
  Case case_;
  uint64_t failed_case_ = 0;
};

}  // namespace

void RunCases(const Unit& unit, uint64_t sample, const std::string& directory, Shared* shared) {
  UnitRun(unit, sample, directory, shared).Run();
}

}  // namespace bloomline::tests
