// Limited memory (RocksDBFilterOptions::memory_bytes) while a database grows twenty-fold.
//
// BLOOMLINE_TEST_KEYS in the environment: the keys at the end. With it, the test prints what stands
// in docs/operating.md:
//
//   BLOOMLINE_TEST_KEYS=1000000 build/dev/tests/rocksdb_memory_growth_test
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/accounted_database.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

const char* const wanted_keys = std::getenv("BLOOMLINE_TEST_KEYS");
const uint64_t kKeys = wanted_keys == nullptr ? 200000 : std::strtoull(wanted_keys, nullptr, 10);

// Of the memory, and of the wasted reads of constant bits. A small database differs more from full
// levels.
const double kTolerance = wanted_keys == nullptr ? 0.2 : 0.05;
const double kMostReads = wanted_keys == nullptr ? 1.4 : 1.25;

class GrowingDatabase : public AccountedDatabase {
 public:
  GrowingDatabase(const std::string& path, const RocksDBFilterOptions& filter,
                  const std::shared_ptr<FilterAccount>& account, uint64_t num_keys = 0)
      : AccountedDatabase(path, account, filter), num_keys_(num_keys) {
    options().target_file_size_base = 64 << 10;
    options().max_bytes_for_level_base = 256 << 10;
    options().statistics = rocksdb::CreateDBStatistics();
    EXPECT_TRUE(Open().ok());
  }

  // Adds keys until there are num_keys. Calls look() after each 2000 keys, then waits for
  // compactions.
  template <typename F>
  void GrowTo(uint64_t num_keys, F look) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (; num_keys_ < num_keys; ++num_keys_) {
      ASSERT_TRUE(db()->Put(write, Key(num_keys_), "a value of some length").ok());
      if (num_keys_ % 2000 == 0) look();
    }
    Flush();
    Wait();
  }

  uint64_t num_keys() const { return num_keys_; }

  void CopyTo(const std::string& path) {
    rocksdb::Checkpoint* checkpoint = nullptr;
    ASSERT_TRUE(rocksdb::Checkpoint::Create(db(), &checkpoint).ok());
    ASSERT_TRUE(checkpoint->CreateCheckpoint(path).ok());
    delete checkpoint;
  }

  // Gives all files new filters, at their levels.
  void Rewrite() {
    RewriteOptions rewrite;
    rewrite.all_files = true;
    rewrite.include_level0 = true;
    std::string error;
    ASSERT_TRUE(RewriteFilters(db(), handles()[0], rewrite, nullptr, &error)) << error;
  }

  // Per lookup of a missing key.
  double wasted_reads() {
    const int kLookups = wanted_keys == nullptr ? 200000 : 3000000;
    const uint64_t before = positives();
    std::string value;
    for (uint64_t i = 0; i < static_cast<uint64_t>(kLookups); ++i) {
      EXPECT_TRUE(db()->Get({}, Key(num_keys_ + i + 1000000000), &value).IsNotFound());
    }
    return static_cast<double>(positives() - before) / kLookups;
  }

 private:
  uint64_t positives() {
    return options().statistics->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
  }

  uint64_t num_keys_;
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
  double bits = 8 * bytes / static_cast<double>(database->num_keys());
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
  options.memory_bytes = kKeys * 7 / 8;
  const auto account = NewFilterAccount();
  GrowingDatabase database(dir.Path("db"), options, account);
  for (uint64_t percent = 5; percent <= 100; percent += 5) {
    const uint64_t num_keys = kKeys / 100 * percent;
    database.GrowTo(num_keys, [] {});
    if (HasFatalFailure()) return;
    const auto bytes = static_cast<double>(database.filter_bytes());
    const double share = bytes / static_cast<double>(options.memory_bytes);
    EXPECT_LT(share, 1 + kTolerance) << num_keys;
    if (percent >= 45) {  // before that, 20 bits per key take less
      EXPECT_GT(share, 1 - kTolerance) << num_keys;
    }
    const bool is_compared = percent == 100 || (wanted_keys != nullptr && percent % 20 == 0);
    if (wanted_keys != nullptr) {
      std::printf("%8" PRIu64 " keys: %5.2f bits per key, %5.1f %% of the memory", num_keys,
                  8 * bytes / static_cast<double>(num_keys), 100 * share);
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
  database.ExpectNoKeyLost(database.num_keys());
}

// The filters of the upper levels alone take the memory. These levels grow and shrink by a fifth
// with each compaction, so the mean of many steps counts.
TEST(MemoryGrowthTest, WithoutFiltersAtTheBottomTheOthersTakeTheMemory) {
  if (kIsSlow) GTEST_SKIP() << "most of its time is RocksDB's";
  const uint64_t num_keys = std::max<uint64_t>(kKeys, 500000);
  TempDir dir;
  RocksDBFilterOptions options = ByLevel(20);
  options.filters_at_bottom = false;
  options.memory_bytes = num_keys / 16;  // 5 bits for each tenth key
  const auto account = NewFilterAccount();
  GrowingDatabase database(dir.Path("db"), options, account);
  double sum = 0, least = 10, most = 0;
  int num_steps = 0;
  for (uint64_t percent = 1; percent <= 100; ++percent) {
    database.GrowTo(num_keys / 100 * percent, [] {});
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
  database.ExpectNoKeyLost(database.num_keys());
}

// What compactions have not merged yet has bits of its own, so the files exceed the limit for a
// while. The account, which leaves out what is being replaced, shows how far.
TEST(MemoryGrowthTest, AFillExceedsTheLimitForAWhileOnly) {
  if (kIsSlow) GTEST_SKIP() << "most of its time is RocksDB's";
  for (const uint64_t num_keys : {30000, 60000, 200000}) {
    TempDir dir;
    RocksDBFilterOptions options = ByLevel(10);
    options.memory_bytes = num_keys * 5 / 8;  // reached at half of the keys
    const auto account = NewFilterAccount();
    GrowingDatabase database(dir.Path("db"), options, account);
    const auto limit = static_cast<double>(options.memory_bytes);
    double counted = 0, files = 0;
    database.GrowTo(num_keys, [&] {
      counted = std::max(counted, static_cast<double>(account->filter_bytes()) / limit);
      files = std::max(files, static_cast<double>(database.filter_bytes()) / limit);
    });
    if (HasFatalFailure()) return;
    const double at_rest = static_cast<double>(database.filter_bytes()) / limit;
    std::printf("%" PRIu64 " keys: at most %.1f %% counted, %.1f %% in files; %.1f %% at rest\n",
                num_keys, 100 * counted, 100 * files, 100 * at_rest);
    EXPECT_LT(counted, 1.5) << num_keys;
    EXPECT_LT(at_rest, 1.1) << num_keys;
  }
}

}  // namespace
}  // namespace bloomline::tests
