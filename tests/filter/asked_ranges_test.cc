// The sample of the ranges that scans ask for: shapes of ranges, and the tables that count them.
#include "src/filter/ranges/asked_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/range_keys.h"

namespace bloomline::tests::asked_ranges_test {
namespace {

using filter::AskedByFamily;
using filter::AskedRanges;
using filter::AskedShape;
using filter::KeyLimits;

using Fields = std::tuple<int, bool, int, int>;
Fields FieldsOf(const AskedShape& shape) {
  return {shape.resolution_bits, shape.is_prefix, shape.last_byte, shape.depth};
}

Fields ShapeFields(std::string_view begin, std::string_view end, const KeyLimits& limits) {
  AskedShape shape;
  EXPECT_TRUE(filter::RangeShape(limits, begin, end, &shape));
  return FieldsOf(shape);
}

// The key that follows all keys with this prefix.
std::optional<std::string> Successor(std::string prefix) {
  size_t carried = 0;
  while (carried < prefix.size() && ++prefix[prefix.size() - 1 - carried] == 0) ++carried;
  if (carried == prefix.size()) return std::nullopt;
  return prefix.substr(0, prefix.size() - carried);
}

// By one subtraction in bytes: end - begin <= 2^-z if it is less by 1 than a number of which the
// first z bits are 0.
int ModelResolution(std::string begin, std::string end) {
  const size_t size = std::max(begin.size(), end.size());
  begin.resize(size);
  end.resize(size);
  int borrow = 1;
  for (size_t i = size; i-- > 0;) {
    const int digit =
        static_cast<unsigned char>(end[i]) - static_cast<unsigned char>(begin[i]) - borrow;
    borrow = digit < 0 ? 1 : 0;
    end[i] = static_cast<char>(digit);
  }
  int bits = 0;
  while (bits < static_cast<int>(8 * size) &&
         (static_cast<unsigned char>(end[static_cast<size_t>(bits / 8)]) >> (7 - bits % 8) & 1) ==
             0) {
    ++bits;
  }
  return std::min(bits, int{filter::kMaxCellBits});
}

Fields ModelShape(const std::string& begin, const std::string& end) {
  const int bits = ModelResolution(begin, end);
  if (Successor(begin) != end) return {bits, false, 0, 0};
  int depth = 0;
  for (const char byte : begin) depth += byte == begin.back() ? 1 : 0;
  return {bits, true, static_cast<unsigned char>(begin.back()), std::min(depth, 255)};
}

TEST(AskedShapeTest, IsThatOfTheModelAndComesBackFromATable) {
  KeyLimits limits;
  limits.min_key_bytes = filter::kLongKey;  // no key lies before zeros at the end of a bound
  std::mt19937_64 random(1);
  int num_prefixes = 0;
  int num_others = 0;
  for (int i = 0; i < 100000; ++i) {
    const size_t start_bytes = random() % 8 == 0 ? 200 + random() % 60 : random() % 20;
    const std::string start(start_bytes, static_cast<char>('a' + random() % 2));
    const std::string key = RandomKey(&random, 1, 6);
    const std::string begin = start + key;
    std::string end = start + KeyNear(&random, key);
    if (random() % 4 == 0) end = Successor(begin).value_or(end);
    const bool differ_in_zeros = end.substr(0, begin.size()) == begin &&
                                 end.find_first_not_of('\0', begin.size()) == end.npos;
    if (begin >= end || differ_in_zeros) continue;
    const Fields expected = ModelShape(begin, end);
    ASSERT_EQ(ShapeFields(begin, end, limits), expected)
        << testing::PrintToString(begin) << " " << testing::PrintToString(end);
    ++(std::get<1>(expected) ? num_prefixes : num_others);
    AskedRanges ranges;
    ranges.Add(begin, end, limits);
    AskedShape copied;
    ASSERT_EQ(ranges.Copy(&copied, 1), 1u);
    ASSERT_EQ(FieldsOf(copied), expected);
    ASSERT_EQ(copied.count, 1u);
  }
  EXPECT_GT(num_prefixes, 10000);
  EXPECT_GT(num_others, 10000);
}

// Widths are counted in the digits that keys have.
TEST(AskedShapeTest, ARangeOverACarryIsNarrow) {
  const std::string least = "user:000000:aa";
  const std::string greatest = "user:999999:zz";
  std::string pairs;
  for (size_t i = 0; i < least.size(); ++i) pairs += {least[i], greatest[i]};
  filter::RangeField field;
  field.min_key_bytes = field.max_key_bytes = 14;
  field.key_limits = pairs;
  const KeyLimits limits(field);
  for (const char* delimiter : {"", ":", ":aa"}) {
    const auto bits = [&](const char* begin, const char* end) {
      return std::get<0>(ShapeFields(std::string("user:") + begin + delimiter,
                                     std::string("user:") + end + delimiter, limits));
    };
    EXPECT_EQ(bits("000017", "000018"), 88);
    EXPECT_EQ(bits("000019", "000020"), 88);
    EXPECT_EQ(bits("099999", "100000"), 88);
    EXPECT_EQ(bits("000018", "000021"), 86);
    EXPECT_EQ(bits("000095", "000105"), 80);
    EXPECT_EQ(bits("000017", "000037"), 79);
  }
  AskedShape shape;
  EXPECT_FALSE(filter::RangeShape(limits, "user:000017:zzz", "user:000018:", &shape));
  EXPECT_FALSE(filter::RangeShape(limits, "user:00001:", "user:00002", &shape));
  ASSERT_TRUE(filter::RangeShape(limits, "a", "z", &shape));
  EXPECT_EQ(shape.resolution_bits, 0);  // all keys
}

std::vector<AskedShape> Shapes(const AskedRanges& ranges) {
  std::vector<AskedShape> shapes(AskedRanges::kNumSlots);
  shapes.resize(ranges.Copy(shapes.data(), shapes.size()));
  return shapes;
}

void AddPrefix(AskedRanges* ranges, const std::string& prefix) {
  ranges->Add(prefix, *Successor(prefix));
}

TEST(AskedRangesTest, LeavesOutWhatNoFilterRejects) {
  AskedRanges ranges;
  ranges.Add("", "b");
  ranges.Add("b", "b");
  ranges.Add("b", "a");
  EXPECT_EQ(ranges.num_ranges(), 0u);
  EXPECT_EQ(Shapes(ranges).size(), 0u);
}

TEST(AskedRangesTest, CopiesTheMostFrequentFirst) {
  AskedRanges ranges;
  for (const char* prefix : {"/", "abc", "/", "a:", "/", "abc"}) AddPrefix(&ranges, prefix);
  const std::vector<AskedShape> shapes = Shapes(ranges);
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(FieldsOf(shapes[0]), Fields(8, true, '/', 1));
  EXPECT_EQ(FieldsOf(shapes[1]), Fields(24, true, 'c', 1));
  EXPECT_EQ(FieldsOf(shapes[2]), Fields(16, true, ':', 1));
  EXPECT_EQ(shapes[0].count, 3u);
  EXPECT_EQ(shapes[1].count, 2u);
  EXPECT_EQ(shapes[2].count, 1u);
  EXPECT_EQ(ranges.num_ranges(), 6u);
  AskedShape first;
  EXPECT_EQ(ranges.Copy(&first, 1), 1u);
  EXPECT_EQ(first.count, 3u);
  EXPECT_EQ(ranges.Copy(&first, 0), 0u);
}

// Rare shapes take each other's slots. What they have in common keeps its share, also if it comes
// first: of these, the first 60 % are prefixes of up to 100 bytes, and the others longer ones.
TEST(AskedRangesTest, FrequentShapesStayAndRareOnesKeepTheirShare) {
  const std::vector<std::string> frequent = {"user:17:", "/srv/3/", "abcdefgh", "0123456789ab"};
  constexpr uint32_t kNumRare = 100000;
  constexpr uint32_t kRarePerFrequent = 5;
  AskedRanges ranges;
  std::mt19937_64 random(2);
  for (uint32_t i = 0; i < kNumRare; ++i) {
    std::string rare((i < kNumRare * 6 / 10 ? 1 : 101) + random() % 100, '\x80');
    rare.back() = static_cast<char>(random() % 64 + (i < kNumRare * 6 / 10 ? 0 : 64));
    for (size_t j = random() % rare.size(); j-- > 0;) rare[j] = rare.back();
    AddPrefix(&ranges, rare);
    if (i % kRarePerFrequent != 0) continue;
    for (const std::string& prefix : frequent) AddPrefix(&ranges, prefix);
  }
  const uint32_t num_each = kNumRare / kRarePerFrequent;
  EXPECT_EQ(ranges.num_ranges(), kNumRare + frequent.size() * num_each);
  const std::vector<AskedShape> shapes = Shapes(ranges);
  ASSERT_EQ(shapes.size(), AskedRanges::kNumSlots);
  const auto rest = shapes.begin() + static_cast<ptrdiff_t>(frequent.size());
  for (const std::string& prefix : frequent) {
    const Fields fields = ShapeFields(prefix, *Successor(prefix), KeyLimits());
    const auto at = std::find_if(
        shapes.begin(), rest, [&](const AskedShape& shape) { return FieldsOf(shape) == fields; });
    ASSERT_NE(at, rest) << prefix;
    EXPECT_NEAR(at->count, num_each, num_each * 0.01) << prefix;
  }
  double num_short = 0;
  for (auto shape = rest; shape != shapes.end(); ++shape) {
    EXPECT_LT(shape->count, num_each / 4);
    if (shape->last_byte < 64) num_short += shape->count;
  }
  EXPECT_NEAR(num_short / kNumRare, 0.6, 0.2);  // 60 slots: three standard deviations
}

TEST(AskedRangesTest, HabitsChange) {
  AskedRanges ranges;
  for (int i = 0; i < 1001; ++i) AddPrefix(&ranges, "a:");
  AddPrefix(&ranges, "abc");
  for (uint32_t i = 1; i < AskedRanges::kMaxCount; ++i) AddPrefix(&ranges, "/");
  ASSERT_EQ(Shapes(ranges).size(), 3u);
  EXPECT_EQ(Shapes(ranges)[0].count, AskedRanges::kMaxCount - 1);
  AddPrefix(&ranges, "/");
  const std::vector<AskedShape> shapes = Shapes(ranges);
  ASSERT_EQ(shapes.size(), 2u);  // a half of one is none
  EXPECT_EQ(FieldsOf(shapes[0]), Fields(8, true, '/', 1));
  EXPECT_EQ(shapes[0].count, AskedRanges::kMaxCount / 2);
  EXPECT_EQ(FieldsOf(shapes[1]), Fields(16, true, ':', 1));
  EXPECT_EQ(shapes[1].count, 500u);
}

// Counts are halved meanwhile. tests/threads/tsan runs this under ThreadSanitizer.
TEST(AskedRangesTest, ManyThreadsAddAndCopy) {
  constexpr int kThreads = 8;
  constexpr uint32_t kNumEach = 40000;
  AskedRanges ranges;
  for (uint32_t i = 0; i < AskedRanges::kMaxCount - kNumEach; ++i) AddPrefix(&ranges, "a:");
  std::atomic<int> num_wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < kNumEach; ++i) {
        AddPrefix(&ranges, i % 4 == 0 ? std::string(1 + i % 200, 'x') : "a:");
        if (i % 64 != static_cast<uint32_t>(t)) continue;
        const std::vector<AskedShape> shapes = Shapes(ranges);
        for (size_t j = 0; j < shapes.size(); ++j) {
          const AskedShape& shape = shapes[j];
          const bool is_common = FieldsOf(shape) == Fields(16, true, ':', 1);
          const bool is_rare = shape.is_prefix && shape.last_byte == 'x' &&
                               shape.resolution_bits == std::min(8 * shape.depth, 512);
          const bool is_in_order = j == 0 || shape.count <= shapes[j - 1].count;
          num_wrong += (is_common || is_rare) && is_in_order ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
  const std::vector<AskedShape> shapes = Shapes(ranges);
  EXPECT_EQ(FieldsOf(shapes[0]), Fields(16, true, ':', 1));
  EXPECT_LT(shapes[0].count, AskedRanges::kMaxCount * 9 / 10);  // it was halved
  EXPECT_GT(shapes[0].count, AskedRanges::kMaxCount / 4);
}

class AskedByFamilyTest : public testing::Test {
 protected:
  // Adds n ranges and returns how many of them the sample has.
  uint64_t NumAdded(uint32_t family, int n) {
    const auto num_ranges = [&] {
      const AskedRanges* const ranges = asked_->Find(family);
      return ranges == nullptr ? 0 : ranges->num_ranges();
    };
    const uint64_t before = num_ranges();
    for (int i = 0; i < n; ++i) asked_->AddSampled(family, KeyLimits(), "a:", "a;");
    return num_ranges() - before;
  }

  // Whether no test of this process has added any.
  const bool is_first_ = !std::exchange(was_used_, true);
  const std::unique_ptr<AskedByFamily> asked_ = std::make_unique<AskedByFamily>();

 private:
  static inline bool was_used_ = false;
};

TEST_F(AskedByFamilyTest, AddsTheFirstThousandAndThenOneIn16) {
  if (is_first_) {
    EXPECT_EQ(NumAdded(1, 1000), 1000u);
  }
  NumAdded(1, 1000);
  EXPECT_NEAR(static_cast<double>(NumAdded(1, 160000)), 10000, 250);
  // Kinds of ranges that take turns by 16 have equal shares.
  uint64_t num_last = 0;
  for (int i = 0; i < 10000; ++i) {
    NumAdded(2, 15);
    num_last += NumAdded(3, 1);
  }
  EXPECT_NEAR(static_cast<double>(num_last), 625, 125);
}

TEST_F(AskedByFamilyTest, FamiliesHaveTheirTablesAndTheLastOnesShareOne) {
  EXPECT_EQ(asked_->Find(0), nullptr);
  EXPECT_EQ(asked_->Find(7), nullptr);
  constexpr uint32_t kFamilies = 80;
  for (uint32_t family = 1; family < kFamilies; ++family) NumAdded(family * 0x01000193, 1000);
  EXPECT_EQ(asked_->Find(0), nullptr);
  EXPECT_GT(NumAdded(0, 1000), 0u);
  std::vector<const AskedRanges*> tables;
  for (uint32_t family = 0; family < kFamilies; ++family) {
    tables.push_back(asked_->Find(family * 0x01000193));
    ASSERT_NE(tables.back(), nullptr) << family;
  }
  for (size_t i = AskedByFamily::kMaxFamilies; i < kFamilies; ++i) {
    EXPECT_EQ(tables[i], tables[AskedByFamily::kMaxFamilies - 1]) << i;
  }
  std::sort(tables.begin(), tables.end());
  tables.erase(std::unique(tables.begin(), tables.end()), tables.end());
  EXPECT_EQ(tables.size(), AskedByFamily::kMaxFamilies);
}

TEST_F(AskedByFamilyTest, ManyThreadsTakeTablesAtOnce) {
  constexpr uint32_t kThreads = 8;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 20000; ++i) {
        asked_->AddSampled(1 + (i + t) % 10, KeyLimits(), "a:", "a;");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<const AskedRanges*> tables;
  for (uint32_t family = 1; family <= 10; ++family) tables.push_back(asked_->Find(family));
  EXPECT_EQ(std::count(tables.begin(), tables.end(), nullptr), 0);
  std::sort(tables.begin(), tables.end());
  EXPECT_EQ(std::unique(tables.begin(), tables.end()), tables.end());
  EXPECT_EQ(asked_->Find(11), nullptr);
}

}  // namespace
}  // namespace bloomline::tests::asked_ranges_test
