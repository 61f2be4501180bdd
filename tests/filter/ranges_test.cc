// Range entries: written, read and queried, without an engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/finished_filter.h"
#include "tests/support/golden_keys.h"
#include "tests/support/range_keys.h"

namespace bloomline {
namespace {

using filter::EntryKinds;
using filter::RangeEntries;
using filter::RangeField;
using tests::RandomKey;

// A finished filter, opened.
class Ranges {
 public:
  Ranges(const std::set<std::string>& keys, RangeEntries&& entries, Format format,
         bool is_partition = false, uint64_t seed = 0) {
    FilterOptions options;
    options.format = format;
    options.bits_per_key = 16;
    options.seed = seed;
    filter::FilterWriter writer(options);
    entries.Add("", &writer);
    for (const std::string& key : keys) {
      entries.Add(key, &writer);
      writer.AddKey(key);
    }
    entries.Finish(is_partition, &writer);
    num_entries_ = writer.num_keys();
    bytes_ = tests::FinishedFilter(&writer);
    const filter::Payload payload = filter::DecodeTrailer(bytes_);
    opened_ = filter::Opened(payload, kernels::ActiveKernel());
    seed_ = payload.seed;
    is_recorded_ = filter::DecodeRangeField(filter::RangesOf(bytes_), &field_);
  }

  bool MayMatch(std::string_view begin, std::string_view end) const {
    return !is_recorded_ || filter::RangeMayMatch(opened_, seed_, field_, begin, end);
  }
  const std::string& bytes() const { return bytes_; }
  const RangeField& field() const { return field_; }
  size_t num_entries() const { return num_entries_; }

 private:
  std::string bytes_;
  filter::OpenFilter opened_;
  uint64_t seed_ = 0;
  RangeField field_;
  bool is_recorded_ = false;
  size_t num_entries_ = 0;
};

EntryKinds Prefixes(std::initializer_list<unsigned> cell_bits,
                    std::initializer_list<unsigned> delimiters = {}) {
  EntryKinds kinds;
  for (const unsigned bits : cell_bits) {
    kinds.cell_bits[kinds.num_cell_lengths++] = static_cast<uint16_t>(bits);
  }
  for (const unsigned byte : delimiters) {
    kinds.delimiters[kinds.num_delimiters++] = {static_cast<unsigned char>(byte), 7};
  }
  return kinds;
}

struct Kind {
  const char* name;
  RangeEntries entries;
};

// start_bits: the same in all keys.
std::vector<Kind> Kinds(size_t start_bits) {
  const auto cells = [=](EntryKinds kinds) {
    for (size_t i = 0; i < kinds.num_cell_lengths; ++i) {
      uint16_t& bits = kinds.cell_bits[i];
      if (bits < filter::kMaxCellBits) bits = static_cast<uint16_t>(bits + start_bits);
    }
    return RangeEntries(kinds);
  };
  return {{"auto", RangeEntries(0.5)},
          {"auto with little", RangeEntries(0.05)},
          {"auto with much", RangeEntries(8.0)},
          {"bytes", cells(Prefixes({8, 16, 24, 32}))},
          {"one byte", cells(Prefixes({8}))},
          {"bits", cells(Prefixes({1, 3, 7, 9, 12, 15, 17, 30}))},
          {"longer than keys", cells(Prefixes({16, 24, 31, 512}))},
          {"delimited", cells(Prefixes({}, {'/'}))},
          {"delimited by the greatest", cells(Prefixes({}, {0xff, 0xfe, 0}))},
          {"both", cells(Prefixes({11, 24}, {'/', 'a'}))},
          {"none", cells(EntryKinds())}};
}

// The one rule: a "no" only where no key is. `says_no` counts those.
void ExpectNoKeyLost(int num_sets, uint64_t seed_of_test) {
  std::mt19937_64 random(seed_of_test);
  uint64_t num_no = 0;
  for (int set = 0; set < num_sets; ++set) {
    const size_t min_bytes = random() % 3 == 0 ? 4 : random() % 2;
    const size_t max_bytes = random() % 3 == 0 ? 4 : 4 + random() % 3;
    std::set<std::string> keys;
    const size_t num_keys = 1 + random() % 60;
    // The bytes that differ lie across the ends of words, and beyond the longest cells.
    constexpr size_t kStarts[] = {0, 0, 0, 5, 7, 13, 59};
    const std::string start(kStarts[random() % 7], 'x');
    while (keys.size() < num_keys) keys.insert(start + RandomKey(&random, min_bytes, max_bytes));
    const std::vector<std::string> list(keys.begin(), keys.end());
    const bool is_partition = random() % 2 == 0;
    const Format format = random() % 2 == 0 ? Format::kBlocked : Format::kCompact;
    for (Kind& kind : Kinds(8 * start.size())) {
      RangeEntries again = kind.entries;
      const Ranges ranges(keys, std::move(kind.entries), format, is_partition, set % 3 * 77);
      if (set % 8 == 0) {  // one filter after the other, as of partitions
        std::set<std::string> others(list.begin(), list.begin() + long(random() % num_keys));
        others.insert({"0", std::string(200, 'z')});
        Ranges(others, std::move(again), format, is_partition);
        ASSERT_EQ(Ranges(keys, std::move(again), format, is_partition, set % 3 * 77).bytes(),
                  ranges.bytes());
      }
      for (int query = 0; query < 100; ++query) {
        const auto bound = [&] {
          return random() % 8 == 0 ? RandomKey(&random, 0, 6)
                                   : tests::KeyNear(&random, list[random() % list.size()]);
        };
        std::string begin = bound();
        std::string end = random() % 2 == 0 ? tests::KeyNear(&random, begin) : bound();
        if (end < begin && random() % 8 != 0) std::swap(begin, end);
        if (ranges.MayMatch(begin, end)) continue;
        ++num_no;
        const auto first = keys.lower_bound(begin);
        ASSERT_TRUE(first == keys.end() || *first >= end)
            << kind.name << ": " << testing::PrintToString(*first) << " is in ["
            << testing::PrintToString(begin) << ", " << testing::PrintToString(end) << ")";
        // Keys of later partitions are greater than all of this one's.
        ASSERT_TRUE(!is_partition || end <= *keys.rbegin()) << kind.name;
      }
    }
  }
  EXPECT_GT(num_no, static_cast<uint64_t>(num_sets) * 50);
}

TEST(RangesTest, NoKeyIsLostInAnyRange) {
  const char* const sets = std::getenv("BLOOMLINE_TEST_SETS");
  ExpectNoKeyLost(sets == nullptr ? 3000 : std::atoi(sets), 1);
}

std::string BigEndian(uint64_t number, size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = bytes; i-- > 0; number >>= 8) text[i] = char(number);
  return text;
}

// account:4 user:4 item:8, as a schema makes them: 20 items to a user, 50 users to an account.
std::string Item(uint32_t account, uint32_t user, uint64_t item) {
  return BigEndian(account, 4) + BigEndian(user, 4) + BigEndian(item, 8);
}
std::set<std::string> Items(size_t num_accounts) {
  std::mt19937_64 random(1);
  std::set<std::string> keys;
  for (uint32_t account = 0; account < num_accounts; ++account) {
    for (uint32_t user = 0; user < 50; ++user) {
      for (int i = 0; i < 20; ++i) keys.insert(Item(2 * account, 2 * user, random() % 1000 * 1000));
    }
  }
  return keys;
}

struct Range {
  std::string begin, end;
};

// Answers "may match" for at most one in `one_in` of the ranges without keys, with entries for at
// most a tenth of the keys.
void ExpectAutoFinds(const std::set<std::string>& keys, const std::vector<Range>& queries,
                     size_t one_in) {
  const Ranges ranges(keys, RangeEntries(0.1), Format::kCompact);
  size_t num_may_match = 0;
  size_t num_absent = 0;
  for (const Range& query : queries) {
    const bool may_match = ranges.MayMatch(query.begin, query.end);
    const auto first = keys.lower_bound(query.begin);
    if (first != keys.end() && *first < query.end) {
      EXPECT_TRUE(may_match) << testing::PrintToString(query.begin);
    } else {
      ++num_absent;
      num_may_match += may_match ? 1 : 0;
    }
  }
  EXPECT_GT(num_absent, 1000u);
  EXPECT_LT(num_may_match, num_absent / one_in);
  EXPECT_LE(ranges.num_entries(), keys.size() * 11 / 10);
}

TEST(RangesTest, AutoFindsTheFieldsOfBinaryKeys) {
  const std::set<std::string> keys = Items(50);
  std::vector<Range> accounts, users, items;
  std::mt19937_64 random(2);
  for (int i = 0; i < 10000; ++i) {
    const auto account = static_cast<uint32_t>(random() % 50 * 2);
    const auto user = static_cast<uint32_t>(random() % 50 * 2);
    const uint64_t item = random() % 1000 * 1000;
    accounts.push_back({Item(account + 1, 0, 0), Item(account + 2, 0, 0)});
    users.push_back({Item(account, user + 1, 0), Item(account, user + 2, 0)});
    items.push_back({Item(account, user, item + 100), Item(account, user, item + 116)});
  }
  ExpectAutoFinds(keys, accounts, 100);
  ExpectAutoFinds(keys, users, 100);
  ExpectAutoFinds(keys, items, 50);
}

TEST(RangesTest, AutoFindsDelimiters) {
  std::set<std::string> keys;
  std::mt19937_64 random(3);
  const auto start = [](uint64_t user) { return "user:" + std::to_string(user); };
  for (int user = 0; user < 1000; ++user) {
    const std::string posts = start(random() % 20000) + ":post:";
    for (int i = 0; i < 30; ++i) keys.insert(posts + std::to_string(random() % 100000));
  }
  std::vector<Range> queries;
  for (uint64_t user = 0; user < 20000; ++user) {
    queries.push_back({start(user) + ":", start(user) + ";"});
  }
  ExpectAutoFinds(keys, queries, 100);
}

TEST(RangesTest, AutoFindsMinutes) {
  constexpr uint64_t kSecond = 1000000;
  constexpr uint64_t kStart = 1700000000 * kSecond;
  std::set<std::string> keys;
  std::vector<Range> queries;
  std::mt19937_64 random(4);
  // Each device sends once a second, in half of all periods of ten minutes.
  for (uint64_t device = 0; device < 20; ++device) {
    for (uint64_t period = 0; period < 20; ++period) {
      const auto key = [&](uint64_t second, uint64_t microsecond = 0) {
        const uint64_t time = kStart + (period * 600 + second) * kSecond + microsecond;
        return BigEndian(device, 8) + BigEndian(time, 8);
      };
      const bool sends = random() % 2 == 0;
      for (uint64_t i = 0; sends && i < 600; ++i) keys.insert(key(i, random() % 1000));
      for (uint64_t i = 60; i < 540; i += 60) queries.push_back({key(i), key(i + 60)});
    }
  }
  ExpectAutoFinds(keys, queries, 50);
}

TEST(RangesTest, AutoFindsDirectories) {
  std::set<std::string> keys;
  std::mt19937_64 random(5);
  const auto name = [&](int from) { return "n" + std::to_string(random() % from); };
  const auto directory = [&] { return "/srv/" + name(10) + "/" + name(30) + "/" + name(1000); };
  for (int i = 0; i < 500; ++i) {
    const std::string start = directory() + "/";
    for (int file = 0; file < 60; ++file) keys.insert(start + name(10000) + ".jpg");
  }
  std::vector<Range> queries;
  for (int i = 0; i < 20000; ++i) {
    const std::string start = directory();
    queries.push_back({start + "/", start + "0"});
  }
  ExpectAutoFinds(keys, queries, 100);
}

// Whatever is forgotten meanwhile: of what is chosen, each key's new entries can still be made.
TEST(RangesTest, ChoiceKeepsWhatItMayChoose) {
  std::mt19937_64 random(8);
  uint64_t num_chosen = 0;
  for (int set = 0; set < 2000; ++set) {
    constexpr char kBytes[] = {'/', '/', ':', 'a', 'b', ' ', 0};
    const size_t num_kinds = sizeof(kBytes) - (random() % 2);  // with or without binary keys
    std::set<std::string> keys;
    while (keys.size() < 100) {
      std::string key(1 + random() % 12, '\0');
      for (char& byte : key) byte = kBytes[random() % num_kinds];
      keys.insert(key);
    }
    struct Kept {
      filter::KeyDifference key;
      size_t num_bytes;
    };
    std::vector<Kept> kept;
    filter::RangeChoice choice;
    std::string_view previous;
    for (const std::string& text : keys) {
      filter::KeyDifference key = {text};
      while (key.common_bytes < std::min(text.size(), previous.size()) &&
             text[key.common_bytes] == previous[key.common_bytes]) {
        ++key.common_bytes;
      }
      char cells[2][16];
      filter::CellOf(text, 128, cells[0]);
      filter::CellOf(previous, 128, cells[1]);
      const auto bit = [&](int i, size_t at) { return cells[i][at / 8] >> (7 - at % 8) & 1; };
      while (!previous.empty() && key.common_bits < 128 &&
             bit(0, key.common_bits) == bit(1, key.common_bits)) {
        ++key.common_bits;
      }
      kept.push_back({key, choice.Count(key)});
      previous = text;
      if (random() % 20 != 0) continue;
      choice.ForgetCostly(double(random() % 100));
      for (Kept& old : kept) {
        if (old.num_bytes != 0) old.num_bytes = choice.NeededBytes(old.key);
      }
    }
    const EntryKinds chosen = choice.Choose(double(random() % 200), double(random() % 200));
    for (const Kept& old : kept) {
      for (size_t i = 0; i < chosen.num_cell_lengths; ++i) {
        const size_t bits = chosen.cell_bits[i];
        if (bits <= old.key.common_bits) continue;
        ++num_chosen;
        ASSERT_GE(old.num_bytes, std::min(filter::CellBytes(bits), old.key.key.size()));
      }
      for (size_t i = 0; i < chosen.num_delimiters; ++i) {
        size_t depth = 0;
        for (size_t at = 0; at < old.key.key.size(); ++at) {
          if (old.key.key[at] != char(chosen.delimiters[i].byte)) continue;
          if (++depth > filter::kMaxDepth || at < old.key.common_bytes) continue;
          if ((chosen.delimiters[i].depths >> (depth - 1) & 1) == 0) continue;
          ++num_chosen;
          ASSERT_GT(old.num_bytes, at);
        }
      }
    }
  }
  EXPECT_GT(num_chosen, 50000U);
}

// What the rules of docs/format.md allow: "no" where no entry is, also at the ends of ranges.
TEST(RangesTest, SaysNoWhereItCan) {
  const auto says_no = [](const std::set<std::string>& keys, const EntryKinds& kinds,
                          const std::string& begin, const std::string& end) {
    return !Ranges(keys, RangeEntries(kinds), Format::kCompact).MayMatch(begin, end);
  };
  // All keys of the range begin with a\xff.
  EXPECT_TRUE(says_no({"b\xff", "c"}, Prefixes({}, {0xff}), "a\xff", "b"));
  EXPECT_FALSE(says_no({"b\xff", "c"}, Prefixes({}, {0xff}), "a\xff", "ba"));
  // The second cell begins where the range does, not where the first cell does.
  EXPECT_TRUE(says_no({"aa", "longer"}, Prefixes({8, 16}), "a\xf0", "b\x10"));
  EXPECT_FALSE(says_no({"a\xf1", "longer"}, Prefixes({8, 16}), "a\xf0", "b\x10"));
  // An end that is a cell leaves it out, and so do zeros if all keys are as long.
  const std::string zeros("b\0\0", 3);
  EXPECT_TRUE(says_no({"b\x01x", "dxx"}, Prefixes({8}), "a", "b"));
  EXPECT_TRUE(says_no({"b\x01x", "dxx"}, Prefixes({8}), "a", zeros));
  EXPECT_FALSE(says_no({"b", "dxx"}, Prefixes({8}), "a", zeros));
  // It does not leave it out if it goes on, even if the first eight bytes are all of the cell.
  const std::string start(7, 'x');
  const std::set<std::string> in_last_cell = {start + std::string("b\0\0", 3)};
  EXPECT_FALSE(says_no(in_last_cell, Prefixes({64}), start + "a", start + "b\x01"));
  EXPECT_FALSE(
      says_no(in_last_cell, Prefixes({64}), start + "a", start + std::string("b\x01\0", 3)));
  // Ranges that are none.
  EXPECT_FALSE(says_no({"a", "longer"}, Prefixes({8}), "c", "b"));
  EXPECT_FALSE(says_no({"a", "longer"}, Prefixes({8}), "c", "c"));
  EXPECT_FALSE(says_no({"a", "longer"}, Prefixes({8}), "", "a"));
  EXPECT_TRUE(says_no({"a", "longer"}, Prefixes({8}), "c", "d"));
}

// Delimiters behind the first 128 bytes of a key give no entries, and none is asked for.
TEST(RangesTest, LongKeysAreNotLost) {
  const std::string start(126, 'x');
  std::set<std::string> keys;
  for (const char* end : {"/a/b", "y/z", "yy/z", "yyy/z", "//", "y"}) keys.insert(start + end);
  for (const unsigned cell_bits : {504U, 512U}) {
    const Ranges ranges(keys, RangeEntries(Prefixes({cell_bits}, {'/'})), Format::kBlocked);
    EXPECT_EQ(ranges.field().kinds.num_cell_lengths, 1) << "equal beginnings are in order";
    EXPECT_EQ(ranges.field().min_key_bytes, 127);
    EXPECT_EQ(ranges.field().max_key_bytes, 131);
    for (const std::string& key : keys) {
      EXPECT_TRUE(ranges.MayMatch(key, key + '\0'));
      std::string end = key.substr(0, key.rfind('/') + 1);
      if (!end.empty()) end.back() = '0';
      EXPECT_TRUE(end.empty() || ranges.MayMatch(key.substr(0, end.size()), end));
    }
  }
}

// Costly kinds are dropped while keys come; those that stay have all their entries.
TEST(RangesTest, AutoKeepsLittleMemoryAndLosesNothing) {
  std::set<std::string> keys;
  std::mt19937_64 random(6);
  while (keys.size() < 100000) keys.insert(BigEndian(random(), 8) + BigEndian(random(), 8));
  const Ranges ranges(keys, RangeEntries(0.1), Format::kBlocked);
  EXPECT_EQ(ranges.field().kinds.num_cell_lengths, 2) << "a byte, and the longest that fits";
  EXPECT_LE(ranges.num_entries(), keys.size() * 11 / 10);
  for (const std::string& key : keys) {
    ASSERT_TRUE(ranges.MayMatch(key.substr(0, 3), key + '\0'));
    ASSERT_TRUE(ranges.MayMatch(key, key + '\0'));
  }
}

// The field says so: a reader then takes no empty prefix for a key.
TEST(RangesTest, KeysInAnotherOrderGiveNoEntries) {
  filter::FilterWriter writer((FilterOptions()));
  RangeEntries entries(Prefixes({8}));
  const uint64_t without = filter::EndBytes({}) + filter::kFieldHeadBytes + 6;
  const auto end_bytes = [&](const std::vector<std::string>& keys) {
    writer.Reset();
    for (const std::string& key : keys) entries.Add(key, &writer);
    entries.Finish(false, &writer);
    return writer.end_bytes();
  };
  EXPECT_EQ(end_bytes({"", "a", "c", "b"}), without);
  EXPECT_EQ(end_bytes({"", std::string("a\0", 2), "a"}), without);
  EXPECT_EQ(end_bytes({"a"}), without) << "without the extractor's prefix";
  EXPECT_EQ(end_bytes({"a", "b", ""}), without) << "it comes with the first key or never";
  EXPECT_EQ(end_bytes({"a", "", "b"}), without + 2) << "each filter starts anew";
  EXPECT_EQ(end_bytes({}), without);
}

EntryKinds PrefixesFromText(const std::string& cell_bits, const std::string& delimiters) {
  EntryKinds kinds;
  const auto items = [](const std::string& text) {
    std::vector<std::string> all;
    std::istringstream fields(text == "-" ? "" : text);
    for (std::string item; std::getline(fields, item, ',');) all.push_back(item);
    return all;
  };
  for (const std::string& item : items(cell_bits)) {
    kinds.cell_bits[kinds.num_cell_lengths++] = static_cast<uint16_t>(std::stoi(item));
  }
  for (const std::string& item : items(delimiters)) {
    kinds.delimiters[kinds.num_delimiters++] = {
        static_cast<unsigned char>(std::stoi(item, nullptr, 16)),
        static_cast<uint8_t>(std::stoi(item.substr(item.find(':') + 1), nullptr, 16))};
  }
  return kinds;
}

std::string KeyFromHex(const std::string& text) { return text == "-" ? "" : tests::FromHex(text); }

TEST(RangesTest, BytesAndAnswersAreTheGoldenOnes) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/ranges.txt");
  std::optional<Ranges> ranges;
  int num_answers = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string first, second, third, fourth, keys, filter;
    fields >> first >> second >> third >> fourth >> keys >> filter;
    if (first == "range") {
      EXPECT_EQ(ranges->MayMatch(KeyFromHex(second), KeyFromHex(third)), fourth == "may") << line;
      ++num_answers;
      continue;
    }
    const std::vector<std::string> list = tests::KeysFromHex(keys);
    ranges.emplace(std::set<std::string>(list.begin(), list.end()),
                   RangeEntries(PrefixesFromText(first, second)), Format::kBlocked, third == "1",
                   std::stoull(fourth));
    EXPECT_EQ(ranges->bytes(), tests::FromHex(filter)) << line;
  }
  EXPECT_EQ(num_answers, 29);
}

// Any content is safe; what breaks a rule is refused.
TEST(RangesTest, DamagedFieldsAreRefused) {
  RangeField field;
  EXPECT_FALSE(filter::DecodeRangeField("", &field));
  EXPECT_FALSE(filter::DecodeRangeField(std::string("\0\0\0\0\0", 5), &field));
  EXPECT_TRUE(filter::DecodeRangeField(std::string("\0\0\0\0\0\0", 6), &field));
  EXPECT_FALSE(filter::DecodeRangeField(std::string("\2\0\1\0\0\0", 6), &field)) << "lengths";
  EXPECT_FALSE(filter::DecodeRangeField(std::string("\0\0\0\0\1\0", 6), &field)) << "cut";
  EXPECT_FALSE(filter::DecodeRangeField(std::string("\0\0\0\0\1\0\0\0", 8), &field)) << "0 bits";
  EXPECT_FALSE(filter::DecodeRangeField(std::string("\0\0\0\0\1\0\1\2", 8), &field)) << "513 bits";
  EXPECT_FALSE(filter::DecodeRangeField(std::string("\0\0\0\0\2\0\5\0\5\0", 10), &field))
      << "twice";
  EXPECT_FALSE(filter::DecodeRangeField(std::string("\0\0\0\0\0\1/\0", 8), &field)) << "depth 0";
  EXPECT_FALSE(
      filter::DecodeRangeField(std::string("\0\0\0\0\0\5", 6) + std::string(74, 1), &field));
  EXPECT_FALSE(filter::DecodeRangeField(std::string(6, '\0') + std::string(65, 1), &field));
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    std::string content(random() % (filter::kMaxRangeFieldBytes + 4), '\0');
    for (char& byte : content) byte = char(random() % 4 == 0 ? random() : random() % 4);
    if (!filter::DecodeRangeField(content, &field)) continue;
    const filter::OpenFilter opened =
        filter::Opened(filter::DecodeTrailer(std::string(84, '\0')), kernels::ActiveKernel());
    filter::RangeMayMatch(opened, 0, field, "ab", "b");
  }
}

}  // namespace
}  // namespace bloomline
