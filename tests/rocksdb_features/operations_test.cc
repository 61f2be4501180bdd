// Entries that are no plain values: merges and deletions. A filter must match their keys as well,
// or an older value would come back. And reads of an older state.
#include <rocksdb/merge_operator.h>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class Append : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "bloomline.tests.Append"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing, const rocksdb::Slice& value,
             std::string* result, rocksdb::Logger*) const override {
    *result = existing == nullptr ? "" : existing->ToString();
    result->append(value.data(), value.size());
    return true;
  }
};

class RocksDBOperationsTest : public FeatureTest {
 protected:
  // Expects a missing answer for keys that `deleted` names, and the value for all others.
  template <typename Deleted>
  void ExpectDeleted(rocksdb::DB* db, Deleted deleted) {
    std::string value;
    for (uint64_t i = 0; i < kNumKeys; ++i) {
      const rocksdb::Status status = db->Get({}, Stored(i), &value);
      if (deleted(i)) {
        ASSERT_TRUE(status.IsNotFound()) << "deleted key " << i << " came back";
      } else {
        ASSERT_TRUE(status.ok()) << "lost key " << i;
        ASSERT_EQ(value, Value(i));
      }
    }
    const uint64_t rejected = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    const uint64_t passed = Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    for (uint64_t i = 0; i + 1 < kNumKeys; ++i) {
      ASSERT_TRUE(db->Get({}, Missing(i), &value).IsNotFound());
    }
    const double new_passed =
        static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) - passed);
    const double new_rejected =
        static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_USEFUL) - rejected);
    EXPECT_GE(new_passed + new_rejected, kNumKeys / 3) << "filters are not used";
    EXPECT_LE(new_passed, max_rate() * (new_passed + new_rejected));
  }
};

// Every third key starts with a value, all have merge operands in two further files.
TEST_P(RocksDBOperationsTest, MergeOperandsInEveryFileAreFound) {
  rocksdb::Options options = MakeOptions();
  options.merge_operator = std::make_shared<Append>();
  const auto db = Open(options);
  for (uint64_t i = 0; i < kNumKeys; i += 3) ASSERT_TRUE(db->Put(Unlogged(), Stored(i), "p").ok());
  Flush(db.get());
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    ASSERT_TRUE(db->Merge(Unlogged(), Stored(i), i % 3 == 0 ? "alue" : Value(i)).ok());
  }
  Flush(db.get());
  for (uint64_t i = 0; i < kNumKeys; i += 3) {
    ASSERT_TRUE(db->Merge(Unlogged(), Stored(i), std::to_string(i)).ok());
  }
  Flush(db.get());
  const auto expected = [](uint64_t i) {
    return i % 3 == 0 ? "palue" + std::to_string(i) : Value(i);
  };
  for (const bool compacted : {false, true}) {
    SCOPED_TRACE(testing::Message() << "compacted " << compacted);
    if (compacted) Compact(db.get());
    // With the values that GetAll expects.
    ExpectAllRight([&](const std::string& key, std::string* value) {
      const rocksdb::Status status = db->Get({}, key, value);
      if (status.ok() && (*value)[0] == 'p') value->replace(0, 1, "v");
      return status;
    });
    std::vector<rocksdb::PinnableSlice> operands(4);
    for (uint64_t i = 0; i < kNumKeys; i += 11) {
      rocksdb::GetMergeOperandsOptions how;
      how.expected_max_number_of_operands = 4;
      int n = 0;
      ASSERT_TRUE(
          db->GetMergeOperands({}, db->DefaultColumnFamily(), Stored(i), operands.data(), &how, &n)
              .ok());
      std::string all;
      for (int o = 0; o < n; ++o) all += operands[static_cast<size_t>(o)].ToString();
      ASSERT_EQ(all, expected(i)) << n << " operands";
    }
  }
}

TEST_P(RocksDBOperationsTest, DeletedKeysStayDeleted) {
  const auto db = Open(MakeOptions());
  PutRuns(db.get(), 1);
  Compact(db.get());
  for (uint64_t i = 0; i < kNumKeys; i += 3) ASSERT_TRUE(db->Delete(Unlogged(), Stored(i)).ok());
  Flush(db.get());
  const auto deleted = [](uint64_t i) { return i % 3 == 0; };
  ExpectDeleted(db.get(), deleted);
  Compact(db.get());
  ExpectDeleted(db.get(), deleted);
}

TEST_P(RocksDBOperationsTest, SingleDeletedKeysStayDeleted) {
  const auto db = Open(MakeOptions());
  PutRuns(db.get(), 1);
  Compact(db.get());
  for (uint64_t i = 0; i < kNumKeys; i += 3)
    ASSERT_TRUE(db->SingleDelete(Unlogged(), Stored(i)).ok());
  Flush(db.get());
  const auto deleted = [](uint64_t i) { return i % 3 == 0; };
  ExpectDeleted(db.get(), deleted);
  Compact(db.get());
  ExpectDeleted(db.get(), deleted);
}

// A file with nothing but ranges has no keys, and no filter. Its ranges count for all keys.
TEST_P(RocksDBOperationsTest, DeletedRangesStayDeleted) {
  for (const bool with_keys : {false, true}) {
    SCOPED_TRACE(testing::Message() << "keys beside the ranges " << with_keys);
    const auto db = Open(MakeOptions(), "db" + std::to_string(with_keys));
    PutRuns(db.get(), 1);
    Compact(db.get());
    for (uint64_t i = 0; i < kNumKeys; i += 100) {
      ASSERT_TRUE(
          db->DeleteRange(Unlogged(), db->DefaultColumnFamily(), Stored(i), Stored(i + 30)).ok());
    }
    if (with_keys) Put(db.get(), 0, kNumKeys, 100, 7);  // in the middle of the ranges, and newer
    Flush(db.get());
    const auto deleted = [=](uint64_t i) { return i % 100 < 30 && !(with_keys && i % 100 == 7); };
    ExpectDeleted(db.get(), deleted);
    Compact(db.get());
    ExpectDeleted(db.get(), deleted);
  }
}

TEST_P(RocksDBOperationsTest, SnapshotsSeeTheirOwnState) {
  const auto db = Open(MakeOptions());
  PutRuns(db.get(), 2);
  const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    if (i % 2 == 0) {
      ASSERT_TRUE(db->Delete(Unlogged(), Stored(i)).ok());
    } else {
      ASSERT_TRUE(db->Put(Unlogged(), Stored(i), "new").ok());
    }
  }
  // Newer than the snapshot.
  for (uint64_t i = 0; i < kNumKeys; i += 7)
    ASSERT_TRUE(db->Put(Unlogged(), Missing(i), "new").ok());
  Flush(db.get());
  rocksdb::ReadOptions then;
  then.snapshot = snapshot;
  for (const bool compacted : {false, true}) {
    if (compacted) Compact(db.get());
    std::string value;
    const uint64_t rejected = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    for (uint64_t i = 0; i < kNumKeys; ++i) {
      ASSERT_TRUE(db->Get(then, Stored(i), &value).ok()) << "lost key " << i;
      ASSERT_EQ(value, Value(i));
      ASSERT_TRUE(db->Get(then, Missing(i), &value).IsNotFound()) << i;
      const rocksdb::Status status = db->Get({}, Stored(i), &value);
      ASSERT_EQ(status.ok() ? value : "", i % 2 == 0 ? "" : "new") << i;
      ASSERT_EQ(db->Get({}, Missing(i), &value).ok(), i % 7 == 0) << i;
    }
    EXPECT_GE(Ticker(rocksdb::BLOOM_FILTER_USEFUL) - rejected, kNumKeys);
  }
  db->ReleaseSnapshot(snapshot);
}

BLOOMLINE_FEATURE_TESTS(RocksDBOperationsTest);

}  // namespace
}  // namespace bloomline
