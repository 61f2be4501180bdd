// Filters saved to bytes and files: both give the same bytes, those of the golden files, what is
// loaded equals what was saved, and everything else is refused. Filters in memory can also be
// moved.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <ios>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/sets/saved_filter.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/golden_keys.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::saved_filters_test {
namespace {

using Verify = MappedBloomFilter::Verify;
using sets::kFileHeaderBytes;

constexpr int kNumKeys = 60;

BloomFilterOptions OptionsOf(const BloomFilter*) {
  return {/*capacity=*/kNumKeys / 2, 0.01, /*num_bits=*/1024, /*num_probes=*/6};
}
ScalableBloomFilterOptions OptionsOf(const ScalableBloomFilter*) {
  return {/*initial_capacity=*/kNumKeys / 4};  // three stages
}
CountingBloomFilterOptions OptionsOf(const CountingBloomFilter*) {
  return {/*capacity=*/kNumKeys / 2, 0.01, /*num_counters=*/1024, /*num_probes=*/6};
}

std::string Key(int i) { return "key " + std::to_string(i); }

template <typename Filter>
std::unique_ptr<Filter> NewFilter(int num_keys = kNumKeys, BloomLayout layout = {}) {
  auto options = OptionsOf(static_cast<Filter*>(nullptr));
  if constexpr (std::is_same_v<Filter, BloomFilter>) options.layout = layout;
  options.seed = 7;
  auto filter = Filter::Create(options, nullptr);
  for (int i = 0; i < num_keys; ++i) filter->AddKey(Key(i));
  return filter;
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename Filter>
std::string BytesOf(const Filter& filter) {
  std::string bytes = "old content", error = "untouched";
  EXPECT_TRUE(filter.ToBytes(&bytes, &error));
  EXPECT_EQ(error, "untouched");
  return bytes;
}

// The errors for bytes that must be refused.
template <typename Filter>
std::string Refusal(std::string_view bytes) {
  std::string error;
  EXPECT_EQ(Filter::FromBytes(bytes, &error), nullptr);
  EXPECT_EQ(error.find("bytes"), 0u) << error;
  return error;
}

// A header at `offset` with one changed number, and a correct checksum.
std::string WithField(std::string bytes, size_t offset, size_t field, uint64_t value,
                      size_t num_bytes) {
  for (size_t i = 0; i < num_bytes; ++i) {
    bytes[offset + field + i] = static_cast<char>(value >> (8 * i));
  }
  sets::FileHeader header;
  for (size_t i = 0; i < sets::kHeaderChecksumOffset; ++i) {
    header.SetByte(i, static_cast<uint8_t>(bytes[offset + i]));
  }
  header.Seal();
  return bytes.replace(offset, kFileHeaderBytes, header.bytes(), kFileHeaderBytes);
}

template <typename Filter>
class SavedFiltersTest : public testing::Test {
 protected:
  const std::unique_ptr<Filter> filter_ = NewFilter<Filter>();
  const std::string bytes_ = BytesOf(*filter_);
  const TempDir dir_;
  const std::string path_ = dir_.Path("filter");
};

using Filters = testing::Types<BloomFilter, ScalableBloomFilter, CountingBloomFilter>;
TYPED_TEST_SUITE(SavedFiltersTest, Filters);

TYPED_TEST(SavedFiltersTest, LoadedFiltersEqualTheSavedOneAndGrow) {
  ASSERT_TRUE(this->filter_->Save(this->path_, nullptr));
  EXPECT_EQ(this->bytes_, ReadFile(this->path_));
  std::string error = "untouched";
  const auto loaded = TypeParam::Load(this->path_, &error);
  const auto copy = TypeParam::FromBytes(this->bytes_, &error);
  EXPECT_EQ(error, "untouched");
  ASSERT_TRUE(loaded != nullptr && copy != nullptr);
  EXPECT_EQ(BytesOf(*loaded), this->bytes_);
  EXPECT_EQ(BytesOf(*copy), this->bytes_);
  EXPECT_EQ(copy->num_keys(), this->filter_->num_keys());
  EXPECT_EQ(copy->capacity(), this->filter_->capacity());
  for (int i = 0; i < 20 * kNumKeys; ++i) {
    EXPECT_TRUE(i >= kNumKeys || copy->MayMatch(Key(i))) << i;
    ASSERT_EQ(copy->MayMatch(Key(i)), this->filter_->MayMatch(Key(i))) << i;
  }
  for (int i = kNumKeys; i < 20 * kNumKeys; ++i) {
    ASSERT_EQ(copy->AddKey(Key(i)), this->filter_->AddKey(Key(i)));
  }
  EXPECT_EQ(BytesOf(*copy), BytesOf(*this->filter_));
}

// In mapped memory.
TYPED_TEST(SavedFiltersTest, LargeFiltersGoThroughFiles) {
  auto options = OptionsOf(static_cast<TypeParam*>(nullptr));
  if constexpr (std::is_same_v<TypeParam, BloomFilter>) options.num_bits = 30 << 20;
  if constexpr (std::is_same_v<TypeParam, CountingBloomFilter>) options.num_counters = 8 << 20;
  if constexpr (std::is_same_v<TypeParam, ScalableBloomFilter>) options.initial_capacity = 3000000;
  const auto filter = TypeParam::Create(options, nullptr);
  for (int i = 0; i < 20000; ++i) filter->AddKey(Key(i));
  const std::string bytes = BytesOf(*filter);
  ASSERT_TRUE(filter->Save(this->path_, nullptr));
  // Not EXPECT_EQ, which would print megabytes.
  EXPECT_TRUE(BytesOf(*TypeParam::Load(this->path_, nullptr)) == bytes);
}

// The bytes may have any alignment, may end at an inaccessible page, and may be freed after
// FromBytes.
TYPED_TEST(SavedFiltersTest, BytesAreCopiedFromAnyAlignmentAndNoneBeyond) {
  GuardedBytes guarded(this->bytes_.size() + 1);
  for (const char* const before : {"", "x"}) {
    std::string_view bytes = guarded.AtEnd(before + this->bytes_);
    bytes.remove_prefix(std::string_view(before).size());
    const auto copy = TypeParam::FromBytes(bytes, nullptr);
    ASSERT_NE(copy, nullptr);
    guarded.AtEnd(std::string(this->bytes_.size() + 1, '\xFF'));
    EXPECT_EQ(BytesOf(*copy), this->bytes_);
  }
}

TYPED_TEST(SavedFiltersTest, EveryOtherLengthIsRefused) {
  GuardedBytes guarded(this->bytes_.size());
  for (size_t length = 0; length < this->bytes_.size(); length += kIsSlow ? 7 : 1) {
    Refusal<TypeParam>(guarded.AtEnd({this->bytes_.data(), length}));
  }
  Refusal<TypeParam>(this->bytes_ + '\0');
  Refusal<TypeParam>(std::string_view());
}

TYPED_TEST(SavedFiltersTest, EveryFlippedBitIsRefused) {
  std::string damaged = this->bytes_;
  for (size_t bit = 0; bit < 8 * damaged.size(); bit += kIsSlow ? 7 : 1) {
    const char before = damaged[bit / 8];
    damaged[bit / 8] = static_cast<char>(before ^ 1 << bit % 8);
    std::string error;
    ASSERT_EQ(TypeParam::FromBytes(damaged, &error), nullptr) << "bit " << bit;
    ASSERT_EQ(error.find("bytes"), 0u) << error;
    damaged[bit / 8] = before;
  }
  damaged.back() = static_cast<char>(~damaged.back());
  WriteFile(this->path_, damaged);
  EXPECT_EQ(TypeParam::Load(this->path_, nullptr), nullptr);
}

// A header with a correct checksum that claims 1 GiB, or 128 TiB. The size of bytes is checked
// before memory is allocated, or the error would be "out of memory".
TYPED_TEST(SavedFiltersTest, HugeClaimsTakeNoMemory) {
  constexpr bool kHasStages = std::is_same_v<TypeParam, ScalableBloomFilter>;
  constexpr size_t kNumBits = 24;
  for (const uint64_t num_bits : {uint64_t{1} << 33, kMaxBloomBits}) {
    const std::string claim =
        WithField(this->bytes_, kHasStages ? kFileHeaderBytes : 0, kNumBits, num_bits, 8);
    const std::string error = Refusal<TypeParam>(std::string_view(claim));
    EXPECT_NE(error.find("the filter would end at byte"), std::string::npos) << error;
  }
}

// A moved filter has the keys and goes on; one that was moved from can be assigned.
template <typename Filter>
void ExpectMoves(const std::function<Filter(int num_keys)>& make) {
  static_assert(std::is_nothrow_move_constructible_v<Filter>);
  static_assert(std::is_nothrow_move_assignable_v<Filter>);
  static_assert(!std::is_copy_constructible_v<Filter> && !std::is_copy_assignable_v<Filter>);
  const auto has = [](const Filter& filter, int num_keys) {
    int matches = 0;
    for (int i = 0; i < kNumKeys; ++i) {
      EXPECT_TRUE(i >= num_keys || filter.MayMatch(Key(i))) << i;
      matches += filter.MayMatch(Key(i)) ? 1 : 0;
    }
    EXPECT_LT(matches, num_keys + 10);
  };
  Filter first = make(kNumKeys);
  Filter second(std::move(first));
  has(second, kNumKeys);
  first = make(1);
  has(first, 1);
  std::swap(first, second);
  has(first, kNumKeys);
  has(second, 1);
  Filter& same = first;
  first = std::move(same);
  has(first, kNumKeys);
  if constexpr (!std::is_same_v<Filter, MappedBloomFilter>) {
    EXPECT_TRUE(second.AddKey("more"));
    EXPECT_TRUE(second.MayMatch("more"));
  }
}

TYPED_TEST(SavedFiltersTest, MovedFiltersHaveTheKeys) {
  ExpectMoves<TypeParam>([](int num_keys) { return std::move(*NewFilter<TypeParam>(num_keys)); });
}

TEST(MovedFiltersTest, AtomicAndMappedOnesHaveTheKeys) {
  ExpectMoves<AtomicBloomFilter>([](int num_keys) {
    return std::move(*AtomicBloomFilter::ToAtomic(NewFilter<BloomFilter>(num_keys)));
  });
  const TempDir dir;
  int num_files = 0;
  ExpectMoves<MappedBloomFilter>([&](int num_keys) {
    const std::string path = dir.Path(std::to_string(++num_files));
    EXPECT_TRUE(NewFilter<BloomFilter>(num_keys)->Save(path, nullptr));
    return std::move(*MappedBloomFilter::Open(path, Verify::kPayload, nullptr));
  });
  // A move of the base alone would take the state of a filter.
  static_assert(!std::is_move_constructible_v<BloomFilterBase>);
  static_assert(!std::is_move_assignable_v<BloomFilterBase>);
  static_assert(!std::is_assignable_v<BloomFilter&, MappedBloomFilter>);
}

// A filter made with these options and keys has the bytes of a golden file, and is read from them.
template <typename Filter, typename Options>
std::unique_ptr<Filter> ExpectGolden(Options options, const std::string& num_probes,
                                     const std::string& seed, const std::string& capacity,
                                     const std::vector<std::string>& keys,
                                     const std::string& file) {
  options.num_probes = std::stoi(num_probes);
  options.seed = std::stoull(seed);
  options.capacity = std::stoull(capacity);
  auto made = Filter::Create(options, nullptr);
  for (const std::string& key : keys) made->AddKey(key);
  EXPECT_EQ(BytesOf(*made), file);
  const auto read = Filter::FromBytes(file, nullptr);
  EXPECT_TRUE(*read == *made);
  EXPECT_EQ(BytesOf(*read), file);
  return made;
}

// Files of docs/format.md that an independent implementation wrote (golden/reference.py).
TEST(FilterFilesTest, BytesAreThoseOfTheFormat) {
  std::ifstream vectors(BLOOMLINE_GOLDEN_DIR "/saved_filters.txt");
  int num_bloom = 0, num_scalable = 0, num_counting = 0;
  for (std::string line; std::getline(vectors, line);) {
    std::istringstream fields(line);
    std::string kind, layout, num_bits, num_probes, seed, capacity, key_list, hex;
    fields >> kind >> layout >> num_bits >> num_probes >> seed >> capacity >> key_list >> hex;
    SCOPED_TRACE(kind + " " + layout + " " + num_bits);
    const std::vector<std::string> keys = KeysFromHex(key_list);
    const std::string file = FromHex(hex);
    std::string error;
    if (kind == "scalable") {
      const auto filter = ScalableBloomFilter::FromBytes(file, &error);
      ASSERT_NE(filter, nullptr) << error;
      for (const std::string& key : keys) EXPECT_TRUE(filter->MayMatch(key));
      int matches = 0;
      for (int i = 0; i < 1000; ++i) matches += filter->MayMatch("absent" + std::to_string(i));
      EXPECT_LT(matches, 30);
      EXPECT_EQ(filter->num_stages(), 3u);
      EXPECT_EQ(filter->options().initial_capacity, 20u);
      EXPECT_EQ(filter->options().false_positive_rate, 0.01);
      EXPECT_EQ(BytesOf(*filter), file);
      ++num_scalable;
    } else if (kind == "counting") {
      CountingBloomFilterOptions options;
      options.counter_bits = LayoutOf(layout) == BloomLayout::kBlocked128 ? 4 : 8;
      options.num_counters = std::stoull(num_bits);
      const auto filter =
          ExpectGolden<CountingBloomFilter>(options, num_probes, seed, capacity, keys, file);
      EXPECT_EQ(CountingBloomFilter::FromBytes(file, &error)->num_saturated_counters(),
                filter->num_saturated_counters());
      ++num_counting;
    } else {
      BloomFilterOptions options;
      options.layout = LayoutOf(layout);
      options.num_bits = std::stoull(num_bits);
      ExpectGolden<BloomFilter>(options, num_probes, seed, capacity, keys, file);
      ++num_bloom;
    }
  }
  EXPECT_EQ(num_bloom, 7);
  EXPECT_EQ(num_scalable, 2);
  EXPECT_EQ(num_counting, 4);
}

TEST(FilterFilesTest, MappedFiltersHaveAllPropertiesOfTheSavedOnes) {
  const TempDir dir;
  const std::string path = dir.Path("filter");
  for (const BloomLayout layout : kAllBloomLayouts) {
    const auto filter = NewFilter<BloomFilter>(kNumKeys, layout);
    std::string error;
    ASSERT_TRUE(filter->Save(path, &error)) << error;
    const auto mapped = MappedBloomFilter::Open(path, Verify::kPayload, &error);
    ASSERT_NE(mapped, nullptr) << error;
    EXPECT_TRUE(*mapped == *filter);  // layout, num_bits, num_probes and seed, too
    EXPECT_EQ(mapped->num_keys(), filter->num_keys());
    EXPECT_TRUE(mapped->IsPastCapacity());
    EXPECT_EQ(BytesOf(*mapped), ReadFile(path));
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(mapped->MayMatch(Key(i)), filter->MayMatch(Key(i)));
    const auto merged = BloomFilter::Copy(*mapped, &error);
    EXPECT_TRUE(merged->Merge(*mapped, &error));
    EXPECT_TRUE(*merged == *filter);
    // Save replaces a file that is mapped: the map keeps the old one.
    ASSERT_TRUE(NewFilter<BloomFilter>(1, layout)->Save(path, nullptr));
    EXPECT_TRUE(*mapped == *filter);
  }
}

TEST(FilterFilesTest, MappedFilesAreVerifiedAsFarAsAskedFor) {
  const TempDir dir;
  const std::string path = dir.Path("damaged");
  const std::string bytes = BytesOf(*NewFilter<BloomFilter>(30));
  const auto refusal = [&](Verify verify, const std::string& damaged) {
    WriteFile(path, damaged);
    std::string error;
    return MappedBloomFilter::Open(path, verify, &error) == nullptr ? error : "opened";
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(refusal(Verify::kPayload, damaged).find(path), 0u) << i;
    const std::string error = refusal(Verify::kHeader, damaged);
    EXPECT_EQ(error == "opened", i >= kFileHeaderBytes) << i << ": " << error;
  }
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(refusal(Verify::kHeader, bytes.substr(0, length)).find(path), 0u) << length;
  }
  EXPECT_NE(refusal(Verify::kHeader, bytes + '\0').find("193 bytes"), std::string::npos);
}

TEST(FilterFilesTest, FieldsOutOfRangeAreNamedWithOffsetAndValue) {
  const std::string bloom = BytesOf(*NewFilter<BloomFilter>(30));
  const auto expect_named = [&](size_t offset, uint64_t value, size_t num_bytes,
                                const std::vector<std::string>& parts) {
    const std::string error = Refusal<BloomFilter>(WithField(bloom, 0, offset, value, num_bytes));
    for (const std::string& part : parts) EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect_named(0, 0x1122334455667788, 8, {"offset 0", "magic", "0x1122334455667788"});
  expect_named(8, 2, 4, {"offset 8", "version is 2", "reads 1"});
  expect_named(12, 4, 1, {"offset 12", "layout is 4", "allowed: 0"});
  expect_named(13, 0, 1, {"offset 13", "num_probes is 0", "1 to 30"});
  expect_named(13, 31, 1, {"offset 13", "num_probes is 31", "1 to 30"});
  expect_named(14, 256, 2, {"offset 14", "reserved is 256"});
  expect_named(24, 0, 8, {"offset 24", "num_bits is 0"});
  expect_named(24, 1023, 8, {"offset 24", "num_bits is 1023"});
  expect_named(24, 1536, 8, {"offset 24", "num_bits is 1536", "256", "192"});
  expect_named(24, ~uint64_t{511}, 8, {"offset 24", "18446744073709551104"});
  expect_named(24, 512, 8, {"192 bytes", "128"});
  // All stages share one hash of a key, so they must share the seed.
  const std::string scalable = BytesOf(*NewFilter<ScalableBloomFilter>());
  for (const uint64_t seed : {6, 8}) {  // the filter's is 7
    const std::string error = Refusal<ScalableBloomFilter>(
        WithField(scalable, kFileHeaderBytes, sets::kSeedOffset, seed, 8));
    EXPECT_NE(error.find("seed is " + std::to_string(seed)), std::string::npos) << error;
  }
  // Layouts without counters, of the length that counters of 8 bits, and of 4, would give.
  const std::string counting = BytesOf(*NewFilter<CountingBloomFilter>());
  for (const uint64_t layout : {0, 1, 4}) {
    for (const size_t payload_bytes : {1024, 512}) {
      std::string changed = WithField(counting, 0, sets::kLayoutOffset, layout, 1);
      changed.resize(kFileHeaderBytes + payload_bytes);
      const std::string error = Refusal<CountingBloomFilter>(changed);
      EXPECT_NE(error.find("offset 12: layout is " + std::to_string(layout)), std::string::npos)
          << error;
    }
  }
}

TEST(OtherKindsTest, AreNamed) {
  const std::string bloom = BytesOf(*NewFilter<BloomFilter>(1));
  const std::string scalable = BytesOf(*NewFilter<ScalableBloomFilter>()),
                    counting = BytesOf(*NewFilter<CountingBloomFilter>());
  EXPECT_EQ(Refusal<BloomFilter>(scalable),
            "bytes: is a saved ScalableBloomFilter; expected a saved BloomFilter");
  EXPECT_EQ(Refusal<ScalableBloomFilter>(counting),
            "bytes: is a saved CountingBloomFilter; expected a saved ScalableBloomFilter");
  EXPECT_EQ(Refusal<CountingBloomFilter>(bloom),
            "bytes: is a saved BloomFilter; expected a saved CountingBloomFilter");
  // What is none of these: the first bytes, and what they should be.
  EXPECT_EQ(Refusal<BloomFilter>(std::string(100, 'x')),
            "bytes, offset 0: is not a saved BloomFilter; magic is 0x7878787878787878, not "
            "0x6d6f6f6c426e4c62 (\"bLnBloom\")");
}

}  // namespace
}  // namespace bloomline::tests::saved_filters_test
