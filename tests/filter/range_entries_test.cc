// The entries that RangeEntries makes are those of all keys, whatever it forgets and however little
// it keeps meanwhile.
#include "src/filter/ranges/range_entries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/filter/bits/hash.h"
#include "tests/filter/counted_memory.h"
#include "tests/support/range_filter.h"
#include "tests/support/range_keys.h"

namespace bloomline {
namespace {

using filter::EntryKinds;
using filter::RangeCounts;
using filter::RangeEntries;
using filter::RangeEntryOptions;
using tests::AutoEntries;
using tests::EntriesOf;
using tests::Kinds;
using tests::WrittenRanges;
using Keys = std::set<std::string>;

std::string Cell(const std::string& key, size_t bits) {
  std::string cell = key.substr(0, filter::CellBytes(bits));
  cell.resize(filter::CellBytes(bits));
  for (size_t bit = bits; bit < 8 * cell.size(); ++bit) {
    cell[bit / 8] = char(cell[bit / 8] & ~(0x80 >> bit % 8));
  }
  return cell;
}

// By occurrence; the depths of the first kMaxDepth are 1, 2, ..
std::vector<std::string> DelimitedPrefixes(const std::string& key, unsigned char delimiter) {
  std::vector<std::string> prefixes;
  for (size_t at = 0; at < std::min(key.size(), filter::kMaxPrefixBytes); ++at) {
    if (key[at] == char(delimiter)) prefixes.push_back(key.substr(0, at + 1));
  }
  return prefixes;
}

// By the words of docs/format.md, section 12, from all keys.
std::set<uint64_t> EntriesByTheRules(const Keys& keys, const EntryKinds& kinds, uint64_t seed) {
  std::set<uint64_t> hashes;
  const auto add = [&](const std::string& entry, uint64_t entry_seed, unsigned copies) {
    const uint64_t hash = filter::Hash64(entry, entry_seed);
    for (uint32_t i = 0; i < copies; ++i) hashes.insert(hash ^ (i * 0xb5c0fbcfU));
  };
  for (const std::string& key : keys) {
    for (size_t i = 0; i < kinds.num_cells && !key.empty(); ++i) {
      const size_t bits = kinds.cells[i].bits;
      add(Cell(key, bits), seed + bits * 0x428a2f98d728ae23, kinds.cells[i].copies);
    }
    for (size_t i = 0; i < kinds.num_prefixes; ++i) {
      const EntryKinds::Prefix& kind = kinds.prefixes[i];
      const auto prefixes = DelimitedPrefixes(key, kind.delimiter);
      for (size_t n = 1; n <= prefixes.size(); ++n) {
        if (std::min<size_t>(n, 8) != kind.depth) continue;
        add(prefixes[n - 1], seed + 0x7137449123ef65cd, kind.copies);
      }
    }
  }
  return hashes;
}

// The second payload has these entries and no others: its bytes say so.
void ExpectEntriesOf(const Keys& keys, const WrittenRanges& ranges) {
  ASSERT_TRUE(ranges.is_understood());
  const EntryKinds& kinds = ranges.field().kinds;
  ASSERT_EQ(ranges.filter().empty(), kinds.empty());
  if (kinds.empty()) return;
  const filter::Payload payload = ranges.entries();
  filter::FilterWriter writer({Format::kBlocked, 10, payload.seed});
  const auto entries = EntriesByTheRules(keys, kinds, payload.seed);
  ASSERT_EQ(payload.num_blocks == 0, entries.empty());
  for (const uint64_t hash : entries) writer.AddHash(hash);
  std::string expected(payload.payload_bytes() + filter::EndBytes(payload), '\0');
  writer.FinishTo(payload, expected.data());
  ASSERT_TRUE(ranges.filter() == expected)
      << entries.size() << " entries of " << keys.size() << " keys";
}

// After scans of up to eight kinds.
RangeEntryOptions LearnedEntries(double memory, int num_levels_below, std::mt19937_64* random) {
  RangeEntryOptions options = AutoEntries(memory, num_levels_below);
  RangeCounts::SampledRanges& sample = options.sample;
  sample.size = 1 + (*random)() % 8;
  for (size_t i = 0; i < sample.size; ++i) {
    const size_t delimiter = (*random)() % (filter::kDelimiters.size() + 1);
    const bool is_cell = delimiter == filter::kDelimiters.size() || (*random)() % 2 == 0;
    sample.ranges[i].delimiter = is_cell ? filter::kDelimiters.size() : delimiter;
    sample.ranges[i].depth = is_cell ? 0 : 1 + (*random)() % filter::kMaxDepth;
    sample.ranges[i].bits = is_cell ? 1 + (*random)() % filter::kMaxCellBits : 0;
    sample.ranges[i].weight = 1 / double(sample.size);
  }
  return options;
}

TEST(RangeEntriesTest, AreThoseOfAllKeys) {
  std::mt19937_64 random(1);
  uint64_t num_kinds = 0;
  for (int set = 0; set < 2000; ++set) {
    const tests::RangeKeyShape shape = tests::RandomShape(&random, {0, 0, 0, 5, 7, 60, 1020});
    Keys keys;
    const size_t num_keys = 1 + random() % 60;
    for (size_t i = 0; i < num_keys; ++i) keys.insert(shape.Key(&random));
    const RangeEntryOptions options[] = {
        AutoEntries(0.3, int(random() % 3)), LearnedEntries(0.3, int(random() % 3), &random),
        EntriesOf(Kinds({{7}, {8, 4}, {61, 2}, {512}},
                        {{0, 2, 3}, {'/', 1}, {'/', 7, 2}, {'/', 8, 4}, {0xff, 8}}))};
    for (const RangeEntryOptions& entries : options) {
      const Format format = random() % 2 == 0 ? Format::kBlocked : Format::kRibbon;
      const WrittenRanges ranges(keys, entries, format, random());
      if (keys == Keys{""}) continue;
      ExpectEntriesOf(keys, ranges);
      num_kinds += entries.is_auto ? ranges.field().kinds.num_cells : 0U;
      num_kinds += entries.is_auto ? ranges.field().kinds.num_prefixes : 0U;
    }
  }
  EXPECT_GT(num_kinds, 2000U);
}

// Text with every delimiter, of which some become costly or rare after many keys.
std::string PathOf(std::mt19937_64* random, int number) {
  constexpr char kBytes[] = "abc/:|#,;_-. xyz";
  std::string key = "/d" + std::to_string(number / 1000);
  const uint64_t size = (*random)() % 40;
  for (uint64_t i = 0; i < size; ++i) key += kBytes[(*random)() % (number < 3000 ? 16 : 6)];
  return key + "/" + std::to_string(number);
}

// Kinds that are too costly are dropped while keys come; those that stay have all their entries.
TEST(RangeEntriesTest, PruningLosesNothingAndKeepsLittle) {
  std::mt19937_64 random(6);
  Keys numbers, pairs, paths, mixed, long_keys;
  for (int i = 0; i < 60000; ++i) {
    numbers.insert(tests::BigEndian(random()) + tests::BigEndian(random()));
    pairs.insert(tests::BigEndian(random() % 2000) + tests::BigEndian(random() % 100 * 1000));
    paths.insert(PathOf(&random, i));
    // Text first, then bytes that are none.
    mixed.insert(i < 30000 ? std::to_string(i) + "-" + std::to_string(random())
                           : "\xff" + tests::BigEndian(random()));
    if (i % 8 == 0) long_keys.insert(std::string(900 + i % 200, 'k') + PathOf(&random, i));
  }
  const struct {
    const char* name;
    const Keys& keys;
    double most_with_little, most_with_much;  // bytes per key
  } kCases[] = {{"numbers", numbers, 3, 9},
                {"pairs", pairs, 3, 6},
                {"paths", paths, 1, 53},
                {"mixed", mixed, 3, 9},
                {"long keys", long_keys, 9, 18}};
  for (const auto& c : kCases) {
    for (const bool has_much : {false, true}) {
      SCOPED_TRACE(testing::Message() << c.name << (has_much ? ", much" : ", little"));
      RangeEntries entries(AutoEntries(has_much ? 0.3 : 0.02));
      const tests::CountedMemory memory;
      for (const std::string& key : c.keys) entries.Add(key);
      const double most = has_much ? c.most_with_much : c.most_with_little;
      constexpr double kFirst = 400 << 10;  // so many bytes before anything is dropped
      EXPECT_LT(double(memory.peak()), std::max(kFirst, most * double(c.keys.size())));
      const WrittenRanges ranges(entries.Finish());
      EXPECT_TRUE(!has_much || !ranges.field().kinds.empty());
      ExpectEntriesOf(c.keys, ranges);
    }
  }
}

// Keys of more bytes than are kept: entries take their place, of which some are forgotten. The
// first half of the keys is unlike the second.
TEST(RangeEntriesTest, LongKeysHaveAllEntries) {
  std::mt19937_64 random(9);
  const auto number = [&] { return tests::BigEndian(random()); };
  Keys numbers, paths, words;
  for (int i = 0; i < 120000; ++i) {
    std::string key = char(i % 2) + number();
    for (int more = 0; more < 7 && i % 2 == 1; ++more) key += number();
    numbers.insert(key);
  }
  for (int i = 0; i < 8000; ++i) {
    std::string key = i % 2 == 0 ? "a" : "b/";
    for (int part = 0; part < 1 + i % 2 * 9; ++part) {
      key += std::to_string(random() % 5) + "/" + std::string(64, char('a' + random() % 26)) +
             std::to_string(random()) + ":";
    }
    paths.insert(key);
    words.insert(std::to_string(random()) + key + std::string(300, 'x'));
  }
  for (const Keys* keys : {&numbers, &paths, &words}) {
    for (int file = 0; file < 4; ++file) {
      SCOPED_TRACE(testing::Message() << "file " << file << " of keys like "
                                      << testing::PrintToString(*keys->begin()));
      const RangeEntryOptions options =
          file == 0 ? AutoEntries(0.3) : LearnedEntries(0.3, file % 3, &random);
      ASSERT_NO_FATAL_FAILURE(
          ExpectEntriesOf(*keys, WrittenRanges(*keys, options, Format::kRibbon)));
    }
  }
}

// Kinds whose entries were forgotten while keys came may not be chosen, even if later keys make
// them the best: of these, 100 share their first 50 bytes, and three 56 bytes.
Keys KeysThatChange(int num_unlike) {
  std::mt19937_64 random(11);
  Keys keys;
  for (int i = 0; i < num_unlike; ++i) {
    std::string key = tests::BigEndian(random() >> 1);
    while (key.size() < 64) key += tests::BigEndian(random());
    keys.insert(key);
  }
  std::string group;
  for (int i = 0; i < 350000; ++i) {
    if (i % 100 == 0) group = "\xff" + tests::BigEndian(random(), 6) + std::string(43, 'x');
    keys.insert(group + tests::BigEndian(uint64_t(i / 3), 6) + tests::BigEndian(uint64_t(i)));
  }
  return keys;
}

TEST(RangeEntriesTest, ForgottenKindsAreNotChosen) {
  const RangeCounts::SampledRange kCases[][2] = {
      {{filter::kDelimiters.size(), 0, 128, 0.4}, {filter::kDelimiters.size(), 0, 448, 0.6}},
      {{filter::kDelimiters.size(), 0, 448, 0.7}, {filter::kDelimiters.size(), 0, 56, 0.3}}};
  for (const auto& ranges : kCases) {
    RangeEntryOptions options = AutoEntries(0.1);
    options.sample.ranges[0] = ranges[0];
    options.sample.ranges[1] = ranges[1];
    options.sample.size = 2;
    // Just enough to forget kinds once, and again.
    for (const int num_unlike : {70000, 150000}) {
      const Keys keys = KeysThatChange(num_unlike);
      ASSERT_NO_FATAL_FAILURE(ExpectEntriesOf(keys, WrittenRanges(keys, options, Format::kRibbon)));
    }
  }
}

TEST(RangeEntriesTest, EachFilterStartsAnew) {
  std::mt19937_64 random(10);
  RangeEntries entries(LearnedEntries(0.3, 0, &random));
  Keys few, many;
  for (int i = 0; i < 1000; ++i) few.insert(tests::BigEndian(random()) + "/" + std::to_string(i));
  for (int i = 0; i < 6000; ++i) {
    many.insert(tests::BigEndian(random()) + std::string(1000, 'x') + std::to_string(i));
  }
  const std::string first = tests::RangesOf(few, &entries);
  EXPECT_NE(tests::RangesOf(many, &entries), first);
  EXPECT_EQ(tests::RangesOf(few, &entries), first);
}

// ---- Counts, and what may be forgotten meanwhile.

// With or without binary keys.
Keys ShortKeys(std::mt19937_64* random) {
  constexpr char kBytes[] = {'/', '/', ':', 'a', 'b', ' ', 0};
  const size_t num_kinds = sizeof(kBytes) - ((*random)() % 2);
  Keys keys;
  while (keys.size() < 100) {
    std::string key(1 + (*random)() % 14, '\0');
    for (char& byte : key) byte = kBytes[(*random)() % num_kinds];
    keys.insert(key);
  }
  return keys;
}

filter::KeyDifference Difference(const std::string& previous, const std::string& text) {
  filter::KeyDifference key = {text};
  while (key.common_bytes < std::min(text.size(), previous.size()) &&
         text[key.common_bytes] == previous[key.common_bytes]) {
    ++key.common_bytes;
  }
  while (!previous.empty() && key.common_bits < filter::kMaxCellBits &&
         Cell(text, key.common_bits + 1) == Cell(previous, key.common_bits + 1)) {
    ++key.common_bits;
  }
  return key;
}

struct Kept {
  filter::KeyDifference key;
  size_t num_bytes;  // that are not forgotten
};

std::vector<Kept> CountAndForget(const Keys& keys, std::mt19937_64* random, RangeCounts* counts) {
  std::vector<Kept> kept;
  std::string previous;
  for (const std::string& text : keys) {
    const filter::KeyDifference key = Difference(previous, text);
    kept.push_back({key, counts->Count(key)});
    previous = text;
    if ((*random)() % 20 != 0) continue;
    counts->Forget(double((*random)() % 100));
    for (Kept& old : kept) {
      if (old.num_bytes != 0) old.num_bytes = counts->NeededBytes(old.key);
    }
  }
  return kept;
}

void ExpectCellsOf(const Keys& keys, const RangeCounts& counts) {
  RangeCounts::NumCells num_cells;
  counts.CopyNumCells(&num_cells);
  for (const size_t bits : {1, 3, 8, 17, 64, 112, 500}) {
    Keys cells;
    for (const std::string& key : keys) cells.insert(Cell(key, bits));
    ASSERT_EQ(num_cells[bits], double(cells.size())) << bits;
  }
}

void ExpectPrefixesOf(const Keys& keys, const RangeCounts& counts, uint64_t* num_counted) {
  for (size_t i = 0; i < filter::kDelimiters.size() && counts.is_text(); ++i) {
    const auto delimiter = static_cast<unsigned char>(filter::kDelimiters[i]);
    Keys at_depth[filter::kMaxDepth + 1];
    for (const std::string& key : keys) {
      const auto prefixes = DelimitedPrefixes(key, delimiter);
      for (size_t n = 1; n <= prefixes.size(); ++n) {
        at_depth[std::min(n, filter::kMaxDepth)].insert(prefixes[n - 1]);
      }
    }
    for (size_t depth = 1; depth <= counts.max_depth(i); ++depth) {
      ++*num_counted;
      ASSERT_EQ(counts.num_prefixes(i, depth), double(at_depth[depth].size()));
    }
  }
}

// The bytes of the key that its new entries of these kinds are made of, one number for each entry.
std::vector<size_t> NeededBytes(const filter::KeyDifference& key, const EntryKinds& kinds) {
  std::vector<size_t> needed;
  for (size_t i = 0; i < kinds.num_cells; ++i) {
    if (kinds.cells[i].bits <= key.common_bits) continue;
    needed.push_back(std::min(filter::CellBytes(kinds.cells[i].bits), key.key.size()));
  }
  for (size_t i = 0; i < kinds.num_prefixes; ++i) {
    const auto prefixes = DelimitedPrefixes(std::string(key.key), kinds.prefixes[i].delimiter);
    for (size_t n = 1; n <= prefixes.size(); ++n) {
      const bool is_new = prefixes[n - 1].size() > key.common_bytes;
      if (!is_new || std::min(n, filter::kMaxDepth) != kinds.prefixes[i].depth) continue;
      needed.push_back(prefixes[n - 1].size());
    }
  }
  return needed;
}

// How many different cells and prefixes keys have; whatever is forgotten meanwhile, the entries of
// each key that may still be chosen can be made of what it needs.
TEST(RangeEntriesTest, CountsAreExactAndForgetLosesNothing) {
  std::mt19937_64 random(8);
  uint64_t num_chosen = 0;
  uint64_t num_counted = 0;
  for (int set = 0; set < 1000; ++set) {
    const Keys keys = ShortKeys(&random);
    RangeCounts counts;
    const std::vector<Kept> kept = CountAndForget(keys, &random, &counts);
    ASSERT_EQ(counts.num_keys(), keys.size());
    ASSERT_NO_FATAL_FAILURE(ExpectCellsOf(keys, counts));
    ASSERT_NO_FATAL_FAILURE(ExpectPrefixesOf(keys, counts, &num_counted));
    filter::RangeMemory memory;
    memory.bits_per_key = double(random() % 2000) / 100;
    const EntryKinds chosen = filter::ChooseEntries(counts, memory).kinds;
    for (const Kept& old : kept) {
      for (const size_t bytes : NeededBytes(old.key, chosen)) {
        ++num_chosen;
        ASSERT_GE(old.num_bytes, bytes);
      }
    }
  }
  EXPECT_GT(num_chosen, 25000U);
  EXPECT_GT(num_counted, 1000U);
}

// All that is needed of keys can be put together, though keys between are not kept.
TEST(RangeEntriesTest, KeptKeysHaveWhatIsNeeded) {
  std::mt19937_64 random(12);
  uint64_t num_kept = 0;
  for (int set = 0; set < 1000; ++set) {
    const Keys keys = ShortKeys(&random);
    RangeCounts counts;
    filter::KeptKeys kept;
    std::vector<Kept> expected;
    std::string previous;
    for (const std::string& text : keys) {
      const filter::KeyDifference key = Difference(previous, text);
      expected.push_back({key, counts.Count(key)});
      kept.Add(key, expected.back().num_bytes);
      previous = text;
      if (random() % 20 != 0) continue;
      counts.Forget(double(random() % 100));
      kept.Forget(counts);
      for (Kept& old : expected) {
        if (old.num_bytes != 0) old.num_bytes = counts.NeededBytes(old.key);
      }
    }
    size_t i = 0;
    kept.TakeAll([&](const filter::KeyDifference& key, size_t) {
      while (i < expected.size() && expected[i].num_bytes == 0) ++i;
      ASSERT_LT(i, expected.size());
      const Kept& one = expected[i++];
      ++num_kept;
      EXPECT_EQ(key.key, one.key.key.substr(0, one.num_bytes));
      EXPECT_EQ(key.common_bits, one.key.common_bits);
      EXPECT_EQ(key.common_bytes, one.key.common_bytes);
    });
    while (i < expected.size() && expected[i].num_bytes == 0) ++i;
    ASSERT_EQ(i, expected.size());
  }
  EXPECT_GT(num_kept, 10000U);
}

TEST(RangeEntriesTest, KeysInAnotherOrderGiveNone) {
  RangeEntries entries(EntriesOf(Kinds({{8}})));
  const auto has_filter = [&](const std::vector<std::string>& keys) {
    for (const std::string& key : keys) entries.Add(key);
    return !entries.Finish().empty();
  };
  EXPECT_FALSE(has_filter({"a", "c", "b"}));
  EXPECT_FALSE(has_filter({std::string("a\0", 2), "a"}));
  EXPECT_FALSE(has_filter({std::string(1030, 'a'), "a"}));
  EXPECT_TRUE(has_filter({"a", "b"})) << "each filter starts anew";
  EXPECT_TRUE(has_filter({"", "a", "a", "b", "b"}));
  EXPECT_FALSE(has_filter({}));
  EXPECT_FALSE(has_filter({""}));
}

TEST(RangeEntriesTest, TheLastKeyIsKept) {
  const auto last_key = [](const Keys& keys) {
    return std::string(WrittenRanges(keys, EntriesOf(Kinds({{8}})), Format::kRibbon).last_key());
  };
  EXPECT_EQ(last_key({"a", "bcd"}), "bcd");
  EXPECT_EQ(last_key({"a", std::string(1024, 'x')}), std::string(1024, 'x'));
  EXPECT_EQ(last_key({"a", std::string(1025, 'x')}), "");
}

}  // namespace
}  // namespace bloomline
