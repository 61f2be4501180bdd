// Migrates databases between filters and looks for lost keys.
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/injected/arguments.h"
#include "tests/migration/controls.h"
#include "tests/migration/directions.h"
#include "tests/migration/interrupted.h"
#include "tests/migration/one_step.h"
#include "tests/migration/other.h"

namespace bloomline::tests {
namespace {

constexpr char kUsage[] =
    "Usage: migration [--keys N] [--modes one|all] [--part NAME] [--directions FIRST-LAST]\n"
    "                 [--kills N] [--seed N] [--directory PATH] [--list]\n"
    "Migrates databases from one filter to another and back, and queries every key after each\n"
    "step.\n"
    "  --keys N            keys of each database, 2000 to 10000000; default 20000\n"
    "  --modes one|all     RocksDB: each pair of filters in one of the modes (full or "
    "partitioned,\n"
    "                      whole keys or prefixes), or in all; default one\n"
    "  --part NAME         leveldb, rocksdb, interrupted or other; default all four\n"
    "  --directions A-B    only these directions, from 1\n"
    "  --kills N           compactions killed for each kind of database, and as many with failing\n"
    "                      files; 1 to 10000; default 2\n"
    "  --seed N            seed of the kills and faults; default 1\n"
    "  --directory PATH    parent of a new folder for databases; default $TMPDIR, /dev/shm or "
    "/tmp\n"
    "  --list              prints the directions of the part and their numbers\n"
    "One step of RocksDB, in place of all that, for tests/migration/versions:\n"
    "  --open PATH --filter NAME --mode 1..6 --phases N --writers NAME,... --do WHAT\n"
    "                      a database with N phases of writes by these filters; WHAT is check,\n"
    "                      write or rewrite. Filters: none, Bloom, Ribbon, legacy Bloom, blocked,\n"
    "                      compact\n"
    "Exit status: 0 if all answers are right, 1 if not, 2 if it could not run.\n";

struct Flags {
  Setup setup;
  std::string part;
  uint64_t first = 1;
  uint64_t last = UINT64_MAX;
  bool list = false;
  OneStep step;
};

Filter ParseFilter(const std::string& name, Arguments* arguments) {
  Filter filter = Filter::kNone;
  if (!FilterOf(name, &filter)) {
    arguments->Refuse("filter is '" + name +
                      "'; allowed: none, Bloom, Ribbon, legacy Bloom, blocked, compact");
  }
  return filter;
}

// Returns false if it is none of a step's arguments.
bool ParseStep(const std::string& argument, Arguments* arguments, OneStep* step) {
  if (argument == "--open") {
    step->path = arguments->Text();
  } else if (argument == "--filter") {
    step->filter = ParseFilter(arguments->Text(), arguments);
  } else if (argument == "--mode") {
    step->mode = AllModes()[arguments->Number(1, AllModes().size()) - 1];
  } else if (argument == "--phases") {
    step->phases = arguments->Number(0, 100);
  } else if (argument == "--writers") {
    std::istringstream names(arguments->Text());
    for (std::string name; std::getline(names, name, ',');) {
      step->writers.insert(ParseFilter(name, arguments));
    }
  } else if (argument == "--do") {
    step->action = arguments->Text();
    if (step->action != "check" && step->action != "write" && step->action != "rewrite") {
      arguments->Refuse("--do is '" + step->action + "'; allowed: check, write, rewrite");
    }
  } else {
    return false;
  }
  return true;
}

Flags Parse(int argc, char** argv) {
  Flags flags;
  flags.setup.num_keys = 20000;
  flags.setup.kills = 2;
  Arguments arguments("migration", kUsage, argc, argv);
  for (std::string argument; arguments.Next(&argument);) {
    if (argument == "--keys") {
      flags.setup.num_keys = arguments.Number(2000, 10000000);
    } else if (argument == "--modes") {
      const std::string modes = arguments.Text();
      if (modes != "one" && modes != "all") {
        arguments.Refuse("--modes is '" + modes + "'; allowed: one, all");
      }
      flags.setup.every_mode = modes == "all";
    } else if (argument == "--part") {
      flags.part = arguments.Text();
      if (flags.part != "leveldb" && flags.part != "rocksdb" && flags.part != "interrupted" &&
          flags.part != "other") {
        arguments.Refuse("--part is '" + flags.part +
                         "'; allowed: leveldb, rocksdb, interrupted, other");
      }
    } else if (argument == "--directions") {
      const std::string range = arguments.Text();
      const size_t dash = range.find('-');
      if (dash == range.npos) arguments.Refuse("--directions is '" + range + "'; allowed: A-B");
      flags.first = arguments.Number("A", range.substr(0, dash), 1, 1000);
      flags.last = arguments.Number("B", range.substr(dash + 1), flags.first, 1000);
    } else if (argument == "--kills") {
      flags.setup.kills = arguments.Number(1, 10000);
    } else if (argument == "--seed") {
      flags.setup.seed = arguments.Number(0, UINT64_MAX);
    } else if (argument == "--directory") {
      flags.setup.directory = arguments.Text();
    } else if (argument == "--list") {
      flags.list = true;
    } else if (!ParseStep(argument, &arguments, &flags.step)) {
      arguments.Refuse("'" + argument + "' is not known");
    }
  }
  if (flags.list || !flags.step.path.empty()) return flags;
  constexpr char kMemory[] = "/dev/shm";
  if (flags.setup.directory.empty() && std::getenv("TMPDIR") == nullptr &&
      access(kMemory, W_OK) == 0) {
    flags.setup.directory = kMemory;
  }
  flags.setup.directory = arguments.NewDirectory(flags.setup.directory);
  return flags;
}

std::vector<Direction> DirectionsOf(const Flags& flags) {
  std::vector<Direction> directions;
  const auto add = [&](const char* part, const std::vector<Direction>& more) {
    if (flags.part.empty() || flags.part == part) {
      directions.insert(directions.end(), more.begin(), more.end());
    }
  };
  add("leveldb", LevelDBDirections());
  add("rocksdb", RocksDBDirections(flags.setup.every_mode));
  return directions;
}

int List(const Flags& flags) {
  int number = 0;
  for (const Direction& direction : DirectionsOf(flags)) {
    std::printf("%3d  %s\n", ++number, Describe(direction).c_str());
  }
  return 0;
}

int Run(const Flags& flags) {
  Report report;
  if (!flags.step.path.empty()) {
    RunOneStep(flags.step, flags.setup, &report);
    return report.totals().failures == 0 ? 0 : 1;
  }
  Stopwatch stopwatch;
  const auto wants = [&](const char* part) { return flags.part.empty() || flags.part == part; };
  CheckControls(flags.setup, &report);
  const std::vector<Direction> directions = DirectionsOf(flags);
  for (size_t i = 0; i < directions.size(); ++i) {
    if (i + 1 >= flags.first && i + 1 <= flags.last) Migrate(directions[i], flags.setup, &report);
  }
  if (wants("interrupted")) InterruptCompactions(flags.setup, &report);
  if (wants("other")) {
    CompactByDefault(flags.setup, &report);
    LoadOptionsFiles(flags.setup, &report);
    RepairLevelDB(flags.setup, &report);
    OpenLevelDBWithRocksDB(flags.setup, &report);
  }
  const Totals& totals = report.totals();
  std::printf("\n%" PRIu64 " steps in %.0f s: %" PRIu64
              " queries of stored and deleted keys, %" PRIu64 " wrong; %" PRIu64
              " of missing keys\n",
              totals.steps.load(), stopwatch.Lap(), totals.keys.load(), totals.wrong.load(),
              totals.missing.load());
  if (wants("interrupted")) {
    std::printf("%" PRIu64 " compactions killed, %" PRIu64 " ended before; %" PRIu64
                " with failing files: %" PRIu64 " queries under faults, %" PRIu64 " errors\n",
                totals.kills.load(), totals.ended_before.load(), totals.faults.load(),
                totals.gets_under_faults.load(), totals.errors_under_faults.load());
  }
  std::printf("%" PRIu64 " controls; %" PRIu64 " failures\n", totals.controls.load(),
              totals.failures.load());
  return totals.failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  using namespace bloomline::tests;
  const Flags flags = Parse(argc, argv);
  if (flags.list) return List(flags);
  const int status = Run(flags);
  if (!flags.setup.directory.empty()) std::filesystem::remove_all(flags.setup.directory);
  return status;
}
