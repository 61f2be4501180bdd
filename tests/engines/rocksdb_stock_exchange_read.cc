// Reads the databases of stock_exchange_write: stock_exchange_read FOLDER. It is a program without
// bloomline, so all that it finds is of use to RocksDB alone: the policy of the OPTIONS file, every
// filter, and the false-positive rate of each level. Then RocksDB rewrites the database.
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/engines/rocksdb_open.h"

namespace {

constexpr uint64_t kLookups = 200000;

using Rates = std::map<int, double>;  // by level

int num_failures = 0;

void Check(bool holds, const std::string& database, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s: %s\n", database.c_str(), what.c_str());
  ++num_failures;
}

// What the filters of a level said.
struct Counts {
  uint64_t no = 0, maybe = 0, true_maybe = 0;
  uint64_t queries() const { return no + maybe; }
};

std::map<int, Counts> TakeCounts() {
  std::map<int, Counts> counts;
  rocksdb::PerfContext* const context = rocksdb::get_perf_context();
  if (context->level_to_perf_context != nullptr) {
    for (const auto& [level, of_level] : *context->level_to_perf_context) {
      counts[static_cast<int>(level)] = {of_level.bloom_filter_useful,
                                         of_level.bloom_filter_full_positive,
                                         of_level.bloom_filter_full_true_positive};
    }
  }
  context->Reset();
  context->ClearPerLevelPerfContext();
  context->EnablePerLevelPerfContext();
  return counts;
}

class Database {
 public:
  Database(const std::string& name, const std::string& path) : name_(name) {
    const rocksdb::ConfigOptions config;
    Require(rocksdb::LoadLatestOptions(config, path, &options_, &families_), "OPTIONS");
    Check(families_.size() == 1, name, "another number of column families");
    const auto* const table =
        families_.at(0).options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    if (table->filter_policy == nullptr) {
      Check(false, name, "the OPTIONS file has no filter policy");
    } else {
      std::printf("%s: policy %s\n", name.c_str(), table->filter_policy->GetId().c_str());
    }
    options_.statistics = rocksdb::CreateDBStatistics();
    Require(bloomline::tests::OpenRocksDB(options_, path, families_, &handles_, &db_), "Open");
  }
  ~Database() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  }

  // Each level's filter lets its keys pass.
  void FindStoredKeys() {
    std::vector<std::string> keys;
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator({}));
    for (it->SeekToFirst(); it->Valid(); it->Next()) keys.push_back(it->key().ToString());
    Check(keys.size() > 100000, name_, std::to_string(keys.size()) + " keys");
    TakeCounts();
    uint64_t lost = 0;
    std::string value;
    for (const std::string& key : keys) lost += db_->Get({}, key, &value).ok() ? 0 : 1;
    Check(lost == 0, name_, std::to_string(lost) + " keys are lost");
    uint64_t passed = 0;
    for (const auto& [level, counts] : TakeCounts()) passed += counts.true_maybe;
    Check(passed == keys.size(), name_,
          std::to_string(passed) + " of " + std::to_string(keys.size()) +
              " stored keys passed a filter");
    Check(Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE) == keys.size(), name_,
          "the ticker of true positives differs");
  }

  // A lookup of a missing key asks the filter of each level.
  void LookUpMissingKeys(const Rates& promised) {
    Require(options_.statistics->Reset(), "Reset");
    TakeCounts();
    std::mt19937_64 random(5);
    std::string value;
    for (uint64_t i = 0; i < kLookups; ++i) {
      const uint64_t number = random();
      const rocksdb::Slice key(reinterpret_cast<const char*>(&number), sizeof(number));
      Check(db_->Get({}, key, &value).IsNotFound(), name_, "a missing key is found");
    }
    std::map<int, Counts> counts = TakeCounts();
    uint64_t no = 0, maybe = 0;
    for (const auto& [level, rate] : promised) {
      const Counts& of_level = counts[level];
      CheckRate(level, of_level, rate);
      no += of_level.no;
      maybe += of_level.maybe;
    }
    Check(Ticker(rocksdb::BLOOM_FILTER_USEFUL) == no, name_, "the ticker of rejections differs");
    Check(Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) == maybe, name_,
          "the ticker of positives differs");
  }

  void Rewrite() {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    Require(db_->CompactRange(options, nullptr, nullptr), "CompactRange");
    Require(options_.statistics->Reset(), "Reset");
    TakeCounts();
    FindStoredKeys();
  }

 private:
  void Require(const rocksdb::Status& status, const char* what) {
    if (status.ok()) return;
    std::printf("FAILED: %s: %s: %s\n", name_.c_str(), what, status.ToString().c_str());
    std::exit(1);
  }
  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }

  void CheckRate(int level, const Counts& counts, double rate) const {
    const std::string where = name_ + ", level " + std::to_string(level);
    const auto queries = static_cast<double>(counts.queries());
    const double expected = rate * queries;
    const double chance = 4 * std::sqrt(expected) + 0.05 * expected;
    std::printf("%s: %llu queries, false positives %.5f %%, promised %.5f %%\n", where.c_str(),
                static_cast<unsigned long long>(counts.queries()),
                100 * static_cast<double>(counts.maybe) / queries, 100 * rate);
    // Few missing keys are outside the range of the smallest level's 10 keys.
    Check(queries > 0.6 * kLookups, where, "few lookups ask the filter");
    Check(static_cast<double>(counts.maybe) <= expected + chance + 2, where, "too many positives");
    // A small filter is a whole block, and so better than its bits per key.
    if (expected > 200) {
      Check(static_cast<double>(counts.maybe) >= expected - chance, where, "too few positives");
    }
  }

  const std::string name_;
  rocksdb::DBOptions options_;
  std::vector<rocksdb::ColumnFamilyDescriptor> families_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::unique_ptr<rocksdb::DB> db_;
};

std::map<std::string, Rates> Promised(const std::string& path) {
  std::map<std::string, Rates> promised;
  std::ifstream file(path);
  std::string name;
  int level;
  double rate;
  while (file >> name >> level >> rate) promised[name][level] = rate;
  return promised;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: stock_exchange_read FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  const std::map<std::string, Rates> promised = Promised(folder + "/promised");
  Check(promised.size() == 4, folder, std::to_string(promised.size()) + " databases");
  for (const auto& [name, rates] : promised) {
    Check(rates.size() == 5, name, std::to_string(rates.size()) + " levels");
    Database database(name, folder + "/" + name);
    database.FindStoredKeys();
    database.LookUpMissingKeys(rates);
    database.Rewrite();
  }
  std::printf("RocksDB %d.%d.%d without bloomline: %zu databases, %d failures\n", ROCKSDB_MAJOR,
              ROCKSDB_MINOR, ROCKSDB_PATCH, promised.size(), num_failures);
  return num_failures == 0 ? 0 : 1;
}
