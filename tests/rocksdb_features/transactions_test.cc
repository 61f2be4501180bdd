// Reads that see more than the files: those of transactions and of indexed batches.
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/utilities/write_batch_with_index.h>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBTransactionsTest : public FeatureTest {
 protected:
  // In transactions that see each other's keys once they are committed: reads, locks and conflicts.
  template <typename Database>
  void ExpectRightIn(Database* db) {
    for (uint64_t start = 0; start < kNumKeys; start += 100) {
      const std::unique_ptr<rocksdb::Transaction> put(db->BeginTransaction(Unlogged()));
      std::string value;
      for (uint64_t i = start; i < start + 100; ++i) {
        ASSERT_TRUE(put->GetForUpdate({}, Stored(i), &value).IsNotFound());
        ASSERT_TRUE(put->Put(Stored(i), Value(i)).ok());
        ASSERT_TRUE(put->Get({}, Stored(i), &value).ok());
      }
      ASSERT_TRUE(put->Commit().ok());
      if (start % 500 == 0) Flush(db);
    }
    Flush(db);
    const std::unique_ptr<rocksdb::Transaction> transaction(db->BeginTransaction(Unlogged()));
    ExpectAllRight([&](const std::string& key, std::string* value) {
      return transaction->Get({}, key, value);
    });
    ExpectAllRight([&](const std::string& key, std::string* value) {
      return transaction->GetForUpdate({}, key, value);
    });
    // Undone: the database is as before.
    for (uint64_t i = 0; i < kNumKeys; i += 3) {
      ASSERT_TRUE(transaction->Delete(Stored(i)).ok());
      ASSERT_TRUE(transaction->Put(Missing(i), "value").ok());
    }
    ASSERT_TRUE(transaction->Rollback().ok());
    ExpectAllRight(From(db));
  }
};

TEST_P(RocksDBTransactionsTest, Pessimistic) {
  rocksdb::TransactionDB* opened = nullptr;
  ASSERT_TRUE(rocksdb::TransactionDB::Open(MakeOptions(), rocksdb::TransactionDBOptions(),
                                           Path("db"), &opened)
                  .ok());
  const std::unique_ptr<rocksdb::TransactionDB> db(opened);
  ExpectRightIn(db.get());
}

TEST_P(RocksDBTransactionsTest, Optimistic) {
  rocksdb::OptimisticTransactionDB* opened = nullptr;
  ASSERT_TRUE(rocksdb::OptimisticTransactionDB::Open(MakeOptions(), Path("db"), &opened).ok());
  const std::unique_ptr<rocksdb::OptimisticTransactionDB> db(opened);
  ExpectRightIn(db.get());
  // A conflict is found, also about a key that no file has.
  for (const std::string& key : {Stored(7), Missing(7)}) {
    const std::unique_ptr<rocksdb::Transaction> transaction(db->BeginTransaction(Unlogged()));
    std::string value;
    transaction->GetForUpdate({}, key, &value);
    ASSERT_TRUE(db->Put(Unlogged(), key, "other").ok());
    ASSERT_TRUE(transaction->Put(key, "mine").ok());
    EXPECT_TRUE(transaction->Commit().IsBusy()) << key;
  }
}

TEST_P(RocksDBTransactionsTest, IndexedBatches) {
  const auto db = Open(MakeOptions());
  PutRuns(db.get(), 2);
  rocksdb::WriteBatchWithIndex batch;
  for (uint64_t i = 0; i < kNumKeys; i += 5) ASSERT_TRUE(batch.Delete(Stored(i)).ok());
  for (uint64_t i = 0; i < kNumKeys; i += 7) ASSERT_TRUE(batch.Put(Missing(i), "new").ok());
  std::string value;
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    rocksdb::Status status = batch.GetFromBatchAndDB(db.get(), {}, Stored(i), &value);
    ASSERT_EQ(status.ok() ? value : "", i % 5 == 0 ? "" : Value(i)) << i;
    status = batch.GetFromBatchAndDB(db.get(), {}, Missing(i), &value);
    ASSERT_EQ(status.ok() ? value : "", i % 7 == 0 ? "new" : "") << i;
  }
  // Only the others are looked up in the database.
  batch.Clear();
  ExpectAllRight([&](const std::string& key, std::string* found) {
    return batch.GetFromBatchAndDB(db.get(), {}, key, found);
  });
}

BLOOMLINE_FEATURE_TESTS(RocksDBTransactionsTest);

}  // namespace
}  // namespace bloomline
