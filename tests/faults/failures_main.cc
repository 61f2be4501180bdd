// Makes the file operations and allocations of databases fail, one after the other, and looks for
// lost keys.
#include <execinfo.h>
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
#include <new>
#include <thread>
#include <vector>

#include "tests/faults/arguments.h"
#include "tests/faults/failures_unit.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kMaxCaseTime{60};

constexpr Phase kFaultyPhases[] = {Phase::kOpen, Phase::kFlush, Phase::kCompact, Phase::kGet};

struct Flags {
  uint64_t sample = 2;  // 0: all
  std::vector<Engine> engines{std::begin(kAllEngines), std::end(kAllEngines)};
  std::vector<FilterKind> filters{std::begin(kOurFilters), std::end(kOurFilters)};
};

// The signal handler of a process that hangs: says where.
void PrintStack(int) {
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
}

// Runs a unit in a process of its own, and continues in another one if it ends early.
//
// A case that hangs is repeated once: with RocksDB 7.8 one hung in about 150 runs, in a compaction
// whose file operations failed. It is not known where; it did not happen again.
void RunUnit(const Unit& unit, uint64_t sample, const std::string& directory, Shared* shared) {
  Totals& totals = shared->totals;
  shared->counted = false;
  shared->next = 0;
  shared->running = false;
  uint64_t hung_case = UINT64_MAX;
  for (;;) {
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      std::exit(2);
    }
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      signal(SIGUSR1, PrintStack);
      RunCases(unit, sample, directory, shared);
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
        kill(child, SIGUSR1);
        std::this_thread::sleep_for(std::chrono::seconds(1));
        kill(child, SIGKILL);
      }
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (shared->running && shared->may_end && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) {
      ++totals.ended;
      continue;
    }
    if (hangs && shared->running && shared->next != hung_case) {
      hung_case = shared->next;
      shared->running = false;
      std::printf("%s, case %" PRIu64 ": the process hung; once more\n", Describe(unit).c_str(),
                  hung_case);
      std::fflush(stdout);
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
  std::printf("LevelDB's own, with any filters: %" PRIu64
              " databases that it cannot open after a failed write to the manifest\n",
              totals.torn_manifests);
  std::printf(
      "ended for want of memory, as LevelDB's policy must where no allocation succeeds: "
      "%" PRIu64 "\n",
      totals.ended);
  std::printf("%" PRIu64 " crashes, %" PRIu64 " failures\n", totals.crashes, totals.failures);
  return totals.failures == 0 ? 0 : 1;
}

int Run(const Flags& flags, const std::string& directory) {
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
    std::vector<FilterKind> filters = flags.filters;
    if (engine != Engine::kLevelDB) {
      filters.erase(std::remove(filters.begin(), filters.end(), FilterKind::kClassic),
                    filters.end());
      if (filters.empty()) continue;
    }
    for (const Phase phase : kFaultyPhases) {
      // A sample alternates between the formats.
      if (flags.sample != 0) {
        units.push_back({engine, filters[turn++ % filters.size()], phase});
        continue;
      }
      for (const FilterKind filter : filters) units.push_back({engine, filter, phase});
    }
    for (const FilterKind filter : filters) {
      units.push_back({engine, filter, Phase::kFlip});
    }
    for (const Unit& unit : units) RunUnit(unit, flags.sample, directory, shared);
  }
  return Report(shared->totals, std::chrono::duration<double>(steady_clock::now() - start).count());
}

constexpr char kUsage[] =
    "Usage: failures [--sample N | --all] [--engine NAME] [--filter NAME]\n"
    "Makes file operations and allocations fail while databases are opened, flushed, compacted "
    "and\n"
    "read, and looks for lost keys. They are in a new folder in $TMPDIR, /dev/shm or /tmp.\n"
    "  --sample N     about N places for each kind of operation and fault, 1 to 1000; default 2\n"
    "  --all          every place; minutes for each engine\n"
    "  --engine NAME  leveldb, rocksdb or rocksdb-partitioned; default all three\n"
    "  --filter NAME  classic, blocked or compact; default all three; or stock, the engine's\n"
    "                 own, to compare\n"
    "Exit status: 0 if all answers are right, 1 if not, 2 if it could not run.\n";

Flags Parse(int argc, char** argv) {
  Flags flags;
  Arguments arguments("failures", kUsage, argc, argv);
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
    } else {
      arguments.Refuse("'" + argument + "' is not known");
    }
  }
  return flags;
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  using namespace bloomline::tests;
  const Flags flags = Parse(argc, argv);
  // In memory if possible: a full run writes about 10,000 databases.
  constexpr char kMemory[] = "/dev/shm";
  if (access(kMemory, W_OK) == 0) setenv("TMPDIR", kMemory, 0);
  const TempDir directory;
  return Run(flags, directory.Path(""));
}
