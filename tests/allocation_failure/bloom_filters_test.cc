// bloom_filter.h.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/allocation_failure/bytes_and_moves.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

constexpr size_t kKeys = 100;

BloomFilterOptions Options() {
  BloomFilterOptions options;
  options.capacity = kKeys;
  return options;
}

std::unique_ptr<BloomFilter> FilterOf(const std::vector<std::string_view>& keys) {
  auto filter = BloomFilter::Create(Options(), nullptr);
  filter->AddKeys(keys.size(), keys.data());
  return filter;
}

void CheckKeys(const BloomFilterBase& filter, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys) Attempt::CheckPresent(filter.MayMatch(key));
}

class BloomFilterTest : public testing::Test {
 protected:
  const std::vector<std::string> stored_ = MakeKeys(kKeys);
  const std::vector<std::string_view> keys_ = Views(stored_);
  const std::unique_ptr<BloomFilter> filter_ = FilterOf(keys_);
  const TempDir dir_;
  const std::string path_ = dir_.Path("a file whose name needs memory");
};

TEST_F(BloomFilterTest, InvalidOptionsAreRefusedWithoutMemory) {
  BloomFilterOptions wrong[7];
  for (BloomFilterOptions& options : wrong) options = Options();
  wrong[0].capacity = 0;
  wrong[1].false_positive_rate = 2;
  wrong[2].num_probes = 5;
  wrong[3].num_bits = 100;
  wrong[4].num_bits = kMaxBloomBits + 1;
  wrong[5].layout = BloomLayout{99};
  wrong[6].capacity = UINT64_MAX;
  for (const BloomFilterOptions& options : wrong) {
    FailEachAllocation({"BloomFilterOptions::Validate", "BloomFilter::Create"},
                       [&](Attempt* attempt) {
                         std::string invalid, error = Attempt::kUntouched;
                         std::unique_ptr<BloomFilter> filter;
                         attempt->Call([&] {
                           invalid = options.Validate();
                           filter = BloomFilter::Create(options, &error);
                           BloomFilter::Create(options, nullptr);
                         });
                         EXPECT_NE(invalid, "");
                         attempt->CheckRefusal(filter != nullptr, error);
                       });
  }
}

TEST_F(BloomFilterTest, CreateReturnsAFilterOrAnError) {
  for (const uint64_t num_bits : {uint64_t{1000}, uint64_t{64} << 20}) {  // heap, mapped
    BloomFilterOptions options;
    options.num_bits = num_bits;
    options.num_probes = 5;
    FailEachAllocation({"BloomFilter::Create"}, [&](Attempt* attempt) {
      std::unique_ptr<BloomFilter> filter;
      std::string error = Attempt::kUntouched;
      attempt->Call([&] { filter = BloomFilter::Create(options, &error); });
      attempt->CheckOutcome(filter != nullptr, error);
      if (filter == nullptr) return;
      filter->AddKey("a key");
      attempt->CheckPresent(filter->MayMatch("a key"));
    });
  }
}

TEST_F(BloomFilterTest, CopyReturnsAFilterOrAnError) {
  FailEachAllocation({"BloomFilter::Copy"}, [&](Attempt* attempt) {
    std::unique_ptr<BloomFilter> copy;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { copy = BloomFilter::Copy(*filter_, &error); });
    attempt->CheckOutcome(copy != nullptr, error);
    if (copy != nullptr) CheckKeys(*copy, keys_);
    CheckKeys(*filter_, keys_);
  });
}

TEST_F(BloomFilterTest, FailedSaveKeepsTheOldFile) {
  FailEachAllocation({"BloomFilterBase::Save"}, [&](Attempt* attempt) {
    ASSERT_TRUE(BloomFilter::Create(Options(), nullptr)->Save(path_, nullptr));
    bool saved = false;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { saved = filter_->Save(path_, &error); });
    attempt->CheckOutcome(saved, error);
    const auto loaded = BloomFilter::Load(path_, &error);
    ASSERT_NE(loaded, nullptr) << error;
    EXPECT_EQ(loaded->num_keys(), saved ? filter_->num_keys() : 0);
    if (saved) CheckKeys(*loaded, keys_);
  });
  FailEachAllocation({"BloomFilterBase::Save"}, [&](Attempt* attempt) {
    const std::string nowhere = dir_.Path("no such folder/file");
    bool saved = false;
    std::string error = Attempt::kUntouched;
    attempt->Call(
        [&] { saved = filter_->Save(nowhere, &error) || filter_->Save(nowhere, nullptr); });
    attempt->CheckRefusal(saved, error);
  });
}

TEST_F(BloomFilterTest, LoadReturnsAFilterOrAnError) {
  ASSERT_TRUE(filter_->Save(path_, nullptr));
  FailEachAllocation({"BloomFilter::Load"}, [&](Attempt* attempt) {
    std::unique_ptr<BloomFilter> loaded;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { loaded = BloomFilter::Load(path_, &error); });
    attempt->CheckOutcome(loaded != nullptr, error);
    if (loaded != nullptr) CheckKeys(*loaded, keys_);
  });
}

TEST_F(BloomFilterTest, ToBytesAndFromBytesSucceedOrReportTheError) {
  ToBytesAndFromBytesSucceedOrReportTheError(
      {"BloomFilterBase::ToBytes"}, {"BloomFilter::FromBytes"}, *filter_,
      [&](const BloomFilter& read) { CheckKeys(read, keys_); });
  StreamsSucceedOrReportTheError({"BloomFilterBase::Save"}, {"BloomFilter::Load"}, *filter_,
                                 [&](const BloomFilter& read) { CheckKeys(read, keys_); });
}

TEST_F(BloomFilterTest, MovesNeedNoMemory) {
  MovesNeedNoMemory({"BloomFilter::BloomFilter", "BloomFilter::operator="}, filter_.get());
  CheckKeys(*filter_, keys_);
  ASSERT_TRUE(filter_->Save(path_, nullptr));
  const auto mapped = MappedBloomFilter::Open(path_, MappedBloomFilter::Verify::kPayload, nullptr);
  MovesNeedNoMemory({"MappedBloomFilter::MappedBloomFilter", "MappedBloomFilter::operator="},
                    mapped.get());
  CheckKeys(*mapped, keys_);
}

TEST_F(BloomFilterTest, OpenReturnsAFilterOrAnError) {
  ASSERT_TRUE(filter_->Save(path_, nullptr));
  FailEachAllocation({"MappedBloomFilter::Open"}, [&](Attempt* attempt) {
    std::unique_ptr<MappedBloomFilter> mapped;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] {
      mapped = MappedBloomFilter::Open(path_, MappedBloomFilter::Verify::kPayload, &error);
    });
    attempt->CheckOutcome(mapped != nullptr, error);
    if (mapped != nullptr) CheckKeys(*mapped, keys_);
  });
}

// Each byte of the header, and one of the payload.
TEST_F(BloomFilterTest, DamagedFilesAreRefusedWithoutMemory) {
  const std::string damaged = dir_.Path("a damaged file whose name needs memory");
  for (const int offset : {-1, 0, 8, 12, 13, 14, 24, 48, 56, 64}) {
    ASSERT_TRUE(filter_->Save(damaged, nullptr));
    if (offset < 0) {
      std::ofstream(damaged, std::ios::app) << "more";
    } else {
      std::fstream file(damaged);
      const char byte = static_cast<char>(file.seekg(offset).peek() ^ 0x55);
      file.seekp(offset).put(byte);
    }
    FailEachAllocation({"BloomFilter::Load", "MappedBloomFilter::Open"}, [&](Attempt* attempt) {
      std::unique_ptr<BloomFilter> loaded;
      std::unique_ptr<MappedBloomFilter> mapped;
      std::string error = Attempt::kUntouched, mapped_error = Attempt::kUntouched;
      attempt->Call([&] {
        loaded = BloomFilter::Load(damaged, &error);
        mapped =
            MappedBloomFilter::Open(damaged, MappedBloomFilter::Verify::kPayload, &mapped_error);
      });
      attempt->CheckRefusal(loaded != nullptr, error);
      attempt->CheckRefusal(mapped != nullptr, mapped_error);
    });
  }
  FailEachAllocation({"BloomFilter::Load", "MappedBloomFilter::Open"}, [&](Attempt* attempt) {
    const std::string missing = dir_.Path("a missing file whose name needs memory");
    std::unique_ptr<BloomFilter> loaded;
    std::unique_ptr<MappedBloomFilter> mapped;
    std::string error = Attempt::kUntouched, mapped_error = Attempt::kUntouched;
    attempt->Call([&] {
      loaded = BloomFilter::Load(missing, &error);
      mapped = MappedBloomFilter::Open(missing, MappedBloomFilter::Verify::kHeader, &mapped_error);
      BloomFilter::Load(missing, nullptr);
    });
    attempt->CheckRefusal(loaded != nullptr, error);
    attempt->CheckRefusal(mapped != nullptr, mapped_error);
  });
}

TEST_F(BloomFilterTest, DifferentFiltersAreNeitherMergedNorEqual) {
  BloomFilterOptions others[4];
  for (BloomFilterOptions& options : others) {
    options.num_bits = filter_->num_bits();
    options.num_probes = filter_->num_probes();
  }
  others[0].num_bits *= 2;
  others[1].num_probes += 1;
  others[2].layout = BloomLayout::kStandard;
  others[3].seed = 1;
  const auto before = BloomFilter::Copy(*filter_, nullptr);
  for (const BloomFilterOptions& options : others) {
    const auto other = BloomFilter::Create(options, nullptr);
    FailEachAllocation({"BloomFilter::Merge", "BloomFilter::Intersect"}, [&](Attempt* attempt) {
      std::string error = Attempt::kUntouched, intersect_error = Attempt::kUntouched;
      bool merged = true, intersected = true;
      attempt->Call([&] {
        merged = filter_->Merge(*other, &error);
        intersected = filter_->Intersect(*other, &intersect_error);
        filter_->Merge(*other, nullptr);
      });
      attempt->CheckRefusal(merged, error);
      attempt->CheckRefusal(intersected, intersect_error);
      EXPECT_TRUE(*filter_ == *before);
    });
    ExpectNoAllocation({"operator==", "operator!="}, [&] {
      EXPECT_FALSE(*filter_ == *other);
      EXPECT_TRUE(*filter_ != *other);
    });
  }
}

TEST_F(BloomFilterTest, OtherFunctionsNeedNoMemory) {
  const auto other = FilterOf(keys_);
  const BloomFilterBase& view = *filter_;
  bool answers[kKeys];
  ExpectNoAllocation({"BloomFilter::AddKey",
                      "BloomFilter::AddKeys",
                      "BloomFilter::AddHash",
                      "BloomFilter::AddHashes",
                      "BloomFilter::Merge",
                      "BloomFilter::Intersect",
                      "BloomFilter::Clear",
                      "BloomFilterBase::MayMatch",
                      "BloomFilterBase::MayMatch",
                      "BloomFilterBase::HashOf",
                      "BloomFilterBase::MayMatchHash",
                      "BloomFilterBase::MayMatchHashes",
                      "BloomFilterBase::layout",
                      "BloomFilterBase::num_bits",
                      "BloomFilterBase::num_probes",
                      "BloomFilterBase::seed",
                      "BloomFilterBase::capacity",
                      "BloomFilterBase::num_keys",
                      "BloomFilterBase::IsPastCapacity",
                      "BloomFilterBase::EstimatedNumKeys",
                      "BloomFilterBase::EstimatedFalsePositiveRate"},
                     [&] {
                       filter_->Clear();
                       filter_->AddKey(keys_[0]);
                       filter_->AddHash(view.HashOf(keys_[1]));
                       const uint64_t hash = view.HashOf(keys_[2]);
                       filter_->AddHashes(1, &hash);
                       filter_->AddKeys(keys_.size(), keys_.data(), answers);
                       filter_->Merge(*other, nullptr);
                       filter_->Intersect(*other, nullptr);
                       view.MayMatch(keys_[0]);
                       view.MayMatchHash(hash);
                       view.MayMatchHashes(1, &hash, answers);
                       view.MayMatch(keys_.size(), keys_.data(), answers);
                       view.layout();
                       view.num_bits();
                       view.num_probes();
                       view.seed();
                       view.capacity();
                       view.num_keys();
                       view.IsPastCapacity();
                       view.EstimatedNumKeys();
                       view.EstimatedFalsePositiveRate();
                     });
  for (const bool answer : answers) Attempt::CheckPresent(answer);
}

}  // namespace
}  // namespace bloomline::tests
