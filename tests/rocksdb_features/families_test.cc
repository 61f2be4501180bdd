// Column families of one database, each with its own filters, or with tables that have none.
#include <rocksdb/slice_transform.h>

#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBFamiliesTest : public FeatureTest {
 protected:
  rocksdb::ColumnFamilyOptions With(Policy policy) const {
    rocksdb::BlockBasedTableOptions table = Table();
    table.filter_policy = std::move(policy);
    return MakeOptions(table);
  }
};

TEST_P(RocksDBFamiliesTest, EachFamilyHasItsOwnFilters) {
  rocksdb::ColumnFamilyOptions plain = MakeOptions();
  plain.table_factory.reset(rocksdb::NewPlainTableFactory());
  plain.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  const struct {
    std::string name;
    rocksdb::ColumnFamilyOptions options;
    double bits_per_key;  // 0: no filter
    double max_rate;
  } kFamilies[] = {
      {rocksdb::kDefaultColumnFamilyName, MakeOptions(), 10, max_rate()},
      {"compact", With(PolicyOf("{id=bloomline;format=compact;bits_per_key=14}")), 14, 0.003},
      {"blocked", With(PolicyOf("{id=bloomline;format=blocked;bits_per_key=6}")), 6, 0.1},
      {"Bloom", With(Policy(rocksdb::NewBloomFilterPolicy(10))), 10, 0.02},
      {"Ribbon", With(Policy(rocksdb::NewRibbonFilterPolicy(10, -1))), 7, 0.02},
      {"none", With(nullptr), 0, 0},
      {"plain", plain, 0, 0},
  };
  std::vector<std::pair<std::string, rocksdb::ColumnFamilyOptions>> descriptors;
  for (const auto& family : kFamilies) descriptors.emplace_back(family.name, family.options);
  rocksdb::Options options = MakeOptions();
  options.create_missing_column_families = true;
  options.allow_mmap_reads = true;  // the plain tables need it
  Families opened;
  Open(options, descriptors, "db", &opened);
  for (rocksdb::ColumnFamilyHandle* handle : opened.handles) {
    Put(opened.db.get(), 0, kNumKeys, 1, 0, handle);
    Flush(opened.db.get(), handle);
  }
  for (const bool reopened : {false, true}) {
    if (reopened) {
      opened.Close();
      Open(options, descriptors, "db", &opened);
    }
    for (size_t f = 0; f < std::size(kFamilies); ++f) {
      SCOPED_TRACE(kFamilies[f].name);
      const GetFunction get = From(opened.db.get(), opened.handles[f]);
      if (kFamilies[f].bits_per_key > 0) {
        ExpectAllRight(get, 0, kNumKeys, kFamilies[f].max_rate);
        const auto bits = 8 * static_cast<double>(FilterBytes(opened.db.get(), opened.handles[f]));
        EXPECT_NEAR(bits / kNumKeys, kFamilies[f].bits_per_key, 0.5);
        continue;
      }
      const Answers answers = GetAll(get, *statistics_, 0, kNumKeys);
      EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
      EXPECT_EQ(answers.true_positives, 0u) << answers;
    }
  }
}

// One MultiGet over several families.
TEST_P(RocksDBFamiliesTest, OneBatchAsksAllFamilies) {
  rocksdb::Options options = MakeOptions();
  options.create_missing_column_families = true;
  Families opened;
  Open(options,
       {{rocksdb::kDefaultColumnFamilyName, options},
        {"compact", With(PolicyOf("{id=bloomline;format=compact;bits_per_key=14}"))},
        {"Bloom", With(Policy(rocksdb::NewBloomFilterPolicy(10)))}},
       "db", &opened);
  // Key i is in family i % 3 only.
  for (uint64_t f = 0; f < 3; ++f) {
    Put(opened.db.get(), 0, kNumKeys, 3, f, opened.handles[f]);
    Flush(opened.db.get(), opened.handles[f]);
  }
  for (uint64_t start = 0; start < kNumKeys; start += 50) {
    std::vector<std::string> keys;
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    for (uint64_t i = start; i < start + 50; ++i) {
      for (rocksdb::ColumnFamilyHandle* handle : opened.handles) {
        keys.push_back(Stored(i));
        families.push_back(handle);
      }
    }
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    opened.db->MultiGet({}, keys.size(), families.data(), slices.data(), values.data(),
                        statuses.data());
    for (size_t n = 0; n < keys.size(); ++n) {
      const uint64_t i = start + n / 3;
      if (i % 3 == n % 3) {
        ASSERT_TRUE(statuses[n].ok()) << "lost key " << i << ": " << statuses[n].ToString();
        ASSERT_EQ(values[n], Value(i));
      } else {
        ASSERT_TRUE(statuses[n].IsNotFound()) << i;
      }
    }
  }
  EXPECT_EQ(Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE), kNumKeys);
  EXPECT_GE(static_cast<double>(Ticker(rocksdb::BLOOM_FILTER_USEFUL)), 2 * kNumKeys * 0.97);
}

BLOOMLINE_FEATURE_TESTS(RocksDBFamiliesTest);

}  // namespace
}  // namespace bloomline
