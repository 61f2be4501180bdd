// BlobDB: values lie in files of their own, and the table files with the filters have only their
// addresses.
#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBBlobsTest : public FeatureTest {
 protected:
  static uint64_t NumBlobFiles(rocksdb::DB* db) {
    uint64_t n = 0;
    EXPECT_TRUE(db->GetIntProperty("rocksdb.num-blob-files", &n));
    return n;
  }
};

TEST_P(RocksDBBlobsTest, ValuesInBlobFilesAreFound) {
  rocksdb::Options options = MakeOptions();
  options.enable_blob_files = true;
  options.min_blob_size = 0;
  options.enable_blob_garbage_collection = true;
  options.blob_garbage_collection_age_cutoff = 1;
  auto db = Open(options);
  PutRuns(db.get(), 2);
  EXPECT_EQ(NumBlobFiles(db.get()), 2u);
  ExpectAllRight(db.get());
  const uint64_t read_before = Ticker(rocksdb::BLOB_DB_BLOB_FILE_BYTES_READ);
  ExpectAllRight(db.get());
  EXPECT_GT(Ticker(rocksdb::BLOB_DB_BLOB_FILE_BYTES_READ), read_before);
  Compact(db.get());  // with garbage collection: new blob files, new addresses
  EXPECT_EQ(NumBlobFiles(db.get()), 1u);
  ExpectAllRight(db.get());
  // Small values stay in the tables, and both kinds are in one file.
  db.reset();
  options.min_blob_size = 9;  // values of i from 1000 on
  options.blob_garbage_collection_age_cutoff = 0;
  db = Open(options);
  Put(db.get(), 0, kNumKeys, 7, 3);
  Flush(db.get());
  ExpectAllRight(db.get());
}

BLOOMLINE_FEATURE_TESTS(RocksDBBlobsTest);

}  // namespace
}  // namespace bloomline
