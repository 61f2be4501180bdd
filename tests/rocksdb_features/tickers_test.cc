// What RocksDB counts about filters, and whether the tests here would notice a filter that is wrong
// or not used.
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/slice_transform.h>

#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/rocksdb_features/feature_test.h"

namespace bloomline {
namespace {

using namespace tests;

class RocksDBTickersTest : public FeatureTest {};

TEST_P(RocksDBTickersTest, EveryAnswerOfAFilterIsCounted) {
  const auto db = Open(MakeOptions());
  PutRuns(db.get(), 1);
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.true_positives, kNumKeys);
  EXPECT_EQ(answers.rejected + answers.passed, kNumKeys - 1);
  EXPECT_EQ(Ticker(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE), kNumKeys);
  EXPECT_EQ(Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE), kNumKeys + answers.passed);
  EXPECT_EQ(Ticker(rocksdb::BLOOM_FILTER_USEFUL), answers.rejected);
  ExpectAllRight(db.get());
}

TEST_P(RocksDBTickersTest, EveryAnswerAboutAPrefixIsCounted) {
  rocksdb::BlockBasedTableOptions table = Table();
  table.whole_key_filtering = false;
  rocksdb::Options options = MakeOptions(table);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(11));
  const auto db = Open(options);
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    ASSERT_TRUE(db->Put(Unlogged(), Stored(i) + "/suffix", Value(i)).ok());
  }
  Flush(db.get());
  rocksdb::ReadOptions read;
  read.prefix_same_as_start = true;
  const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    iterator->Seek(Stored(i));
    ASSERT_TRUE(iterator->Valid()) << "lost prefix " << i;
    ASSERT_EQ(iterator->value().ToString(), Value(i));
  }
  EXPECT_EQ(SeeksChecked(), kNumKeys);
  EXPECT_EQ(SeeksFiltered(), 0u);
  for (uint64_t i = 0; i + 1 < kNumKeys; ++i) {
    iterator->Seek(Missing(i));
    ASSERT_FALSE(iterator->Valid()) << iterator->key().ToString();
  }
  EXPECT_EQ(SeeksChecked(), 2 * kNumKeys - 1);
  EXPECT_GE(static_cast<double>(SeeksFiltered()), (1 - max_rate()) * (kNumKeys - 1));
  EXPECT_LT(SeeksFiltered(), kNumKeys);
  // Lookups count in tickers of their own since 8.3, before in those of whole keys.
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 803
  constexpr auto kUseful = rocksdb::BLOOM_FILTER_PREFIX_USEFUL;
  constexpr auto kTruePositive = rocksdb::BLOOM_FILTER_PREFIX_TRUE_POSITIVE;
#else
  constexpr auto kUseful = rocksdb::BLOOM_FILTER_USEFUL;
  constexpr auto kTruePositive = rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE;
#endif
  const uint64_t useful = Ticker(kUseful);
  std::string value;
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    ASSERT_TRUE(db->Get({}, Stored(i) + "/suffix", &value).ok()) << "lost key " << i;
  }
  EXPECT_EQ(Ticker(kUseful), useful);
  EXPECT_EQ(Ticker(kTruePositive), kNumKeys);
  for (uint64_t i = 0; i + 1 < kNumKeys; ++i) {
    ASSERT_TRUE(db->Get({}, Missing(i) + "/suffix", &value).IsNotFound());
  }
  EXPECT_GE(static_cast<double>(Ticker(kUseful) - useful), (1 - max_rate()) * (kNumKeys - 1));
}

TEST_P(RocksDBTickersTest, ThePerfContextCountsByLevel) {
  rocksdb::Options options = MakeOptions();
  options.num_levels = 4;
  const auto db = Open(options);
  // One file each on levels 3, 2 and 0.
  for (const int level : {3, 2, 0}) {
    Put(db.get(), 0, kNumKeys, 4, static_cast<uint64_t>(level));
    Flush(db.get());
    if (level == 0) break;
    for (const auto& file : Files(db.get())) {
      if (file.level == 0) {
        ASSERT_TRUE(db->CompactFiles({}, {file.name}, level).ok());
      }
    }
  }
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::PerfContext* const context = rocksdb::get_perf_context();
  context->Reset();
  context->ClearPerLevelPerfContext();
  context->EnablePerLevelPerfContext();
  std::string value;
  for (uint64_t i = 0; i < kNumKeys; ++i) {
    const bool stored = i % 4 != 1;
    ASSERT_EQ(db->Get({}, Stored(i), &value).IsNotFound(), !stored) << i;
  }
  uint64_t useful = 0;
  for (const unsigned level : {0u, 2u, 3u}) {
    const rocksdb::PerfContextByLevel& counts = (*context->level_to_perf_context)[level];
    EXPECT_EQ(counts.bloom_filter_full_true_positive, kNumKeys / 4) << level;
    const double passed = static_cast<double>(counts.bloom_filter_full_positive -
                                              counts.bloom_filter_full_true_positive);
    EXPECT_GT(counts.bloom_filter_useful, kNumKeys / 5) << level;
    // Of 500 checks each, so chance counts.
    EXPECT_LE(passed, 0.02 * (passed + static_cast<double>(counts.bloom_filter_useful))) << level;
    useful += counts.bloom_filter_useful;
  }
  EXPECT_EQ(useful, Ticker(rocksdb::BLOOM_FILTER_USEFUL));
  EXPECT_EQ(context->bloom_sst_miss_count, useful);
  EXPECT_EQ(context->bloom_sst_hit_count, Ticker(rocksdb::BLOOM_FILTER_FULL_POSITIVE));
  context->DisablePerLevelPerfContext();
  context->ClearPerLevelPerfContext();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
}

TEST_P(RocksDBTickersTest, BelowHalfABitThereIsNoFilter) {
  rocksdb::BlockBasedTableOptions table = Table();
  table.filter_policy = PolicyOf("bloomline:0.4");
  const auto db = Open(MakeOptions(table));
  PutRuns(db.get(), 2);
  EXPECT_EQ(FilterBytes(db.get()), 0u);
  const Answers answers = GetAll(From(db.get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  EXPECT_EQ(answers.true_positives + answers.rejected + answers.passed, 0u) << answers;
}

// A policy whose filters are right, and whose readers wrongly reject every eighth key.
class LosingPolicy : public rocksdb::FilterPolicy {
 public:
  explicit LosingPolicy(Policy policy) : policy_(std::move(policy)) {}
  const char* Name() const override { return "bloomline.tests.LosingPolicy"; }
  const char* CompatibilityName() const override { return policy_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return new Reader(policy_->GetFilterBitsReader(contents));
  }

 private:
  class Reader : public rocksdb::FilterBitsReader {
   public:
    explicit Reader(rocksdb::FilterBitsReader* reader) : reader_(reader) {}
    bool MayMatch(const rocksdb::Slice& key) override {
      return (key[key.size() - 1] & 7) != 0 && reader_->MayMatch(key);
    }
    void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
      for (int i = 0; i < num_keys; ++i) may_match[i] = MayMatch(*keys[i]);
    }

   private:
    const std::unique_ptr<rocksdb::FilterBitsReader> reader_;
  };
  const Policy policy_;
};

TEST_P(RocksDBTickersTest, LostKeysAndUnusedFiltersAreNoticed) {
  rocksdb::BlockBasedTableOptions table = Table();
  { PutRuns(Open(MakeOptions(table)).get(), 2); }
  table.filter_policy = std::make_shared<LosingPolicy>(table.filter_policy);
  Answers answers = GetAll(From(Open(MakeOptions(table)).get()), *statistics_, 0, kNumKeys);
  EXPECT_GT(answers.lost, kNumKeys / 10) << answers;
  table.filter_policy = nullptr;
  answers = GetAll(From(Open(MakeOptions(table)).get()), *statistics_, 0, kNumKeys);
  EXPECT_EQ(answers.lost + answers.wrong + answers.invented, 0u) << answers;
  EXPECT_EQ(answers.true_positives + answers.rejected + answers.passed, 0u) << answers;
}

BLOOMLINE_FEATURE_TESTS(RocksDBTickersTest);

}  // namespace
}  // namespace bloomline
