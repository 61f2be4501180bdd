// Uses a database for hours while its filters change, and compares every answer with the truth.
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <regex>
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
    "  --seconds N   instead of HOURS, 1 to 3600000\n"
    "  --every N     seconds between two lines, 1 to 3600; default 600\n"
    "  --seed N      0 to 1000000000; default 1\n"
    "  --plant KIND  a fault: succeeds if it is noticed. loss: keys are removed; damage: bits of\n"
    "                tables change; order: scans find a key twice; policy: filters change to\n"
    "                none; idle: nothing changes; memory, pages: memory that is never freed, of\n"
    "                malloc and of mmap\n"
    "Exit status: 1 if an answer is wrong, if a read fails without an injected fault, if the\n"
    "database cannot go on, if a minute or more has compared, switched or rewritten nothing, or\n"
    "if memory grows. With three lines or more, resident memory at the end may be 1.25 times that\n"
    "after a third of them. So may malloc's memory in use, on average of the last third, be to\n"
    "the third before; 1.1 times in runs of an hour or more. The database then stays. 2 for a\n"
    "bad argument.\n";
// Malloc keeps more and more pages for later, so resident memory tells little. What it has given
// out varies by 4 % from line to line, rarely by 8 %, and did not grow in runs of two minutes.
constexpr double kMostGrowth = 1.25;
constexpr double kMostGrowthOfHours = 1.1;
constexpr uint64_t kMustChangeSeconds = 60;
constexpr size_t kLeakedBytes = 16 << 20;  // by a planted leak, at each change

using Clock = std::chrono::steady_clock;

struct Plant {
  const char* name;
  const char* failure;  // a regular expression: what must come of it
};
constexpr Plant kPlants[] = {
    {"loss", "^WRONG: .*: not found; it is "}, {"damage", "^WRONG: .*: Corruption: "},
    {"order", "^WRONG: .* found .* after "},   {"policy", "no filter policy after"},
    {"idle", "no filter was switched"},        {"memory", "memory in use grew"},
    {"pages", "resident memory grew"},
};

struct Flags {
  uint64_t seconds = 3600;
  uint64_t every = 600;
  uint64_t seed = 1;
  const Plant* plant = nullptr;

  bool Plants(const char* name) const {
    return plant != nullptr && std::strcmp(plant->name, name) == 0;
  }
};

const Plant* PlantOf(const std::string& name, tests::Arguments* arguments) {
  std::string names;
  for (const Plant& plant : kPlants) {
    if (name == plant.name) return &plant;
    names += (names.empty() ? "" : ", ") + std::string(plant.name);
  }
  arguments->Refuse("--plant is '" + name + "'; allowed: " + names);
}

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
      flags.plant = PlantOf(arguments->Text(), arguments);
    } else {
      flags.seconds = 3600 * arguments->Number("HOURS", argument, 1, 1000);
    }
  }
  return flags;
}

struct Memory {
  double resident = 0;  // MiB
  double in_use = 0;    // of malloc; 0: this C library does not say
};

double ResidentMiB() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file == nullptr || std::fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
  if (file != nullptr) std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double InUseMiB() {
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
#endif
#endif
  return 0;
}

// The mean of lines[begin] to lines[end - 1].
double MeanInUse(const std::vector<Memory>& lines, size_t begin, size_t end) {
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += lines[i].in_use;
  return sum / static_cast<double>(end - begin);
}

// Prints what is compared. Returns what has grown too much, or nothing.
std::vector<std::string> CompareMemory(const Flags& flags, const std::vector<Memory>& lines) {
  if (lines.size() < 3) {
    std::printf("memory not compared: fewer than 3 lines\n");
    return {};
  }
  std::vector<std::string> failures;
  const auto compare = [&](const char* what, double before, double after, double most) {
    std::printf("%s: %.1f MB, then %.1f MB\n", what, before, after);
    if (after <= before * most) return;
    char text[64];
    std::snprintf(text, sizeof(text), "%s grew %.2f times", what, after / before);
    failures.emplace_back(text);
  };
  const size_t size = lines.size();
  const size_t third = size / 3;
  compare("resident memory", lines[third].resident, lines.back().resident, kMostGrowth);
  if (lines.back().in_use > 0) {
    compare("memory in use", MeanInUse(lines, size - 2 * third, size - third),
            MeanInUse(lines, size - third, size),
            flags.seconds < 3600 ? kMostGrowth : kMostGrowthOfHours);
  } else {
    std::printf("memory in use not compared: it is not known\n");
  }
  return failures;
}

// A run that did nothing proves nothing. Returns what is missing, or an empty string.
std::string Missing(const Counts& counts, const Database::Counts& changes) {
  if (changes.switches == 0) return "no filter was switched";
  if (changes.rewritten_files == 0) return "no file was rewritten";
  if (counts.reads == 0) return "no read was compared";
  if (counts.scanned_keys == 0) return "no key of a scan was compared";
  return "";
}

void Leak(const Flags& flags, std::vector<std::string>* leaked) {
  if (flags.Plants("memory")) leaked->emplace_back(kLeakedBytes, 'x');
  if (!flags.Plants("pages")) return;
  void* const pages =
      mmap(nullptr, kLeakedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages != MAP_FAILED) std::memset(pages, 'x', kLeakedBytes);
}

void PrintHead() {
  std::printf("%7s %8s %7s %9s %9s %7s %9s %6s %9s %9s %7s %7s %7s %7s  %s\n", "minutes", "RSS, MB",
              "in use,", "filters,", "reads", "scans", "writes", "wrong", "switched", "rewritten",
              "re-", "failed", "failed", "resumed", "files at");
  std::printf("%7s %8s %7s %9s %9s %7s %9s %6s %9s %9s %7s %7s %7s %7s  %s\n", "", "", "MB", "KB",
              "*1000", "*1000", "*1000", "", "", "files", "opened", "ops", "reads", "",
              "levels 0/1/...");
}

void PrintLine(double minutes, const Memory& memory, const FileFigures& files, const Counts& counts,
               const Database::Counts& changes) {
  std::printf("%7.1f %8.1f %7.1f %9" PRIu64 " %9" PRIu64 " %7" PRIu64 " %9" PRIu64 " %6" PRIu64
              " %9" PRIu64 " %9" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64
              "  %s\n",
              minutes, memory.resident, memory.in_use, files.filter_bytes / 1000,
              counts.reads / 1000, counts.scans / 1000, counts.writes / 1000, counts.wrong.load(),
              changes.switches, changes.rewritten_files, changes.reopened, changes.injected,
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
  WrongAnswers wrong;
  std::vector<std::string> failures;
  std::vector<std::string> leaked;
  std::vector<Memory> memory;
  FileFigures files;
  Database database(path + "/db");
  {
    Workers workers(&database, &truth, &counts, &wrong);
    std::string stopped = workers.Fill();
    PrintHead();
    const Clock::time_point began = Clock::now();
    std::mt19937_64 random(flags.seed);
    tests::Busy busy;
    for (int writer = 0; writer < Workers::kWriters; ++writer) {
      busy.Start(1, [&, writer](std::mt19937_64& r) { workers.Write(writer, &r); });
    }
    busy.Start(2, [&](std::mt19937_64& r) { workers.Read(&r); });
    busy.Start(2, [&](std::mt19937_64& r) { workers.Scan(&r); });
    if (flags.Plants("loss")) workers.PlantLoss();
    if (flags.Plants("order")) workers.PlantOrder();
    if (flags.Plants("damage")) database.PlantDamage();
    if (flags.Plants("policy")) database.PlantNoPolicy();
    for (uint64_t next = std::min(flags.every, flags.seconds); stopped.empty();) {
      if (!flags.Plants("idle")) stopped = database.Change(&random);
      const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
      if (!stopped.empty() || (flags.plant != nullptr && counts.wrong > 0)) break;
      Leak(flags, &leaked);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 500));
      if (seconds < static_cast<double>(next)) continue;
      workers.CompareAll();
      files = database.Figures();
      memory.push_back({ResidentMiB(), InUseMiB()});
      PrintLine(seconds / 60, memory.back(), files, counts, database.counts());
      if (next >= flags.seconds || counts.wrong > 0) break;
      next = std::min(next + flags.every, flags.seconds);
    }
    if (!stopped.empty()) failures.push_back("the database cannot go on: " + stopped);
  }
  for (const auto& [policy, number] : files.files_by_policy) {
    std::printf("files with %s at the end: %" PRIu64 "\n",
                policy.empty() ? "no filter" : policy.c_str(), number);
  }
  const bool ended_early = !failures.empty() || counts.wrong > 0;
  if (!ended_early) {
    failures = CompareMemory(flags, memory);
    const std::string missing = Missing(counts, database.counts());
    const bool must_change = flags.seconds >= kMustChangeSeconds || flags.Plants("idle");
    if (must_change && !missing.empty()) failures.push_back(missing);
  }
  for (const std::string& failure : failures) std::printf("FAILED: %s\n", failure.c_str());
  std::printf("%" PRIu64 " reads and %" PRIu64 " keys of %" PRIu64 " scans compared (%" PRIu64
              " scans empty), %" PRIu64 " wrong; %" PRIu64 " changes failed\n",
              counts.reads.load(), counts.scanned_keys.load(), counts.scans.load(),
              counts.empty_scans.load(), counts.wrong.load(), database.counts().failed_changes);
  for (const std::string& text : wrong.texts()) failures.push_back("WRONG: " + text);
  bool is_right = failures.empty();
  if (flags.plant != nullptr) {
    is_right = std::any_of(failures.begin(), failures.end(), [&](const std::string& failure) {
      return std::regex_search(failure, std::regex(flags.plant->failure));
    });
    std::printf("planted: %s\n", is_right ? "noticed" : "FAILED: not noticed");
  }
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
