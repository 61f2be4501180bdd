// Filters built in the memory of their hashes: the same bytes as by the other builders, and every
// hash is still there afterwards.
#include "src/filter/writer/in_place_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "src/filter/format/shapes.h"
#include "src/filter/format/trailer.h"
#include "src/filter/writer/bloom_builder.h"
#include "src/filter/writer/compact_builder.h"

namespace bloomline::filter {
namespace {

constexpr size_t kBlocks = kPartitionFromBytes / 64 + 5000;

FilterShape ShapeOf(Layout layout, size_t n) {
  return layout == Layout::kCompact ? CompactShape(n, 10, 0, UINT64_MAX)
                                    : FilterShape::Blocked(kBlocks, 6);
}

std::vector<uint64_t> RandomHashes(size_t n) {
  std::mt19937_64 random(n);
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) hash = random();
  return hashes;
}

void Fill(const std::vector<uint64_t>& hashes, HashList* list) {
  for (const uint64_t hash : hashes) ASSERT_TRUE(list->Append(hash));
}

class InPlaceBuilderTest : public testing::TestWithParam<Layout> {
 protected:
  // By the builders for any number of threads.
  static std::string Expected(const std::vector<uint64_t>& hashes) {
    HashList list;
    Fill(hashes, &list);
    const FilterShape shape = ShapeOf(GetParam(), hashes.size());
    std::string payload(shape.payload_bytes(), '\0');
    if (shape.layout == Layout::kCompact) {
      EXPECT_TRUE(BuildCompact(list, shape, kernels::ActiveKernel(), 2, payload.data()));
    } else {
      InsertHashes(shape, kernels::ActiveKernel(), payload.data(), hashes.size(), hashes.data());
    }
    return payload;
  }

  static void ExpectSame(std::vector<uint64_t> hashes) {
    const FilterShape shape = ShapeOf(GetParam(), hashes.size());
    std::string payload(shape.payload_bytes(), '\0');
    BuiltHashes built;
    Fill(hashes, built.list());
    EXPECT_GT(InPlaceBytes(*built.list(), shape), 0u);
    ASSERT_EQ(
        BuildInPlace(built.list(), shape, kernels::ActiveKernel(), payload.data(), built.groups()),
        InPlace::kComplete);
    EXPECT_TRUE(payload == Expected(hashes));
    std::vector<uint64_t> kept;
    built.ForEach([&](uint64_t hash) { kept.push_back(hash); });
    EXPECT_EQ(built.size(), hashes.size());
    std::sort(kept.begin(), kept.end());
    std::sort(hashes.begin(), hashes.end());
    EXPECT_TRUE(kept == hashes);
    built.Clear();
    EXPECT_EQ(built.size(), 0u);
  }
};

// Both sizes of units, full chunks and begun ones.
TEST_P(InPlaceBuilderTest, TheBytesAreThoseOfTheOtherBuilders) {
  for (const size_t n : {400000, 500001, 2500000}) ExpectSame(RandomHashes(n));
}

TEST_P(InPlaceBuilderTest, HashesOfOneGroupAreNotLost) {
  std::vector<uint64_t> hashes = RandomHashes(400000);
  for (uint64_t& hash : hashes) hash >>= 24;
  ExpectSame(hashes);
  for (uint64_t& hash : hashes) hash = ~hash;
  ExpectSame(hashes);
}

TEST_P(InPlaceBuilderTest, HashesInOrderAreNotLost) {
  std::vector<uint64_t> hashes = RandomHashes(400000);
  std::sort(hashes.begin(), hashes.end());
  ExpectSame(hashes);
  std::reverse(hashes.begin(), hashes.end());
  ExpectSame(hashes);
}

// As when builders of many threads were joined: chunks of few hashes, which leave no whole unit.
TEST_P(InPlaceBuilderTest, ListsOfShortChunksAreLeftAsTheyAre) {
  const std::vector<uint64_t> hashes = RandomHashes(200000);
  HashList list;
  for (size_t i = 0; i < hashes.size(); i += 100) {
    HashList few;
    for (size_t j = i; j < i + 100; ++j) ASSERT_TRUE(few.Append(hashes[j]));
    list.TakeAll(&few);
  }
  const FilterShape shape = ShapeOf(GetParam(), hashes.size());
  std::string payload(shape.payload_bytes(), '\0');
  std::optional<HashGroups> groups;
  EXPECT_EQ(InPlaceBytes(list, shape), 0u);
  EXPECT_EQ(BuildInPlace(&list, shape, kernels::ActiveKernel(), payload.data(), &groups),
            InPlace::kNotDone);
  EXPECT_FALSE(groups.has_value());
  size_t i = 0;
  list.ForEach([&](uint64_t hash) { EXPECT_EQ(hash, hashes[i++]); });
  EXPECT_EQ(i, hashes.size());
}

TEST_P(InPlaceBuilderTest, AdditionalMemoryIsASmallPartOfTheList) {
  for (const size_t n : {300000, 3000000}) {
    HashList list;
    Fill(RandomHashes(n), &list);
    const size_t list_bytes = n * sizeof(uint64_t);
    EXPECT_LE(InPlaceBytes(list, ShapeOf(GetParam(), n)), list_bytes / (n < 1000000 ? 5 : 16)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, InPlaceBuilderTest,
                         testing::Values(Layout::kBlocked, Layout::kCompact), [](const auto& info) {
                           return info.param == Layout::kBlocked ? "Blocked" : "Compact";
                         });

}  // namespace
}  // namespace bloomline::filter
