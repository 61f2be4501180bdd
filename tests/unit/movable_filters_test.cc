// Filters in memory can be moved: into containers, out of functions, and swapped.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

constexpr int kKeysOfEach = 100;

// Filter `number` has the keys of that number.
std::string Key(int number, int i) { return std::to_string(number) + " " + std::to_string(i); }

template <typename Filter, typename Options>
Filter MadeWith(Options options, int number) {
  auto filter = Filter::Create(options, nullptr);
  for (int i = 0; i < kKeysOfEach; ++i) filter->AddKey(Key(number, i));
  return std::move(*filter);
}

template <typename Filter>
Filter Made(int number) {
  if constexpr (std::is_same_v<Filter, ScalableBloomFilter>) {
    ScalableBloomFilterOptions options;
    options.initial_capacity = 10;
    return MadeWith<Filter>(options, number);
  } else if constexpr (std::is_same_v<Filter, CountingBloomFilter>) {
    CountingBloomFilterOptions options;
    options.capacity = kKeysOfEach;
    return MadeWith<Filter>(options, number);
  } else {
    BloomFilterOptions options;
    options.capacity = kKeysOfEach;
    if constexpr (!std::is_same_v<Filter, MappedBloomFilter>) {
      return MadeWith<Filter>(options, number);
    } else {
      const tests::TempDir dir;
      const std::string path = dir.Path("filter");
      EXPECT_TRUE(MadeWith<BloomFilter>(options, number).Save(path, nullptr));
      return std::move(
          *MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kPayload, nullptr));
    }
  }
}

template <typename Filter>
void ExpectIs(const Filter& filter, int number) {
  int others = 0;
  for (int i = 0; i < kKeysOfEach; ++i) {
    EXPECT_TRUE(filter.MayMatch(Key(number, i))) << Key(number, i);
    others += filter.MayMatch(Key(number + 1, i)) ? 1 : 0;
  }
  EXPECT_LT(others, kKeysOfEach / 10);
}

template <typename Filter>
class MovableFilterTest : public testing::Test {};

using Filters = testing::Types<BloomFilter, MappedBloomFilter, AtomicBloomFilter,
                               ScalableBloomFilter, CountingBloomFilter>;
TYPED_TEST_SUITE(MovableFilterTest, Filters);

TYPED_TEST(MovableFilterTest, MovesThrowNothingAndThereAreNoCopies) {
  static_assert(std::is_nothrow_move_constructible_v<TypeParam>);
  static_assert(std::is_nothrow_move_assignable_v<TypeParam>);
  static_assert(std::is_nothrow_swappable_v<TypeParam>);
  static_assert(!std::is_copy_constructible_v<TypeParam>);
  static_assert(!std::is_copy_assignable_v<TypeParam>);
}

TYPED_TEST(MovableFilterTest, MovedFilterHasTheKeys) {
  TypeParam first = Made<TypeParam>(1);
  TypeParam second(std::move(first));
  ExpectIs(second, 1);
  first = Made<TypeParam>(2);  // a filter that was moved from can be assigned
  ExpectIs(first, 2);
  second = std::move(first);  // the keys of 1 are lost
  ExpectIs(second, 2);
}

TYPED_TEST(MovableFilterTest, MoveToItselfKeepsTheKeys) {
  TypeParam filter = Made<TypeParam>(1);
  TypeParam& same = filter;
  filter = std::move(same);
  ExpectIs(filter, 1);
}

TYPED_TEST(MovableFilterTest, SwapExchangesTheKeys) {
  TypeParam first = Made<TypeParam>(1);
  TypeParam second = Made<TypeParam>(2);
  std::swap(first, second);
  ExpectIs(first, 2);
  ExpectIs(second, 1);
}

TYPED_TEST(MovableFilterTest, VectorGrowsAndShrinks) {
  std::vector<TypeParam> filters;
  for (int number = 0; number < 10; ++number) filters.push_back(Made<TypeParam>(number));
  filters.erase(filters.begin());
  for (size_t i = 0; i < filters.size(); ++i) ExpectIs(filters[i], static_cast<int>(i) + 1);
}

// The base has moves for its subclasses only: a move of the base alone would take the state of a
// filter.
TEST(MovableFilterBaseTest, CannotBeMovedByItself) {
  static_assert(!std::is_move_constructible_v<BloomFilterBase>);
  static_assert(!std::is_move_assignable_v<BloomFilterBase>);
  static_assert(!std::is_assignable_v<BloomFilter&, MappedBloomFilter>);
}

TEST(MovedFilterTest, ScalableFilterWithoutStagesNeverAnswersNo) {
  ScalableBloomFilter filter = Made<ScalableBloomFilter>(1);
  const ScalableBloomFilter moved = std::move(filter);
  const std::string key = Key(1, 0);
  const std::string_view keys[] = {key, "x"};
  bool may_match[2] = {};
  filter.MayMatch(2, keys, may_match);
  EXPECT_TRUE(may_match[0] && may_match[1] && filter.MayMatch(key));
  // Nor does it take keys, or end the program.
  bool changed[2] = {true, true};
  EXPECT_EQ(filter.AddKeys(2, keys, changed), 0u);
  EXPECT_FALSE(changed[0] || changed[1] || filter.AddKey(key));
  filter.Clear();
  EXPECT_TRUE(filter.MayMatch(key));
}

TEST(MovedFilterTest, CanBeChangedAsBefore) {
  BloomFilter bloom = Made<BloomFilter>(1);
  BloomFilter moved = std::move(bloom);
  EXPECT_TRUE(moved.AddKey("more"));
  EXPECT_TRUE(moved.MayMatch("more"));
  ScalableBloomFilter scalable = Made<ScalableBloomFilter>(1);
  const size_t stages = scalable.num_stages();
  ScalableBloomFilter grown = std::move(scalable);
  for (int i = 0; i < kKeysOfEach * 4; ++i) grown.AddKey(Key(3, i));
  EXPECT_GT(grown.num_stages(), stages);
  for (int i = 0; i < kKeysOfEach * 4; ++i) EXPECT_TRUE(grown.MayMatch(Key(3, i)));
  CountingBloomFilter counting = Made<CountingBloomFilter>(1);
  CountingBloomFilter emptied = std::move(counting);
  for (int i = 0; i < kKeysOfEach; ++i) EXPECT_TRUE(emptied.RemoveKey(Key(1, i)));
  EXPECT_EQ(emptied.num_keys(), 0u);
}

}  // namespace
}  // namespace bloomline
