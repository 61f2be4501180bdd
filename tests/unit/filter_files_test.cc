// Files of single kinds of filters: the golden ones, mapped ones, fields out of range, and what is
// said of files of other kinds.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/in_memory/file_header.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/golden_keys.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using Verify = MappedBloomFilter::Verify;
using in_memory::kFileHeaderBytes;

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename Filter>
std::string BytesOf(const Filter& filter) {
  std::string bytes, error;
  EXPECT_TRUE(filter.ToBytes(&bytes, &error)) << error;
  return bytes;
}

std::unique_ptr<BloomFilter> NewBloom(BloomLayout layout, int num_keys) {
  BloomFilterOptions options;
  options.layout = layout;
  options.capacity = 50;
  options.num_bits = 1024;
  options.num_probes = 6;
  options.seed = 0x0123456789ABCDEF;
  auto filter = BloomFilter::Create(options, nullptr);
  for (int i = 0; i < num_keys; ++i) filter->AddKey(std::to_string(i));
  return filter;
}

std::unique_ptr<ScalableBloomFilter> NewScalable() {
  ScalableBloomFilterOptions options;
  options.initial_capacity = 20;
  options.seed = 3;
  auto filter = ScalableBloomFilter::Create(options, nullptr);
  for (int i = 0; i < 100; ++i) filter->AddKey(std::to_string(i));
  return filter;
}

std::unique_ptr<CountingBloomFilter> NewCounting() {
  CountingBloomFilterOptions options;
  options.num_counters = 512;
  options.num_probes = 3;
  return CountingBloomFilter::Create(options, nullptr);
}

// A header at `offset` with one changed number, and a correct checksum.
std::string WithField(std::string bytes, size_t offset, size_t field, uint64_t value,
                      size_t num_bytes) {
  for (size_t i = 0; i < num_bytes; ++i) {
    bytes[offset + field + i] = static_cast<char>(value >> (8 * i));
  }
  in_memory::FileHeader header;
  for (size_t i = 0; i < in_memory::kHeaderChecksumOffset; ++i) {
    header.SetByte(i, static_cast<uint8_t>(bytes[offset + i]));
  }
  header.Seal();
  return bytes.replace(offset, kFileHeaderBytes, header.bytes(), kFileHeaderBytes);
}

template <typename Filter>
std::string Refusal(const std::string& bytes) {
  std::string error;
  EXPECT_EQ(Filter::FromBytes(bytes, &error), nullptr);
  return error;
}

// A filter with the shape and the keys of a golden file, and the filter read from the file.
template <typename Filter>
void ExpectGolden(const Filter& made, const std::string& file) {
  EXPECT_EQ(BytesOf(made), file);
  std::string error;
  const auto read = Filter::FromBytes(file, &error);
  ASSERT_NE(read, nullptr) << error;
  EXPECT_TRUE(*read == made);
  EXPECT_EQ(BytesOf(*read), file);
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
    const std::vector<std::string> keys = tests::KeysFromHex(key_list);
    const std::string file = tests::FromHex(hex);
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
      options.counter_bits = tests::LayoutOf(layout) == BloomLayout::kBlocked128 ? 4 : 8;
      options.num_counters = std::stoull(num_bits);
      options.num_probes = std::stoi(num_probes);
      options.seed = std::stoull(seed);
      options.capacity = std::stoull(capacity);
      const auto filter = CountingBloomFilter::Create(options, &error);
      ASSERT_NE(filter, nullptr) << error;
      for (const std::string& key : keys) filter->AddKey(key);
      ExpectGolden(*filter, file);
      EXPECT_EQ(CountingBloomFilter::FromBytes(file, &error)->num_saturated_counters(),
                filter->num_saturated_counters());
      ++num_counting;
    } else {
      BloomFilterOptions options;
      options.layout = tests::LayoutOf(layout);
      options.num_bits = std::stoull(num_bits);
      options.num_probes = std::stoi(num_probes);
      options.seed = std::stoull(seed);
      options.capacity = std::stoull(capacity);
      const auto filter = BloomFilter::Create(options, &error);
      ASSERT_NE(filter, nullptr) << error;
      for (const std::string& key : keys) filter->AddKey(key);
      ExpectGolden(*filter, file);
      ++num_bloom;
    }
  }
  EXPECT_EQ(num_bloom, 7);
  EXPECT_EQ(num_scalable, 2);
  EXPECT_EQ(num_counting, 4);
}

TEST(FilterFilesTest, LoadedAndMappedFiltersHaveAllProperties) {
  const tests::TempDir dir;
  const std::string path = dir.Path("filter");
  for (const BloomLayout layout : tests::kAllBloomLayouts) {
    const auto filter = NewBloom(layout, 60);
    std::string error;
    ASSERT_TRUE(filter->Save(path, &error)) << error;
    const auto loaded = BloomFilter::Load(path, &error);
    ASSERT_NE(loaded, nullptr) << error;
    const auto mapped = MappedBloomFilter::Open(path, Verify::kPayload, &error);
    ASSERT_NE(mapped, nullptr) << error;
    for (const BloomFilterBase* copy : {static_cast<const BloomFilterBase*>(loaded.get()),
                                        static_cast<const BloomFilterBase*>(mapped.get())}) {
      EXPECT_TRUE(*copy == *filter);
      EXPECT_EQ(copy->layout(), layout);
      EXPECT_EQ(copy->num_bits(), 1024u);
      EXPECT_EQ(copy->num_probes(), 6);
      EXPECT_EQ(copy->seed(), filter->seed());
      EXPECT_EQ(copy->capacity(), 50u);
      EXPECT_EQ(copy->num_keys(), filter->num_keys());
      EXPECT_TRUE(copy->IsPastCapacity());
      EXPECT_EQ(BytesOf(*copy), ReadBytes(path));
      for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(copy->MayMatch(std::to_string(i)), filter->MayMatch(std::to_string(i)));
      }
    }
    const auto merged = BloomFilter::Copy(*mapped, &error);
    EXPECT_TRUE(merged->Merge(*mapped, &error));
    EXPECT_TRUE(*merged == *filter);
    // Save replaces a file that is mapped: the map keeps the old one.
    ASSERT_TRUE(NewBloom(layout, 1)->Save(path, nullptr));
    EXPECT_TRUE(*mapped == *filter);
  }
}

TEST(FilterFilesTest, MappedFilesAreVerifiedAsFarAsAskedFor) {
  const tests::TempDir dir;
  const std::string path = dir.Path("damaged");
  const std::string bytes = BytesOf(*NewBloom(BloomLayout::kBlocked, 30));
  const auto refusal = [&](Verify verify, const std::string& damaged) {
    WriteBytes(path, damaged);
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
  const std::string bloom = BytesOf(*NewBloom(BloomLayout::kBlocked, 30));
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
  const std::string scalable = BytesOf(*NewScalable());
  for (const uint64_t seed : {2, 4}) {  // the filter's is 3
    const std::string error = Refusal<ScalableBloomFilter>(
        WithField(scalable, kFileHeaderBytes, in_memory::kSeedOffset, seed, 8));
    EXPECT_NE(error.find("seed is " + std::to_string(seed)), std::string::npos) << error;
  }
  // Layouts without counters, of the length that counters of 8 bits, and of 4, would give.
  const std::string counting = BytesOf(*NewCounting());
  for (const uint64_t layout : {0, 1, 4}) {
    for (const size_t payload_bytes : {512, 256}) {
      std::string changed = WithField(counting, 0, in_memory::kLayoutOffset, layout, 1);
      changed.resize(kFileHeaderBytes + payload_bytes);
      const std::string error = Refusal<CountingBloomFilter>(changed);
      EXPECT_NE(error.find("offset 12: layout is " + std::to_string(layout)), std::string::npos)
          << error;
    }
  }
}

TEST(OtherKindsTest, AreNamed) {
  const std::string bloom = BytesOf(*NewBloom(BloomLayout::kBlocked, 1));
  const std::string scalable = BytesOf(*NewScalable()), counting = BytesOf(*NewCounting());
  EXPECT_EQ(Refusal<BloomFilter>(scalable),
            "bytes: is a saved ScalableBloomFilter; expected a saved BloomFilter");
  EXPECT_EQ(Refusal<ScalableBloomFilter>(counting),
            "bytes: is a saved CountingBloomFilter; expected a saved ScalableBloomFilter");
  EXPECT_EQ(Refusal<CountingBloomFilter>(bloom),
            "bytes: is a saved BloomFilter; expected a saved CountingBloomFilter");
  EXPECT_EQ(Refusal<BloomFilter>(""), "bytes: is empty (0 bytes); expected a saved BloomFilter");
  FilterBuilder builder((FilterOptions()));
  EXPECT_EQ(Refusal<CountingBloomFilter>(builder.Finish()),
            "bytes: is a static filter, as FilterBuilder makes it; FilterView::Open takes its "
            "bytes; expected a saved CountingBloomFilter");
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
TEST(OtherKindsTest, AViewSaysWhyItMatchesEveryKey) {
  FilterBuilder builder((FilterOptions()));
  EXPECT_EQ(FilterView::Validate(builder.Finish()), "");
  builder.AddKey("key");
  const std::string filter = builder.Finish();
  EXPECT_EQ(FilterView::Validate(filter), "");
  const std::pair<std::string, std::string> refused[] = {
      {BytesOf(*NewBloom(BloomLayout::kBlocked, 1)),
       "it is a saved BloomFilter, not a static filter"},
      {BytesOf(*NewScalable()), "it is a saved ScalableBloomFilter, not a static filter"},
      {BytesOf(*NewCounting()), "it is a saved CountingBloomFilter, not a static filter"},
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

}  // namespace
}  // namespace bloomline
