// What is chosen if there is a sample of ranges that scans ask for: entries for these ranges alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/filter/ranges/asked_ranges.h"
#include "tests/support/range_filter.h"
#include "tests/support/range_keys.h"

namespace bloomline {
namespace {

using filter::AskedRanges;
using filter::RangeCounts;
using tests::BigEndian;
using tests::RangeFilter;

constexpr size_t kCells = RangeCounts::kDelimiters.size();
constexpr size_t kColon = RangeCounts::kDelimiters.find(':');

filter::RangeEntryOptions SampledEntries(const RangeCounts::SampledRange& range) {
  filter::RangeEntryOptions options = tests::AutoEntries(0.2);
  options.sample.ranges[0] = range;
  options.sample.size = 1;
  return options;
}

TEST(RangeSampleTest, HasThePlacesOfFrequentRanges) {
  AskedRanges asked;
  for (int i = 0; i < 140; ++i) {  // of two lengths, but of one place
    const std::string user = i % 2 == 0 ? "user:1" : "user:22";
    asked.Add(user + ":", user + ";");
  }
  for (uint64_t i = 0; i < 59; ++i) asked.Add(BigEndian(i << 20), BigEndian((i << 20) + 16));
  asked.Add(BigEndian(0), BigEndian(1 << 20));  // one of 200
  const RangeCounts::Sample sample = filter::SampledPlaces(asked);
  ASSERT_EQ(sample.size, 2U);
  EXPECT_EQ(sample.ranges[0].delimiter, kColon);
  EXPECT_EQ(sample.ranges[0].depth, 2U);
  EXPECT_EQ(sample.ranges[0].bits, 0U);
  EXPECT_DOUBLE_EQ(sample.ranges[0].weight, 140 / 200.0);
  EXPECT_EQ(sample.ranges[1].delimiter, kCells);
  EXPECT_EQ(sample.ranges[1].depth, 0U);
  EXPECT_EQ(sample.ranges[1].bits, 60U);
  EXPECT_DOUBLE_EQ(sample.ranges[1].weight, 59 / 200.0);
}

TEST(RangeSampleTest, FewRangesAreNoSample) {
  AskedRanges asked;
  for (int i = 0; i < 99; ++i) asked.Add("user:1:", "user:1;");
  EXPECT_EQ(filter::SampledPlaces(asked).size, 0U);
  asked.Add("user:1:", "user:1;");
  EXPECT_EQ(filter::SampledPlaces(asked).size, 1U);
}

// Numbers, of which blocks of 2^20 are asked for.
TEST(RangeSampleTest, CellsOfTheAskedLength) {
  std::mt19937_64 random(1);
  std::set<std::string> keys;
  while (keys.size() < 20000) keys.insert(BigEndian(random()));
  const RangeFilter sampled(keys, SampledEntries({kCells, 0, 44, 1}), Format::kCompact);
  const RangeFilter unsampled(keys, tests::AutoEntries(0.2), Format::kCompact);
  ASSERT_TRUE(sampled.is_understood());
  const filter::EntryKinds& kinds = sampled.field().kinds;
  EXPECT_EQ(kinds.num_prefixes, 0);
  std::set<int> lengths;
  for (size_t i = 0; i < kinds.num_cells; ++i) lengths.insert(kinds.cells[i].bits);
  EXPECT_EQ(lengths.count(44), 1U) << testing::PrintToString(lengths);
  const std::set<int> allowed = {8, 16, 24, 32, 40, 44};
  EXPECT_TRUE(std::includes(allowed.begin(), allowed.end(), lengths.begin(), lengths.end()))
      << testing::PrintToString(lengths);
  int num_match = 0;
  int num_match_unsampled = 0;
  for (int i = 0; i < 10000; ++i) {
    const uint64_t block = (random() >> 20) << 20;
    const std::string begin = BigEndian(block);
    const std::string end = BigEndian(block + (1 << 20));
    num_match += sampled.MayMatch(begin, end);
    num_match_unsampled += unsampled.MayMatch(begin, end);
  }
  EXPECT_LT(3 * num_match, 2 * num_match_unsampled);
}

// The filter of keys has those cells.
TEST(RangeSampleTest, NoCellsAsLongAsKeys) {
  std::mt19937_64 random(3);
  std::set<std::string> keys;
  while (keys.size() < 20000) keys.insert(BigEndian(random() >> 32));
  const RangeFilter ranges(keys, SampledEntries({kCells, 0, 64, 1}), Format::kCompact);
  ASSERT_TRUE(ranges.is_understood());
  const filter::EntryKinds& kinds = ranges.field().kinds;
  ASSERT_GT(kinds.num_cells, 0);
  for (size_t i = 0; i < kinds.num_cells; ++i) EXPECT_LT(kinds.cells[i].bits, 64);
}

TEST(RangeSampleTest, PrefixesOfTheAskedDelimiter) {
  std::mt19937_64 random(2);
  std::set<std::string> keys;
  while (keys.size() < 20000) {
    keys.insert("user:" + std::to_string(random() % 2000) + ":" + std::to_string(random() % 9) +
                "/" + std::to_string(random()));
  }
  const struct {
    char delimiter;
    size_t depth;
  } kAsked[] = {{':', 2}, {'/', 1}};
  for (const auto& asked : kAsked) {
    SCOPED_TRACE(asked.delimiter);
    const size_t delimiter = RangeCounts::kDelimiters.find(asked.delimiter);
    const RangeFilter ranges(keys, SampledEntries({delimiter, asked.depth, 0, 1}),
                             Format::kCompact);
    ASSERT_TRUE(ranges.is_understood());
    const filter::EntryKinds& kinds = ranges.field().kinds;
    EXPECT_EQ(kinds.num_cells, 0);
    ASSERT_EQ(kinds.num_prefixes, 1);
    EXPECT_EQ(kinds.prefixes[0].delimiter, asked.delimiter);
    EXPECT_EQ(kinds.prefixes[0].depth, asked.depth);
  }
}

}  // namespace
}  // namespace bloomline
