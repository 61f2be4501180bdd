// The filters in memory: making, saving, reading, converting, adding and querying them.
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = 300;

BloomFilterOptions OptionsOf(const BloomFilter*) {
  BloomFilterOptions options;
  options.capacity = kKeys;
  return options;
}
CountingBloomFilterOptions OptionsOf(const CountingBloomFilter*) {
  CountingBloomFilterOptions options;
  options.capacity = kKeys;
  return options;
}
ScalableBloomFilterOptions OptionsOf(const ScalableBloomFilter*) {
  ScalableBloomFilterOptions options;
  options.initial_capacity = 10;
  return options;
}

template <typename Filter>
class SavedFilterTest : public testing::Test {
 protected:
  SavedFilterTest() { filter_->AddKeys(kKeys, keys_.views.data()); }

  static std::unique_ptr<Filter> New() {
    return Filter::Create(OptionsOf(static_cast<Filter*>(nullptr)), nullptr);
  }
  auto HasAllKeys() const {
    return [this](const auto& filter) {
      keys_.ExpectPresent([&](std::string_view key) { return filter->MayMatch(key); });
    };
  }

  const ManyKeys keys_{kKeys};
  const std::unique_ptr<Filter> filter_ = New();
  const TempDir dir_;
  const std::string path_ = dir_.Path("a file whose name needs memory");
};
using SavedFilters = testing::Types<BloomFilter, CountingBloomFilter, ScalableBloomFilter>;
TYPED_TEST_SUITE(SavedFilterTest, SavedFilters);

// A scalable filter without memory for a new stage puts keys into the last one.
TYPED_TEST(SavedFilterTest, AddsEveryKey) {
  FailEachAllocation([&](Attempt* attempt) {
    std::unique_ptr<TypeParam> filter;
    std::string error = Attempt::kUntouched;
    attempt->Call(
        [&] { filter = TypeParam::Create(OptionsOf(static_cast<TypeParam*>(nullptr)), &error); });
    attempt->CheckOutcome(filter != nullptr, error);
    if (filter == nullptr) return;
    bool answers[kKeys];
    attempt->Call([&] {
      filter->AddKeys(kKeys / 2, this->keys_.views.data());
      for (size_t i = kKeys / 2; i < kKeys; ++i) filter->AddKey(this->keys_.views[i]);
      filter->MayMatch(kKeys, this->keys_.views.data(), answers);
      TypeParam moved(std::move(*filter));
      *filter = std::move(moved);
    });
    for (const bool answer : answers) EXPECT_TRUE(answer);
    this->HasAllKeys()(filter);
    if constexpr (std::is_same_v<TypeParam, ScalableBloomFilter>) {
      EXPECT_EQ(filter->IsPastCapacity(), attempt->HasFailed());
    }
  });
}

TYPED_TEST(SavedFilterTest, SaveKeepsTheOldFileOrWritesTheNew) {
  FailEachAllocation([&](Attempt* attempt) {
    ASSERT_TRUE(this->New()->Save(this->path_, nullptr));
    bool saved = false;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { saved = this->filter_->Save(this->path_, &error); });
    attempt->CheckOutcome(saved, error);
    const auto loaded = TypeParam::Load(this->path_, &error);
    ASSERT_NE(loaded, nullptr) << error;
    EXPECT_EQ(loaded->num_keys(), saved ? this->filter_->num_keys() : 0);
    if (saved) this->HasAllKeys()(loaded);
  });
  const std::string nowhere = this->dir_.Path("no such folder/file");
  ExpectRefused([&](std::string* error) { return this->filter_->Save(nowhere, error); });
}

TYPED_TEST(SavedFilterTest, LoadReturnsAFilterOrAnError) {
  const auto load = [&](std::string* error) { return TypeParam::Load(this->path_, error); };
  ASSERT_TRUE(this->filter_->Save(this->path_, nullptr));
  ExpectMadeOrError(load, this->HasAllKeys());
  std::ofstream(this->path_, std::ios::app) << "more";
  ExpectRefused(load);
  std::ofstream(this->path_) << "not a filter at all, as its first bytes say";
  ExpectRefused(load);
}

TYPED_TEST(SavedFilterTest, BytesAndStreamsSucceedOrReportTheError) {
  std::string bytes;
  ASSERT_TRUE(this->filter_->ToBytes(&bytes, nullptr));
  FailEachAllocation([&](Attempt* attempt) {
    std::string written = "old", error = Attempt::kUntouched;
    bool saved = false;
    attempt->Call([&] { saved = this->filter_->ToBytes(&written, &error); });
    attempt->CheckOutcome(saved, error);
    EXPECT_EQ(written, saved ? bytes : "old");
  });
  FailEachAllocation([&](Attempt* attempt) {
    std::stringstream stream(std::string(bytes.size(), '-'));  // it has its memory
    std::string error = Attempt::kUntouched;
    bool saved = false;
    attempt->Call([&] { saved = this->filter_->Save(&stream, &error); });
    attempt->CheckOutcome(saved, error);
    EXPECT_TRUE(!saved || stream.str() == bytes);
  });
  const auto from = [](const std::string& content) {
    return [&](std::string* error) { return TypeParam::FromBytes(content, error); };
  };
  const auto from_stream = [](std::stringstream* stream) {
    return [=](std::string* error) {
      stream->clear();
      stream->seekg(0);
      return TypeParam::Load(stream, error);
    };
  };
  std::stringstream whole(bytes), half(bytes.substr(0, 70));
  ExpectMadeOrError(from(bytes), this->HasAllKeys());
  ExpectMadeOrError(from_stream(&whole), this->HasAllKeys());
  std::string damaged = bytes;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  ExpectRefused(from(damaged));
  ExpectRefused(from(half.str()));
  ExpectRefused(from_stream(&half));
}

TEST(Filters, InvalidOptionsAreRefusedWithoutMemory) {
  const auto refused = [](auto* filter, auto set_wrong) {
    auto options = OptionsOf(filter);
    set_wrong(&options);
    ExpectRefused([&](std::string* error) { return filter->Create(options, error); });
  };
  BloomFilter* const bloom = nullptr;
  refused(bloom, [](BloomFilterOptions* options) { options->capacity = 0; });
  refused(bloom, [](BloomFilterOptions* options) { options->capacity = UINT64_MAX; });
  refused(bloom, [](BloomFilterOptions* options) { options->false_positive_rate = 2; });
  refused(bloom, [](BloomFilterOptions* options) { options->num_probes = 5; });
  refused(bloom, [](BloomFilterOptions* options) { options->layout = BloomLayout{99}; });
  CountingBloomFilter* const counting = nullptr;
  refused(counting, [](CountingBloomFilterOptions* options) { options->counter_bits = 5; });
  refused(counting, [](CountingBloomFilterOptions* options) { options->num_counters = 10; });
  ScalableBloomFilter* const scalable = nullptr;
  refused(scalable, [](ScalableBloomFilterOptions* options) { options->growth = 0; });
  refused(scalable, [](ScalableBloomFilterOptions* options) { options->tightening = 1; });
}

class BloomFilterTest : public SavedFilterTest<BloomFilter> {};

TEST_F(BloomFilterTest, LargeOnesAreMadeOrNot) {
  BloomFilterOptions options;
  options.num_bits = uint64_t{64} << 20;  // mapped memory
  options.num_probes = 5;
  ExpectMadeOrError([&](std::string* error) { return BloomFilter::Create(options, error); },
                    [](const std::unique_ptr<BloomFilter>&) {});
}

TEST_F(BloomFilterTest, CopiesAndMappedFilesReturnAFilterOrAnError) {
  ExpectMadeOrError([&](std::string* error) { return BloomFilter::Copy(*filter_, error); },
                    HasAllKeys());
  const auto open = [&](std::string* error) {
    return MappedBloomFilter::Open(path_, MappedBloomFilter::Verify::kPayload, error);
  };
  ExpectRefused(open);  // there is no file
  ASSERT_TRUE(filter_->Save(path_, nullptr));
  ExpectMadeOrError(open, HasAllKeys());
  std::ofstream(path_, std::ios::app) << "more";
  ExpectRefused(open);
}

TEST_F(BloomFilterTest, DifferentFiltersAreNotMerged) {
  BloomFilterOptions options = OptionsOf(filter_.get());
  options.seed = 1;
  const auto other = BloomFilter::Create(options, nullptr);
  ExpectRefused([&](std::string* error) { return filter_->Merge(*other, error); });
  ExpectRefused([&](std::string* error) { return filter_->Intersect(*other, error); });
  HasAllKeys()(filter_);
}

TEST_F(BloomFilterTest, AtomicFiltersLoseNoKey) {
  ExpectMadeOrError(
      [&](std::string* error) {
        return AtomicBloomFilter::Create(OptionsOf(filter_.get()), error);
      },
      [](const std::unique_ptr<AtomicBloomFilter>&) {});
  FailEachAllocation([&](Attempt* attempt) {
    auto filter = BloomFilter::Copy(*filter_, nullptr);
    std::unique_ptr<AtomicBloomFilter> atomic;
    attempt->Call([&] { atomic = AtomicBloomFilter::ToAtomic(std::move(filter)); });
    ASSERT_NE(atomic == nullptr, filter == nullptr) << "exactly one of the two has the keys";
    EXPECT_TRUE(atomic != nullptr || attempt->HasFailed());
    if (atomic == nullptr) return HasAllKeys()(filter);
    HasAllKeys()(atomic);
    std::unique_ptr<BloomFilter> snapshot;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] {
      atomic->AddKeys(kKeys, keys_.views.data());
      snapshot = atomic->Snapshot(&error);
    });
    attempt->CheckOutcome(snapshot != nullptr, error);
    if (snapshot != nullptr) HasAllKeys()(snapshot);
    attempt->Call([&] { filter = AtomicBloomFilter::ToBloomFilter(std::move(atomic)); });
    ASSERT_NE(atomic == nullptr, filter == nullptr) << "exactly one of the two has the keys";
    if (filter == nullptr) return HasAllKeys()(atomic);
    HasAllKeys()(filter);
  });
}

TEST(CountingBloomFilterTest, ExportsAndMergesSucceedOrReportTheError) {
  CountingBloomFilterOptions options;
  options.capacity = kKeys;
  const ManyKeys keys(kKeys);
  const auto filter = CountingBloomFilter::Create(options, nullptr);
  filter->AddKeys(kKeys, keys.views.data());
  ExpectMadeOrError(
      [&](std::string* error) { return filter->ToBloomFilter(error); },
      [&](const std::unique_ptr<BloomFilter>& bloom) {
        keys.ExpectPresent([&](std::string_view key) { return bloom->MayMatch(key); });
      });
  options.seed = 1;
  const auto other = CountingBloomFilter::Create(options, nullptr);
  ExpectRefused([&](std::string* error) { return filter->Merge(*other, error); });
}

TEST(ScalableBloomFilterTest, KeepsItsKeysWhenTooFullToGrow) {
  ScalableBloomFilterOptions options;
  options.initial_capacity = 1;
  options.growth = 1;
  options.tightening = 0.99;
  const ManyKeys keys(200);
  FailEachAllocation([&](Attempt* attempt) {
    const auto filter = ScalableBloomFilter::Create(options, nullptr);
    filter->AddKeys(100, keys.views.data());
    attempt->Call([&] { filter->AddKeys(100, keys.views.data() + 100); });
    EXPECT_TRUE(filter->IsPastCapacity());
    keys.ExpectPresent([&](std::string_view key) { return filter->MayMatch(key); });
  });
}

}  // namespace
}  // namespace bloomline::tests
