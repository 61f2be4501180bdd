// Files that a program writes itself and hands to a database.
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBIngestionTest : public FeatureTest {
 protected:
  // A file with the keys from `begin` to `end` - 1; one value for all, or each key's own.
  std::string WriteFile(const rocksdb::Options& options, uint64_t begin, uint64_t end,
                        const std::string& value = "", uint64_t step = 1) const {
    const std::string path = Path("ingested" + std::to_string(begin) + value);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    EXPECT_TRUE(writer.Open(path).ok());
    for (uint64_t i = begin; i < end; i += step) {
      EXPECT_TRUE(writer.Put(Stored(i), value.empty() ? Value(i) : value).ok());
    }
    const rocksdb::Status status = writer.Finish();
    EXPECT_TRUE(status.ok()) << status.ToString();
    return path;
  }

  static void Ingest(rocksdb::DB* db, const std::vector<std::string>& paths,
                     const rocksdb::IngestExternalFileOptions& how = {}) {
    const rocksdb::Status status = db->IngestExternalFile(paths, how);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
};

TEST_P(RocksDBIngestionTest, FilesOfSstFileWriterBringTheirFilters) {
  const rocksdb::Options options = MakeOptions();
  for (const bool move : {false, true}) {
    SCOPED_TRACE(testing::Message() << "move " << move);
    const auto db = Open(options, "db" + std::to_string(move));
    rocksdb::IngestExternalFileOptions how;
    how.move_files = move;
    Ingest(db.get(), {WriteFile(options, 0, kNumKeys / 2), WriteFile(options, 1000, kNumKeys)},
           how);
    EXPECT_GE(Files(db.get()).front().level, 1) << "below the first level, as nothing overlaps";
    EXPECT_GT(FilterBytes(db.get()), 0u);
    ExpectAllRight(db.get());
    Compact(db.get());
    ExpectAllRight(db.get());
  }
}

TEST_P(RocksDBIngestionTest, PartitionedFiltersAreIngestedToo) {
  const rocksdb::Options options = MakeOptions(PartitionedTable());
  const auto db = Open(options);
  Ingest(db.get(), {WriteFile(options, 0, kNumKeys)});
  ExpectAllRight(From(db.get()), 0, kNumKeys, std::max(max_rate(), kMaxSmallRate));
}

// The file overlaps with others, so its keys get a sequence number when it is ingested. Its values
// are the newest.
TEST_P(RocksDBIngestionTest, AFileAboveOthersHidesTheirValues) {
  const rocksdb::Options options = MakeOptions();
  const auto db = Open(options);
  for (uint64_t i = 0; i < kNumKeys; ++i) ASSERT_TRUE(db->Put(Unlogged(), Stored(i), "old").ok());
  Flush(db.get());
  for (uint64_t i = 0; i < kNumKeys; i += 2)
    ASSERT_TRUE(db->Put(Unlogged(), Stored(i), "older").ok());
  const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
  Ingest(db.get(), {WriteFile(options, 0, kNumKeys)});
  ExpectAllRight(db.get());
  rocksdb::ReadOptions before;
  before.snapshot = snapshot;
  std::string value;
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    ASSERT_TRUE(db->Get(before, Stored(i), &value).ok()) << i;
    ASSERT_EQ(value, i % 2 == 0 ? "older" : "old") << i;
  }
  db->ReleaseSnapshot(snapshot);
}

TEST_P(RocksDBIngestionTest, AFileBehindOthersAddsWhatTheyLack) {
  rocksdb::Options options = MakeOptions();
  options.allow_ingest_behind = true;
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  options.num_levels = 4;
  const auto db = Open(options);
  Put(db.get(), 0, kNumKeys, 2, 0);
  Flush(db.get());
  rocksdb::IngestExternalFileOptions how;
  how.ingest_behind = true;
  // Hidden by the database's own values.
  Ingest(db.get(), {WriteFile(options, 0, kNumKeys, "behind", 2)}, how);
  ASSERT_EQ(Files(db.get()).size(), 2u);
  std::string value;
  for (uint64_t i = 0; i < kNumKeys; i += 2) {
    ASSERT_TRUE(db->Get({}, Stored(i), &value).ok()) << "lost key " << i;
    ASSERT_EQ(value, Value(i));
  }
  db->Delete(Unlogged(), Stored(0));
  Flush(db.get());
  EXPECT_TRUE(db->Get({}, Stored(0), &value).IsNotFound()) << "a deleted key came back";
  Put(db.get(), 0, 1);
  Flush(db.get());
  // Both files' filters are queried for each missing key.
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, 1);
  EXPECT_EQ(answers.lost + answers.wrong, 0u) << answers;
  const uint64_t rejected = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
  for (uint64_t i = 0; i + 2 < kNumKeys; ++i) {
    ASSERT_TRUE(db->Get({}, Missing(i), &value).IsNotFound());
  }
  EXPECT_GE(static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_USEFUL) - rejected),
            (1 - max_rate()) * 2 * (kNumKeys - 4));
}

TEST_P(RocksDBIngestionTest, AnExportedColumnFamilyIsImported) {
  const rocksdb::Options options = MakeOptions();
  const auto from = Open(options, "from");
  PutRuns(from.get(), 2);
  rocksdb::Checkpoint* checkpoint = nullptr;
  ASSERT_TRUE(rocksdb::Checkpoint::Create(from.get(), &checkpoint).ok());
  const std::unique_ptr<rocksdb::Checkpoint> owner(checkpoint);
  rocksdb::ExportImportFilesMetaData* metadata = nullptr;
  ASSERT_TRUE(
      checkpoint->ExportColumnFamily(from->DefaultColumnFamily(), Path("exported"), &metadata)
          .ok());
  const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(metadata);
  Families to;
  to.db = Open(options, "to");
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  const rocksdb::Status status = to.db->CreateColumnFamilyWithImport(
      options, "imported", rocksdb::ImportColumnFamilyOptions(), *files, &handle);
  ASSERT_TRUE(status.ok()) << status.ToString();
  to.handles.push_back(handle);
  ExpectAllRight(From(to.db.get(), handle));
}

BLOOMLINE_FEATURE_TESTS(RocksDBIngestionTest);

}  // namespace
}  // namespace bloomline
