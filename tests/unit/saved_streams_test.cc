// Filters saved to streams and loaded from them: the bytes of the file, and no byte more.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <sstream>
#include <streambuf>
#include <string>
#include <type_traits>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/in_memory/file_header.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

template <typename Filter>
struct OptionsOf;
template <>
struct OptionsOf<BloomFilter> {
  static BloomFilterOptions For(uint64_t num_keys) {
    BloomFilterOptions options;
    options.capacity = num_keys;
    return options;
  }
};
template <>
struct OptionsOf<ScalableBloomFilter> {
  static ScalableBloomFilterOptions For(uint64_t num_keys) {
    ScalableBloomFilterOptions options;
    options.initial_capacity = num_keys / 4 + 1;  // three stages
    return options;
  }
};
template <>
struct OptionsOf<CountingBloomFilter> {
  static CountingBloomFilterOptions For(uint64_t num_keys) {
    CountingBloomFilterOptions options;
    options.capacity = num_keys;
    return options;
  }
};

std::string Key(uint64_t i) { return "key " + std::to_string(i); }

template <typename Filter>
std::unique_ptr<Filter> NewFilter(uint64_t num_keys) {
  auto filter = Filter::Create(OptionsOf<Filter>::For(num_keys), nullptr);
  for (uint64_t i = 0; i < num_keys; ++i) filter->AddKey(Key(i));
  return filter;
}

template <typename Filter>
std::string BytesOf(const Filter& filter) {
  std::string bytes;
  EXPECT_TRUE(filter.ToBytes(&bytes, nullptr));
  return bytes;
}

// Loads from `stream`, which must fail.
template <typename Filter>
std::string Refusal(std::istream* stream) {
  std::string error;
  EXPECT_EQ(Filter::Load(stream, &error), nullptr);
  EXPECT_NE(error, "");
  return error;
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

template <typename Filter>
class SavedStreamsTest : public testing::Test {
 protected:
  const std::unique_ptr<Filter> filter_ = NewFilter<Filter>(60);
  const std::string bytes_ = BytesOf(*filter_);
};

using Filters = testing::Types<BloomFilter, ScalableBloomFilter, CountingBloomFilter>;
TYPED_TEST_SUITE(SavedStreamsTest, Filters);

TYPED_TEST(SavedStreamsTest, BytesAreThoseOfTheFileAmongOtherContent) {
  std::stringstream stream;
  std::string error = "untouched";
  stream << "before";
  ASSERT_TRUE(this->filter_->Save(&stream, &error));
  ASSERT_TRUE(NewFilter<TypeParam>(10)->Save(&stream, &error));
  stream << "after";
  EXPECT_EQ(stream.str(), "before" + this->bytes_ + BytesOf(*NewFilter<TypeParam>(10)) + "after");

  stream.ignore(6);
  const auto first = TypeParam::Load(&stream, &error);
  const auto second = TypeParam::Load(&stream, &error);
  ASSERT_TRUE(first != nullptr && second != nullptr) << error;
  EXPECT_EQ(error, "untouched");
  EXPECT_EQ(BytesOf(*first), this->bytes_);
  EXPECT_EQ(BytesOf(*second), BytesOf(*NewFilter<TypeParam>(10)));
  for (uint64_t i = 0; i < 60; ++i) ASSERT_TRUE(first->MayMatch(Key(i))) << i;
  EXPECT_TRUE(stream.good());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "after");
}

// Larger than a buffer of a stream, and in mapped memory.
TYPED_TEST(SavedStreamsTest, LargeFiltersGoThroughFiles) {
  const tests::TempDir dir;
  const auto filter = NewFilter<TypeParam>(20000);
  const std::string bytes = BytesOf(*filter);
  {
    std::ofstream file(dir.Path("filter"), std::ios::binary);
    ASSERT_TRUE(filter->Save(&file, nullptr));
  }
  std::ifstream file(dir.Path("filter"), std::ios::binary);
  const auto loaded = TypeParam::Load(&file, nullptr);
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(BytesOf(*loaded), bytes);
  EXPECT_EQ(BytesOf(*TypeParam::Load(dir.Path("filter"), nullptr)), bytes);
}

TYPED_TEST(SavedStreamsTest, EveryShorterStreamIsRefused) {
  for (size_t length = 0; length < this->bytes_.size(); ++length) {
    std::istringstream stream(this->bytes_.substr(0, length));
    const std::string error = Refusal<TypeParam>(&stream);
    ASSERT_NE(error.find("it ended after"), std::string::npos) << error;
  }
}

TYPED_TEST(SavedStreamsTest, EveryDamagedByteIsRefused) {
  std::string damaged = this->bytes_;
  for (size_t i = 0; i < damaged.size(); ++i) {
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    std::istringstream stream(damaged);
    const std::string error = Refusal<TypeParam>(&stream);
    ASSERT_TRUE(error.find("stream, ") == 0 || error.find("stream: ") == 0) << error;
    damaged[i] = this->bytes_[i];
  }
}

TYPED_TEST(SavedStreamsTest, OffsetsCountFromWhereTheStreamWas) {
  std::istringstream stream("before" + this->bytes_.substr(0, 8) + '\2' + this->bytes_.substr(9));
  stream.ignore(6);
  const std::string error = Refusal<TypeParam>(&stream);
  EXPECT_NE(error.find("offset 8: version is 2"), std::string::npos) << error;
}

TEST(SavedStreamsOfOtherKindsTest, AreNamed) {
  std::stringstream stream;
  ASSERT_TRUE(NewFilter<CountingBloomFilter>(10)->Save(&stream, nullptr));
  EXPECT_EQ(Refusal<BloomFilter>(&stream),
            "stream: is a saved CountingBloomFilter; expected a saved BloomFilter");
}

TYPED_TEST(SavedStreamsTest, FailedStreamsAreRefused) {
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

// With and without a stream that throws what its buffer throws.
TYPED_TEST(SavedStreamsTest, WhatStreamsThrowIsCaught) {
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

// A header with a correct checksum that claims 1 GiB, or 128 TiB, in a stream that ends: the memory
// may be reserved, but is not touched.
TYPED_TEST(SavedStreamsTest, HugeClaimsTakeNoMemory) {
  constexpr size_t kNumBitsOffset = 24;
  const bool has_stages = std::is_same_v<TypeParam, ScalableBloomFilter>;
  const size_t offset = has_stages ? in_memory::kFileHeaderBytes : 0;
  for (const uint64_t num_bits : {uint64_t{1} << 33, kMaxBloomBits}) {
    in_memory::FileHeader header;
    for (size_t i = 0; i < in_memory::kHeaderChecksumOffset; ++i) {
      header.SetByte(i, static_cast<uint8_t>(this->bytes_[offset + i]));
    }
    header.SetNumber(kNumBitsOffset, num_bits);
    header.Seal();
    std::string claim = this->bytes_;
    claim.replace(offset, in_memory::kFileHeaderBytes, header.bytes(), in_memory::kFileHeaderBytes);
    std::istringstream stream(claim);
    struct rusage before, after;
    ASSERT_EQ(getrusage(RUSAGE_SELF, &before), 0);
    const std::string error = Refusal<TypeParam>(&stream);
    ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
    if (num_bits < kMaxBloomBits) {
      EXPECT_NE(error.find("it ended after"), std::string::npos) << error;
    }
    EXPECT_LT(after.ru_maxrss, before.ru_maxrss + 100000) << "KiB";
  }
}

}  // namespace
}  // namespace bloomline
