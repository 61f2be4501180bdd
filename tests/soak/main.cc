// Uses a database for hours while its filters change, and compares every answer with the truth.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/faults/arguments.h"
#include "tests/soak/database.h"
#include "tests/soak/truth.h"
#include "tests/soak/workers.h"
#include "tests/support/reader_threads.h"

namespace bloomline::soak {
namespace {

constexpr char kUsage[] =
    "Usage: tests/soak/run [HOURS] [OPTION]...\n"
    "Uses a RocksDB database of five levels for HOURS, 1 to 1000, default 1: writers, readers and\n"
    "scans, while the filters change by SetOptions, RewriteFilters and other policies, files are\n"
    "compacted, and file operations fail. Compares every answer with the truth. Prints figures\n"
    "every ten minutes.\n"
    "  --seconds N  instead of HOURS, 1 to 3600000\n"
    "  --every N    seconds between two lines, 1 to 3600; default 600\n"
    "  --seed N     0 to 1000000000; default 1\n"
    "  --plant      removes keys that are then missed: succeeds if the readers notice\n"
    "Exit status: 1 if an answer is wrong, if the database cannot go on, or if memory grows: the\n"
    "last line has more than 1.25 times the memory of the line after a third of the time. The\n"
    "database then stays. 2 for a bad argument.\n";
constexpr double kMostGrowth = 1.25;

using Clock = std::chrono::steady_clock;

struct Flags {
  uint64_t seconds = 3600;
  uint64_t every = 600;
  uint64_t seed = 1;
  bool plants = false;
};

Flags Parse(tests::Arguments* arguments) {
  Flags flags;
  for (std::string argument; arguments->Next(&argument);) {
    if (argument == "--seconds") {
      flags.seconds = arguments->Number(1, 3600000);
    } else if (argument == "--every") {
      flags.every = arguments->Number(1, 3600);
    } else if (argument == "--seed") {
      flags.seed = arguments->Number(0, 1000000000);
    } else if (argument == "--plant") {
      flags.plants = true;
    } else {
      flags.seconds = 3600 * arguments->Number("HOURS", argument, 1, 1000);
    }
  }
  return flags;
}

double ResidentMiB() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file == nullptr || std::fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
  if (file != nullptr) std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void PrintHead() {
  std::printf("%7s %8s %9s %9s %7s %9s %6s %9s %9s %7s %7s %7s %7s  %s\n", "minutes", "RSS, MB",
              "filters,", "reads", "scans", "writes", "wrong", "switched", "rewritten", "re-",
              "failed", "failed", "resumed", "files at");
  std::printf("%7s %8s %9s %9s %7s %9s %6s %9s %9s %7s %7s %7s %7s  %s\n", "", "", "KB", "*1000",
              "*1000", "*1000", "", "", "files", "opened", "ops", "reads", "", "levels 0/1/...");
}

void PrintLine(double minutes, double resident, const FileFigures& files, const Counts& counts,
               const Database::Counts& changes) {
  std::printf("%7.1f %8.1f %9" PRIu64 " %9" PRIu64 " %7" PRIu64 " %9" PRIu64 " %6" PRIu64
              " %9" PRIu64 " %9" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64
              "  %s\n",
              minutes, resident, files.filter_bytes / 1000, counts.reads / 1000,
              counts.scans / 1000, counts.writes / 1000, counts.wrong.load(), changes.switches,
              changes.rewritten_files, changes.reopened, changes.injected,
              counts.failed_reads.load(), changes.resumed, files.files_by_level.c_str());
  std::fflush(stdout);
}

int Run(const Flags& flags) {
  char folder[] = "soak.XXXXXX";
  const char* const parent = std::getenv("TMPDIR");
  const std::string base = parent == nullptr ? "/tmp" : parent;
  std::string path = base + "/" + folder;
  if (mkdtemp(path.data()) == nullptr) {
    std::fprintf(stderr, "soak: no folder in %s\n", base.c_str());
    return 2;
  }
  std::printf("database: %s, seed %" PRIu64 "\n", path.c_str(), flags.seed);
  Truth truth;
  Counts counts;
  std::string stopped;
  std::vector<double> resident;
  FileFigures files;
  Database database(path + "/db");
  {
    Workers workers(&database, &truth, &counts);
    workers.Fill();
    PrintHead();
    const Clock::time_point began = Clock::now();
    std::mt19937_64 random(flags.seed);
    tests::Busy busy;
    for (int writer = 0; writer < Workers::kWriters; ++writer) {
      busy.Start(1, [&, writer](std::mt19937_64& r) { workers.Write(writer, &r); });
    }
    busy.Start(2, [&](std::mt19937_64& r) { workers.Read(&r); });
    busy.Start(2, [&](std::mt19937_64& r) { workers.Scan(&r); });
    if (flags.plants) workers.PlantLoss();
    for (uint64_t next = std::min(flags.every, flags.seconds);;) {
      stopped = database.Change(&random);
      const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
      if (!stopped.empty() || (flags.plants && counts.wrong > 0)) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 500));
      if (seconds < static_cast<double>(next)) continue;
      workers.CompareAll();
      files = database.Figures();
      resident.push_back(ResidentMiB());
      PrintLine(seconds / 60, resident.back(), files, counts, database.counts());
      if (next >= flags.seconds || counts.wrong > 0) break;
      next = std::min(next + flags.every, flags.seconds);
    }
  }
  for (const auto& [policy, number] : files.files_by_policy) {
    std::printf("files with %s at the end: %" PRIu64 "\n",
                policy.empty() ? "no filter" : policy.c_str(), number);
  }
  const double growth = resident.size() < 3 ? 1 : resident.back() / resident[resident.size() / 3];
  if (!stopped.empty()) std::printf("FAILED: the database cannot go on: %s\n", stopped.c_str());
  if (growth > kMostGrowth) std::printf("FAILED: memory grew %.2f times\n", growth);
  std::printf("%" PRIu64 " reads and %" PRIu64 " keys of %" PRIu64 " scans compared (%" PRIu64
              " scans empty), %" PRIu64 " wrong\n",
              counts.reads.load(), counts.scanned_keys.load(), counts.scans.load(),
              counts.empty_scans.load(), counts.wrong.load());
  if (flags.plants) {
    std::printf("planted: %s\n", counts.wrong > 0 ? "noticed" : "FAILED: not noticed");
  }
  const bool is_right =
      stopped.empty() && growth <= kMostGrowth && (counts.wrong > 0) == flags.plants;
  if (is_right) {
    const std::string command = "rm -rf '" + path + "'";
    if (std::system(command.c_str()) != 0) std::printf("%s stays\n", path.c_str());
  }
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::soak

int main(int argc, char** argv) {
  using namespace bloomline;
  tests::Arguments arguments("soak", soak::kUsage, argc, argv);
  return soak::Run(soak::Parse(&arguments));
}
