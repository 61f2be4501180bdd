// LevelDB's db_bench with the flags of the extension, which are taken off before upstream's main
// sees the rest.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/db_bench/leveldb/extension.h"
#include "db_bench_ext/db_bench/leveldb/files.h"
#include "db_bench_ext/db_bench/leveldb/policies.h"
#include "db_bench_ext/db_bench/leveldb/settings.h"

namespace bloomline::bench {

Settings& TheSettings() {
  static Settings settings;
  return settings;
}

namespace {

constexpr char kHelp[] =
    R"(LevelDB's db_bench: its own flags are those of benchmarks/db_bench.cc. Added are:
  --policy=NAME      the policy of --bloom_bits: none, builtin (default), classic, blocked, compact
  --key_shape=NAME   stock (default): %016d of a number. dec16, be64: %016d, or 8 bytes big-endian,
                     of twice the number; readmissing then asks for the odd number that follows,
                     which has as many bytes, instead of a key without its last byte
  --count=1          count the filter's answers (takes time) and print them at the end
  --files=1          at the end, print keys, levels and filter bytes of the database
)";

template <typename Value>
using Names = std::vector<std::pair<std::string, Value>>;

const Names<PolicyKind> kPolicies = {{"none", PolicyKind::kNone},
                                     {"builtin", PolicyKind::kBuiltin},
                                     {"classic", PolicyKind::kClassic},
                                     {"blocked", PolicyKind::kBlocked},
                                     {"compact", PolicyKind::kCompact}};
const Names<Keys> kShapes = {
    {"stock", Keys::kStock}, {"dec16", Keys::kDec16}, {"be64", Keys::kBe64}};
const Names<bool> kSwitch = {{"0", false}, {"1", true}};

// True if `argument` is this flag. Ends the process if its value has no such name.
template <typename Value>
bool Take(const std::string& argument, const std::string& flag, const Names<Value>& names,
          Value* value) {
  if (argument.compare(0, flag.size(), flag) != 0) return false;
  const std::string given = argument.substr(flag.size());
  std::string allowed;
  for (const auto& [name, meaning] : names) {
    if (given == name) {
      *value = meaning;
      return true;
    }
    allowed += (allowed.empty() ? "" : ", ") + name;
  }
  std::fprintf(stderr, "%s%s: allowed are %s\n", flag.c_str(), given.c_str(), allowed.c_str());
  std::exit(2);
}

int Run(int argc, char** argv) {
  std::vector<char*> rest;
  std::string directory;
  Settings& settings = TheSettings();
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (argument.compare(0, 5, "--db=") == 0) directory = argument.substr(5);
    if (Take(argument, "--policy=", kPolicies, &settings.policy) ||
        Take(argument, "--key_shape=", kShapes, &settings.keys) ||
        Take(argument, "--count=", kSwitch, &settings.count) ||
        Take(argument, "--files=", kSwitch, &settings.files))
      continue;
    rest.push_back(argv[i]);
  }
  if (settings.files && directory.empty()) {
    std::fputs("--files=1 needs --db=FOLDER\n", stderr);
    return 2;
  }
  rest.push_back(nullptr);
  const int status = StockMain(static_cast<int>(rest.size()) - 1, rest.data());
  if (settings.count) {
    const FilterCounts counts = CountsSoFar();
    std::printf("filters      : %" PRIu64 " queries, %" PRIu64 " rejected\n", counts.queries,
                counts.rejected);
  }
  if (settings.files) PrintFiles(directory);
  return status;
}

}  // namespace
}  // namespace bloomline::bench

int main(int argc, char** argv) {
  try {
    return bloomline::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "leveldb_db_bench: %s\n", error.what());
    return 1;
  }
}
