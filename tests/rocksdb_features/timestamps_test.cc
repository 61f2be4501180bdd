// User-defined timestamps: keys in files end in a timestamp, which filters must leave out, or a
// read at another time would not find the key.
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <cstring>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

constexpr size_t kTimeBytes = sizeof(uint64_t);

std::string Time(uint64_t time) {
  std::string bytes(kTimeBytes, '\0');
  std::memcpy(bytes.data(), &time, kTimeBytes);
  return bytes;
}

// RocksDB's own one is not in every version.
class TimeComparator : public rocksdb::Comparator {
 public:
  TimeComparator() : Comparator(kTimeBytes) {}
  const char* Name() const override { return "bloomline.tests.TimeComparator"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    const int keys = CompareWithoutTimestamp(a, true, b, true);
    return keys != 0 ? keys : -CompareTimestamp(TimeOf(a), TimeOf(b));
  }
  using Comparator::CompareWithoutTimestamp;
  int CompareWithoutTimestamp(const rocksdb::Slice& a, bool a_has_time, const rocksdb::Slice& b,
                              bool b_has_time) const override {
    return KeyOf(a, a_has_time).compare(KeyOf(b, b_has_time));
  }
  int CompareTimestamp(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    uint64_t times[2];
    std::memcpy(&times[0], a.data(), kTimeBytes);
    std::memcpy(&times[1], b.data(), kTimeBytes);
    return times[0] < times[1] ? -1 : times[0] > times[1];
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static rocksdb::Slice TimeOf(const rocksdb::Slice& key) {
    return {key.data() + key.size() - kTimeBytes, kTimeBytes};
  }
  static rocksdb::Slice KeyOf(const rocksdb::Slice& key, bool has_time) {
    return {key.data(), key.size() - (has_time ? kTimeBytes : 0)};
  }
};

class RocksDBTimestampsTest : public FeatureTest {
 protected:
  // Three files: every key at time 10, every third again at 20, every fifth deleted at 30.
  void Write(rocksdb::DB* db) {
    rocksdb::ColumnFamilyHandle* const family = db->DefaultColumnFamily();
    const std::string times[] = {Time(10), Time(20), Time(30)};
    for (uint64_t i = 0; i < kNumKeys; ++i) {
      ASSERT_TRUE(db->Put(Unlogged(), family, Stored(i), times[0], "10").ok());
    }
    Flush(db);
    for (uint64_t i = 0; i < kNumKeys; i += 3) {
      ASSERT_TRUE(db->Put(Unlogged(), family, Stored(i), times[1], "20").ok());
    }
    Flush(db);
    for (uint64_t i = 0; i < kNumKeys; i += 5) {
      ASSERT_TRUE(db->Delete(Unlogged(), family, Stored(i), times[2]).ok());
    }
    Flush(db);
  }

  // An empty string: not found.
  static std::string Expected(uint64_t i, uint64_t time) {
    if (time < 10 || (time >= 30 && i % 5 == 0)) return "";
    return time >= 20 && i % 3 == 0 ? "20" : "10";
  }

  void ExpectRightAt(rocksdb::DB* db, uint64_t time, double max_rate) {
    SCOPED_TRACE("at time " + std::to_string(time));
    const std::string bytes = Time(time);
    const rocksdb::Slice slice = bytes;
    rocksdb::ReadOptions read;
    read.timestamp = &slice;
    std::string value;
    for (uint64_t i = 0; i < kNumKeys; ++i) {
      const rocksdb::Status status = db->Get(read, Stored(i), &value);
      ASSERT_EQ(status.ok() ? value : "", Expected(i, time)) << i << " " << status.ToString();
      ASSERT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
    }
    const uint64_t rejected = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    const uint64_t passed = Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    for (uint64_t i = 0; i + 1 < kNumKeys; ++i) {
      ASSERT_TRUE(db->Get(read, Missing(i), &value).IsNotFound());
    }
    const double now_passed =
        static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) - passed);
    const double now_rejected =
        static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_USEFUL) - rejected);
    // Later versions skip files that are newer than the read.
    EXPECT_GE(now_passed + now_rejected, time < 10 ? 0 : kNumKeys * 0.98);
    EXPECT_LE(now_passed, max_rate * (now_passed + now_rejected));
    ExpectBatchesRight(db, read, time);
    ExpectScanRight(db, read, time);
  }

 private:
  static void ExpectBatchesRight(rocksdb::DB* db, const rocksdb::ReadOptions& read, uint64_t time) {
    for (uint64_t start = 0; start + 40 <= kNumKeys; start += 199) {
      std::vector<std::string> keys;
      for (uint64_t i = start; i < start + 40; ++i) keys.push_back(Stored(i));
      const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
      std::vector<rocksdb::PinnableSlice> values(keys.size());
      std::vector<rocksdb::Status> statuses(keys.size());
      db->MultiGet(read, db->DefaultColumnFamily(), keys.size(), slices.data(), values.data(),
                   statuses.data());
      for (size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(statuses[i].ok() ? values[i].ToString() : "", Expected(start + i, time))
            << start + i << " " << statuses[i].ToString();
      }
    }
  }

  static void ExpectScanRight(rocksdb::DB* db, rocksdb::ReadOptions read, uint64_t time) {
    read.total_order_seek = false;
    for (uint64_t i = 0; i < kNumKeys; i += 37) {
      const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
      iterator->Seek(Stored(i));
      const bool found = iterator->Valid() && iterator->key() == Stored(i);
      ASSERT_EQ(found ? iterator->value().ToString() : "", Expected(i, time)) << i;
    }
  }
};

TEST_P(RocksDBTimestampsTest, ReadsAtEveryTimeFindTheirKeys) {
  const TimeComparator comparator;
  for (const bool partitioned : {false, true}) {
    for (const bool prefixes : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << "partitioned " << partitioned << ", prefixes " << prefixes);
      rocksdb::Options options = MakeOptions(partitioned ? PartitionedTable() : Table());
      options.comparator = &comparator;
      if (prefixes) options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(9));
      const auto db = Open(options, std::to_string(partitioned) + "." + std::to_string(prefixes));
      const double rate = partitioned ? std::max(max_rate(), kMaxSmallRate) : max_rate();
      Write(db.get());
      for (const uint64_t time : {5, 10, 20, 29, 1000}) {
        ExpectRightAt(db.get(), time, rate);
      }
      Compact(db.get());
      for (const uint64_t time : {15, 25}) ExpectRightAt(db.get(), time, rate);
      // Versions that no read may ask for any more are dropped.
      ASSERT_TRUE(db->IncreaseFullHistoryTsLow(db->DefaultColumnFamily(), Time(25)).ok());
      Compact(db.get());
      for (const uint64_t time : {25, 35}) ExpectRightAt(db.get(), time, rate);
    }
  }
}

BLOOMLINE_FEATURE_TESTS(RocksDBTimestampsTest);

}  // namespace
}  // namespace bloomline
