// A query for a range looks up few entries, whatever the keys, the kinds and the bounds are.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "tests/support/range_filter.h"

namespace bloomline {
namespace {

int num_lookups;
uint64_t answers;  // a bit for each lookup

bool NextAnswer() { return (answers >> (num_lookups++ % 64) & 1) != 0; }

// The entries of a filter whose answers are given, as those of false positives are.
filter::OpenRanges WithGivenAnswers(const filter::OpenRanges& ranges) {
  filter::OpenRanges given = ranges;
  given.keys.may_match =
      given.entries.may_match = [](const kernels::PayloadView&, uint64_t) { return NextAnswer(); };
  given.keys.may_match_many = given.entries.may_match_many =
      [](const kernels::PayloadView&, size_t n, const uint64_t*, bool* may_match) {
        for (size_t i = 0; i < n; ++i) may_match[i] = NextAnswer();
      };
  return given;
}

// docs/format.md lets a filter have eight lengths of cells and 32 kinds of prefixes.
filter::EntryKinds AllKinds() {
  filter::EntryKinds kinds = tests::Kinds({{8}, {16}, {24}, {32}, {40}, {48}, {56}, {64}});
  for (const unsigned char delimiter : {'#', '/', ':', '|'}) {
    for (uint8_t depth = 1; depth <= filter::kMaxDepth; ++depth) {
      kinds.prefixes[kinds.num_prefixes++] = {delimiter, depth};
    }
  }
  return kinds;
}

TEST(RangeLookupsTest, AreFew) {
  constexpr int kMaxOfPrefixes = 4;
  constexpr int kMaxOfCells = 2 + 4 + filter::kMaxAskedEntries;
  std::mt19937_64 random(1);
  std::set<std::string> keys;
  for (int i = 0; i < 50; ++i) {
    std::string key(9, ' ');
    for (char& byte : key) byte = "#/:|ab"[random() % 6];
    keys.insert(key);
  }
  const tests::RangeFilter filter(keys, tests::EntriesOf(AllKinds()), Format::kBlocked);
  ASSERT_EQ(filter.field().kinds.num_prefixes, 32);
  const filter::OpenRanges ranges = WithGivenAnswers(filter.ranges());
  int most = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string begin(random() % 40, ' ');
    for (char& byte : begin) byte = "#/:|ab"[random() % 6];
    std::string end = begin.substr(0, random() % (begin.size() + 1));
    if (!end.empty()) end.back() = static_cast<char>(end.back() + random() % 3);
    if (random() % 2 == 0) end.append(random() % 4, static_cast<char>(random()));
    num_lookups = 0;
    answers = i % 2 == 0 ? ~uint64_t{0} : random() | random();
    filter::RangeMayMatch(ranges, begin, end);
    ASSERT_LE(num_lookups, kMaxOfPrefixes + kMaxOfCells) << begin << " to " << end;
    most = std::max(most, num_lookups);
  }
  EXPECT_GT(most, kMaxOfPrefixes + 4) << "both are looked up";
}

}  // namespace
}  // namespace bloomline
