// LevelDB's db_bench with the flags of the extension, which are taken off before upstream's main
// sees the rest.
#include "db_bench_ext/db_bench/leveldb/extension.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "db_bench_ext/support/leveldb_filters.h"
#include "leveldb/db.h"

namespace bloomline::bench {
namespace {

constexpr char kHelp[] =
    R"(LevelDB's db_bench: its own flags are those of benchmarks/db_bench.cc. Added are:
  --policy=NAME  the policy of --bloom_bits: builtin-bloom (default), blocked, compact
  --count=1      count the filter's answers (takes time) and print them at the end
  --files=1      at the end, print keys, levels and filter bytes of the database
)";

// Set by main before upstream's code runs.
std::string policy_name = "builtin-bloom";
std::string count = "0";
std::string files = "0";

std::atomic<uint64_t> queries{0};
std::atomic<uint64_t> rejected{0};

class CountingPolicy final : public leveldb::FilterPolicy {
 public:
  explicit CountingPolicy(const leveldb::FilterPolicy* policy) : policy_(policy) {}

  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    policy_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool may_match = policy_->KeyMayMatch(key, filter);
    queries.fetch_add(1, std::memory_order_relaxed);
    if (!may_match) rejected.fetch_add(1, std::memory_order_relaxed);
    return may_match;
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

// What the files of a database hold, after the bench has closed it.
void PrintFiles(const std::string& directory) {
  constexpr int kLevels = 7;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(leveldb::Options(), directory, &opened);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  std::unique_ptr<leveldb::DB> db(opened);
  std::unique_ptr<leveldb::Iterator> at(db->NewIterator(leveldb::ReadOptions()));
  uint64_t num_keys = 0;
  for (at->SeekToFirst(); at->Valid(); at->Next()) ++num_keys;
  if (!at->status().ok()) throw std::runtime_error(at->status().ToString());
  int num_levels = 0;
  for (int level = 0; level < kLevels; ++level) {
    std::string num_files;
    if (db->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &num_files) &&
        num_files != "0")
      ++num_levels;
  }
  at.reset();
  db.reset();
  const FilterSummary sum = ReadLevelDBFilters(directory);
  std::printf("files        : %" PRIu64 " keys, %d levels, %" PRIu64 " filters, %" PRIu64
              " filter bytes, %" PRIu64 " with offsets\n",
              num_keys, num_levels, sum.num_filters, sum.filter_bytes, sum.block_bytes);
}

// True if `argument` is this flag.
bool Take(const std::string& argument, const std::string& flag,
          const std::vector<std::string>& allowed, std::string* value) {
  if (argument.compare(0, flag.size(), flag) != 0) return false;
  *value = argument.substr(flag.size());
  if (std::count(allowed.begin(), allowed.end(), *value) == 0) {
    std::string sentence = argument + ": allowed are";
    for (const std::string& one : allowed) sentence += " " + one;
    throw std::invalid_argument(sentence);
  }
  return true;
}

int Run(int argc, char** argv) {
  std::vector<char*> rest;
  std::string directory;
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (argument.compare(0, 5, "--db=") == 0) directory = argument.substr(5);
    if (!Take(argument, "--policy=", {"builtin-bloom", "blocked", "compact"}, &policy_name) &&
        !Take(argument, "--count=", {"0", "1"}, &count) &&
        !Take(argument, "--files=", {"0", "1"}, &files))
      rest.push_back(argv[i]);
  }
  if (files == "1" && directory.empty()) throw std::invalid_argument("--files=1 needs --db=FOLDER");
  rest.push_back(nullptr);
  const int status = StockMain(static_cast<int>(rest.size()) - 1, rest.data());
  if (count == "1") {
    std::printf("filters      : %" PRIu64 " queries, %" PRIu64 " rejected\n", queries.load(),
                rejected.load());
  }
  if (files == "1") PrintFiles(directory);
  return status;
}

}  // namespace

const leveldb::FilterPolicy* NewPolicy(int bits_per_key) {
  const leveldb::FilterPolicy* policy = NewLevelDBPolicy(policy_name, bits_per_key);
  return count == "1" ? new CountingPolicy(policy) : policy;
}

}  // namespace bloomline::bench

int main(int argc, char** argv) {
  try {
    return bloomline::bench::Run(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "leveldb_db_bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "leveldb_db_bench: %s\n", error.what());
    return 1;
  }
}
