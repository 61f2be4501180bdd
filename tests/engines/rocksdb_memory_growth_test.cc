// Limited memory (RocksDBFilterOptions::memory_bytes) while a database grows twenty-fold.
//
// BLOOMLINE_TEST_KEYS in the environment: the keys at the end. With it, the test prints what stands
// in docs/budget.md:
//
//   BLOOMLINE_TEST_KEYS=1000000 build/dev/tests/rocksdb_memory_growth_test
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

const char* const wanted_keys = std::getenv("BLOOMLINE_TEST_KEYS");
const int kKeys = wanted_keys == nullptr ? 200000 : std::atoi(wanted_keys);

// Of the memory, and of the wasted reads of constant bits. A small database differs more from full
// levels.
const double kTolerance = wanted_keys == nullptr ? 0.2 : 0.05;
const double kMostReads = wanted_keys == nullptr ? 1.4 : 1.25;

class GrowingDatabase {
 public:
  GrowingDatabase(const std::string& path, const RocksDBFilterOptions& filter,
                  const std::shared_ptr<FilterAccount>& account, int num_keys = 0)
      : num_keys_(num_keys) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewRocksDBFilterPolicy(filter);
    options_.create_if_missing = true;
    options_.compression = rocksdb::kNoCompression;
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 64 << 10;
    options_.max_bytes_for_level_base = 256 << 10;
    options_.level_compaction_dynamic_level_bytes = true;
    options_.statistics = rocksdb::CreateDBStatistics();
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    if (account != nullptr) options_.listeners = {account};
    EXPECT_TRUE(OpenRocksDB(options_, path, &db_).ok());
  }

  // Adds keys until there are num_keys.
  void GrowTo(int num_keys) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (; num_keys_ < num_keys; ++num_keys_) {
      ASSERT_TRUE(db_->Put(write, Key(num_keys_), "a value of some length").ok());
    }
    ASSERT_TRUE(db_->Flush({}).ok());
    WaitForCompactions();
  }

  // The same without waiting: calls look() after each 2000 keys.
  template <typename F>
  void FillTo(int num_keys, F look) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (; num_keys_ < num_keys; ++num_keys_) {
      ASSERT_TRUE(db_->Put(write, Key(num_keys_), "a value of some length").ok());
      if (num_keys_ % 2000 == 0) look();
    }
  }

  int num_files() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    return static_cast<int>(files.size());
  }

  uint64_t filter_bytes() {
    rocksdb::TablePropertiesCollection tables;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
    uint64_t bytes = 0;
    for (const auto& [name, properties] : tables) bytes += properties->filter_size;
    return bytes;
  }

  int num_keys() const { return num_keys_; }

  void CopyTo(const std::string& path) {
    rocksdb::Checkpoint* checkpoint = nullptr;
    ASSERT_TRUE(rocksdb::Checkpoint::Create(db_.get(), &checkpoint).ok());
    ASSERT_TRUE(checkpoint->CreateCheckpoint(path).ok());
    delete checkpoint;
  }

  // Gives all files new filters, at their levels.
  void Rewrite() {
    RewriteOptions rewrite;
    rewrite.all_files = true;
    rewrite.include_level0 = true;
    std::string error;
    ASSERT_TRUE(RewriteFilters(db_.get(), db_->DefaultColumnFamily(), rewrite, nullptr, &error))
        << error;
  }

  // Per lookup of a missing key.
  double wasted_reads() {
    const int kLookups = wanted_keys == nullptr ? 200000 : 3000000;
    const uint64_t before = positives();
    std::string value;
    for (int i = 0; i < kLookups; ++i) {
      EXPECT_TRUE(db_->Get({}, Key(num_keys_ + i + 1000000000), &value).IsNotFound());
    }
    return static_cast<double>(positives() - before) / kLookups;
  }

  void ExpectNoKeyLost() {
    std::string value;
    for (int i = 0; i < num_keys_; i += 7) ASSERT_TRUE(db_->Get({}, Key(i), &value).ok()) << i;
  }

 private:
  static std::string Key(int i) {
    const uint64_t number = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15;
    std::string key(8, '\0');
    for (int byte = 0; byte < 8; ++byte) key[byte] = static_cast<char>(number >> (8 * (7 - byte)));
    return key;
  }

  uint64_t positives() const {
    return options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
  }

  void WaitForCompactions() {
    for (int idle = 0, waits = 0; idle < 3 && waits < 12000; ++waits) {
      uint64_t running = 0, pending = 0;
      db_->GetIntProperty("rocksdb.num-running-compactions", &running);
      db_->GetIntProperty("rocksdb.compaction-pending", &pending);
      idle = running + pending == 0 ? idle + 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  int num_keys_;
};

RocksDBFilterOptions ByLevel(double bits_per_key) {
  RocksDBFilterOptions options;
  options.format = Format::kCompact;
  options.auto_bits_by_level = true;
  options.bits_per_key = bits_per_key;
  return options;
}

// The wasted reads of the same files with filters of constant bits by level that take as much.
double WastedReadsOfConstantBits(GrowingDatabase* database) {
  const auto bytes = static_cast<double>(database->filter_bytes());
  double bits = 8 * bytes / database->num_keys();
  double wasted = 0;
  for (int tries = 0; tries < 4; ++tries) {
    TempDir dir;
    database->CopyTo(dir.Path("db"));
    GrowingDatabase copy(dir.Path("db"), ByLevel(bits), nullptr, database->num_keys());
    copy.Rewrite();
    wasted = copy.wasted_reads();
    const double ratio = static_cast<double>(copy.filter_bytes()) / bytes;
    if (ratio > 0.995 && ratio < 1.005) break;
    bits /= ratio;
  }
  return wasted;
}

TEST(MemoryGrowthTest, TwentyFoldGrowthStaysWithinTheMemory) {
  if (kIsSlow) GTEST_SKIP() << "most of its time is RocksDB's";
  TempDir dir;
  RocksDBFilterOptions options = ByLevel(20);
  options.memory_bytes = static_cast<uint64_t>(kKeys) * 7 / 8;
  const auto account = NewFilterAccount();
  GrowingDatabase database(dir.Path("db"), options, account);
  for (int percent = 5; percent <= 100; percent += 5) {
    const int num_keys = kKeys / 100 * percent;
    database.GrowTo(num_keys);
    if (HasFatalFailure()) return;
    const auto bytes = static_cast<double>(database.filter_bytes());
    const double share = bytes / static_cast<double>(options.memory_bytes);
    EXPECT_LT(share, 1 + kTolerance) << num_keys;
    if (percent >= 45) {  // before that, 20 bits per key take less
      EXPECT_GT(share, 1 - kTolerance) << num_keys;
    }
    const bool is_compared = percent == 100 || (wanted_keys != nullptr && percent % 20 == 0);
    if (wanted_keys != nullptr) {
      std::printf("%8d keys: %5.2f bits per key, %5.1f %% of the memory", num_keys,
                  8 * bytes / num_keys, 100 * share);
    }
    if (is_compared) {
      const double wasted = database.wasted_reads();
      const double constant = WastedReadsOfConstantBits(&database);
      // With 15 bits and more, there are too few to compare.
      if (percent >= 60) {
        EXPECT_LT(wasted, constant * kMostReads) << num_keys;
      }
      if (wanted_keys != nullptr) {
        std::printf("; wasted reads %.4f %%, with constant bits %.4f %%", 100 * wasted,
                    100 * constant);
      }
    }
    if (wanted_keys != nullptr) {
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  database.ExpectNoKeyLost();
}

// The filters of the upper levels alone take the memory. These levels grow and shrink by a fifth
// with each compaction, so the mean of many steps counts.
TEST(MemoryGrowthTest, WithoutFiltersAtTheBottomTheOthersTakeTheMemory) {
  if (kIsSlow) GTEST_SKIP() << "most of its time is RocksDB's";
  const int num_keys = std::max(kKeys, 1000000);
  TempDir dir;
  RocksDBFilterOptions options = ByLevel(20);
  options.filters_at_bottom = false;
  options.memory_bytes = static_cast<uint64_t>(num_keys) / 16;  // 5 bits for each tenth key
  const auto account = NewFilterAccount();
  GrowingDatabase database(dir.Path("db"), options, account);
  double sum = 0, least = 10, most = 0;
  int num_steps = 0;
  for (int percent = 1; percent <= 100; ++percent) {
    database.GrowTo(num_keys / 100 * percent);
    if (HasFatalFailure()) return;
    if (percent <= 70) continue;
    const double share =
        static_cast<double>(database.filter_bytes()) / static_cast<double>(options.memory_bytes);
    sum += share;
    least = std::min(least, share);
    most = std::max(most, share);
    ++num_steps;
  }
  if (wanted_keys != nullptr) {
    std::printf("the filters take %.1f %% of the memory, from %.1f to %.1f %%\n",
                100 * sum / num_steps, 100 * least, 100 * most);
  }
  EXPECT_LT(sum / num_steps, 1.04);
  EXPECT_GT(sum / num_steps, 0.85);
  database.ExpectNoKeyLost();
}

// What compactions have not merged yet has bits of its own, so the files exceed the limit for a
// while. The account, which leaves out what is being replaced, shows how far.
TEST(MemoryGrowthTest, AFillExceedsTheLimitForAWhileOnly) {
  if (kIsSlow) GTEST_SKIP() << "most of its time is RocksDB's";
  for (const int num_keys : {30000, 60000, 200000}) {
    TempDir dir;
    RocksDBFilterOptions options = ByLevel(10);
    options.memory_bytes = static_cast<uint64_t>(num_keys) * 5 / 8;  // reached at half of the keys
    const auto account = NewFilterAccount();
    GrowingDatabase database(dir.Path("db"), options, account);
    const auto limit = static_cast<double>(options.memory_bytes);
    double counted = 0, files = 0;
    database.FillTo(num_keys, [&] {
      counted = std::max(counted, static_cast<double>(account->filter_bytes()) / limit);
      files = std::max(files, static_cast<double>(database.filter_bytes()) / limit);
    });
    if (HasFatalFailure()) return;
    const int num_files = database.num_files();
    database.GrowTo(num_keys + 1);
    const double at_rest = static_cast<double>(database.filter_bytes()) / limit;
    std::printf("%d files: at most %.1f %% counted, %.1f %% in files; %.1f %% at rest\n", num_files,
                100 * counted, 100 * files, 100 * at_rest);
    EXPECT_LT(counted, 1.5) << num_keys;
    EXPECT_LT(at_rest, 1.1) << num_keys;
  }
}

}  // namespace
}  // namespace bloomline::tests
