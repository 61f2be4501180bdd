// Reads the databases of stock_exchange_write: stock_exchange_read FOLDER. It is a program without
// bloomline, so all that it finds is of use to RocksDB alone: the policy of the OPTIONS file, and
// every filter. Then RocksDB rewrites the database.
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/engines/rocksdb_open.h"

namespace {

int num_failures = 0;

class Database {
 public:
  explicit Database(const std::string& path) : name_(path) {
    Require(rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), path, &options_, &families_));
    const auto* const table =
        families_.at(0).options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    Check(table->filter_policy != nullptr, "the OPTIONS file has no filter policy");
    options_.statistics = rocksdb::CreateDBStatistics();
    Require(bloomline::tests::OpenRocksDB(options_, path, families_, &handles_, &db_));
  }
  ~Database() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  }

  // The filter of each key's level lets it pass.
  void FindStoredKeys() {
    std::vector<std::string> keys;
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator({}));
    for (it->SeekToFirst(); it->Valid(); it->Next()) keys.push_back(it->key().ToString());
    Check(keys.size() > 100000, std::to_string(keys.size()) + " keys");
    Require(options_.statistics->Reset());
    uint64_t lost = 0;
    std::string value;
    for (const std::string& key : keys) lost += db_->Get({}, key, &value).ok() ? 0 : 1;
    Check(lost == 0, std::to_string(lost) + " keys are lost");
    const uint64_t passed = Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
    Check(passed == keys.size(), std::to_string(passed) + " of " + std::to_string(keys.size()) +
                                     " stored keys passed a filter");
  }

  // A lookup of a missing key queries the filters of five levels. With bits by level, 1.4 % of the
  // lookups pass a filter. With as many bits in each level, 5 % would.
  void LookUpMissingKeys() {
    constexpr uint64_t kLookups = 200000;
    Require(options_.statistics->Reset());
    std::mt19937_64 random(5);
    std::string value;
    uint64_t found = 0;
    for (uint64_t i = 0; i < kLookups; ++i) {
      const uint64_t number = random();
      const rocksdb::Slice key(reinterpret_cast<const char*>(&number), sizeof(number));
      found += db_->Get({}, key, &value).IsNotFound() ? 0 : 1;
    }
    Check(found == 0, std::to_string(found) + " missing keys are found");
    const uint64_t no = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    const uint64_t maybe = Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    std::printf("%s: filters said no %llu times, maybe %llu times\n", name_.c_str(),
                static_cast<unsigned long long>(no), static_cast<unsigned long long>(maybe));
    // Few missing keys are outside the range of the smallest level's 10 keys.
    Check(no > kLookups * 9 / 2, "few lookups query the filters");
    Check(maybe < kLookups / 50, "too many positives");
  }

  void Rewrite() {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    Require(db_->CompactRange(options, nullptr, nullptr));
  }

 private:
  void Check(bool holds, const std::string& what) const {
    if (holds) return;
    std::printf("FAILED: %s: %s\n", name_.c_str(), what.c_str());
    ++num_failures;
  }
  void Require(const rocksdb::Status& status) const {
    Check(status.ok(), status.ToString());
    if (!status.ok()) std::exit(1);
  }
  uint64_t Ticker(rocksdb::Tickers ticker) const {
    return options_.statistics->getTickerCount(ticker);
  }

  const std::string name_;
  rocksdb::DBOptions options_;
  std::vector<rocksdb::ColumnFamilyDescriptor> families_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: stock_exchange_read FOLDER\n", stderr);
    return 2;
  }
  int num_databases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    Database database(entry.path().string());
    database.FindStoredKeys();
    database.LookUpMissingKeys();
    database.Rewrite();
    database.FindStoredKeys();
    ++num_databases;
  }
  std::printf("RocksDB %d.%d.%d without bloomline: %d databases, %d failures\n", ROCKSDB_MAJOR,
              ROCKSDB_MINOR, ROCKSDB_PATCH, num_databases, num_failures);
  return num_failures == 0 && num_databases == 4 ? 0 : 1;
}
