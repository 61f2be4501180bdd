// Filters saved to bytes: ToBytes gives exactly the file's bytes, and FromBytes accepts no others.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/in_memory/file_header.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

constexpr int kNumKeys = 60;

template <typename Filter>
std::unique_ptr<Filter> NewEmpty();

template <>
std::unique_ptr<BloomFilter> NewEmpty() {
  BloomFilterOptions options;
  options.capacity = kNumKeys / 2;
  options.num_bits = 1024;
  options.num_probes = 6;
  options.seed = 7;
  return BloomFilter::Create(options, nullptr);
}

template <>
std::unique_ptr<ScalableBloomFilter> NewEmpty() {
  ScalableBloomFilterOptions options;
  options.initial_capacity = kNumKeys / 2;
  options.seed = 7;
  return ScalableBloomFilter::Create(options, nullptr);
}

template <>
std::unique_ptr<CountingBloomFilter> NewEmpty() {
  CountingBloomFilterOptions options;
  options.capacity = kNumKeys / 2;
  options.num_counters = 1024;
  options.num_probes = 6;
  options.seed = 7;
  return CountingBloomFilter::Create(options, nullptr);
}

std::string Key(int i) { return "key " + std::to_string(i); }

template <typename Filter>
std::unique_ptr<Filter> NewFilter() {
  auto filter = NewEmpty<Filter>();
  for (int i = 0; i < kNumKeys; ++i) filter->AddKey(Key(i));
  return filter;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

template <typename Filter>
std::string BytesOf(const Filter& filter) {
  std::string bytes = "old content";
  std::string error = "untouched";
  EXPECT_TRUE(filter.ToBytes(&bytes, &error));
  EXPECT_EQ(error, "untouched");
  return bytes;
}

// Returns the error for bytes that must be refused.
template <typename Filter>
std::string Refusal(std::string_view bytes) {
  std::string error;
  EXPECT_EQ(Filter::FromBytes(bytes, &error), nullptr);
  EXPECT_EQ(Filter::FromBytes(bytes, nullptr), nullptr);
  EXPECT_EQ(error.find("bytes"), 0u) << error;
  return error;
}

template <typename Filter>
class SavedBytesTest : public testing::Test {
 protected:
  const std::unique_ptr<Filter> filter_ = NewFilter<Filter>();
  const std::string bytes_ = BytesOf(*filter_);
  const tests::TempDir dir_;
};

using Filters = testing::Types<BloomFilter, ScalableBloomFilter, CountingBloomFilter>;
TYPED_TEST_SUITE(SavedBytesTest, Filters);

TYPED_TEST(SavedBytesTest, BytesAreThoseOfTheFile) {
  const std::string path = this->dir_.Path("filter");
  ASSERT_TRUE(this->filter_->Save(path, nullptr));
  EXPECT_EQ(this->bytes_, ReadFile(path));
  EXPECT_GT(this->bytes_.size(), 2 * in_memory::kFileHeaderBytes);
}

TYPED_TEST(SavedBytesTest, LoadedFilterEqualsTheSavedOneAndGrows) {
  std::string error = "untouched";
  const auto copy = TypeParam::FromBytes(this->bytes_, &error);
  ASSERT_NE(copy, nullptr) << error;
  EXPECT_EQ(error, "untouched");
  EXPECT_EQ(BytesOf(*copy), this->bytes_);
  EXPECT_EQ(copy->num_keys(), this->filter_->num_keys());
  for (int i = 0; i < 20 * kNumKeys; ++i) {
    EXPECT_TRUE(i >= kNumKeys || copy->MayMatch(Key(i))) << i;
    ASSERT_EQ(copy->MayMatch(Key(i)), this->filter_->MayMatch(Key(i))) << i;
  }
  for (int i = kNumKeys; i < 4 * kNumKeys; ++i) {
    ASSERT_EQ(copy->AddKey(Key(i)), this->filter_->AddKey(Key(i)));
  }
  EXPECT_EQ(BytesOf(*copy), BytesOf(*this->filter_));
}

// The bytes may have any alignment, may end at an inaccessible page, and may be freed after
// FromBytes.
TYPED_TEST(SavedBytesTest, BytesAreCopiedFromAnyAlignmentAndNoneBeyond) {
  tests::GuardedBytes guarded(this->bytes_.size() + 1);
  for (const char* const before : {"", "x"}) {
    std::string_view bytes = guarded.AtEnd(before + this->bytes_);
    bytes.remove_prefix(std::string_view(before).size());
    const auto copy = TypeParam::FromBytes(bytes, nullptr);
    ASSERT_NE(copy, nullptr);
    guarded.AtEnd(std::string(this->bytes_.size() + 1, '\xFF'));
    EXPECT_EQ(BytesOf(*copy), this->bytes_);
  }
}

TYPED_TEST(SavedBytesTest, EveryOtherLengthIsRefused) {
  tests::GuardedBytes guarded(this->bytes_.size());
  for (size_t length = 0; length < this->bytes_.size(); ++length) {
    Refusal<TypeParam>(guarded.AtEnd({this->bytes_.data(), length}));
  }
  Refusal<TypeParam>(this->bytes_ + '\0');
  Refusal<TypeParam>(std::string_view());
}

TYPED_TEST(SavedBytesTest, EveryFlippedBitIsRefused) {
  std::string damaged = this->bytes_;
  for (size_t bit = 0; bit < 8 * damaged.size(); ++bit) {
    const auto flip = [&] {
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    };
    flip();
    std::string error;
    ASSERT_EQ(TypeParam::FromBytes(damaged, &error), nullptr) << "bit " << bit;
    ASSERT_EQ(error.find("bytes"), 0u) << error;
    flip();
  }
}

// One implementation reads both: only the name differs.
TYPED_TEST(SavedBytesTest, ErrorsAreThoseOfTheFile) {
  const std::string path = this->dir_.Path("damaged");
  for (const size_t offset : {0, 8, 12, 13, 14, 24, 48, 56, 70}) {
    std::string damaged = this->bytes_;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 0x55);
    std::ofstream(path, std::ios::binary) << damaged;
    std::string file_error;
    EXPECT_EQ(TypeParam::Load(path, &file_error), nullptr);
    ASSERT_EQ(file_error.find(path), 0u) << file_error;
    EXPECT_EQ(Refusal<TypeParam>(damaged), "bytes" + file_error.substr(path.size()));
  }
}

// A header with a correct checksum claims 128 TiB. The size is checked before memory is allocated;
// otherwise the error would be "out of memory".
TYPED_TEST(SavedBytesTest, HugeSizesAreRefusedBeforeAllocation) {
  constexpr size_t kNumBitsOffset = 24;
  const bool has_stages = std::is_same_v<TypeParam, ScalableBloomFilter>;
  const size_t offset = has_stages ? in_memory::kFileHeaderBytes : 0;
  in_memory::FileHeader header;
  for (size_t i = 0; i < in_memory::kHeaderChecksumOffset; ++i) {
    header.SetByte(i, static_cast<uint8_t>(this->bytes_[offset + i]));
  }
  header.SetNumber(kNumBitsOffset, kMaxBloomBits);
  header.Seal();
  std::string claim = this->bytes_;
  claim.replace(offset, in_memory::kFileHeaderBytes, header.bytes(), in_memory::kFileHeaderBytes);
  const std::string error = Refusal<TypeParam>(claim);
  EXPECT_NE(error.find("the filter would end at byte"), std::string::npos) << error;
}

TEST(SavedBytesOfOtherKindsTest, AreRefused) {
  const std::string bloom = BytesOf(*NewFilter<BloomFilter>());
  const std::string scalable = BytesOf(*NewFilter<ScalableBloomFilter>());
  const std::string counting = BytesOf(*NewFilter<CountingBloomFilter>());
  const std::string is_bloom = "bytes: is a saved BloomFilter; expected a saved ";
  const std::string is_scalable = "bytes: is a saved ScalableBloomFilter; expected a saved ";
  const std::string is_counting = "bytes: is a saved CountingBloomFilter; expected a saved ";
  EXPECT_EQ(Refusal<BloomFilter>(scalable), is_scalable + "BloomFilter");
  EXPECT_EQ(Refusal<BloomFilter>(counting), is_counting + "BloomFilter");
  EXPECT_EQ(Refusal<ScalableBloomFilter>(bloom), is_bloom + "ScalableBloomFilter");
  EXPECT_EQ(Refusal<ScalableBloomFilter>(counting), is_counting + "ScalableBloomFilter");
  EXPECT_EQ(Refusal<CountingBloomFilter>(bloom), is_bloom + "CountingBloomFilter");
  EXPECT_EQ(Refusal<CountingBloomFilter>(scalable), is_scalable + "CountingBloomFilter");
}

TEST(SavedBytesOfOtherKindsTest, StaticFiltersTablesAndNothingAreNamed) {
  EXPECT_EQ(Refusal<BloomFilter>(""), "bytes: is empty (0 bytes); expected a saved BloomFilter");
  for (const int num_keys : {0, 1, 1000}) {
    FilterBuilder builder((FilterOptions()));
    for (int i = 0; i < num_keys; ++i) builder.AddKey(Key(i));
    EXPECT_EQ(Refusal<CountingBloomFilter>(builder.Finish()),
              "bytes: is a static filter, as FilterBuilder makes it; FilterView::Open takes its "
              "bytes; expected a saved CountingBloomFilter");
  }
  // The ends of tables.
  const std::string content(100, 'x');
  EXPECT_EQ(Refusal<BloomFilter>(content + "\x57\xfb\x80\x8b\x24\x75\x47\xdb"),
            "bytes: is a table (SSTable) of LevelDB; expected a saved BloomFilter");
  EXPECT_EQ(Refusal<BloomFilter>(content + "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"),
            "bytes: is a table (SST file) of RocksDB; expected a saved BloomFilter");
  // What is none of these: the first bytes, and what they should be.
  EXPECT_EQ(Refusal<BloomFilter>(content),
            "bytes, offset 0: magic is 0x7878787878787878; expected 0x6d6f6f6c426e4c62 "
            "(\"bLnBloom\"), a saved BloomFilter");
}

// The other way round: what a view says of bytes that are no static filter.
TEST(SavedBytesOfOtherKindsTest, AViewSaysWhyItMatchesEveryKey) {
  FilterBuilder builder((FilterOptions()));
  EXPECT_EQ(FilterView::Validate(builder.Finish()), "");
  builder.AddKey("key");
  const std::string filter = builder.Finish();
  EXPECT_EQ(FilterView::Validate(filter), "");
  const std::pair<std::string, std::string> refused[] = {
      {BytesOf(*NewFilter<BloomFilter>()), "it is a saved BloomFilter, not a static filter"},
      {BytesOf(*NewFilter<ScalableBloomFilter>()),
       "it is a saved ScalableBloomFilter, not a static filter"},
      {BytesOf(*NewFilter<CountingBloomFilter>()),
       "it is a saved CountingBloomFilter, not a static filter"},
      {std::string(100, 'x') + "\x57\xfb\x80\x8b\x24\x75\x47\xdb",
       "it is a table (SSTable) of LevelDB, not a static filter"},
      {std::string(100, 'x'), "no bloomline trailer at its end"},
      {"", "it has 0 bytes; a trailer alone has 20"},
      {filter.substr(0, filter.size() - 1), "no bloomline trailer at its end"},
      {filter.substr(0, filter.size() - 1) + '\3', "version is 3; known: 1"},
      {filter.substr(1), "payload has 63 bytes; the trailer says 1 units of 64"}};
  for (const auto& [bytes, reason] : refused) {
    EXPECT_EQ(FilterView::Validate(bytes), reason);
    EXPECT_TRUE(FilterView::Open(bytes).AlwaysMatches()) << reason;
  }
  EXPECT_EQ(FilterView::Validate(filter, "app.Case"),
            "its canonicalizer is none; the reader's is app.Case");
}

TEST(SavedBytesOfMappedFilterTest, AreThoseOfItsFile) {
  const tests::TempDir dir;
  const std::string path = dir.Path("filter");
  const auto filter = NewFilter<BloomFilter>();
  ASSERT_TRUE(filter->Save(path, nullptr));
  const auto mapped = MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kPayload, nullptr);
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(BytesOf(*mapped), ReadFile(path));
}

}  // namespace
}  // namespace bloomline
