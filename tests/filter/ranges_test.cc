// Answers to ranges: no key is lost, "no" where docs/format.md allows it, and few lookups.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/range_filter.h"
#include "tests/support/range_keys.h"

namespace bloomline::tests::ranges_test {
namespace {

using filter::EntryKinds;
using filter::RangeEntryOptions;

using Keys = std::set<std::string>;

struct Kind {
  const char* name;
  RangeEntryOptions entries;
};

EntryKinds AllDepths(unsigned char delimiter) {
  EntryKinds kinds;
  for (uint8_t depth = 1; depth <= filter::kMaxDepth; ++depth) {
    kinds.prefixes[kinds.num_prefixes++] = {delimiter, depth, uint8_t(1 + depth % 4)};
  }
  return kinds;
}

// start_bits: the same in all keys.
std::vector<Kind> KindsBehind(size_t start_bits) {
  const auto cells = [=](EntryKinds kinds) {
    for (size_t i = 0; i < kinds.num_cells; ++i) {
      uint16_t& bits = kinds.cells[i].bits;
      if (bits < filter::kMaxCellBits) bits = static_cast<uint16_t>(bits + start_bits);
    }
    return EntriesOf(kinds);
  };
  std::vector<Kind> kinds = {
      {"auto", AutoEntries(0.5)},
      {"auto with little", AutoEntries(0.02, 1)},
      {"auto with much", AutoEntries(4, 2)},
      {"bytes", cells(Kinds({{8}, {16}, {24}, {32}}))},
      {"one byte, copied", cells(Kinds({{8, 4}}))},
      {"bits", cells(Kinds({{1, 3}, {3}, {7, 2}, {9}, {12, 2}, {15}, {17}, {30, 4}}))},
      {"longer than keys", cells(Kinds({{16}, {24}, {31, 2}, {512, 3}}))},
      {"delimited", EntriesOf(Kinds({}, {{'/', 1}, {'/', 2, 2}, {'/', 3, 3}}))},
      {"delimited, all depths", EntriesOf(AllDepths('/'))},
      {"delimited, depth 8", EntriesOf(Kinds({}, {{'/', 8, 4}}))},
      {"delimited by the greatest",
       EntriesOf(Kinds({}, {{0, 1}, {0xfe, 1, 2}, {0xff, 1}, {0xff, 2}, {0xff, 3, 4}}))},
      {"both", cells(Kinds({{11}, {24, 2}}, {{'/', 1}, {'/', 8}, {'a', 1, 3}, {'a', 2}}))},
      {"none", cells(EntryKinds())}};
  return kinds;
}

// The one rule: a "no" only where no key is.
void ExpectNoKeyLost(int num_sets, uint64_t seed_of_test) {
  std::mt19937_64 random(seed_of_test);
  uint64_t num_no = 0;
  for (int set = 0; set < num_sets; ++set) {
    // The bytes that differ lie across the ends of words, beyond the longest cells and prefixes.
    const RangeKeyShape shape = RandomShape(&random, {0, 0, 0, 0, 5, 7, 7, 13, 59, 59, 126, 1021});
    Keys keys;
    const size_t num_keys = 1 + random() % 60;
    for (size_t i = 0; i < 2 * num_keys && keys.size() < num_keys; ++i) {
      keys.insert(shape.Key(&random));
    }
    const std::vector<std::string> list(keys.begin(), keys.end());
    const Format format = random() % 2 == 0 ? Format::kBlocked : Format::kRibbon;
    for (const Kind& kind : KindsBehind(8 * std::min<size_t>(shape.start.size(), 59))) {
      RangeEntryOptions options = kind.entries;
      options.format = format;
      options.bits_per_key = kRangeBitsPerKey;
      options.seed = set % 3 * 77u;
      filter::RangeEntries entries(options);
      const WrittenRanges ranges(RangesOf(keys, &entries));
      if (keys == Keys{""}) continue;
      ASSERT_TRUE(ranges.is_understood()) << kind.name;
      if (set % 8 == 0) {  // one filter after the other
        Keys others(list.begin(), list.begin() + long(random() % list.size()));
        others.insert({"0", std::string(200, 'z')});
        RangesOf(others, &entries);
        ASSERT_EQ(RangesOf(keys, &entries), ranges.bytes());
      }
      for (int query = 0; query < 100; ++query) {
        const auto bound = [&]() -> std::string {
          const uint64_t what = random() % 8;
          if (what == 0) return RandomKey(&random, 0, 6);
          return KeyNear(&random, what == 1 ? shape.Key(&random) : list[random() % list.size()]);
        };
        std::string begin = bound();
        std::string end = random() % 2 == 0 ? KeyNear(&random, begin) : bound();
        if (end < begin && random() % 8 != 0) std::swap(begin, end);
        const bool says_no = !ranges.MayMatch(begin, end);
        num_no += says_no ? 1 : 0;
        if (!says_no && ranges.MayMatchWithoutLimits(begin, end)) continue;
        ASSERT_FALSE(HasKey(keys, begin, end))
            << kind.name << ": " << testing::PrintToString(*keys.lower_bound(begin)) << " is in ["
            << testing::PrintToString(begin) << ", " << testing::PrintToString(end) << ")";
      }
    }
  }
  EXPECT_GT(num_no, static_cast<uint64_t>(num_sets) * 50);
}

TEST(RangesTest, NoKeyIsLostInAnyRange) {
  const char* const sets = std::getenv("BLOOMLINE_TEST_SETS");
  ExpectNoKeyLost(sets == nullptr ? 3000 : std::atoi(sets), 1);
}

// What the rules of docs/format.md allow: "no" where no entry is, also at the ends of ranges.
TEST(RangesTest, SaysNoWhereItCan) {
  const auto says_no = [](const Keys& keys, const EntryKinds& kinds, const std::string& begin,
                          const std::string& end) {
    return !WrittenRanges(keys, EntriesOf(kinds), Format::kRibbon).MayMatch(begin, end);
  };
  // All keys of the range begin with a\xff.
  EXPECT_TRUE(says_no({"b\xff", "c"}, Kinds({}, {{0xff, 1}}), "a\xff", "b"));
  EXPECT_FALSE(says_no({"b\xff", "c"}, Kinds({}, {{0xff, 1}}), "a\xff", "ba"));
  // The second cell begins where the range does, not where the first cell does.
  EXPECT_TRUE(says_no({"aa", "longer"}, Kinds({{8}, {16}}), "a\xf0", "b\x10"));
  EXPECT_FALSE(says_no({"a\xf1", "longer"}, Kinds({{8}, {16}}), "a\xf0", "b\x10"));
  // An end that is a cell leaves it out, and so do zeros if all keys are as long.
  const std::string zeros("b\0\0", 3);
  EXPECT_TRUE(says_no({"b\x01x", "dxx"}, Kinds({{8}}), "a", "b"));
  EXPECT_TRUE(says_no({"b\x01x", "dxx"}, Kinds({{8}}), "a", zeros));
  EXPECT_FALSE(says_no({"b", "dxx"}, Kinds({{8}}), "a", zeros));
  // It does not leave it out if it goes on, even if the first eight bytes are all of the cell.
  const std::string start(7, 'x');
  const Keys in_last_cell = {start + std::string("b\0\0", 3)};
  EXPECT_FALSE(says_no(in_last_cell, Kinds({{64}}), start + "a", start + "b\x01"));
  EXPECT_FALSE(
      says_no(in_last_cell, Kinds({{64}}), start + "a", start + std::string("b\x01\0", 3)));
  // Ranges that are none.
  EXPECT_FALSE(says_no({"a", "longer"}, Kinds({{8}}), "c", "b"));
  EXPECT_FALSE(says_no({"a", "longer"}, Kinds({{8}}), "c", "c"));
  EXPECT_FALSE(says_no({"a", "longer"}, Kinds({{8}}), "", "a"));
  EXPECT_TRUE(says_no({"a", "longer"}, Kinds({{8}}), "c", "d"));
  // Prefixes of depth 8 are all from the eighth on, those of another depth only that one.
  const std::string deep = "////////a/";
  EXPECT_TRUE(
      says_no({deep + "b/c", "longer keys too"}, Kinds({}, {{'/', 8}}), deep + "d/", deep + "d0"));
  EXPECT_TRUE(
      says_no({deep + "b/c", "longer keys too"}, Kinds({}, {{'/', 8}}), "///////b/", "///////b0"));
  EXPECT_FALSE(
      says_no({deep + "b/c", "longer keys too"}, Kinds({}, {{'/', 7}}), deep + "d/", deep + "d0"));
  EXPECT_FALSE(
      says_no({deep + "b/c", "longer keys too"}, Kinds({}, {{'/', 8}}), "/////b/", "/////b0"));
}

// The end of a range as people write it: the next value of a field that all keys have.
TEST(RangesTest, TheNextValueOfAFieldIsABound) {
  const auto text = [](const char* format, int number) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), format, number);
    return std::string(buffer);
  };
  const struct {
    const char* name;
    const char* field;
    std::vector<std::string> rests;
    EntryKinds kinds;
    double least_part_rejected = 0.97;
    Keys foreign = {};
  } kCases[] = {
      {"prefixes", "user:%06d", {":post:1", ":post:2"}, Kinds({}, {{':', 2, 2}})},
      {"cells", "user:%06d", {":post:1", ":post:2"}, Kinds({{88, 2}})},
      {"a longer cell", "user:%06d", {":a", ":b"}, Kinds({{96, 2}})},
      {"bits", "%08x", {"", "x", "xyz"}, Kinds({{62, 1}, {64, 2}}), 0.8},
      {"numbers", "order#%012d", {"#"}, Kinds({{152, 2}})},
      {"numbers and a byte", "%09d", {"0", "1", "2"}, Kinds({{80, 2}})},
      {"another word", "user:%06d", {":a"}, Kinds({{88, 2}}), 0.97, {"zone:000000:zzzz"}},
      // One more user may follow. Nothing is known about delimiters.
      {"a short key", "user:%06d", {":a"}, Kinds({{88, 2}}), 0.7, {"a"}},
      {"a short key, prefixes", "user:%06d", {":a"}, Kinds({}, {{':', 2, 2}}), 0, {"a"}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Keys keys = c.foreign;
    for (int i = 0; i < 20000; i += 5) {
      for (const std::string& rest : c.rests) keys.insert(text(c.field, i) + rest);
    }
    const WrittenRanges ranges(keys, EntriesOf(c.kinds), Format::kRibbon);
    const std::string delimiter = c.rests[0].substr(0, 1);
    int num_no = 0;
    int num_without = 0;
    int num_empty = 0;
    for (int i = 9; i < 15000; ++i) {
      for (const std::string& tail : {std::string(), delimiter, delimiter + "a"}) {
        const std::string begin = text(c.field, i) + tail;
        const std::string end = text(c.field, i + 1) + tail;
        const bool says_no = !ranges.MayMatch(begin, end);
        if (HasKey(keys, begin, end)) {
          ASSERT_FALSE(says_no) << begin;
        } else if (tail.size() < 2) {
          ++num_empty;
          num_no += says_no ? 1 : 0;
          num_without += ranges.MayMatchWithoutLimits(begin, end) ? 0 : 1;
        }
      }
    }
    EXPECT_GE(num_no, c.least_part_rejected * num_empty);
    if (c.foreign.empty()) {
      EXPECT_LT(num_without, num_no);
    }
  }
}

// Each key has a byte of a hundred values, so an entry is a false positive in a few ranges; each
// further copy makes them fewer.
TEST(RangesTest, MoreCopiesGiveFewerFalsePositives) {
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    std::mt19937_64 random(9);
    Keys keys;
    while (keys.size() < 2000) keys.insert(RandomKey(&random, 10, 12) + "/");
    size_t last = SIZE_MAX;
    for (uint8_t copies = 1; copies <= filter::kMaxCopies; ++copies) {
      RangeEntryOptions options = EntriesOf(Kinds({{80, copies}}));
      options.memory = 0.1 * copies;  // as many bits for each copy
      const WrittenRanges ranges(keys, options, format);
      size_t num_may_match = 0;
      for (int i = 0; i < 4000; ++i) {
        const std::string begin = "no key" + std::to_string(10000 + i);
        num_may_match += ranges.MayMatch(begin, begin + '\0') ? 1 : 0;
      }
      EXPECT_LT(num_may_match, last / 3 * 2) << int(copies);
      last = num_may_match;
    }
    EXPECT_LT(last, 500U);
  }
}

// All bounds beside keys of one length that end in equal bytes.
TEST(RangesTest, SuffixesLoseNothing) {
  const auto padded = [](std::initializer_list<const char*> starts, size_t size, char byte) {
    Keys keys;
    for (std::string key : starts) {
      key.resize(size, byte);
      keys.insert(key);
    }
    return keys;
  };
  const auto with_a_differing_one = [&](size_t at) {
    Keys keys = padded({"k1", "k3", "k5"}, 16, '0');
    std::string key = "k7" + std::string(14, '0');
    key[at] = '1';
    keys.insert(key);
    return keys;
  };
  const struct {
    Keys keys;
    unsigned suffix_bytes;
  } kCases[] = {
      {padded({"k1", "k3", "k5"}, 16, '0'), 14},
      {padded({"k1", "k3", "k5"}, 16, '\0'), 14},
      {padded({"k1", "k3", "k5"}, 16, '\xff'), 14},
      {padded({"k\xff", "k3", "k5"}, 16, '\xff'), 14},
      {padded({"k1", "k3", "k5"}, 64, '-'), 62},
      {padded({"k1", "k3", "k5"}, 65, '-'), 0},
      {padded({"k10", "k30", "k51"}, 8, '0'), 5},
      {with_a_differing_one(10), 5},
      {with_a_differing_one(15), 0},
      {padded({"one key"}, 12, '0'), 5},
      {padded({"one key"}, 7, '0'), 1},
      {padded({"aaaa"}, 4, 'a'), 3},
      {padded({"a"}, 1, 'a'), 0},
      {padded({"k1", "k3"}, 300, 'x'), 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << "case " << &c - kCases);
    const WrittenRanges ranges(c.keys, EntriesOf(EntryKinds()), Format::kBlocked);
    ASSERT_EQ(ranges.field().suffix_bytes, c.suffix_bytes);
    const char suffix_byte = c.suffix_bytes == 0 ? '\0' : c.keys.begin()->back();
    EXPECT_EQ(ranges.field().suffix_byte, suffix_byte);
    std::set<std::string> bounds;
    for (const std::string& key : c.keys) {
      for (size_t size = 1; size <= key.size(); size += size < 20 ? 1 : 20) {
        std::string bound = key.substr(0, size);
        bounds.insert({bound, bound + '\0', bound + '\xff', bound + key.back()});
        bound.back() = char(bound.back() + 1);
        bounds.insert(bound);
        bounds.insert(bound + key.substr(size));
      }
      bounds.insert({key, key + '\0', key + key.back(), key + "longer than any key"});
    }
    size_t num_no = 0;
    for (const std::string& begin : bounds) {
      for (auto end = bounds.upper_bound(begin); end != bounds.end(); ++end) {
        if (ranges.MayMatch(begin, *end)) continue;
        ++num_no;
        ASSERT_FALSE(HasKey(c.keys, begin, *end))
            << testing::PrintToString(begin) << " " << testing::PrintToString(*end);
      }
    }
    EXPECT_GT(num_no, 0U);
  }
}

// db_bench's keys: between two of them is no key, as cells of their numbers know.
TEST(RangesTest, ASuffixMakesCellsOfKeys) {
  const auto key = [](unsigned number) {
    return std::string("\0\0\0\0\0\0", 6) + char(number / 256) + char(number) + std::string(8, '0');
  };
  Keys keys;
  for (unsigned i = 0; i < 1000; ++i) keys.insert(key(60 * i));
  for (const auto& kinds : {Kinds({{64}}), Kinds({{52, 2}, {64}})}) {
    const WrittenRanges ranges(keys, EntriesOf(kinds), Format::kRibbon);
    ASSERT_EQ(ranges.field().suffix_bytes, 8);
    size_t num_may_match = 0;
    for (unsigned i = 0; i < 999; ++i) {
      num_may_match += ranges.MayMatch(key(60 * i + 1), key(60 * i + 4)) ? 1 : 0;
      // Up to a key; from behind one; between the numbers.
      num_may_match += ranges.MayMatch(key(60 * i + 50), key(60 * i + 60)) ? 1 : 0;
      num_may_match += ranges.MayMatch(key(60 * i) + '\0', key(60 * i + 5)) ? 1 : 0;
      ASSERT_FALSE(ranges.MayMatch(key(60 * i).substr(0, 9) + '1', key(60 * i + 1).substr(0, 8)));
      ASSERT_TRUE(ranges.MayMatch(key(60 * i), key(60 * i) + '\0'));
      ASSERT_TRUE(ranges.MayMatch(key(60 * i).substr(0, 8), key(60 * i + 1).substr(0, 8)));
    }
    EXPECT_LT(num_may_match, 30U);
  }
}

// Delimiters give entries up to byte 1024, and are asked for up to there.
TEST(RangesTest, LongKeysAreNotLost) {
  for (const size_t start_bytes : {126, 1020}) {
    const std::string start(start_bytes, 'x');
    Keys keys;
    for (const char* end : {"/a/b", "y/z", "yy/z", "yyy/z", "yyyy/z", "yyyyy/z", "//", "y"}) {
      keys.insert(start + end);
    }
    for (const uint16_t cell_bits : {uint16_t{504}, uint16_t{512}}) {
      const WrittenRanges ranges(keys, EntriesOf(Kinds({{cell_bits}}, {{'/', 1}, {'/', 2}})),
                                 Format::kBlocked);
      EXPECT_EQ(ranges.field().kinds.num_cells, 1) << "equal beginnings are in order";
      EXPECT_EQ(ranges.field().min_key_bytes, start_bytes + 1);
      EXPECT_EQ(ranges.field().max_key_bytes, start_bytes + 7);
      for (const std::string& key : keys) {
        EXPECT_TRUE(ranges.MayMatch(key, key + '\0'));
        std::string end = key.substr(0, key.rfind('/') + 1);
        if (!end.empty()) end.back() = '0';
        EXPECT_TRUE(end.empty() || ranges.MayMatch(key.substr(0, end.size()), end));
      }
      const auto says_no = [&](const std::string& prefix) {
        std::string end = prefix;
        end.back() = '0';
        return !ranges.MayMatch(prefix, end);
      };
      EXPECT_TRUE(says_no(start + "b/"));
      EXPECT_TRUE(says_no(start + "/b/"));
      EXPECT_TRUE(says_no(start + "yyb/"));
      EXPECT_EQ(says_no(start + "yyyb/"), start_bytes == 126) << "byte 1025";
    }
  }
}

// ---- A query looks up few entries for any keys, kinds and bounds.

int num_lookups;
uint64_t answers;  // a bit for each lookup

bool NextAnswer() { return (answers >> (num_lookups++ % 64) & 1) != 0; }

// The entries of a filter whose answers are given, as those of false positives are.
filter::OpenRanges WithGivenAnswers(const filter::OpenRanges& ranges) {
  filter::OpenRanges given = ranges;
  given.entries.may_match = [](const kernels::PayloadView&, uint64_t) { return NextAnswer(); };
  given.entries.may_match_many = [](const kernels::PayloadView&, size_t n, const uint64_t*,
                                    bool* may_match) {
    for (size_t i = 0; i < n; ++i) may_match[i] = NextAnswer();
  };
  return given;
}

// docs/format.md lets a filter have eight lengths of cells and 32 kinds of prefixes.
EntryKinds AllKinds() {
  EntryKinds kinds = Kinds({{8}, {16}, {24}, {32}, {40}, {48}, {56}, {64}});
  for (const unsigned char delimiter : {'#', '/', ':', '|'}) {
    for (uint8_t depth = 1; depth <= filter::kMaxDepth; ++depth) {
      kinds.prefixes[kinds.num_prefixes++] = {delimiter, depth};
    }
  }
  return kinds;
}

TEST(RangesTest, LookupsAreFew) {
  constexpr int kMaxOfPrefixes = 4;
  constexpr int kMaxOfCells = 4 + int{filter::kMaxAskedEntries};
  std::mt19937_64 random(1);
  Keys keys;
  for (int i = 0; i < 50; ++i) {
    std::string key(9, ' ');
    for (char& byte : key) byte = "#/:|ab"[random() % 6];
    keys.insert(key);
  }
  const WrittenRanges filter(keys, EntriesOf(AllKinds()), Format::kBlocked);
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
}  // namespace bloomline::tests::ranges_test
