// Databases of both engines, written on one CPU and read on another: tests/platforms/engines.
//   exchange_databases write FOLDER    writes the databases to a new folder
//   exchange_databases read FOLDER...  queries those that were written there, on any CPU
// Each is read with the policy that wrote its filters, with the engine's own and with bloomline's.
// The reader prints the number of answers, how many of them are wrong, and a checksum of all
// answers and of the number of keys that filters excluded, which is the same on all CPUs.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "tests/engines/store.h"
#include "tests/support/key_shapes.h"

namespace bloomline::tests {
namespace {

// The last ones are in a table of their own in RocksDB, which has another layout for so few.
constexpr uint64_t kNumKeys = 6000;
constexpr uint64_t kNumLastKeys = 150;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "exchange_databases: %s\n", message.c_str());
  std::exit(1);
}

// Missing keys are neighbours of stored ones.
std::string Key(uint64_t i, bool is_stored) {
  constexpr size_t kNumShapes = std::size(kAllKeyShapes);
  KeyMaker make(kAllKeyShapes[i % kNumShapes]);
  return std::string(make(i / kNumShapes * 2 + (is_stored ? 0 : 1)));
}
std::string Value(uint64_t i) { return "value " + std::to_string(i); }

std::vector<std::string> Keys(bool is_stored) {
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < kNumKeys + kNumLastKeys; ++i) keys.push_back(Key(i, is_stored));
  return keys;
}

struct Kind {
  std::string name;
  StoreOptions options;
};

std::vector<Kind> AllKinds() {
  std::vector<Kind> kinds;
  for (const Engine engine : kAllEngines) {
    for (const FilterKind filter :
         {FilterKind::kClassic, FilterKind::kBlocked, FilterKind::kCompact, FilterKind::kStock}) {
      for (const bool has_large_blocks : {false, true}) {
        const bool is_leveldb = engine == Engine::kLevelDB;
        if (!is_leveldb && (filter == FilterKind::kClassic || has_large_blocks)) continue;
        StoreOptions options;
        options.engine = engine;
        options.filter = filter;
        options.large_blocks = has_large_blocks;
        kinds.push_back({std::string(Name(engine)) + "_" + Name(filter) +
                             (has_large_blocks ? "_large_blocks" : ""),
                         options});
      }
    }
  }
  return kinds;
}

std::unique_ptr<Store> Open(const StoreOptions& options, const std::string& path) {
  std::string error;
  std::unique_ptr<Store> store = OpenStore(options, path, &error);
  if (store == nullptr) Fail(path + ": " + error);
  return store;
}

void Write(const std::string& folder) {
  std::error_code code;
  if (!std::filesystem::create_directory(folder, code)) Fail(folder + " cannot be made");
  for (const Kind& kind : AllKinds()) {
    const std::unique_ptr<Store> store = Open(kind.options, folder + "/" + kind.name);
    const auto write = [&](uint64_t first, uint64_t last) {
      KeysAndValues pairs;
      for (uint64_t i = first; i < last; ++i) pairs.emplace_back(Key(i, true), Value(i));
      std::string error;
      if (!store->Write(pairs, &error) || !store->Flush(&error)) {
        Fail(kind.name + ": " + error);
      }
    };
    write(0, kNumKeys);
    std::string error;
    if (!store->Compact(&error)) Fail(kind.name + ": " + error);
    write(kNumKeys, kNumKeys + kNumLastKeys);
  }
}

struct Totals {
  uint64_t num_answers = 0, num_wrong = 0, checksum = 0;
};

// Whether a filter is of use to a policy: LevelDB's own format is that of kClassic.
bool IsUsed(const Kind& kind, FilterKind reader) {
  return reader != FilterKind::kStock || kind.options.filter == FilterKind::kStock ||
         kind.options.filter == FilterKind::kClassic;
}

void ReadOne(const Kind& kind, FilterKind reader, const std::string& path, Totals* totals) {
  StoreOptions options = kind.options;
  options.filter = reader;
  const std::unique_ptr<Store> store = Open(options, path);
  uint64_t wrong = 0;
  const std::vector<std::string> stored = Keys(true), missing = Keys(false);
  std::string value;
  for (uint64_t i = 0; i < stored.size(); ++i) {
    const bool found = store->Get(stored[i], &value) == Answer::kFound && value == Value(i);
    wrong += found ? 0 : 1;
  }
  for (const Answer answer : store->GetMany(stored)) wrong += answer == Answer::kFound ? 0 : 1;
  const uint64_t before = store->num_excluded();
  for (const std::string& key : missing) {
    wrong += store->Get(key, &value) == Answer::kNotFound ? 0 : 1;
  }
  const uint64_t excluded = store->num_excluded() - before;
  totals->num_answers += 2 * stored.size() + missing.size();
  totals->num_wrong += wrong;
  totals->checksum = (totals->checksum * 31 + excluded) * 31 + wrong;
  if (wrong != 0) {
    std::printf("%s read by %s: %llu wrong answers\n", path.c_str(), Name(reader),
                static_cast<unsigned long long>(wrong));
  }
  // LevelDB's own filters exclude few of such neighbours.
  if (IsUsed(kind, reader) ? excluded < missing.size() / 2 : excluded != 0) {
    std::printf("%s read by %s: filters excluded %llu of %zu missing keys\n", path.c_str(),
                Name(reader), static_cast<unsigned long long>(excluded), missing.size());
    ++totals->num_wrong;
  }
}

bool Read(const std::string& folder) {
  Totals totals;
  for (const Kind& kind : AllKinds()) {
    const std::set<FilterKind> readers = {kind.options.filter, FilterKind::kStock,
                                          FilterKind::kBlocked};
    for (const FilterKind reader : readers) {
      ReadOne(kind, reader, folder + "/" + kind.name, &totals);
    }
  }
  std::printf("%llu answers, %llu wrong, checksum %016llx\n",
              static_cast<unsigned long long>(totals.num_answers),
              static_cast<unsigned long long>(totals.num_wrong),
              static_cast<unsigned long long>(totals.checksum));
  return totals.num_wrong == 0;
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  const std::string command = argc > 2 ? argv[1] : "";
  if (command == "write" && argc == 3) {
    bloomline::tests::Write(argv[2]);
    return 0;
  }
  if (command != "read") {
    std::fputs("usage: exchange_databases write FOLDER | exchange_databases read FOLDER...\n",
               stderr);
    return 2;
  }
  bool passed = true;
  for (int i = 2; i < argc; ++i) passed = bloomline::tests::Read(argv[i]) && passed;
  return passed ? 0 : 1;
}
