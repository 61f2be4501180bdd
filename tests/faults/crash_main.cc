// Kills processes that write databases, and looks for lost keys.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <random>
#include <thread>

#include "tests/faults/arguments.h"
#include "tests/faults/child_process.h"
#include "tests/faults/crash_cycle.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {

void Complain(Shared* shared, const std::string& text) {
  char* error = shared->findings.error;
  if (error[0] == '\0') std::snprintf(error, sizeof(shared->findings.error), "%s", text.c_str());
}

void GiveUp(Shared* shared, const std::string& text) {
  std::snprintf(shared->error, sizeof(shared->error), "%s", text.c_str());
  _exit(3);
}

namespace {

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
  std::map<std::string, uint64_t> cycles;  // by subject, by moment, by interrupted operation
  uint64_t stores = 0;
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
    const uint64_t choice = Below(10);
    plan.delay_us = 1000 + Below(120000);
    if (choice < 4) return plan;
    if (choice < 7) {
      plan.by = KillBy::kFilter;
      // From the first to the thousandth, uniform in the logarithm.
      plan.nth_filter = 1 + Below(uint64_t{1} << Below(12));
      plan.as_it_ends = Below(2) == 1;
      return plan;
    }
    plan.by = KillBy::kFileOperation;
    plan.point.operation = static_cast<FileOperation>(Below(kNumFileOperations));
    plan.point.kind = static_cast<FileKind>(Below(kNumFileKinds));
    plan.point.time = static_cast<KillTime>(Below(kNumKillTimes));
    plan.point.nth = 1 + Below(uint64_t{1} << Below(6));
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
      ++totals_.stores;
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
    ++totals_.cycles["subject: " + std::string(Name(cycle.writer.engine)) + ", written by " +
                     Name(cycle.writer.filter)];
    constexpr const char* kReaders[] = {"the same policy", "another of ours", "the engine's own"};
    ++totals_.cycles[std::string("read again by: ") +
                     kReaders[cycle.reader == cycle.writer.filter  ? 0
                              : cycle.reader == FilterKind::kStock ? 2
                                                                   : 1]];
    constexpr const char* kDurabilities[] = {"synced log", "log, not synced", "Flush, no log"};
    ++totals_.cycles[std::string("acknowledged by: ") +
                     kDurabilities[static_cast<int>(cycle.durability)]];
    Verify(name, [&] { VerifyDatabase(cycle, path, shared_); });
  }

  template <typename F>
  void Kill(const KillPlan& plan, const std::string& name, F write) {
    const microseconds wait =
        plan.by == KillBy::kTime ? microseconds(plan.delay_us) : microseconds(kMaxWait);
    const auto start = steady_clock::now();
    const int status = InChild(wait, write);
    const bool waited = steady_clock::now() - start >= wait;
    if (!WasKilled(status)) {
      if (WIFSIGNALED(status)) ++totals_.crashes;
      Fail(name, WIFSIGNALED(status)
                     ? "the writing process crashed by signal " + std::to_string(WTERMSIG(status))
                     : "the writing process gave up: " + std::string(shared_->error));
    }
    ++totals_.cycles[plan.by == KillBy::kTime ? "killed at: random time"
                     : waited                 ? "killed at: chosen moment did not come, then random"
                     : plan.by == KillBy::kFilter
                         ? std::string("killed at: filter code ") +
                               (plan.as_it_ends ? "ends" : "begins")
                         : std::string("killed at: ") + Name(plan.point.operation) + " of " +
                               Name(plan.point.kind)];
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
    for (const auto& [what, count] : totals_.cycles) {
      std::printf("%7" PRIu64 "  %s\n", count, what.c_str());
    }
    std::printf("%" PRIu64 " cycles on %" PRIu64 " stores in %.0f s, seed %" PRIu64 "\n",
                flags_.cycles, totals_.stores, seconds, flags_.seed);
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
