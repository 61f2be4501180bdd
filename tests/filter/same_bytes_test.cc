// Filters of all kinds and many sizes have the same bytes on every CPU: their hashes are written
// here, and tests/platforms/run compares them on other CPUs. With the golden vectors, which have
// few keys, a CPU could still round a size in another way. A hash below changes if a new version
// chooses another size or other entries for ranges, which is allowed. No other change is.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/keys.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/finished_filter.h"
#include "tests/support/leveldb_filter.h"
#include "tests/support/range_filter.h"

namespace bloomline::tests::same_bytes_test {
namespace {

// Integers, compound keys and strings of many lengths: XXH3 hashes keys of up to 3, 8, 16, 128, 240
// and more bytes in different ways.
std::string KeyNumber(uint64_t i) {
  std::string key;
  switch (i % 6) {
    case 0:
      return std::string(KeyOf(i * i));
    case 1:
      return std::string(KeyOf(-static_cast<int64_t>(i), static_cast<uint16_t>(i)));
    case 2:
      EncodeKey({i, "user", static_cast<int>(i % 7)}, &key);
      return key;
    case 3:
      return std::to_string(i);
    default:
      key = std::to_string(i * 0x9e3779b97f4a7c15);
      for (uint64_t j = 0; j < i % 271; ++j) key += static_cast<char>(i + j * j);
      return key;
  }
}

class SameBytesTest : public testing::Test {
 protected:
  // f(options, keys) for each of these formats, with several sizes and numbers of keys.
  template <typename F>
  void ForEachFilter(std::initializer_list<Format> formats, F f) {
    for (const Format format : formats) {
      FilterOptions options{format};
      for (const double bits_per_key : {3.6, 7.0, 10.0, 17.3, 24.0}) {
        options.bits_per_key = bits_per_key;
        for (const size_t num_keys : {1, 12, 70, 2500, 60000}) {
          if (num_keys == 60000 && bits_per_key != 10) continue;
          options.seed = num_keys == 70 ? 0xfedcba9876543210 : 0;
          f(options, Keys(num_keys));
        }
      }
    }
  }

  const std::vector<std::string_view>& Keys(size_t n) {
    while (stored_.size() < 60000) stored_.push_back(KeyNumber(stored_.size()));
    keys_.assign(stored_.begin(), stored_.begin() + static_cast<std::ptrdiff_t>(n));
    return keys_;
  }

  void Add(std::string_view bytes) { hash_ = hash_ * 31 + filter::Hash64(bytes, 0); }

  uint64_t hash_ = 0;

 private:
  std::vector<std::string> stored_;
  std::vector<std::string_view> keys_;
};

TEST_F(SameBytesTest, StaticFilters) {
  ForEachFilter({Format::kBlocked, Format::kRibbon},
                [&](const FilterOptions& options, const auto& keys) {
                  FilterBuilder builder(options);
                  filter::FilterWriter writer(options);
                  for (const std::string_view key : keys) {
                    builder.AddKey(key);
                    writer.AddKey(key);
                  }
                  std::vector<std::string> filters = {builder.Finish(2)};
                  if (options.format == Format::kBlocked) {
                    filters.push_back(FinishedFilter(&writer, filter::SSTableShape));
                  }
                  for (const std::string& bytes : filters) {
                    const FilterView view = FilterView::Open(bytes);
                    EXPECT_FALSE(view.AlwaysMatches());
                    for (const std::string_view key : keys) ASSERT_TRUE(view.MayMatch(key));
                    Add(bytes);
                  }
                });
  EXPECT_EQ(hash_, 0x6d140694280629cu);
}

TEST_F(SameBytesTest, LevelDBFilters) {
  ForEachFilter(
      {Format::kClassic, Format::kBlocked, Format::kCompact},
      [&](const FilterOptions& options, const auto& keys) {
        const std::string bytes = LevelDBFilter(options, keys);
        const filter::Payload payload = filter::DecodeLevelDB(bytes);
        for (const std::string_view key : keys) {
          ASSERT_TRUE(filter::HashMayMatch(payload, kernels::ActiveKernel(),
                                           filter::LayoutHash(payload.layout, key, options.seed)));
        }
        Add(bytes);
      });
  EXPECT_EQ(hash_, 0x41c2a932ec63a46du);
}

// Each key is a range of its own.
TEST_F(SameBytesTest, FiltersWithRanges) {
  const auto& keys = Keys(2000);
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    for (const double memory : {0.5, 8.0}) {
      const WrittenRanges filter({keys.begin(), keys.end()}, AutoEntries(memory), format, 77);
      for (const std::string_view key : keys) {
        ASSERT_TRUE(filter.MayMatch(key, std::string(key) + '\0'));
      }
      Add(filter.bytes());
    }
  }
  EXPECT_EQ(hash_, 0xc14548d75349da49u);
}

TEST_F(SameBytesTest, SavedFilters) {
  const auto add = [&](const auto& filter, size_t num_keys) {
    const auto& keys = Keys(num_keys);
    for (const std::string_view key : keys) filter->AddKey(key);
    for (const std::string_view key : keys) ASSERT_TRUE(filter->MayMatch(key));
    std::string bytes;
    ASSERT_TRUE(filter->ToBytes(&bytes, nullptr));
    Add(bytes);
  };
  for (const BloomLayout layout : kAllBloomLayouts) {
    BloomFilterOptions options = ForCapacity(layout, 3000, 0.01);
    options.seed = 3;
    add(BloomFilter::Create(options, nullptr), 3000);
  }
  for (const int counter_bits : {4, 8}) {
    add(CountingBloomFilter::Create({3000, 0.02, 0, 0, counter_bits}, nullptr), 3000);
  }
  add(ScalableBloomFilter::Create({500}, nullptr), 4000);
  EXPECT_EQ(hash_, 0xe9cfd4e6659609ccu);
}

}  // namespace
}  // namespace bloomline::tests::same_bytes_test
