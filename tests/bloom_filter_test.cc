// Bloom filters in memory.
#include "bloomline/bloom_filter.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomline {
namespace {

TEST(BloomFilterTest, KeepsWhatWasAdded) {
  for (const BloomLayout layout : {BloomLayout::kBlocked, BloomLayout::kUnblocked}) {
    BloomFilterOptions options;
    options.capacity = 100000;
    options.layout = layout;
    std::string error;
    const auto filter = BloomFilter::Create(options, &error);
    ASSERT_NE(filter, nullptr) << error;
    for (int i = 0; i < 100000; ++i) filter->Add("key" + std::to_string(i));
    int matches = 0;
    for (int i = 0; i < 100000; ++i) {
      ASSERT_TRUE(filter->MayContain("key" + std::to_string(i)));
      matches += filter->MayContain("other" + std::to_string(i));
    }
    EXPECT_NEAR(matches, 1000, 150);
  }
}

}  // namespace
}  // namespace bloomline
