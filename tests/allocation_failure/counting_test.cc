// counting_bloom_filter.h.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/counting_bloom_filter.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/allocation_failure/bytes_and_moves.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = 100;

CountingBloomFilterOptions Options() {
  CountingBloomFilterOptions options;
  options.capacity = kKeys;
  return options;
}

class CountingBloomFilterTest : public testing::Test {
 protected:
  CountingBloomFilterTest() { filter_->AddKeys(keys_.size(), keys_.data()); }

  template <typename Filter>
  void CheckKeys(const Filter& filter) const {
    for (const std::string_view key : keys_) Attempt::CheckPresent(filter.MayMatch(key));
  }

  const std::vector<std::string> stored_ = MakeKeys(kKeys);
  const std::vector<std::string_view> keys_ = Views(stored_);
  const std::unique_ptr<CountingBloomFilter> filter_ =
      CountingBloomFilter::Create(Options(), nullptr);
  const TempDir dir_;
  const std::string path_ = dir_.Path("a file whose name needs memory");
};

TEST_F(CountingBloomFilterTest, CreateReturnsAFilterOrAnError) {
  FailEachAllocation({"CountingBloomFilter::Create"}, [&](Attempt* attempt) {
    std::unique_ptr<CountingBloomFilter> filter;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { filter = CountingBloomFilter::Create(Options(), &error); });
    attempt->CheckOutcome(filter != nullptr, error);
  });
  CountingBloomFilterOptions wrong[4];
  for (CountingBloomFilterOptions& options : wrong) options = Options();
  wrong[0].counter_bits = 5;
  wrong[1].capacity = 0;
  wrong[2].num_counters = 10;
  wrong[3].false_positive_rate = 1e-30;
  for (const CountingBloomFilterOptions& options : wrong) {
    FailEachAllocation({"CountingBloomFilterOptions::Validate", "CountingBloomFilter::Create"},
                       [&](Attempt* attempt) {
                         std::unique_ptr<CountingBloomFilter> filter;
                         std::string invalid, error = Attempt::kUntouched;
                         attempt->Call([&] {
                           invalid = options.Validate();
                           filter = CountingBloomFilter::Create(options, &error);
                         });
                         EXPECT_NE(invalid, "");
                         attempt->CheckRefusal(filter != nullptr, error);
                       });
  }
}

TEST_F(CountingBloomFilterTest, SaveAndLoadSucceedOrReportTheError) {
  FailEachAllocation({"CountingBloomFilter::Save"}, [&](Attempt* attempt) {
    ASSERT_TRUE(CountingBloomFilter::Create(Options(), nullptr)->Save(path_, nullptr));
    bool saved = false;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { saved = filter_->Save(path_, &error); });
    attempt->CheckOutcome(saved, error);
    const auto loaded = CountingBloomFilter::Load(path_, &error);
    ASSERT_NE(loaded, nullptr) << error;
    if (saved) CheckKeys(*loaded);
  });
  ASSERT_TRUE(filter_->Save(path_, nullptr));
  FailEachAllocation({"CountingBloomFilter::Load"}, [&](Attempt* attempt) {
    std::unique_ptr<CountingBloomFilter> loaded;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { loaded = CountingBloomFilter::Load(path_, &error); });
    attempt->CheckOutcome(loaded != nullptr, error);
    if (loaded != nullptr) CheckKeys(*loaded);
  });
  std::fstream(path_).seekp(100).put('x');
  FailEachAllocation({"CountingBloomFilter::Load"}, [&](Attempt* attempt) {
    std::unique_ptr<CountingBloomFilter> loaded;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { loaded = CountingBloomFilter::Load(path_, &error); });
    attempt->CheckRefusal(loaded != nullptr, error);
  });
}

TEST_F(CountingBloomFilterTest, ToBytesAndFromBytesSucceedOrReportTheError) {
  ToBytesAndFromBytesSucceedOrReportTheError(
      {"CountingBloomFilter::ToBytes"}, {"CountingBloomFilter::FromBytes"}, *filter_,
      [&](const CountingBloomFilter& read) { CheckKeys(read); });
  StreamsSucceedOrReportTheError({"CountingBloomFilter::Save"}, {"CountingBloomFilter::Load"},
                                 *filter_,
                                 [&](const CountingBloomFilter& read) { CheckKeys(read); });
  MovesNeedNoMemory({"CountingBloomFilter::CountingBloomFilter", "CountingBloomFilter::operator="},
                    filter_.get());
  CheckKeys(*filter_);
}

TEST_F(CountingBloomFilterTest, ExportReturnsAFilterOrAnError) {
  FailEachAllocation({"CountingBloomFilter::ToBloomFilter"}, [&](Attempt* attempt) {
    std::unique_ptr<BloomFilter> bloom;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { bloom = filter_->ToBloomFilter(&error); });
    attempt->CheckOutcome(bloom != nullptr, error);
    if (bloom != nullptr) CheckKeys(*bloom);
    CheckKeys(*filter_);
  });
}

TEST_F(CountingBloomFilterTest, DifferentFiltersAreNeitherMergedNorEqual) {
  CountingBloomFilterOptions others[3];
  for (CountingBloomFilterOptions& options : others) options = Options();
  others[0].counter_bits = 8;
  others[1].capacity *= 10;
  others[2].seed = 1;
  for (const CountingBloomFilterOptions& options : others) {
    const auto other = CountingBloomFilter::Create(options, nullptr);
    FailEachAllocation({"CountingBloomFilter::Merge"}, [&](Attempt* attempt) {
      std::string error = Attempt::kUntouched;
      bool merged = true;
      attempt->Call([&] {
        merged = filter_->Merge(*other, &error);
        filter_->Merge(*other, nullptr);
      });
      attempt->CheckRefusal(merged, error);
      CheckKeys(*filter_);
      EXPECT_EQ(filter_->num_keys(), kKeys);
    });
    ExpectNoAllocation({"operator==", "operator!="}, [&] {
      EXPECT_FALSE(*filter_ == *other);
      EXPECT_TRUE(*filter_ != *other);
    });
  }
}

TEST_F(CountingBloomFilterTest, OtherFunctionsNeedNoMemory) {
  bool answers[kKeys];
  ExpectNoAllocation({"CountingBloomFilter::AddKey",
                      "CountingBloomFilter::RemoveKey",
                      "CountingBloomFilter::MayMatch",
                      "CountingBloomFilter::EstimatedCount",
                      "CountingBloomFilter::AddKeys",
                      "CountingBloomFilter::RemoveKeys",
                      "CountingBloomFilter::MayMatch",
                      "CountingBloomFilter::HashOf",
                      "CountingBloomFilter::AddHash",
                      "CountingBloomFilter::RemoveHash",
                      "CountingBloomFilter::MayMatchHash",
                      "CountingBloomFilter::EstimatedHashCount",
                      "CountingBloomFilter::AddHashes",
                      "CountingBloomFilter::RemoveHashes",
                      "CountingBloomFilter::MayMatchHashes",
                      "CountingBloomFilter::num_counters",
                      "CountingBloomFilter::counter_bits",
                      "CountingBloomFilter::num_probes",
                      "CountingBloomFilter::seed",
                      "CountingBloomFilter::capacity",
                      "CountingBloomFilter::max_count",
                      "CountingBloomFilter::num_keys",
                      "CountingBloomFilter::num_saturated_counters",
                      "CountingBloomFilter::Merge",
                      "CountingBloomFilter::Clear"},
                     [&] {
                       CountingBloomFilter& filter = *filter_;
                       filter.Clear();
                       filter.AddKey(keys_[0]);
                       filter.RemoveKey(keys_[0]);
                       const uint64_t hash = filter.HashOf(keys_[1]);
                       filter.AddHash(hash);
                       filter.RemoveHash(hash);
                       filter.AddHashes(1, &hash);
                       filter.RemoveHashes(1, &hash);
                       filter.AddKeys(keys_.size(), keys_.data());
                       filter.AddKeys(keys_.size(), keys_.data(), answers);
                       filter.RemoveKeys(keys_.size(), keys_.data());
                       filter.EstimatedCount(keys_[0]);
                       filter.EstimatedHashCount(hash);
                       filter.MayMatch(keys_[0]);
                       filter.MayMatchHash(hash);
                       filter.MayMatchHashes(1, &hash, answers);
                       filter.Merge(filter, nullptr);
                       filter.MayMatch(keys_.size(), keys_.data(), answers);
                       filter.num_counters();
                       filter.counter_bits();
                       filter.num_probes();
                       filter.seed();
                       filter.capacity();
                       filter.max_count();
                       filter.num_keys();
                       filter.num_saturated_counters();
                     });
  for (const bool answer : answers) Attempt::CheckPresent(answer);
}

}  // namespace
}  // namespace bloomline::tests
