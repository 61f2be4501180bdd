// atomic_bloom_filter.h, scalable_bloom_filter.h.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/allocation_failure/bytes_and_moves.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = 1000;

template <typename Filter>
void CheckKeys(const Filter& filter, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys) Attempt::CheckPresent(filter.MayMatch(key));
}

class ManyKeysTest : public testing::Test {
 protected:
  const std::vector<std::string> stored_ = MakeKeys(kKeys);
  const std::vector<std::string_view> keys_ = Views(stored_);
};

class AtomicBloomFilterTest : public ManyKeysTest {
 protected:
  static BloomFilterOptions Options() {
    BloomFilterOptions options;
    options.capacity = kKeys;
    return options;
  }
};

TEST_F(AtomicBloomFilterTest, CreateReturnsAFilterOrAnError) {
  FailEachAllocation({"AtomicBloomFilter::Create"}, [&](Attempt* attempt) {
    std::unique_ptr<AtomicBloomFilter> filter;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { filter = AtomicBloomFilter::Create(Options(), &error); });
    attempt->CheckOutcome(filter != nullptr, error);
  });
  FailEachAllocation({"AtomicBloomFilter::Create"}, [&](Attempt* attempt) {
    std::unique_ptr<AtomicBloomFilter> filter;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { filter = AtomicBloomFilter::Create(BloomFilterOptions(), &error); });
    attempt->CheckRefusal(filter != nullptr, error);
  });
}

TEST_F(AtomicBloomFilterTest, ToAtomicAndToBloomFilterLoseNoKey) {
  FailEachAllocation(
      {"AtomicBloomFilter::ToAtomic", "AtomicBloomFilter::ToBloomFilter"}, [&](Attempt* attempt) {
        auto filter = BloomFilter::Create(Options(), nullptr);
        filter->AddKeys(keys_.size(), keys_.data());
        std::unique_ptr<AtomicBloomFilter> atomic;
        attempt->Call([&] { atomic = AtomicBloomFilter::ToAtomic(std::move(filter)); });
        ASSERT_NE(atomic == nullptr, filter == nullptr) << "exactly one of the two has the keys";
        if (atomic == nullptr) {
          EXPECT_TRUE(attempt->HasFailed());
          CheckKeys(*filter, keys_);
          return;
        }
        CheckKeys(*atomic, keys_);
        attempt->Call([&] { filter = AtomicBloomFilter::ToBloomFilter(std::move(atomic)); });
        ASSERT_NE(atomic == nullptr, filter == nullptr) << "exactly one of the two has the keys";
        if (filter == nullptr) {
          EXPECT_TRUE(attempt->HasFailed());
          CheckKeys(*atomic, keys_);
        } else {
          CheckKeys(*filter, keys_);
        }
      });
}

TEST_F(AtomicBloomFilterTest, SnapshotIsWholeOrNull) {
  const auto filter = AtomicBloomFilter::Create(Options(), nullptr);
  filter->AddKeys(keys_.size(), keys_.data());
  FailEachAllocation({"AtomicBloomFilter::Snapshot"}, [&](Attempt* attempt) {
    std::unique_ptr<BloomFilter> snapshot;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { snapshot = filter->Snapshot(&error); });
    attempt->CheckOutcome(snapshot != nullptr, error);
    if (snapshot != nullptr) CheckKeys(*snapshot, keys_);
    CheckKeys(*filter, keys_);
  });
}

TEST_F(AtomicBloomFilterTest, OtherFunctionsNeedNoMemory) {
  const auto filter = AtomicBloomFilter::Create(Options(), nullptr);
  bool answers[kKeys];
  ExpectNoAllocation(
      {"AtomicBloomFilter::AddKey", "AtomicBloomFilter::AddKeys", "AtomicBloomFilter::AddHash",
       "AtomicBloomFilter::AddHashes", "AtomicBloomFilter::MayMatch", "AtomicBloomFilter::MayMatch",
       "AtomicBloomFilter::HashOf", "AtomicBloomFilter::MayMatchHash",
       "AtomicBloomFilter::MayMatchHashes", "AtomicBloomFilter::layout",
       "AtomicBloomFilter::num_bits", "AtomicBloomFilter::num_probes", "AtomicBloomFilter::seed",
       "AtomicBloomFilter::capacity", "AtomicBloomFilter::EstimatedNumKeys",
       "AtomicBloomFilter::EstimatedFalsePositiveRate"},
      [&] {
        filter->AddKey(keys_[0]);
        const uint64_t hash = filter->HashOf(keys_[1]);
        filter->AddHash(hash);
        filter->AddHashes(1, &hash);
        filter->AddKeys(keys_.size(), keys_.data(), answers);
        filter->MayMatch(keys_[0]);
        filter->MayMatchHash(hash);
        filter->MayMatchHashes(1, &hash, answers);
        filter->MayMatch(keys_.size(), keys_.data(), answers);
        filter->layout();
        filter->num_bits();
        filter->num_probes();
        filter->seed();
        filter->capacity();
        filter->EstimatedNumKeys();
        filter->EstimatedFalsePositiveRate();
      });
  for (const bool answer : answers) Attempt::CheckPresent(answer);
}

TEST_F(AtomicBloomFilterTest, MovesNeedNoMemory) {
  const auto filter = AtomicBloomFilter::Create(Options(), nullptr);
  filter->AddKeys(keys_.size(), keys_.data());
  MovesNeedNoMemory({"AtomicBloomFilter::AtomicBloomFilter", "AtomicBloomFilter::operator="},
                    filter.get());
  CheckKeys(*filter, keys_);
}

class ScalableBloomFilterTest : public ManyKeysTest {
 protected:
  static ScalableBloomFilterOptions Options() {
    ScalableBloomFilterOptions options;
    options.initial_capacity = 10;
    return options;
  }
  const TempDir dir_;
  const std::string path_ = dir_.Path("a file whose name needs memory");
};

TEST_F(ScalableBloomFilterTest, CreateReturnsAFilterOrAnError) {
  FailEachAllocation({"ScalableBloomFilter::Create"}, [&](Attempt* attempt) {
    std::unique_ptr<ScalableBloomFilter> filter;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { filter = ScalableBloomFilter::Create(Options(), &error); });
    attempt->CheckOutcome(filter != nullptr, error);
  });
  ScalableBloomFilterOptions wrong[5];
  wrong[0].initial_capacity = 0;
  wrong[1].growth = 0;
  wrong[2].tightening = 1;
  wrong[3].false_positive_rate = 0;
  wrong[4].false_positive_rate = 1e-30;
  for (const ScalableBloomFilterOptions& options : wrong) {
    FailEachAllocation({"ScalableBloomFilterOptions::Validate", "ScalableBloomFilter::Create"},
                       [&](Attempt* attempt) {
                         std::unique_ptr<ScalableBloomFilter> filter;
                         std::string invalid, error = Attempt::kUntouched;
                         attempt->Call([&] {
                           invalid = options.Validate();
                           filter = ScalableBloomFilter::Create(options, &error);
                         });
                         EXPECT_NE(invalid, "");
                         attempt->CheckRefusal(filter != nullptr, error);
                       });
  }
}

// Without memory for a new stage, keys go to the last one.
TEST_F(ScalableBloomFilterTest, AddsEveryKeyEvenIfItCannotGrow) {
  FailEachAllocation({"ScalableBloomFilter::AddKey", "ScalableBloomFilter::IsPastCapacity"},
                     [&](Attempt* attempt) {
                       const auto filter = ScalableBloomFilter::Create(Options(), nullptr);
                       attempt->Call([&] {
                         for (const std::string_view key : keys_) filter->AddKey(key);
                       });
                       CheckKeys(*filter, keys_);
                       EXPECT_EQ(filter->IsPastCapacity(), attempt->HasFailed());
                     });
  FailEachAllocation({"ScalableBloomFilter::AddKeys"}, [&](Attempt* attempt) {
    const auto filter = ScalableBloomFilter::Create(Options(), nullptr);
    attempt->Call([&] { filter->AddKeys(keys_.size(), keys_.data()); });
    CheckKeys(*filter, keys_);
    EXPECT_EQ(filter->IsPastCapacity(), attempt->HasFailed());
  });
}

TEST_F(ScalableBloomFilterTest, KeepsItsKeysWhenTooFullToGrow) {
  ScalableBloomFilterOptions options;
  options.initial_capacity = 1;
  options.growth = 1;
  options.tightening = 0.99;
  FailEachAllocation({"ScalableBloomFilter::AddKey"}, [&](Attempt* attempt) {
    const auto filter = ScalableBloomFilter::Create(options, nullptr);
    for (size_t i = 0; i < 100; ++i) filter->AddKey(keys_[i]);
    attempt->Call([&] {
      for (size_t i = 100; i < 200; ++i) filter->AddKey(keys_[i]);
    });
    EXPECT_TRUE(filter->IsPastCapacity());
    for (size_t i = 0; i < 200; ++i) attempt->CheckPresent(filter->MayMatch(keys_[i]));
  });
}

TEST_F(ScalableBloomFilterTest, SaveAndLoadSucceedOrReportTheError) {
  const auto filter = ScalableBloomFilter::Create(Options(), nullptr);
  filter->AddKeys(keys_.size(), keys_.data());
  FailEachAllocation({"ScalableBloomFilter::Save"}, [&](Attempt* attempt) {
    bool saved = false;
    std::string error = Attempt::kUntouched;
    ASSERT_TRUE(ScalableBloomFilter::Create(Options(), nullptr)->Save(path_, nullptr));
    attempt->Call([&] { saved = filter->Save(path_, &error); });
    attempt->CheckOutcome(saved, error);
    const auto loaded = ScalableBloomFilter::Load(path_, &error);
    ASSERT_NE(loaded, nullptr) << error;
    if (saved) CheckKeys(*loaded, keys_);
  });
  ASSERT_TRUE(filter->Save(path_, nullptr));
  FailEachAllocation({"ScalableBloomFilter::Load"}, [&](Attempt* attempt) {
    std::unique_ptr<ScalableBloomFilter> loaded;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { loaded = ScalableBloomFilter::Load(path_, &error); });
    attempt->CheckOutcome(loaded != nullptr, error);
    if (loaded != nullptr) CheckKeys(*loaded, keys_);
  });
  std::ofstream(path_, std::ios::app) << "more";
  FailEachAllocation({"ScalableBloomFilter::Load"}, [&](Attempt* attempt) {
    std::unique_ptr<ScalableBloomFilter> loaded;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { loaded = ScalableBloomFilter::Load(path_, &error); });
    attempt->CheckRefusal(loaded != nullptr, error);
  });
}

TEST_F(ScalableBloomFilterTest, ToBytesAndFromBytesSucceedOrReportTheError) {
  const auto filter = ScalableBloomFilter::Create(Options(), nullptr);
  filter->AddKeys(keys_.size(), keys_.data());
  ToBytesAndFromBytesSucceedOrReportTheError(
      {"ScalableBloomFilter::ToBytes"}, {"ScalableBloomFilter::FromBytes"}, *filter,
      [&](const ScalableBloomFilter& read) { CheckKeys(read, keys_); });
  StreamsSucceedOrReportTheError({"ScalableBloomFilter::Save"}, {"ScalableBloomFilter::Load"},
                                 *filter,
                                 [&](const ScalableBloomFilter& read) { CheckKeys(read, keys_); });
  MovesNeedNoMemory({"ScalableBloomFilter::ScalableBloomFilter", "ScalableBloomFilter::operator="},
                    filter.get());
  CheckKeys(*filter, keys_);
}

TEST_F(ScalableBloomFilterTest, OtherFunctionsNeedNoMemory) {
  const auto filter = ScalableBloomFilter::Create(Options(), nullptr);
  filter->AddKeys(keys_.size(), keys_.data());
  bool answers[kKeys];
  ExpectNoAllocation(
      {"ScalableBloomFilter::MayMatch", "ScalableBloomFilter::MayMatch",
       "ScalableBloomFilter::options", "ScalableBloomFilter::num_stages",
       "ScalableBloomFilter::stage", "ScalableBloomFilter::num_bits",
       "ScalableBloomFilter::capacity", "ScalableBloomFilter::num_keys",
       "ScalableBloomFilter::EstimatedNumKeys", "ScalableBloomFilter::EstimatedFalsePositiveRate",
       "ScalableBloomFilter::IsPastCapacity"},
      [&] {
        filter->MayMatch(keys_[0]);
        filter->MayMatch(keys_.size(), keys_.data(), answers);
        filter->options();
        filter->num_stages();
        filter->stage(0);
        filter->num_bits();
        filter->capacity();
        filter->num_keys();
        filter->EstimatedNumKeys();
        filter->EstimatedFalsePositiveRate();
        filter->IsPastCapacity();
      });
  for (const bool answer : answers) Attempt::CheckPresent(answer);
  ExpectNoAllocation({"ScalableBloomFilter::Clear"}, [&] { filter->Clear(); });
}

}  // namespace
}  // namespace bloomline::tests
