// Makes the file operations and the allocations of databases fail, one after the other, and looks
// for keys that are lost.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <thread>

#include "leveldb/env.h"
#include "rocksdb/env.h"
#include "tests/injected/arguments.h"
#include "tests/injected/failing_policy_memory.h"
#include "tests/injected/fault_points.h"
#include "tests/injected/leveldb_table.h"
#include "tests/injected/store.h"
#include "tests/key_shapes.h"

namespace bloomline::tests {
namespace {

using std::chrono::steady_clock;

constexpr uint64_t kKeys = 800;      // of the database before the faults
constexpr uint64_t kInTables = 600;  // of these; the others are in the log
constexpr uint64_t kNewKeys = 400;   // written during faults: more than a write buffer
constexpr std::chrono::seconds kMaxCaseTime{60};

// During which work of the engine faults come.
enum class Phase { kOpen, kFlush, kCompact, kGet, kFlip, kUncheckedFlip };
constexpr Phase kFaultyPhases[] = {Phase::kOpen, Phase::kFlush, Phase::kCompact, Phase::kGet};

const char* Name(Phase phase) {
  constexpr const char* kNames[] = {"open", "flush", "compact", "get", "flip", "unchecked flip"};
  return kNames[static_cast<int>(phase)];
}

struct Unit {
  Engine engine;
  FilterKind filter;
  Phase phase;
};

std::string Describe(const Unit& unit) {
  return std::string(Name(unit.engine)) + ", " + Name(unit.filter) + ", " + Name(unit.phase);
}

// One fault, or one place from where on all operations fail.
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

struct Totals {
  uint64_t cases;
  uint64_t faults[kNumFaultyOperations][kNumFaults];
  uint64_t failed_allocations;
  uint64_t flips;
  uint64_t without_fault;  // cases whose fault did not come
  uint64_t refused_opens;
  uint64_t refused_writes;
  uint64_t found;   // Gets while faults came, of acknowledged keys
  uint64_t errors;  // the same
  uint64_t lost;    // the same, and the answer was not found
  uint64_t wrong_values;
  uint64_t found_after;  // when they were gone and the database was opened again
  uint64_t lost_after;
  uint64_t unchecked_flips;  // without checksums
  uint64_t unchecked_lost;
  uint64_t ended;  // processes, for want of memory, as LevelDB's policy must
  uint64_t crashes;
  uint64_t failures;
};

// In memory that the test and the processes it starts share.
struct Shared {
  Totals totals;
  bool counted;  // of the unit at hand: operations and allocations without faults
  uint64_t operations[kNumFaultyOperations];
  uint64_t allocations;
  uint64_t table_first;  // kFlip: the bytes to flip
  uint64_t table_last;
  std::atomic<uint64_t> next;          // case
  std::atomic<bool> running;           // that one
  std::atomic<bool> may_end;           // the process, in this case
  std::atomic<uint64_t> acknowledged;  // keys, in this case
};

std::string Key(uint64_t i) { return std::string(KeyMaker(KeyShape::kUuid)(i)); }
std::string Value(uint64_t i) { return std::to_string(i) + std::string(200, 'v'); }

KeysAndValues Pairs(uint64_t first, uint64_t last) {
  KeysAndValues pairs;
  for (uint64_t i = first; i < last; ++i) pairs.emplace_back(Key(i), Value(i));
  return pairs;
}

// Runs the cases of a unit, in a process that may end at any of them.
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
    if (shared_->running) {  // a process ended in this case
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
  bool IsFlip() const { return unit_.phase == Phase::kFlip || IsUnchecked(); }
  bool IsUnchecked() const { return unit_.phase == Phase::kUncheckedFlip; }

  StoreOptions Options() {
    StoreOptions options;
    options.engine = unit_.engine;
    options.filter = unit_.filter;
    options.checksums = !IsUnchecked();
    options.small_buffers = unit_.phase == Phase::kFlush;
    options.verify_filters = true;
    options.observer = &memory_;
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

  // Tables that overlap, and a log; for flips one table.
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
      shared_->table_first = 0;
      shared_->table_last = std::filesystem::file_size(table);
      if (IsUnchecked() &&
          !FindLevelDBFilterBlock(table, &shared_->table_first, &shared_->table_last)) {
        Stop("no filter block in " + table);
      }
      return;
    }
    Perform([&] {
      points_.Disarm();
      FailingPolicyMemory::Disarm();
    });
    for (int i = 0; i < kNumFaultyOperations; ++i) {
      shared_->operations[i] = points_.count(static_cast<FaultyOperation>(i));
    }
    shared_->allocations = FailingPolicyMemory::count();
  }

  // Every n-th of `count`, so that at most sample_ are left, 0: all. The last one is always there.
  template <typename F>
  void ForEachOf(uint64_t count, F f) const {
    const uint64_t step = sample_ == 0 ? 1 : std::max<uint64_t>(1, (count + sample_ - 1) / sample_);
    for (uint64_t nth = count; nth > 0; nth -= std::min(step, nth)) f(nth);
  }

  std::vector<Case> Cases() const {
    std::vector<Case> cases;
    Case c;
    if (IsFlip()) {
      // A table has more bytes than are worth a database each; those of its filter are at its end.
      const uint64_t bytes = shared_->table_last - shared_->table_first;
      const uint64_t count = sample_ == 0 ? std::min<uint64_t>(bytes, 4000) : 20 * sample_;
      for (uint64_t i = 0; i < count; ++i) {
        const double at = static_cast<double>(i) / static_cast<double>(count);
        c.nth = shared_->table_first +
                static_cast<uint64_t>((IsUnchecked() ? at : 1 - (1 - at) * (1 - at)) *
                                      static_cast<double>(bytes));
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
          ForEachOf(shared_->operations[operation], [&](uint64_t nth) {
            c.nth = nth;
            cases.push_back(c);
          });
        }
      }
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
      FailingPolicyMemory::Arm(case_.nth, case_.lasting);
    } else {
      points_.Arm(case_.operation, case_.fault, case_.nth, case_.lasting);
    }
  }

  void RunCase() {
    Totals& totals = shared_->totals;
    CopyImage();
    shared_->acknowledged = kKeys;
    ++totals.cases;
    uint64_t injected = 0;
    Perform([&] { Arm(); });
    injected = case_.allocation ? FailingPolicyMemory::injected() : points_.injected();
    points_.Disarm();
    FailingPolicyMemory::Disarm();
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

  // The phase's work, with faults from where `arm` is called, then queries of all keys under the
  // same faults. The store is closed at the end.
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

  // A file that fails is for the engine to report. A policy without memory must fail nothing: at
  // worst its filters match everything.
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
      } else if (IsUnchecked()) {
        ++totals.unchecked_lost;
      } else {
        ++totals.lost;
        Fail(std::string(call) + " of acknowledged key " + std::to_string(i) + ": not found");
      }
    };
    if (IsUnchecked()) ++totals.unchecked_flips;
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
  FailingPolicyMemory memory_;
  const std::unique_ptr<leveldb::Env> leveldb_env_;
  const std::unique_ptr<rocksdb::Env> rocksdb_env_;
  Case case_;
  uint64_t failed_case_ = 0;
};

struct Flags {
  uint64_t sample = 2;  // 0: all
  std::vector<Engine> engines{std::begin(kAllEngines), std::end(kAllEngines)};
  std::string directory;
  std::vector<FilterKind> filters{std::begin(kOurFilters), std::end(kOurFilters)};
};

// Runs a unit in processes of its own, a further one where one ends before its time.
void RunUnit(const Unit& unit, const Flags& flags, Shared* shared) {
  Totals& totals = shared->totals;
  shared->counted = false;
  shared->next = 0;
  shared->running = false;
  for (;;) {
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      std::exit(2);
    }
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      UnitRun(unit, flags.sample, flags.directory, shared).Run();
      _exit(0);
    }
    int status = 0;
    uint64_t seen = shared->next;
    auto since = steady_clock::now();
    bool hangs = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (shared->next != seen) {
        seen = shared->next;
        since = steady_clock::now();
      } else if (!hangs && steady_clock::now() - since > kMaxCaseTime) {
        hangs = true;
        kill(child, SIGKILL);
      }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (shared->running && shared->may_end && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) {
      ++totals.ended;
      continue;
    }
    ++totals.failures;
    ++totals.crashes;
    std::printf("FAILED %s, case %" PRIu64 ": the process %s %d\n", Describe(unit).c_str(),
                shared->next.load(), hangs ? "hung; signal" : "ended by status", status);
    std::fflush(stdout);
    if (!shared->running) return;
  }
}

int Report(const Totals& totals, double seconds) {
  for (int operation = 0; operation < kNumFaultyOperations; ++operation) {
    for (int fault = 0; fault < kNumFaults; ++fault) {
      const uint64_t count = totals.faults[operation][fault];
      if (count == 0) continue;
      std::printf("%9" PRIu64 "  %s at %s\n", count, Name(static_cast<Fault>(fault)),
                  Name(static_cast<FaultyOperation>(operation)));
    }
  }
  std::printf("%9" PRIu64 "  failed allocations in policy code\n", totals.failed_allocations);
  std::printf("%9" PRIu64 "  flipped bits read, checksums verified\n", totals.flips);
  std::printf("%" PRIu64 " cases in %.0f s, %" PRIu64 " without a fault; opens refused: %" PRIu64
              ", writes refused: %" PRIu64 "\n",
              totals.cases, seconds, totals.without_fault, totals.refused_opens,
              totals.refused_writes);
  std::printf("Gets of acknowledged keys under faults: %" PRIu64 " found, %" PRIu64
              " errors, %" PRIu64 " not found, %" PRIu64 " wrong values\n",
              totals.found, totals.errors, totals.lost, totals.wrong_values);
  std::printf("after the faults, opened again: %" PRIu64 " found, %" PRIu64 " lost\n",
              totals.found_after, totals.lost_after);
  std::printf("not promised: LevelDB without paranoid_checks, %" PRIu64
              " flips in the filter block: %" PRIu64 " keys not found\n",
              totals.unchecked_flips, totals.unchecked_lost);
  std::printf(
      "ended for want of memory, as LevelDB's policy must where no allocation succeeds: "
      "%" PRIu64 "\n",
      totals.ended);
  std::printf("%" PRIu64 " crashes, %" PRIu64 " failures\n", totals.crashes, totals.failures);
  return totals.failures == 0 ? 0 : 1;
}

int Run(const Flags& flags) {
  const auto start = steady_clock::now();
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  auto* shared = new (memory) Shared();
  uint64_t turn = 0;
  for (const Engine engine : flags.engines) {
    std::vector<Unit> units;
    for (const Phase phase : kFaultyPhases) {
      // A sample takes the formats in turns.
      if (flags.sample != 0) {
        units.push_back({engine, flags.filters[turn++ % flags.filters.size()], phase});
        continue;
      }
      for (const FilterKind filter : flags.filters) units.push_back({engine, filter, phase});
    }
    for (const FilterKind filter : flags.filters) {
      units.push_back({engine, filter, Phase::kFlip});
      if (engine == Engine::kLevelDB) units.push_back({engine, filter, Phase::kUncheckedFlip});
    }
    for (const Unit& unit : units) RunUnit(unit, flags, shared);
  }
  return Report(shared->totals, std::chrono::duration<double>(steady_clock::now() - start).count());
}

constexpr char kUsage[] =
    "Usage: faults [--sample N | --all] [--engine NAME] [--filter NAME]\n"
    "              [--directory PATH]\n"
    "Makes file operations and allocations fail while databases are opened, flushed, compacted "
    "and\n"
    "read, and looks for keys that are lost.\n"
    "  --sample N        about N places for each kind of operation and fault, 1 to 1000; 2 unless\n"
    "                    given\n"
    "  --all             every place; minutes for each engine\n"
    "  --engine NAME     leveldb, rocksdb or rocksdb-partitioned; all three unless given\n"
    "  --filter NAME     classic, blocked or compact; all three unless given; or stock, the "
    "engine's\n"
    "                    own, to compare\n"
    "  --directory PATH  where databases are written, in a new folder; $TMPDIR, /dev/shm or\n"
    "                    /tmp\n"
    "Exit status: 0 if nothing was wrong, 1 if something was, 2 if it could not run.\n";

Flags Parse(int argc, char** argv) {
  Flags flags;
  Arguments arguments("faults", kUsage, argc, argv);
  for (std::string argument; arguments.Next(&argument);) {
    if (argument == "--sample") {
      flags.sample = arguments.Number(1, 1000);
    } else if (argument == "--all") {
      flags.sample = 0;
    } else if (argument == "--filter") {
      const std::string name = arguments.Text();
      flags.filters.clear();
      for (int i = 0; i < kNumFilterKinds; ++i) {
        if (name == Name(static_cast<FilterKind>(i))) {
          flags.filters.push_back(static_cast<FilterKind>(i));
        }
      }
      if (flags.filters.empty()) {
        arguments.Refuse("--filter is '" + name + "'; allowed: classic, blocked, compact, stock");
      }
    } else if (argument == "--engine") {
      const std::string name = arguments.Text();
      flags.engines.clear();
      for (const Engine engine : kAllEngines) {
        if (name == Name(engine)) flags.engines.push_back(engine);
      }
      if (flags.engines.empty()) {
        arguments.Refuse("--engine is '" + name +
                         "'; allowed: leveldb, rocksdb, rocksdb-partitioned");
      }
    } else if (argument == "--directory") {
      flags.directory = arguments.Text();
    } else {
      arguments.Refuse("'" + argument + "' is not known");
    }
  }
  // In memory, if there is such a place: a full run writes some 10,000 databases.
  constexpr char kMemory[] = "/dev/shm";
  if (flags.directory.empty() && std::getenv("TMPDIR") == nullptr && access(kMemory, W_OK) == 0) {
    flags.directory = kMemory;
  }
  flags.directory = arguments.NewDirectory(flags.directory);
  return flags;
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  using namespace bloomline::tests;
  const Flags flags = Parse(argc, argv);
  const int status = Run(flags);
  std::filesystem::remove_all(flags.directory);
  return status;
}
