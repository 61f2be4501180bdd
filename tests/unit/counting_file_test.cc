// Saved counting filters: a loaded filter equals the saved one, and any other file is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "src/in_memory/file_header.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/counting_filters.h"
#include "tests/support/golden_keys.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using tests::Key;
using tests::Keys;
using tests::Make;

class CountingFileTest : public tests::CountingTest {};

TEST_P(CountingFileTest, LoadedFilterEqualsTheSavedOne) {
  const tests::TempDir dir;
  CountingBloomFilterOptions options;
  options.capacity = 3000;
  options.counter_bits = counter_bits();
  options.seed = 12345;
  const auto filter = Make(options);
  for (const std::string& key : Keys(0, 3000)) filter->AddKey(key);
  for (int i = 0; i < 1000; ++i) filter->AddKey("often");
  std::string error;
  ASSERT_TRUE(filter->Save(dir.Path("f"), &error)) << error;
  const auto loaded = CountingBloomFilter::Load(dir.Path("f"), &error);
  ASSERT_NE(loaded, nullptr) << error;
  EXPECT_TRUE(*loaded == *filter);
  EXPECT_EQ(loaded->capacity(), 3000u);
  EXPECT_EQ(loaded->num_keys(), 4000u);
  EXPECT_EQ(loaded->counter_bits(), counter_bits());
  EXPECT_GT(loaded->num_saturated_counters(), 0u);
  EXPECT_EQ(loaded->num_saturated_counters(), filter->num_saturated_counters());
  EXPECT_TRUE(loaded->RemoveKey(Key(5)));
  EXPECT_EQ(std::filesystem::file_size(dir.Path("f")),
            64 + filter->num_counters() * static_cast<uint64_t>(counter_bits()) / 8);
}

TEST_P(CountingFileTest, DamagedFilesAreRefused) {
  const tests::TempDir dir;
  const auto filter = Make(counter_bits(), 512, 3);
  filter->AddKey("a");
  ASSERT_TRUE(filter->Save(dir.Path("f"), nullptr));
  std::string bytes;
  {
    std::ifstream in(dir.Path("f"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto expect_refused = [&](const std::string& damaged, const std::string& what) {
    std::ofstream(dir.Path("d"), std::ios::binary) << damaged;
    std::string error;
    ASSERT_EQ(CountingBloomFilter::Load(dir.Path("d"), &error), nullptr) << what;
    ASSERT_NE(error.find(dir.Path("d")), std::string::npos) << error;
    ASSERT_EQ(CountingBloomFilter::Load(dir.Path("d"), nullptr), nullptr);
  };
  for (size_t i = 0; i < bytes.size(); i += i < 64 ? 1 : 13) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    expect_refused(damaged, "byte " + std::to_string(i));
  }
  for (const size_t size : {size_t{0}, size_t{63}, size_t{64}, bytes.size() - 1}) {
    expect_refused(bytes.substr(0, size), "cut to " + std::to_string(size));
  }
  expect_refused(bytes + '\0', "longer");
  std::string error;
  EXPECT_EQ(CountingBloomFilter::Load(dir.Path("none"), &error), nullptr);
  EXPECT_NE(error.find("none"), std::string::npos) << error;
  EXPECT_FALSE(filter->Save(dir.Path("none/f"), &error));
  EXPECT_NE(error.find("none/f"), std::string::npos) << error;
}

TEST_P(CountingFileTest, FilesOfOtherKindsAreRefused) {
  const tests::TempDir dir;
  const auto filter = Make(counter_bits(), 512, 3);
  ASSERT_TRUE(filter->Save(dir.Path("counters"), nullptr));
  ASSERT_TRUE(filter->ToBloomFilter(nullptr)->Save(dir.Path("bits"), nullptr));
  std::string error;
  EXPECT_EQ(CountingBloomFilter::Load(dir.Path("bits"), &error), nullptr);
  EXPECT_EQ(error,
            dir.Path("bits") + ": is a saved BloomFilter; expected a saved CountingBloomFilter");
  EXPECT_EQ(BloomFilter::Load(dir.Path("counters"), &error), nullptr);
  EXPECT_EQ(error, dir.Path("counters") +
                       ": is a saved CountingBloomFilter; expected a saved BloomFilter");
}

// A changed header with a correct checksum.
TEST_P(CountingFileTest, LayoutsWithoutCountersAreRefused) {
  const tests::TempDir dir;
  ASSERT_TRUE(Make(counter_bits(), 512, 3)->Save(dir.Path("f"), nullptr));
  std::string bytes;
  {
    std::ifstream in(dir.Path("f"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (const uint8_t layout : {uint8_t{0}, uint8_t{1}, uint8_t{4}}) {
    in_memory::FileHeader header;
    for (size_t i = 0; i < in_memory::kHeaderChecksumOffset; ++i) {
      header.SetByte(i, static_cast<uint8_t>(bytes[i]));
    }
    header.SetByte(in_memory::kLayoutOffset, layout);
    header.Seal();
    bytes.replace(0, in_memory::kFileHeaderBytes, header.bytes(), in_memory::kFileHeaderBytes);
    // Of the length that counters of 8 bits, and of 4, would give.
    for (const size_t payload_bytes : {512, 256}) {
      bytes.resize(in_memory::kFileHeaderBytes + payload_bytes);
      std::ofstream(dir.Path("d"), std::ios::binary) << bytes;
      std::string error;
      EXPECT_EQ(CountingBloomFilter::Load(dir.Path("d"), &error), nullptr);
      EXPECT_NE(error.find("offset 12: layout is " + std::to_string(layout)), std::string::npos)
          << error;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CounterBits, CountingFileTest, tests::CounterBits(),
                         tests::CounterBitsName);

// Files of docs/format.md that an independent implementation wrote (golden/reference.py).
TEST(CountingFileFormatTest, FilesAreExactlyTheBytesOfTheFormat) {
  const tests::TempDir dir;
  std::ifstream vectors(BLOOMLINE_GOLDEN_DIR "/saved_filters.txt");
  int num_filters = 0;
  for (std::string line; std::getline(vectors, line);) {
    std::istringstream fields(line);
    std::string kind, layout, key_list, file;
    CountingBloomFilterOptions options;
    fields >> kind >> layout >> options.num_counters >> options.num_probes >> options.seed >>
        options.capacity >> key_list >> file;
    if (kind != "counting") continue;
    SCOPED_TRACE(layout + " " + std::to_string(options.num_counters));
    options.counter_bits = tests::LayoutOf(layout) == BloomLayout::kBlocked128 ? 4 : 8;
    const std::string bytes = tests::FromHex(file);
    std::ofstream(dir.Path("golden"), std::ios::binary) << bytes;
    std::string error;
    const auto loaded = CountingBloomFilter::Load(dir.Path("golden"), &error);
    ASSERT_NE(loaded, nullptr) << error;
    const auto filter = Make(options);
    for (const std::string& key : tests::KeysFromHex(key_list)) filter->AddKey(key);
    EXPECT_TRUE(*loaded == *filter);
    EXPECT_EQ(loaded->num_saturated_counters(), filter->num_saturated_counters());
    ASSERT_TRUE(filter->Save(dir.Path("saved"), &error)) << error;
    std::ifstream saved(dir.Path("saved"), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(saved), {}), bytes);
    const auto from_bytes = CountingBloomFilter::FromBytes(bytes, &error);
    ASSERT_NE(from_bytes, nullptr) << error;
    EXPECT_TRUE(*from_bytes == *filter);
    std::string saved_bytes;
    ASSERT_TRUE(from_bytes->ToBytes(&saved_bytes, &error)) << error;
    EXPECT_EQ(saved_bytes, bytes);
    ++num_filters;
  }
  EXPECT_EQ(num_filters, 4);
}

}  // namespace
}  // namespace bloomline
