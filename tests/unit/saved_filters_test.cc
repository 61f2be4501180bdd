// Filters saved to bytes, files and streams: each gives the same bytes, what is loaded equals what
// was saved, and everything else is refused. Filters in memory can also be moved.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <memory>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/in_memory/file_header.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

constexpr int kNumKeys = 60;

BloomFilterOptions OptionsOf(const BloomFilter*) {
  BloomFilterOptions options;
  options.capacity = kNumKeys / 2;
  options.num_bits = 1024;
  options.num_probes = 6;
  return options;
}
ScalableBloomFilterOptions OptionsOf(const ScalableBloomFilter*) {
  ScalableBloomFilterOptions options;
  options.initial_capacity = kNumKeys / 4;  // three stages
  return options;
}
CountingBloomFilterOptions OptionsOf(const CountingBloomFilter*) {
  CountingBloomFilterOptions options;
  options.capacity = kNumKeys / 2;
  options.num_counters = 1024;
  options.num_probes = 6;
  return options;
}

std::string Key(int i) { return "key " + std::to_string(i); }

template <typename Filter>
std::unique_ptr<Filter> NewFilter(int num_keys = kNumKeys) {
  auto options = OptionsOf(static_cast<Filter*>(nullptr));
  options.seed = 7;
  auto filter = Filter::Create(options, nullptr);
  for (int i = 0; i < num_keys; ++i) filter->AddKey(Key(i));
  return filter;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
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
template <typename Filter>
std::string Refusal(std::istream* stream) {
  std::string error;
  EXPECT_EQ(Filter::Load(stream, &error), nullptr);
  EXPECT_NE(error, "");
  return error;
}

// With another number of bits and a correct checksum of its header.
template <typename Filter>
std::string ClaimOfBits(std::string bytes, uint64_t num_bits) {
  constexpr size_t kNumBitsOffset = 24;
  const bool has_stages = std::is_same_v<Filter, ScalableBloomFilter>;
  const size_t offset = has_stages ? in_memory::kFileHeaderBytes : 0;
  in_memory::FileHeader header;
  for (size_t i = 0; i < in_memory::kHeaderChecksumOffset; ++i) {
    header.SetByte(i, static_cast<uint8_t>(bytes[offset + i]));
  }
  header.SetNumber(kNumBitsOffset, num_bits);
  header.Seal();
  return bytes.replace(offset, in_memory::kFileHeaderBytes, header.bytes(),
                       in_memory::kFileHeaderBytes);
}

template <typename Filter>
class SavedFiltersTest : public testing::Test {
 protected:
  const std::unique_ptr<Filter> filter_ = NewFilter<Filter>();
  const std::string bytes_ = BytesOf(*filter_);
  const tests::TempDir dir_;
  const std::string path_ = dir_.Path("filter");
};

using Filters = testing::Types<BloomFilter, ScalableBloomFilter, CountingBloomFilter>;
TYPED_TEST_SUITE(SavedFiltersTest, Filters);

TYPED_TEST(SavedFiltersTest, BytesFilesAndStreamsAreTheSame) {
  ASSERT_TRUE(this->filter_->Save(this->path_, nullptr));
  EXPECT_EQ(this->bytes_, ReadFile(this->path_));
  std::string error = "untouched";
  const auto small = NewFilter<TypeParam>(1);
  std::stringstream stream;  // the filters lie among other content
  stream << "before";
  ASSERT_TRUE(this->filter_->Save(&stream, &error));
  ASSERT_TRUE(small->Save(&stream, &error));
  stream << "after";
  EXPECT_EQ(stream.str(), "before" + this->bytes_ + BytesOf(*small) + "after");
  stream.ignore(6);
  const auto first = TypeParam::Load(&stream, &error);
  const auto second = TypeParam::Load(&stream, &error);
  ASSERT_TRUE(first != nullptr && second != nullptr) << error;
  EXPECT_EQ(BytesOf(*first), this->bytes_);
  EXPECT_EQ(BytesOf(*second), BytesOf(*small));
  EXPECT_TRUE(stream.good());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "after");
  const auto loaded = TypeParam::Load(this->path_, &error);
  ASSERT_NE(loaded, nullptr) << error;
  EXPECT_EQ(BytesOf(*loaded), this->bytes_);
  EXPECT_EQ(error, "untouched");
}

TYPED_TEST(SavedFiltersTest, LoadedFilterEqualsTheSavedOneAndGrows) {
  std::string error;
  const auto copy = TypeParam::FromBytes(this->bytes_, &error);
  ASSERT_NE(copy, nullptr) << error;
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

// Larger than a buffer of a stream, and in mapped memory.
TYPED_TEST(SavedFiltersTest, LargeFiltersGoThroughFilesAndStreams) {
  auto options = OptionsOf(static_cast<TypeParam*>(nullptr));
  if constexpr (std::is_same_v<TypeParam, BloomFilter>) options.num_bits = 30 << 20;
  if constexpr (std::is_same_v<TypeParam, CountingBloomFilter>) options.num_counters = 8 << 20;
  if constexpr (std::is_same_v<TypeParam, ScalableBloomFilter>) options.initial_capacity = 3000000;
  const auto filter = TypeParam::Create(options, nullptr);
  for (int i = 0; i < 20000; ++i) filter->AddKey(Key(i));
  const std::string bytes = BytesOf(*filter);
  {
    std::ofstream file(this->path_, std::ios::binary);
    ASSERT_TRUE(filter->Save(&file, nullptr));
  }
  std::ifstream file(this->path_, std::ios::binary);
  // Not EXPECT_EQ, which would print megabytes.
  EXPECT_TRUE(BytesOf(*TypeParam::Load(&file, nullptr)) == bytes);
  EXPECT_TRUE(BytesOf(*TypeParam::Load(this->path_, nullptr)) == bytes);
}

// The bytes may have any alignment, may end at an inaccessible page, and may be freed after
// FromBytes.
TYPED_TEST(SavedFiltersTest, BytesAreCopiedFromAnyAlignmentAndNoneBeyond) {
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

TYPED_TEST(SavedFiltersTest, EveryOtherLengthIsRefused) {
  tests::GuardedBytes guarded(this->bytes_.size());
  for (size_t length = 0; length < this->bytes_.size(); length += tests::kIsSlow ? 7 : 1) {
    Refusal<TypeParam>(guarded.AtEnd({this->bytes_.data(), length}));
    std::istringstream stream(this->bytes_.substr(0, length));
    const std::string error = Refusal<TypeParam>(&stream);
    ASSERT_NE(error.find("it ended after"), std::string::npos) << error;
  }
  Refusal<TypeParam>(this->bytes_ + '\0');
  Refusal<TypeParam>(std::string_view());
}

TYPED_TEST(SavedFiltersTest, EveryFlippedBitIsRefused) {
  std::string damaged = this->bytes_;
  for (size_t bit = 0; bit < 8 * damaged.size(); bit += tests::kIsSlow ? 7 : 1) {
    const char before = damaged[bit / 8];
    damaged[bit / 8] = static_cast<char>(before ^ 1 << bit % 8);
    std::string error;
    ASSERT_EQ(TypeParam::FromBytes(damaged, &error), nullptr) << "bit " << bit;
    ASSERT_EQ(error.find("bytes"), 0u) << error;
    damaged[bit / 8] = before;
  }
}

// One implementation reads bytes, files and streams: only the name differs.
TYPED_TEST(SavedFiltersTest, ErrorsAreThoseOfTheBytes) {
  const size_t size = this->bytes_.size();
  for (const size_t offset : {size_t{0}, size_t{8}, size_t{12}, size_t{13}, size_t{14}, size_t{24},
                              size_t{48}, size_t{56}, size_t{70}, size - 1}) {
    std::string damaged = this->bytes_;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 0x55);
    WriteFile(this->path_, damaged);
    std::string file_error;
    EXPECT_EQ(TypeParam::Load(this->path_, &file_error), nullptr);
    EXPECT_EQ(TypeParam::Load(this->path_, nullptr), nullptr);
    ASSERT_EQ(file_error.find(this->path_), 0u) << file_error;
    EXPECT_EQ(Refusal<TypeParam>(damaged), "bytes" + file_error.substr(this->path_.size()));
    std::istringstream stream("before" + damaged);  // offsets count from where the stream was
    stream.ignore(6);
    const std::string error = Refusal<TypeParam>(&stream);
    ASSERT_TRUE(error.find("stream, ") == 0 || error.find("stream: ") == 0) << error;
    if (offset == 8) {
      EXPECT_NE(error.find("offset 8: version is"), std::string::npos) << error;
    }
  }
}

// A header with a correct checksum that claims 1 GiB, or 128 TiB. The size of bytes is checked
// before memory is allocated, or the error would be "out of memory". Of a stream that ends, the
// memory may be reserved, but is not touched.
TYPED_TEST(SavedFiltersTest, HugeClaimsTakeNoMemory) {
  for (const uint64_t num_bits : {uint64_t{1} << 33, kMaxBloomBits}) {
    const std::string claim = ClaimOfBits<TypeParam>(this->bytes_, num_bits);
    const std::string error = Refusal<TypeParam>(std::string_view(claim));
    EXPECT_NE(error.find("the filter would end at byte"), std::string::npos) << error;
    std::istringstream stream(claim);
    struct rusage before, after;
    ASSERT_EQ(getrusage(RUSAGE_SELF, &before), 0);
    Refusal<TypeParam>(&stream);
    ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
    EXPECT_LT(after.ru_maxrss, before.ru_maxrss + 100000) << "KiB";
  }
}

TYPED_TEST(SavedFiltersTest, FailedStreamsAreRefused) {
  std::ifstream missing("/missing/file");
  EXPECT_NE(Refusal<TypeParam>(&missing).find("had failed"), std::string::npos);
  std::ofstream no_file("/missing/file");
  std::string error;
  EXPECT_FALSE(this->filter_->Save(&no_file, &error));
  EXPECT_NE(error.find("had failed before"), std::string::npos) << error;
  // The stream's buffer takes all bytes; only the flush meets the full disk.
  std::ofstream full("/dev/full", std::ios::binary);
  EXPECT_FALSE(NewFilter<TypeParam>(1)->Save(&full, &error));
  EXPECT_EQ(error.find("stream: cannot "), 0u) << error;
  EXPECT_EQ(TypeParam::Load(static_cast<std::istream*>(nullptr), &error), nullptr);
  EXPECT_NE(error.find("stream is null"), std::string::npos) << error;
  EXPECT_FALSE(this->filter_->Save(static_cast<std::ostream*>(nullptr), &error));
  EXPECT_NE(error.find("stream is null"), std::string::npos) << error;
}

// Takes or gives up to `limit` bytes, then throws something that is no std::exception.
class ThrowingBuffer : public std::streambuf {
 public:
  ThrowingBuffer(std::string content, size_t limit) : content_(std::move(content)), left_(limit) {}

 protected:
  int_type overflow(int_type c) override {
    if (left_ == 0) throw 7;
    --left_;
    content_ += traits_type::to_char_type(c);
    return c;
  }
  int_type underflow() override {
    if (left_ == 0) throw 7;
    setg(content_.data(), content_.data(), content_.data() + left_);
    left_ = 0;
    return traits_type::to_int_type(content_[0]);
  }

 private:
  std::string content_;
  size_t left_;
};

// With and without a stream that throws what its buffer throws.
TYPED_TEST(SavedFiltersTest, WhatStreamsThrowIsCaught) {
  const auto failure = std::ios::badbit | std::ios::failbit | std::ios::eofbit;
  for (const size_t limit : {size_t{0}, size_t{70}, this->bytes_.size() - 1}) {
    for (const auto exceptions : {std::ios::goodbit, failure}) {
      ThrowingBuffer buffer(this->bytes_, limit);
      std::iostream stream(&buffer);
      stream.exceptions(exceptions);
      EXPECT_NE(Refusal<TypeParam>(&stream).find("it failed"), std::string::npos);
      EXPECT_TRUE(stream.bad());
      ThrowingBuffer target("", limit);
      std::iostream output(&target);
      output.exceptions(exceptions);
      std::string error;
      EXPECT_FALSE(this->filter_->Save(&output, &error));
      EXPECT_EQ(error.find("stream: cannot write"), 0u) << error;
    }
    std::istringstream ends(this->bytes_.substr(0, limit));
    ends.exceptions(failure);
    EXPECT_NE(Refusal<TypeParam>(&ends).find("it ended after"), std::string::npos);
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
  const tests::TempDir dir;
  const std::string path = dir.Path("filter");
  ExpectMoves<MappedBloomFilter>([&](int num_keys) {
    EXPECT_TRUE(NewFilter<BloomFilter>(num_keys)->Save(path, nullptr));
    return std::move(*MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kPayload, nullptr));
  });
  // A move of the base alone would take the state of a filter.
  static_assert(!std::is_move_constructible_v<BloomFilterBase>);
  static_assert(!std::is_move_assignable_v<BloomFilterBase>);
  static_assert(!std::is_assignable_v<BloomFilter&, MappedBloomFilter>);
}

TEST(MovedFiltersTest, ScalableFilterWithoutStagesNeverAnswersNo) {
  ScalableBloomFilter filter = std::move(*NewFilter<ScalableBloomFilter>());
  const ScalableBloomFilter moved = std::move(filter);
  const std::string_view keys[] = {"key 0", "x"};
  bool may_match[2] = {};
  filter.MayMatch(2, keys, may_match);
  EXPECT_TRUE(may_match[0] && may_match[1] && filter.MayMatch("key 0"));
  // Nor does it take keys, or end the program.
  bool changed[2] = {true, true};
  EXPECT_EQ(filter.AddKeys(2, keys, changed), 0u);
  EXPECT_FALSE(changed[0] || changed[1] || filter.AddKey("key 0"));
  filter.Clear();
  EXPECT_TRUE(filter.MayMatch("key 0"));
}

}  // namespace
}  // namespace bloomline
