// What ChooseEntries chooses for keys of several shapes: within the memory, and so that few ranges
// without keys match. If there is a sample of ranges that scans ask for, it chooses for these
// alone.
#include "src/filter/ranges/range_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/filter/ranges/asked_ranges.h"
#include "tests/support/range_filter.h"
#include "tests/support/range_keys.h"

namespace bloomline::tests::range_choice_test {
namespace {

using filter::AskedRanges;
using filter::RangeCounts;
using filter::RangeEntryOptions;
using Keys = std::set<std::string>;

struct Range {
  std::string begin, end;
};

// All keys that begin so.
Range Prefix(const std::string& prefix) {
  std::string end = prefix;
  ++end.back();
  return {prefix, end};
}

// The part of the ranges without keys that match.
double PartThrough(const Keys& keys, const WrittenRanges& ranges,
                   const std::vector<Range>& queries) {
  size_t num_may_match = 0;
  size_t num_absent = 0;
  for (const Range& query : queries) {
    const bool may_match = ranges.MayMatch(query.begin, query.end);
    if (HasKey(keys, query.begin, query.end)) {
      EXPECT_TRUE(may_match) << testing::PrintToString(query.begin);
    } else {
      ++num_absent;
      num_may_match += may_match ? 1 : 0;
    }
  }
  EXPECT_GT(num_absent, 1000U);
  return double(num_may_match) / double(num_absent);
}

RangeEntryOptions SampledEntries(const RangeCounts::SampledRange& range) {
  RangeEntryOptions options = AutoEntries(0.2);
  options.sample.ranges[0] = range;
  options.sample.size = 1;
  return options;
}

// With a memory of 20 % of that of keys, which have 16 bits, less than these parts of the ranges
// match: in the last level, in the one above it, and in those above that.
using Limits = std::array<double, 3>;

void ExpectFewMatch(const Keys& keys, const std::vector<Range>& queries, const Limits& limits) {
  constexpr double kMemory = 0.2;
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    for (int level = 0; level < 4; ++level) {  // the last two are as one
      SCOPED_TRACE(testing::Message() << FormatName(format) << ", " << level << " levels below");
      const WrittenRanges ranges(keys, AutoEntries(kMemory, level), format);
      ASSERT_TRUE(ranges.is_understood());
      const size_t column = size_t(std::min(level, 2));
      EXPECT_LT(PartThrough(keys, ranges, queries), limits[column]);
      const double bits = 8 * double(ranges.entries().payload_bytes());
      const double most = kLevelMemory[column] * kMemory * kRangeBitsPerKey * double(keys.size());
      EXPECT_LE(bits, most + 8 * kernels::kBlockBytes);
    }
  }
}

// account:4 user:4 item:8, as a schema makes them: 20 items to a user, 50 users to an account.
std::string Item(uint32_t account, uint32_t user, uint64_t item) {
  return BigEndian(account, 4) + BigEndian(user, 4) + BigEndian(item, 8);
}

TEST(RangeChoiceTest, FieldsOfBinaryKeys) {
  std::mt19937_64 random(1);
  Keys keys;
  for (uint32_t account = 0; account < 50; ++account) {
    for (uint32_t user = 0; user < 50; ++user) {
      for (int i = 0; i < 20; ++i) keys.insert(Item(2 * account, 2 * user, random() % 1000 * 1000));
    }
  }
  std::vector<Range> accounts, users, items;
  for (int i = 0; i < 10000; ++i) {
    const auto account = uint32_t(random() % 50 * 2);
    const auto user = uint32_t(random() % 50 * 2);
    const uint64_t item = random() % 1000 * 1000;
    accounts.push_back({Item(account + 1, 0, 0), Item(account + 2, 0, 0)});
    users.push_back({Item(account, user + 1, 0), Item(account, user + 2, 0)});
    items.push_back({Item(account, user, item + 100), Item(account, user, item + 116)});
  }
  ExpectFewMatch(keys, accounts, {0.01, 0.01, 0.01});
  ExpectFewMatch(keys, users, {0.01, 0.01, 0.01});
  // Few scans ask for such short ranges, so the last level keeps its memory for fields.
  ExpectFewMatch(keys, items, {1.01, 1.01, 0.8});
}

TEST(RangeChoiceTest, Delimiters) {
  Keys keys;
  std::mt19937_64 random(3);
  const auto start = [](uint64_t user) { return "user:" + std::to_string(user); };
  for (int user = 0; user < 1000; ++user) {
    const std::string posts = start(random() % 20000) + ":post:";
    for (int i = 0; i < 30; ++i) keys.insert(posts + std::to_string(random() % 100000));
  }
  std::vector<Range> queries;
  for (uint64_t user = 0; user < 20000; ++user) queries.push_back(Prefix(start(user) + ":"));
  ExpectFewMatch(keys, queries, {0.01, 0.01, 0.01});
}

// A program's own keys come first, and some names have a line break.
TEST(RangeChoiceTest, FewKeysThatAreNoText) {
  Keys keys;
  std::mt19937_64 random(4);
  const auto start = [](uint64_t user) { return "user/" + std::to_string(user); };
  for (int i = 0; i < 40; ++i) keys.insert(std::string("\1state\0", 7) + std::to_string(i));
  for (int user = 0; user < 1000; ++user) {
    const std::string files = start(random() % 20000) + "/icon\r/";
    for (int i = 0; i < 30; ++i) {
      keys.insert((user % 50 == 0 ? files : start(random() % 20000) + "/") +
                  std::to_string(random() % 100000));
    }
  }
  std::vector<Range> queries;
  for (uint64_t user = 0; user < 20000; ++user) queries.push_back(Prefix(start(user) + "/"));
  ExpectFewMatch(keys, queries, {0.15, 0.02, 0.01});
}

// Half of the directories are missing; they have nine to twelve slashes.
TEST(RangeChoiceTest, DirectoriesDeeperThanEightSlashes) {
  Keys keys;
  std::mt19937_64 random(6);
  std::vector<Range> queries;
  for (int i = 0; i < 3000; ++i) {
    std::string path = "/usr/share/doc/" + std::to_string(random() % 30) + "/a/b/c/d/";
    for (uint64_t depth = 1 + random() % 4; depth > 0; --depth) {
      path += "sub" + std::to_string(random() % 1000) + "/";
    }
    if (i % 2 == 0) queries.push_back(Prefix(path));
    for (int file = 0; i % 2 == 1 && file < 12; ++file) {
      keys.insert(path + "file" + std::to_string(random() % 1000) + ".h");
    }
  }
  ExpectFewMatch(keys, queries, {0.01, 0.01, 0.01});
}

// Ten small files of a level above many have random files of a tree whose levels have nearly equal
// numbers of directories, some by chance the same number. A kind that is left out in one of them
// would let all ranges of its depth through.
TEST(RangeChoiceTest, SmallFilesOfOneTreeAreAlike) {
  std::mt19937_64 random(12);
  const auto name = [&](int most) {
    return "dir" + std::to_string(random() % uint64_t(most) * 7) + "/";
  };
  std::vector<std::string> directories;
  for (int i = 0; i < 2000; ++i) {
    std::string path;
    for (uint64_t depth = 1 + random() % 8, at = 0; at < depth; ++at) path += name(at < 3 ? 3 : 6);
    directories.push_back(path);
  }
  std::vector<Range> queries;
  for (int i = 0; i < 4000; ++i) {
    std::string absent = directories[random() % directories.size()];
    absent.insert(absent.size() - 1, "0");  // limits of bytes alone must not reject it
    queries.push_back(Prefix(absent));
  }
  for (const size_t num_keys : {30, 100, 1000}) {
    double worst = 0;
    for (int file = 0; file < 10; ++file) {
      Keys keys;
      while (keys.size() < num_keys) {
        keys.insert(directories[random() % directories.size()] + std::to_string(random() % 1000));
      }
      const WrittenRanges ranges(keys, AutoEntries(0.2 * 10 / kRangeBitsPerKey, 4),
                                 Format::kRibbon);
      worst = std::max(worst, PartThrough(keys, ranges, queries));
    }
    EXPECT_LT(worst, 0.03) << num_keys << " keys";
  }
}

// No file of these directories has a deeper one, with which a directory that is not there begins.
TEST(RangeChoiceTest, DepthsThatNoKeyHas) {
  std::mt19937_64 random(14);
  Keys keys;
  std::vector<Range> queries;
  for (int i = 0; i < 2000; ++i) {
    const std::string directory = "usr/share/doc/package" + std::to_string(random() % 300) + "/";
    keys.insert(directory + "file" + std::to_string(random() % 1000));
    queries.push_back(Prefix(directory + "examples/"));
  }
  ExpectFewMatch(keys, queries, {0.01, 0.01, 0.01});
  const WrittenRanges ranges(keys, SampledEntries({filter::kDelimiters.find('/'), 5, 0, 1}),
                             Format::kRibbon);
  EXPECT_LT(PartThrough(keys, ranges, queries), 0.01);
}

// RocksDB asks the first file of a level that ends behind the range, so a file of one directory is
// asked for those before it, too.
TEST(RangeChoiceTest, RangesBeforeAFile) {
  std::mt19937_64 random(13);
  // Behind the positions whose limits a filter knows: those alone would reject the ranges.
  const std::string folder = "srv/data/projects/organisation/department/section/office/room/share/";
  ASSERT_GT(folder.size(), filter::kMaxCellBytes);
  Keys keys;
  while (keys.size() < 200) {
    keys.insert(folder + "man1/git-" + std::to_string(random() % 100) + "_" +
                std::to_string(random() % 100) + ".gz");
  }
  std::vector<Range> queries;
  for (int i = 0; i < 4000; ++i) {
    queries.push_back(Prefix(folder + "de" + std::to_string(i) + "/"));
  }
  ExpectFewMatch(keys, queries, {0.1, 0.1, 0.1});
}

TEST(RangeChoiceTest, NothingIsChosenForNothing) {
  const filter::RangeMemory memory = {3.2};
  EXPECT_TRUE(filter::ChooseEntries(filter::RangeCounts(), memory).kinds.empty());
  const WrittenRanges ranges({"one"}, AutoEntries(0.2), Format::kRibbon);
  EXPECT_TRUE(ranges.is_understood());
  EXPECT_TRUE(ranges.field().kinds.empty());
  EXPECT_TRUE(ranges.filter().empty());
}

double BitsOf(const WrittenRanges& ranges, size_t num_keys) {
  const size_t end_bytes = filter::EndBytes(ranges.entries()) - filter::kTrailerBytes;
  return 8.0 * double(ranges.entries().payload_bytes() + end_bytes) / double(num_keys);
}

// A key has one entry of so many bits.
RangeEntryOptions OneEntry(double bits_per_entry) {
  RangeEntryOptions options = EntriesOf(Kinds({{40}}));
  options.memory = bits_per_entry / kRangeBitsPerKey;
  return options;
}

Keys RandomNumbers(size_t count, std::mt19937_64* random) {
  Keys keys;
  while (keys.size() < count) keys.insert(BigEndian((*random)(), 8));
  return keys;
}

std::vector<Range> RandomRanges(int count, std::mt19937_64* random) {
  std::vector<Range> queries;
  for (int i = 0; i < count; ++i) queries.push_back(Prefix(BigEndian((*random)() & ~1ull, 5)));
  return queries;
}

// The rates of the choice are those of the written entries.
TEST(RangeChoiceTest, RatesAreThoseOfWrittenEntries) {
  std::mt19937_64 random(11);
  const Keys keys = RandomNumbers(30000, &random);
  const std::vector<Range> queries = RandomRanges(30000, &random);
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    const bool is_ribbon = format == Format::kRibbon;
    for (const double bits : {1.0, 1.15, 1.3, 1.7, 2.2, 2.55, 3.0, 3.5, 5.0}) {
      SCOPED_TRACE(testing::Message() << FormatName(format) << ", " << bits << " bits");
      const WrittenRanges ranges(keys, OneEntry(bits), format);
      EXPECT_EQ(ranges.entries().layout,
                is_ribbon ? filter::Layout::kRibbon : filter::Layout::kBlocked);
      EXPECT_NEAR(BitsOf(ranges, keys.size()), bits, 0.02);
      EXPECT_NEAR(PartThrough(keys, ranges, queries) / filter::EntryRate(bits, is_ribbon), 1, 0.06);
    }
  }
}

// Few entries cannot fill the rows of a Ribbon payload.
TEST(RangeChoiceTest, FewEntriesAreNoWorseThanInABloomFilter) {
  std::mt19937_64 random(12);
  const std::vector<Range> queries = RandomRanges(20000, &random);
  for (const size_t num_keys : {50, 150, 200, 249, 300, 500, 700, 1000, 2000}) {
    for (const double bits : {1.0, 1.5, 2.0, 3.0, 5.0, 8.0}) {
      SCOPED_TRACE(testing::Message() << num_keys << " entries, " << bits << " bits");
      double rate = 0;
      constexpr int kFilters = 5;
      for (int i = 0; i < kFilters; ++i) {
        const Keys keys = RandomNumbers(num_keys, &random);
        const WrittenRanges ranges(keys, OneEntry(bits), Format::kRibbon);
        EXPECT_LE(BitsOf(ranges, num_keys), bits + 8.0 * (16 + 5) / double(num_keys));
        rate += PartThrough(keys, ranges, queries) / kFilters;
      }
      EXPECT_LT(rate, 1.05 * filter::EntryRate(bits, false));
      if (num_keys >= 1000) {
        EXPECT_LT(rate, 1.1 * filter::EntryRate(bits, true));
      }
    }
  }
}

// ---- With a sample.

constexpr size_t kCells = filter::kDelimiters.size();
constexpr size_t kColon = filter::kDelimiters.find(':');

TEST(RangeSampleTest, HasThePlacesOfFrequentRanges) {
  AskedRanges asked;
  for (int i = 0; i < 140; ++i) {  // of two lengths, but of one place
    const std::string user = i % 2 == 0 ? "user:1" : "user:22";
    asked.Add(user + ":", user + ";");
  }
  for (uint64_t i = 0; i < 59; ++i) asked.Add(BigEndian(i << 20), BigEndian((i << 20) + 16));
  asked.Add(BigEndian(0), BigEndian(1 << 20));  // one of 200
  const RangeCounts::SampledRanges sample = filter::SampledPlaces(asked);
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
  Keys keys;
  while (keys.size() < 20000) keys.insert(BigEndian(random()));
  const WrittenRanges sampled(keys, SampledEntries({kCells, 0, 44, 1}), Format::kRibbon);
  const WrittenRanges unsampled(keys, AutoEntries(0.2), Format::kRibbon);
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

// If scans ask for short ranges of keys of one length, cells may be whole keys: they are if keys
// are so dense that one often lies beside an empty range.
TEST(RangeSampleTest, CellsAsLongAsKeys) {
  std::mt19937_64 random(3);
  for (const uint64_t numbers_per_key : {32, 1 << 20}) {
    const uint64_t space = 20000 * numbers_per_key;
    Keys keys;
    while (keys.size() < 20000) keys.insert(BigEndian(random() % space));
    std::vector<Range> queries;
    while (queries.size() < 4000) {
      const uint64_t first = random() % space;
      queries.push_back({BigEndian(first), BigEndian(first + 16)});
    }
    RangeEntryOptions options = SampledEntries({kCells, 0, 60, 1});
    options.memory = 0.78;  // 10 bits for each key of the last level
    const WrittenRanges ranges(keys, options, Format::kRibbon);
    ASSERT_TRUE(ranges.is_understood());
    const bool is_dense = numbers_per_key == 32;
    const filter::EntryKinds& kinds = ranges.field().kinds;
    ASSERT_NE(kinds.num_cells, 0);
    EXPECT_EQ(kinds.cells[kinds.num_cells - 1].bits, is_dense ? 64U : 60U);
    EXPECT_LT(PartThrough(keys, ranges, queries), is_dense ? 0.1 : 0.01);
  }
}

// Cells of all lengths and all delimiters with all depths are candidates.
TEST(RangeSampleTest, TheLastDelimiterOfMany) {
  constexpr size_t kDelimiters = filter::kDelimiters.size();
  RangeEntryOptions options = SampledEntries({kCells, 0, filter::kMaxCellBits, 0.1});
  for (size_t i = 0; i < kDelimiters; ++i) {
    const double weight = i + 1 < kDelimiters ? 0.01 : 0.8;
    options.sample.ranges[options.sample.size++] = {i, filter::kMaxDepth, 0, weight};
  }
  options.memory = 1;
  std::string fields;
  for (size_t depth = 0; depth < filter::kMaxDepth; ++depth) fields += filter::kDelimiters;
  const std::string last = fields.substr(fields.size() - 1);
  fields.pop_back();
  Keys keys;
  std::vector<Range> queries;
  for (size_t same = 0; same < filter::kMaxCellBytes; ++same) {
    const auto num_new = static_cast<char>(1 + keys.size() / 25);
    for (char i = 0; i < num_new; ++i) {
      std::string key = std::string(same, 'a') + static_cast<char>('b' + i);
      key.resize(filter::kMaxCellBytes, 'z');
      key += fields;
      keys.insert(key + "a" + last);
      for (char c = 'b'; c < 'z'; ++c) queries.push_back(Prefix(key + c + last));
    }
  }
  const WrittenRanges ranges(keys, options, Format::kRibbon);
  EXPECT_LT(PartThrough(keys, ranges, queries), 0.1);
}

TEST(RangeSampleTest, PrefixesOfTheAskedDelimiter) {
  std::mt19937_64 random(2);
  Keys keys;
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
    const size_t delimiter = filter::kDelimiters.find(asked.delimiter);
    const WrittenRanges ranges(keys, SampledEntries({delimiter, asked.depth, 0, 1}),
                               Format::kRibbon);
    ASSERT_TRUE(ranges.is_understood());
    const filter::EntryKinds& kinds = ranges.field().kinds;
    EXPECT_EQ(kinds.num_cells, 0);
    // Those that no key has follow.
    ASSERT_EQ(kinds.num_prefixes, 1 + filter::kMaxDepth - asked.depth);
    for (size_t i = 0; i < kinds.num_prefixes; ++i) {
      EXPECT_EQ(kinds.prefixes[i].delimiter, asked.delimiter);
      EXPECT_EQ(kinds.prefixes[i].depth, asked.depth + i);
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::range_choice_test
