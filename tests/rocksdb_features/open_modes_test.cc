// Other ways to open a database, and its copies.
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/checkpoint.h>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBOpenModesTest : public FeatureTest {};

TEST_P(RocksDBOpenModesTest, ReadOnly) {
  const rocksdb::Options options = MakeOptions();
  { PutRuns(Open(options).get(), 2); }
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(OpenBy(&db, [&](auto* opened) {
                return rocksdb::DB::OpenForReadOnly(options, Path("db"), opened);
              }).ok());
  EXPECT_FALSE(db->Put(Unlogged(), "key", "value").ok());
  ExpectAllRight(db.get());
  // Several at once.
  std::unique_ptr<rocksdb::DB> second;
  ASSERT_TRUE(OpenBy(&second, [&](auto* opened) {
                return rocksdb::DB::OpenForReadOnly(options, Path("db"), opened);
              }).ok());
  ExpectAllRight(second.get());
  ExpectAllRight(db.get());
}

TEST_P(RocksDBOpenModesTest, ASecondaryFollowsThePrimary) {
  rocksdb::Options options = MakeOptions();
  const auto primary = Open(options);
  Put(primary.get(), 0, kNumKeys / 2);
  Flush(primary.get());
  options.max_open_files = -1;
  std::unique_ptr<rocksdb::DB> secondary;
  ASSERT_TRUE(OpenBy(&secondary, [&](auto* opened) {
                return rocksdb::DB::OpenAsSecondary(options, Path("db"), Path("second"), opened);
              }).ok());
  ExpectAllRight(From(secondary.get()), kNumKeys / 2);
  Put(primary.get(), kNumKeys / 2, kNumKeys);
  Flush(primary.get());
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  ExpectAllRight(secondary.get());
  Compact(primary.get());  // the files that the secondary has open are deleted
  ExpectAllRight(secondary.get());
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  ExpectAllRight(secondary.get());
}

TEST_P(RocksDBOpenModesTest, ACheckpointStaysAsItWas) {
  const rocksdb::Options options = MakeOptions();
  const auto db = Open(options);
  PutRuns(db.get(), 2);
  {
    rocksdb::Checkpoint* checkpoint = nullptr;
    ASSERT_TRUE(rocksdb::Checkpoint::Create(db.get(), &checkpoint).ok());
    const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
    ASSERT_TRUE(checkpoint->CreateCheckpoint(Path("checkpoint")).ok());
  }
  for (uint64_t i = 0; i < kNumKeys; ++i) ASSERT_TRUE(db->Delete(Unlogged(), Stored(i)).ok());
  Compact(db.get());
  ExpectAllRight(Open(options, "checkpoint").get());
}

TEST_P(RocksDBOpenModesTest, ABackupIsRestored) {
  const rocksdb::Options options = MakeOptions();
  rocksdb::BackupEngine* opened = nullptr;
  ASSERT_TRUE(rocksdb::BackupEngine::Open(rocksdb::BackupEngineOptions(Path("backups")),
                                          rocksdb::Env::Default(), &opened)
                  .ok());
  const std::unique_ptr<rocksdb::BackupEngine> backups(opened);
  {
    const auto db = Open(options);
    Put(db.get(), 0, kNumKeys / 2);
    Flush(db.get());
    ASSERT_TRUE(backups->CreateNewBackup(db.get(), true).ok());
    Put(db.get(), kNumKeys / 2, kNumKeys);
    ASSERT_TRUE(backups->CreateNewBackup(db.get(), true).ok());  // of the new file only
  }
  ASSERT_TRUE(backups->RestoreDBFromBackup(1, Path("first"), Path("first")).ok());
  ExpectAllRight(From(Open(options, "first").get()), kNumKeys / 2);
  ASSERT_TRUE(backups->RestoreDBFromBackup(2, Path("second"), Path("second")).ok());
  ExpectAllRight(Open(options, "second").get());
}

BLOOMLINE_FEATURE_TESTS(RocksDBOpenModesTest);

}  // namespace
}  // namespace bloomline
