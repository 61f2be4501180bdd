// Batches over many files, and iterators that skip files by their prefixes.
#include <rocksdb/slice_transform.h>

#include <algorithm>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBReadsTest : public FeatureTest {};

// Batches of 1 to 100 keys, over files that overlap and files side by side.
TEST_P(RocksDBReadsTest, BatchesOverManyFiles) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(testing::Message() << "partitioned " << partitioned);
    rocksdb::Options options = MakeOptions(partitioned ? PartitionedTable() : Table());
    options.target_file_size_base = 16 << 10;
    const auto db = Open(options, std::to_string(partitioned));
    Put(db.get(), 0, kNumKeys, 4, 0);
    Put(db.get(), 0, kNumKeys, 4, 1);
    Flush(db.get());
    Compact(db.get());
    EXPECT_GE(Files(db.get()).size(), 2u);
    for (const uint64_t rest : {2, 3}) {
      Put(db.get(), 0, kNumKeys, 4, rest);
      Flush(db.get());
    }
    const uint64_t rejected = Ticker(rocksdb::BLOOM_FILTER_USEFUL);
    const uint64_t passed = Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    const uint64_t found = Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
    uint64_t asked = 0;
    uint64_t stored = 0;
    for (const size_t size : {1, 2, 31, 32, 33, 100}) {
      for (uint64_t start = 0; start + size <= kNumKeys; start += 3 * size + 5) {
        std::vector<std::string> keys;
        for (uint64_t i = start; i < start + size; ++i) {
          // In a jumble, half of them missing.
          const uint64_t j = i * 7919 % (kNumKeys - 1);
          keys.push_back(i % 2 == 0 ? Stored(j) : Missing(j));
        }
        const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
        std::vector<rocksdb::PinnableSlice> values(size);
        std::vector<rocksdb::Status> statuses(size);
        db->MultiGet({}, db->DefaultColumnFamily(), size, slices.data(), values.data(),
                     statuses.data());
        for (size_t n = 0; n < size; ++n, ++asked) {
          const uint64_t i = start + n;
          if (i % 2 == 0) {
            ++stored;
            ASSERT_TRUE(statuses[n].ok()) << keys[n] << " of " << size << " keys is lost";
            ASSERT_EQ(values[n], Value(i * 7919 % (kNumKeys - 1)));
          } else {
            ASSERT_TRUE(statuses[n].IsNotFound()) << keys[n];
          }
        }
      }
    }
    const auto new_rejected = static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_USEFUL) - rejected);
    const auto false_positives =
        static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE) - passed - stored);
    EXPECT_EQ(Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE) - found, stored);
    // Three filters are queried for a missing key, one to three for a stored one.
    EXPECT_GE(new_rejected, 1.4 * static_cast<double>(asked));
    EXPECT_LE(false_positives,
              std::max(max_rate(), kMaxSmallRate) * (false_positives + new_rejected));
  }
}

// Ten stored keys for each prefix; prefixes with odd numbers are missing.
class RocksDBIteratorsTest : public FeatureTest {
 protected:
  static constexpr uint64_t kPrefixes = 200;
  static constexpr uint64_t kKeysOfPrefix = 10;

  static std::string PrefixKey(const std::string& prefix, uint64_t i) {
    return prefix + "/" + std::to_string(i);
  }

  std::unique_ptr<rocksdb::DB> Write(rocksdb::BlockBasedTableOptions table, bool whole_keys,
                                     const std::string& name) {
    table.whole_key_filtering = whole_keys;
    rocksdb::Options options = MakeOptions(table);
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(Stored(0).size()));
    auto db = Open(options, name);
    for (const uint64_t half : {0, 1}) {
      for (uint64_t p = 0; p < kPrefixes; ++p) {
        for (uint64_t i = half; i < kKeysOfPrefix; i += 2) {
          EXPECT_TRUE(db->Put(Unlogged(), PrefixKey(Stored(p), i), Value(i)).ok());
        }
      }
      Flush(db.get());
    }
    return db;
  }

  // Calls check(database) for all four kinds of filters with prefixes.
  template <typename Check>
  void ForEachKind(Check check) {
    for (const bool partitioned : {false, true}) {
      for (const bool whole_keys : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << "partitioned " << partitioned << ", whole keys " << whole_keys);
        const auto db = Write(partitioned ? PartitionedTable() : Table(), whole_keys,
                              std::to_string(partitioned) + "." + std::to_string(whole_keys));
        for (const bool compacted : {false, true}) {
          if (compacted) Compact(db.get());
          check(db.get());
        }
      }
    }
  }
};

TEST_P(RocksDBIteratorsTest, PrefixSameAsStart) {
  ForEachKind([this](rocksdb::DB* db) {
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = true;
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
    const uint64_t useful_before = SeeksFiltered();
    for (uint64_t p = 0; p < kPrefixes; ++p) {
      uint64_t i = 0;
      for (iterator->Seek(Stored(p)); iterator->Valid(); iterator->Next(), ++i) {
        ASSERT_EQ(iterator->key().ToString(), PrefixKey(Stored(p), i));
      }
      ASSERT_EQ(i, kKeysOfPrefix) << "prefix " << p << " lost keys";
    }
    EXPECT_EQ(SeeksFiltered(), useful_before);
    const uint64_t checked = SeeksChecked();
    for (uint64_t p = 0; p + 1 < kPrefixes; ++p) {
      iterator->Seek(Missing(p));
      ASSERT_FALSE(iterator->Valid()) << iterator->key().ToString();
    }
    const uint64_t new_checked = SeeksChecked() - checked;
    const uint64_t useful = SeeksFiltered() - useful_before;
    EXPECT_GE(new_checked, kPrefixes - 1);
    // Of 200 checks, so chance counts.
    EXPECT_GE(static_cast<double>(useful), 0.95 * static_cast<double>(new_checked));
  });
}

TEST_P(RocksDBIteratorsTest, SeekForPrev) {
  ForEachKind([](rocksdb::DB* db) {
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = true;
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
    for (uint64_t p = 0; p < kPrefixes; ++p) {
      uint64_t i = kKeysOfPrefix;
      for (iterator->SeekForPrev(Stored(p) + "/~"); iterator->Valid(); iterator->Prev()) {
        ASSERT_GT(i, 0u);
        ASSERT_EQ(iterator->key().ToString(), PrefixKey(Stored(p), --i));
      }
      ASSERT_EQ(i, 0u) << "prefix " << p << " lost keys";
    }
  });
}

// Without prefix_same_as_start, and with bounds from which RocksDB concludes that filters apply.
TEST_P(RocksDBIteratorsTest, AutoPrefixModeAndTotalOrder) {
  ForEachKind([](rocksdb::DB* db) {
    for (const bool total_order : {false, true}) {
      for (uint64_t p = 0; p < kPrefixes; p += 3) {
        rocksdb::ReadOptions read;
        read.auto_prefix_mode = !total_order;
        read.total_order_seek = total_order;
        const std::string bound = Stored(p) + "/~";
        const rocksdb::Slice upper = bound;
        read.iterate_upper_bound = &upper;
        const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
        // From a missing prefix, the next one follows.
        const std::string from = p == 0 ? Stored(p) : Missing(p - 1);
        uint64_t i = 0;
        for (iterator->Seek(from); iterator->Valid(); iterator->Next(), ++i) {
          ASSERT_EQ(iterator->key().ToString(), PrefixKey(Stored(p), i));
        }
        ASSERT_EQ(i, kKeysOfPrefix) << "prefix " << p << " lost keys";
      }
    }
    const std::unique_ptr<rocksdb::Iterator> all(db->NewIterator([] {
      rocksdb::ReadOptions read;
      read.total_order_seek = true;
      return read;
    }()));
    uint64_t n = 0;
    for (all->SeekToFirst(); all->Valid(); all->Next()) ++n;
    EXPECT_EQ(n, kPrefixes * kKeysOfPrefix);
  });
}

// Filters of another prefix extractor are not queried for prefixes.
TEST_P(RocksDBIteratorsTest, AnotherExtractorLosesNothing) {
  for (const bool partitioned : {false, true}) {
    for (const bool whole_keys : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << "partitioned " << partitioned << ", whole keys " << whole_keys);
      const std::string name = std::to_string(partitioned) + "." + std::to_string(whole_keys);
      rocksdb::BlockBasedTableOptions table = partitioned ? PartitionedTable() : Table();
      { Write(table, whole_keys, name); }
      table.whole_key_filtering = whole_keys;
      rocksdb::Options options = MakeOptions(table);
      options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(Stored(0).size() - 1));
      const auto db = Open(options, name);
      std::string value;
      rocksdb::ReadOptions read;
      read.prefix_same_as_start = true;
      const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
      for (uint64_t p = 0; p < kPrefixes; ++p) {
        iterator->Seek(Stored(p));
        ASSERT_TRUE(iterator->Valid()) << "lost prefix " << p;
        ASSERT_EQ(iterator->key().ToString(), PrefixKey(Stored(p), 0));
        ASSERT_TRUE(db->Get({}, PrefixKey(Stored(p), 7), &value).ok()) << "lost key of " << p;
      }
    }
  }
}

BLOOMLINE_FEATURE_TESTS(RocksDBReadsTest);
BLOOMLINE_FEATURE_TESTS(RocksDBIteratorsTest);

}  // namespace
}  // namespace bloomline
