// Kills processes that write databases, and looks for lost keys.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <random>
#include <thread>

#include "tests/faults/arguments.h"
#include "tests/faults/child_process.h"
#include "tests/faults/kill_points.h"
#include "tests/faults/store.h"
#include "tests/support/key_shapes.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

// The findings of the second process.
struct Findings {
  uint64_t present_queried;
  uint64_t lost;   // acknowledged keys that were not found
  uint64_t wrong;  // another value, an error
  uint64_t missing_queried;
  uint64_t missing_found;
  FilterCounts filters;  // of missing keys
  bool finished;
  char error[512];  // the first error
};

// In memory shared by the processes of a cycle, so that it survives each of them.
struct Shared {
  // Number of keys whose write has returned success. They must be in the store, from the first one
  // on.
  std::atomic<uint64_t> acknowledged;
  char error[512];  // why the writing process failed
  Findings findings;
};

// Kills at a random time, or at a file operation if it comes before long.
struct KillPlan {
  uint64_t delay_us = 0;
  std::optional<KillPoint> point;
};

struct DatabaseCycle {
  StoreOptions writer;  // engine and filter; the other fields are set later
  FilterKind reader = FilterKind::kBlocked;
  Durability durability = Durability::kLog;
  KeyShape shape = KeyShape::kUuid;
};

// Keeps the first error of the findings.
void Complain(Shared* shared, const std::string& text) {
  char* error = shared->findings.error;
  if (error[0] == '\0') std::snprintf(error, sizeof(shared->findings.error), "%s", text.c_str());
}

[[noreturn]] void GiveUp(Shared* shared, const std::string& text) {
  std::snprintf(shared->error, sizeof(shared->error), "%s", text.c_str());
  _exit(3);
}

constexpr uint64_t kNewKeysPerCycle = 8000;
constexpr uint64_t kKeysPerFlush = 300;
constexpr uint64_t kMaxMissing = 2000;
constexpr uint64_t kBatch = 32;

std::string Key(KeyMaker* maker, uint64_t i) { return std::string((*maker)(2 * i)); }
std::string MissingKey(KeyMaker* maker, uint64_t i) { return std::string((*maker)(2 * i + 1)); }
std::string Value(uint64_t i) { return std::to_string(i) + std::string(90, 'v'); }

// Never returns: the process is killed, or exits with a status other than 0 and sets shared->error.
[[noreturn]] void WriteDatabase(const DatabaseCycle& cycle, const KillPlan& plan,
                                const std::string& path, Shared* shared) {
  if (cycle.durability != Durability::kSync) SkipSyncs();
  if (plan.point.has_value()) ArmKillPoint(*plan.point);
  std::string error;
  const std::unique_ptr<Store> store = OpenStore(cycle.writer, path, &error);
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

// Fills shared->findings.
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

using std::chrono::microseconds;
using std::chrono::steady_clock;

// The number of cycles after which a database is deleted and begun again.
constexpr uint64_t kCyclesPerStore = 6;
constexpr uint64_t kNumEngines = std::size(kAllEngines);
// The longest wait for a chosen moment.
constexpr microseconds kMaxWait{400000};
constexpr microseconds kMaxVerify{60000000};

struct Flags {
  uint64_t cycles = 20;
  uint64_t seed = 1;
};

struct Totals {
  uint64_t killed_at_points = 0;  // the others at a random time
  uint64_t present_queried = 0;
  uint64_t lost = 0;
  uint64_t wrong = 0;
  uint64_t missing_queried = 0;
  uint64_t missing_found = 0;
  uint64_t crashes = 0;
  uint64_t failures = 0;
};

class Test {
 public:
  Test(const Flags& flags, const std::string& directory)
      : flags_(flags), directory_(directory), random_(flags.seed) {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("mmap");
      std::exit(2);
    }
    shared_ = new (memory) Shared();
  }

  int Run() {
    const auto start = steady_clock::now();
    for (uint64_t cycle = 0; cycle < flags_.cycles; ++cycle) RunCycle(cycle);
    const double seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    Report(seconds);
    return totals_.failures == 0 ? 0 : 1;
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }

  KillPlan NewPlan() {
    KillPlan plan;
    plan.delay_us = 1000 + Below(120000);
    if (Below(2) == 0) return plan;
    KillPoint point;
    point.operation = static_cast<FileOperation>(Below(kNumFileOperations));
    point.kind = static_cast<FileKind>(Below(kNumFileKinds));
    point.time = static_cast<KillTime>(Below(kNumKillTimes));
    point.nth = 1 + Below(uint64_t{1} << Below(6));
    plan.point = point;
    return plan;
  }

  // The engines alternate, and each goes through formats, readers and durabilities.
  void RunCycle(uint64_t number) {
    const uint64_t engine = number % kNumEngines;
    const uint64_t turn = number / kNumEngines;
    const std::string path = directory_ + std::to_string(engine);
    if (turn % kCyclesPerStore == 0) {
      std::filesystem::remove_all(path);
      std::filesystem::create_directories(path);
      acknowledged_[engine] = 0;
    }
    const KillPlan plan = NewPlan();
    shared_ = new (shared_) Shared();
    shared_->acknowledged = acknowledged_[engine];
    cycle_ = number;
    DatabaseCycle cycle;
    cycle.writer.engine = kAllEngines[engine];
    // Now and then the engine's own policy writes, so that the store also has its filters.
    cycle.writer.filter = static_cast<FilterKind>(Below(7) % 4);
    const bool leveldb = cycle.writer.engine == Engine::kLevelDB;
    if (!leveldb && cycle.writer.filter == FilterKind::kClassic) {
      cycle.writer.filter = FilterKind::kBlocked;  // classic is for LevelDB alone
    }
    cycle.writer.verify_filters = Below(2) == 1;
    // Stock's filters of some cycles stay for some time, so not only ours are read.
    cycle.reader = ReaderAfter(cycle.writer.filter, leveldb, turn);
    cycle.durability = static_cast<Durability>(leveldb         ? Below(8) != 0
                                               : Below(4) == 0 ? 2
                                                               : Below(8) != 0);
    cycle.shape = turn / kCyclesPerStore % 2 == 0 ? KeyShape::kUuid
                                                  : kAllKeyShapes[turn / kCyclesPerStore / 2 % 8];
    RunDatabaseCycle(cycle, plan, path);
    acknowledged_[engine] = shared_->acknowledged;
  }

  // In turns the same policy, another one of ours, the engine's own.
  static FilterKind ReaderAfter(FilterKind writer, bool leveldb, uint64_t turn) {
    if (turn % 3 == 0) return writer;
    if (turn % 3 == 2) return FilterKind::kStock;
    if (!leveldb) {
      return writer == FilterKind::kBlocked ? FilterKind::kCompact : FilterKind::kBlocked;
    }
    return kOurFilters[(static_cast<uint64_t>(writer) + 1 + turn / 3 % 2) % 3];
  }

  void RunDatabaseCycle(const DatabaseCycle& cycle, const KillPlan& plan, const std::string& path) {
    const std::string name = std::string(Name(cycle.writer.engine)) + ", " +
                             Name(cycle.writer.filter) + " read by " + Name(cycle.reader);
    Kill(plan, name, [&] { WriteDatabase(cycle, plan, path, shared_); });
    Verify(name, [&] { VerifyDatabase(cycle, path, shared_); });
  }

  template <typename F>
  void Kill(const KillPlan& plan, const std::string& name, F write) {
    const microseconds wait = plan.point.has_value() ? kMaxWait : microseconds(plan.delay_us);
    const auto start = steady_clock::now();
    const int status = InChild(wait, write);
    const bool waited = steady_clock::now() - start >= wait;
    if (!WasKilled(status)) {
      if (WIFSIGNALED(status)) ++totals_.crashes;
      Fail(name, WIFSIGNALED(status)
                     ? "the writing process crashed by signal " + std::to_string(WTERMSIG(status))
                     : "the writing process gave up: " + std::string(shared_->error));
    }
    totals_.killed_at_points += plan.point.has_value() && !waited ? 1 : 0;
  }

  template <typename F>
  void Verify(const std::string& name, F verify) {
    const int status = InChild(kMaxVerify, verify);
    const Findings& findings = shared_->findings;
    if (WIFSIGNALED(status)) {
      ++totals_.crashes;
      Fail(name, "the reading process ended by signal " + std::to_string(WTERMSIG(status)));
    }
    totals_.present_queried += findings.present_queried;
    totals_.missing_queried += findings.missing_queried;
    totals_.lost += findings.lost;
    totals_.wrong += findings.wrong;
    totals_.missing_found += findings.missing_found;
    if (findings.lost + findings.wrong + findings.missing_found != 0 || !findings.finished) {
      Fail(name, findings.error);
    }
  }

  void Fail(const std::string& name, const std::string& what) {
    ++totals_.failures;
    std::printf("FAILED cycle %" PRIu64 " of seed %" PRIu64 " (%s): %s\n", cycle_, flags_.seed,
                name.c_str(), what.c_str());
    std::fflush(stdout);
  }

  void Report(double seconds) const {
    std::printf("%" PRIu64 " kills, %" PRIu64 " at a chosen operation, in %.0f s, seed %" PRIu64
                "\n",
                flags_.cycles, totals_.killed_at_points, seconds, flags_.seed);
    std::printf("%" PRIu64 " queries of acknowledged keys, %" PRIu64 " lost, %" PRIu64
                " other wrong answers; %" PRIu64 " of missing keys, %" PRIu64 " found\n",
                totals_.present_queried, totals_.lost, totals_.wrong, totals_.missing_queried,
                totals_.missing_found);
    std::printf("%" PRIu64 " crashes; %" PRIu64 " failures\n", totals_.crashes, totals_.failures);
  }

  const Flags flags_;
  const std::string directory_;
  std::mt19937_64 random_;
  Shared* shared_;
  uint64_t acknowledged_[kNumEngines] = {};  // of each store
  uint64_t cycle_ = 0;
  Totals totals_;
};

constexpr char kUsage[] =
    "Usage: crash [CYCLES] [--seed N]\n"
    "Kills processes that write LevelDB and RocksDB databases. Then opens what they left and\n"
    "queries every acknowledged key.\n"
    "  CYCLES    number of kills, 1 to 1000000; default 20\n"
    "  --seed N  seed of the moments and the order of formats; default 1\n"
    "Databases are written to a new folder in $TMPDIR or /tmp.\n"
    "Exit status: 0 if all answers are right, 1 if not, 2 if it could not run.\n";

Flags Parse(int argc, char** argv) {
  Flags flags;
  Arguments arguments("crash", kUsage, argc, argv);
  bool has_cycles = false;
  for (std::string argument; arguments.Next(&argument);) {
    if (argument == "--seed") {
      flags.seed = arguments.Number(0, UINT64_MAX);
    } else if (argument[0] == '-' || has_cycles) {
      arguments.Refuse("'" + argument + "' is not known");
    } else {
      flags.cycles = arguments.Number("CYCLES", argument, 1, 1000000);
      has_cycles = true;
    }
  }
  return flags;
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  using namespace bloomline::tests;
  const Flags flags = Parse(argc, argv);
  auto directory = std::make_unique<TempDir>();
  const int status = Test(flags, directory->Path("")).Run();
  if (status != 0) {
    std::printf("the files are in %s\n", directory->Path("").c_str());
    directory.release();
  }
  return status;
}
