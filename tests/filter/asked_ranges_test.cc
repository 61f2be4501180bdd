// The sample of the ranges that scans ask for: where they end, and the tables that count them.
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

using filter::AskedRanges;
using filter::KeyLimits;
using filter::RangeCounts;
using Place = RangeCounts::SampledRange;

constexpr size_t kSlash = filter::kDelimiters.find('/');
constexpr size_t kColon = filter::kDelimiters.find(':');
constexpr size_t kCells = filter::kDelimiters.size();

using Fields = std::tuple<size_t, size_t, size_t>;
Fields FieldsOf(const Place& place) { return {place.delimiter, place.depth, place.bits}; }
Fields Cells(size_t bits) { return {kCells, 0, bits}; }

Fields PlaceFields(std::string_view begin, std::string_view end, const KeyLimits& limits) {
  Place place;
  EXPECT_TRUE(filter::EndOfRange(limits, begin, end, &place));
  return FieldsOf(place);
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
size_t ModelResolution(std::string begin, std::string end) {
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
  size_t bits = 0;
  while (bits < 8 * size &&
         (static_cast<unsigned char>(end[bits / 8]) >> (7 - bits % 8) & 1) == 0) {
    ++bits;
  }
  return std::min(bits, filter::kMaxCellBits);
}

Fields ModelPlace(const std::string& begin, const std::string& end) {
  const size_t delimiter = filter::kDelimiters.find(begin.back());
  if (delimiter == std::string::npos || Successor(begin) != end) {
    return Cells(ModelResolution(begin, end));
  }
  size_t depth = 0;
  for (const char byte : begin) depth += byte == begin.back() ? 1 : 0;
  return {delimiter, std::min(depth, filter::kMaxDepth), 0};
}

TEST(EndOfRangeTest, IsThatOfTheModelAndComesBackFromATable) {
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
    const Fields expected = ModelPlace(begin, end);
    ASSERT_EQ(PlaceFields(begin, end, limits), expected)
        << testing::PrintToString(begin) << " " << testing::PrintToString(end);
    ++(std::get<0>(expected) == kCells ? num_others : num_prefixes);
    AskedRanges ranges;
    ranges.Add(begin, end, limits);
    Place copied;
    ASSERT_EQ(ranges.Copy(&copied, 1), 1u);
    ASSERT_EQ(FieldsOf(copied), expected);
    ASSERT_EQ(copied.weight, 1);
  }
  EXPECT_GT(num_prefixes, 1000);
  EXPECT_GT(num_others, 10000);
}

// Widths are counted in the digits that keys have.
TEST(EndOfRangeTest, ARangeOverACarryIsNarrow) {
  const std::string least = "user:000000:aa";
  const std::string greatest = "user:999999:zz";
  std::string pairs;
  for (size_t i = 0; i < least.size(); ++i) pairs += {least[i], greatest[i]};
  filter::RangeField field;
  field.min_key_bytes = field.max_key_bytes = 14;
  field.key_limits = pairs;
  const KeyLimits limits(field);
  for (const char* delimiter : {"", ":", ":aa"}) {
    const auto end_of = [&](const char* begin, const char* end) {
      return PlaceFields(std::string("user:") + begin + delimiter,
                         std::string("user:") + end + delimiter, limits);
    };
    EXPECT_EQ(end_of("000017", "000018"), Cells(88));
    EXPECT_EQ(end_of("000019", "000020"), Cells(88));
    EXPECT_EQ(end_of("099999", "100000"), Cells(88));
    EXPECT_EQ(end_of("000018", "000021"), Cells(86));
    EXPECT_EQ(end_of("000095", "000105"), Cells(80));
    EXPECT_EQ(end_of("000017", "000037"), Cells(79));
  }
  Place place;
  EXPECT_FALSE(filter::EndOfRange(limits, "user:000017:zzz", "user:000018:", &place));
  EXPECT_FALSE(filter::EndOfRange(limits, "user:00001:", "user:00002", &place));
  EXPECT_EQ(PlaceFields("a", "z", limits), Cells(0));  // all keys
}

std::vector<Place> Places(const AskedRanges& ranges) {
  std::vector<Place> places(AskedRanges::kNumSlots);
  places.resize(ranges.Copy(places.data(), places.size()));
  return places;
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
  EXPECT_EQ(Places(ranges).size(), 0u);
}

TEST(AskedRangesTest, CopiesTheMostFrequentFirst) {
  AskedRanges ranges;
  for (const char* prefix : {"/", "abc", "/", "a:", "/", "abc"}) AddPrefix(&ranges, prefix);
  const std::vector<Place> places = Places(ranges);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(FieldsOf(places[0]), Fields(kSlash, 1, 0));
  EXPECT_EQ(FieldsOf(places[1]), Cells(24));
  EXPECT_EQ(FieldsOf(places[2]), Fields(kColon, 1, 0));
  EXPECT_EQ(places[0].weight, 3);
  EXPECT_EQ(places[1].weight, 2);
  EXPECT_EQ(places[2].weight, 1);
  EXPECT_EQ(ranges.num_ranges(), 6u);
  Place first;
  EXPECT_EQ(ranges.Copy(&first, 1), 1u);
  EXPECT_EQ(first.weight, 3);
  EXPECT_EQ(ranges.Copy(&first, 0), 0u);
}

// Rare places take each other's slots. What they have in common keeps its share, also if it comes
// first: of these, the first 60 % are cells of up to 308 bits, and the others longer ones.
TEST(AskedRangesTest, FrequentPlacesStayAndRareOnesKeepTheirShare) {
  const std::vector<std::string> frequent = {"user:17:", "/srv/3/", "abcdefgh", "0123456789ab"};
  constexpr uint32_t kNumRare = 100000;
  constexpr uint32_t kRarePerFrequent = 5;
  constexpr size_t kShort = 300;
  AskedRanges ranges;
  std::mt19937_64 random(2);
  for (uint32_t i = 0; i < kNumRare; ++i) {
    const size_t bits = (i < kNumRare * 6 / 10 ? kShort - 199 : kShort + 1) + random() % 200;
    const std::string begin((bits + 7) / 8, '\0');
    std::string end = begin;
    end.back() = static_cast<char>(1 << (8 * end.size() - bits));
    ranges.Add('k' + begin, 'k' + end);
    if (i % kRarePerFrequent != 0) continue;
    for (const std::string& prefix : frequent) AddPrefix(&ranges, prefix);
  }
  const uint32_t num_each = kNumRare / kRarePerFrequent;
  EXPECT_EQ(ranges.num_ranges(), kNumRare + frequent.size() * num_each);
  const std::vector<Place> places = Places(ranges);
  ASSERT_EQ(places.size(), AskedRanges::kNumSlots);
  const auto rest = places.begin() + static_cast<ptrdiff_t>(frequent.size());
  for (const std::string& prefix : frequent) {
    const Fields fields = PlaceFields(prefix, *Successor(prefix), KeyLimits());
    const auto at = std::find_if(places.begin(), rest,
                                 [&](const Place& place) { return FieldsOf(place) == fields; });
    ASSERT_NE(at, rest) << prefix;
    EXPECT_NEAR(at->weight, num_each, num_each * 0.01) << prefix;
  }
  double num_short = 0;
  for (auto place = rest; place != places.end(); ++place) {
    EXPECT_LT(place->weight, num_each / 4);
    if (place->bits <= kShort + 8) num_short += place->weight;
  }
  EXPECT_NEAR(num_short / kNumRare, 0.6, 0.2);  // 60 slots: three standard deviations
}

TEST(AskedRangesTest, HabitsChange) {
  AskedRanges ranges;
  for (int i = 0; i < 1001; ++i) AddPrefix(&ranges, "a:");
  AddPrefix(&ranges, "abc");
  for (uint32_t i = 1; i < AskedRanges::kMaxCount; ++i) AddPrefix(&ranges, "/");
  ASSERT_EQ(Places(ranges).size(), 3u);
  EXPECT_EQ(Places(ranges)[0].weight, AskedRanges::kMaxCount - 1);
  AddPrefix(&ranges, "/");
  const std::vector<Place> places = Places(ranges);
  ASSERT_EQ(places.size(), 2u);  // a half of one is none
  EXPECT_EQ(FieldsOf(places[0]), Fields(kSlash, 1, 0));
  EXPECT_EQ(places[0].weight, AskedRanges::kMaxCount / 2);
  EXPECT_EQ(FieldsOf(places[1]), Fields(kColon, 1, 0));
  EXPECT_EQ(places[1].weight, 500);
}

// Counts are halved meanwhile. tests/threads/tsan runs this under ThreadSanitizer.
//
// A thread loses a range if another one changes the slot at the same time. So each range of the
// frequent place that is counted costs one of each of the seven other threads at most: of the
// 240,000, at least 30,000 are counted, and 20,000 are enough for the halving.
TEST(AskedRangesTest, ManyThreadsAddAndCopy) {
  constexpr int kThreads = 8;
  constexpr uint32_t kNumEach = 40000;
  AskedRanges ranges;
  for (uint32_t i = 0; i < AskedRanges::kMaxCount - kNumEach / 2; ++i) AddPrefix(&ranges, "a:");
  std::atomic<int> num_wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < kNumEach; ++i) {
        AddPrefix(&ranges, i % 4 == 0 ? std::string(1 + i % 200, 'x') : "a:");
        if (i % 64 != static_cast<uint32_t>(t)) continue;
        const std::vector<Place> places = Places(ranges);
        for (size_t j = 0; j < places.size(); ++j) {
          const Place& place = places[j];
          const bool is_common = FieldsOf(place) == Fields(kColon, 1, 0);
          const bool is_rare = FieldsOf(place) == Cells(place.bits) && place.bits % 8 == 0;
          const bool is_in_order = j == 0 || place.weight <= places[j - 1].weight;
          num_wrong += (is_common || is_rare) && is_in_order ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
  const std::vector<Place> places = Places(ranges);
  EXPECT_EQ(FieldsOf(places[0]), Fields(kColon, 1, 0));
  EXPECT_LT(places[0].weight, AskedRanges::kMaxCount * 0.9);  // it was halved
  EXPECT_GT(places[0].weight, AskedRanges::kMaxCount * 0.25);
}

// The first thousand of the process, if no test before has added any, and then one in 16.
TEST(AskedRangesTest, AddsASample) {
  const auto ranges = std::make_unique<AskedRanges>();
  const auto num_added = [&](int n) {
    const uint64_t before = ranges->num_ranges();
    for (int i = 0; i < n; ++i) ranges->AddSampled("a:", "a;", KeyLimits());
    return ranges->num_ranges() - before;
  };
  num_added(1000);
  EXPECT_GE(ranges->num_ranges(), 30U);
  EXPECT_NEAR(static_cast<double>(num_added(160000)), 10000, 250);
  // Ranges that take turns by 16 have equal shares.
  uint64_t num_last = 0;
  for (int i = 0; i < 10000; ++i) {
    num_added(15);
    num_last += num_added(1);
  }
  EXPECT_NEAR(static_cast<double>(num_last), 625, 125);
}

}  // namespace
}  // namespace bloomline::tests::asked_ranges_test
