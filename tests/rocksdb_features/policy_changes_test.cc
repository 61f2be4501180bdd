// A running database whose filters change, while iterators and readers of the first ones are alive.
// Since 9.8, SetOptions replaces the policy by any other; before, it changes bloomline's options
// alone. RocksDBSetOptionsTest and RocksDBThreadsTest have more about options.
#include <atomic>
#include <thread>

#include "tests/engines/rocksdb_settings.h"
#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBPolicyChangesTest : public FeatureTest {
 protected:
  static rocksdb::Status SetPolicy(rocksdb::DB* db, const std::string& policy) {
    return db->SetOptions({{"block_based_table_factory", "{filter_policy=" + policy + ";}"}});
  }

  // What the policy is changed to, in turn. The last one brings back the first policy's filters.
  std::vector<std::string> Changes() const {
    if (!kSetOptionsMakesANewPolicy) return {"{bits_per_key=14;}", "{seed=7;bits_per_key=10;}"};
    return {"bloomfilter:10", "nullptr", "ribbonfilter:10", GetParam().policy};
  }

  rocksdb::BlockBasedTableOptions CachingTable(size_t bytes) const {
    auto table = Table();
    table.cache_index_and_filter_blocks = true;
    table.block_cache = rocksdb::NewLRUCache(bytes, 0);
    return table;
  }
};

TEST_P(RocksDBPolicyChangesTest, EveryFileKeepsItsFilter) {
  const auto db = Open(MakeOptions(CachingTable(1 << 20)));
  Put(db.get(), 0, kNumKeys, 5, 0);
  Flush(db.get());
  const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator({}));
  iterator->SeekToFirst();
  if (!kSetOptionsMakesANewPolicy) {
    EXPECT_FALSE(SetPolicy(db.get(), "bloomfilter:10").ok());
  }
  uint64_t run = 1;
  for (const std::string& change : Changes()) {
    const rocksdb::Status status = SetPolicy(db.get(), change);
    ASSERT_TRUE(status.ok()) << change << ": " << status.ToString();
    Put(db.get(), 0, kNumKeys, 5, run++);
    Flush(db.get());
  }
  for (; run < 5; ++run) Put(db.get(), 0, kNumKeys, 5, run);
  Flush(db.get());
  Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  // At most one file of four or five has no filter.
  EXPECT_GE(answers.true_positives, kNumKeys * 3 / 5) << answers;
  EXPECT_GE(answers.rejected, kNumKeys * 29 / 10) << answers;
  // The iterator still reads the first file.
  uint64_t n = 0;
  for (; iterator->Valid(); iterator->Next()) ++n;
  EXPECT_EQ(n, kNumKeys / 5);
  Compact(db.get());
  ExpectAllRight(db.get());
}

TEST_P(RocksDBPolicyChangesTest, ReadersLoseNoKeyWhilePoliciesChange) {
  const auto db = Open(MakeOptions(CachingTable(64 << 10)));
  PutRuns(db.get(), 3);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (uint64_t thread = 0; thread < 2; ++thread) {
    readers.emplace_back([&, thread] {
      std::string value;
      for (uint64_t i = thread; !stop; i += 7) {
        const uint64_t k = i % kNumKeys;
        wrong += !db->Get({}, Stored(k), &value).ok() || value != Value(k);
        wrong += !db->Get({}, Missing(k), &value).IsNotFound();
        ++reads;
      }
    });
  }
  const std::vector<std::string> changes = Changes();
  for (size_t round = 0; round < 8 || (reads < 2000 && round < 1000); ++round) {
    EXPECT_TRUE(SetPolicy(db.get(), changes[round % changes.size()]).ok());
    Put(db.get(), 0, kNumKeys, 10, round % 10);
    Flush(db.get());
    if (round % 3 == 0) Compact(db.get());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u) << "of " << reads;
  ASSERT_TRUE(SetPolicy(db.get(), changes.back()).ok());
  Compact(db.get());
  ExpectAllRight(db.get());
}

BLOOMLINE_FEATURE_TESTS(RocksDBPolicyChangesTest);

}  // namespace
}  // namespace bloomline
