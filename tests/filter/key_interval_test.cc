// The numbers of a range against a model that lists all of them (docs/format.md, section 12).
#include "src/filter/ranges/key_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/range_keys.h"

namespace bloomline::tests::key_interval_test {
namespace {

using filter::KeyInterval;
using filter::KeyLimits;
using filter::RangeField;

using Strings = std::vector<std::string>;

std::string Padded(std::string text, size_t size) {
  text.resize(size);
  return text;
}

std::string CellOf(const std::string& text, size_t bits) {
  std::string cell(filter::CellBytes(bits), '\0');
  filter::WriteCell(text, bits, cell.data());
  return cell;
}

// Keys with few different bytes at each position, around 0, 9 and 255, of which some are shorter.
struct Model {
  explicit Model(std::mt19937_64* random) {
    const size_t max_bytes = 1 + (*random)() % 4;
    const size_t min_bytes = (*random)() % 2 == 0 ? max_bytes : 1 + (*random)() % max_bytes;
    std::string least(max_bytes, '\0');
    // Where keys end, few bytes lie between zero and the others.
    for (size_t i = 0; i < max_bytes; ++i) {
      least[i] = "\0\1/0\xfc"[(*random)() % (i < min_bytes ? 5 : 2)];
    }
    for (uint64_t n = 1 + (*random)() % 12; n > 0; --n) {
      std::string key = least;
      for (char& byte : key) byte = char(byte + (*random)() % 4 % (1 + (*random)() % 4));
      key.resize(min_bytes + (*random)() % (max_bytes - min_bytes + 1));
      keys.insert(key);
    }
    field.min_key_bytes = uint16_t(min_bytes);
    field.max_key_bytes = (*random)() % 4 == 0 ? filter::kLongKey : uint16_t(max_bytes);
    for (size_t i = 0; i < max_bytes; ++i) {
      unsigned char low = 255;
      unsigned char high = 0;
      for (const std::string& key : keys) {
        const auto byte = static_cast<unsigned char>(Padded(key, max_bytes)[i]);
        low = std::min(low, byte);
        high = std::max(high, byte);
      }
      limits += {char(low), char(high)};
    }
    field.key_limits = limits;
  }

  // All strings within the limits.
  Strings Numbers(size_t size) const {
    Strings numbers = {""};
    for (size_t i = 0; i < size; ++i) {
      Strings longer;
      for (const std::string& number : numbers) {
        const bool is_known = 2 * i < limits.size();
        const unsigned low = is_known ? static_cast<unsigned char>(limits[2 * i]) : 0;
        const bool is_none = !is_known && field.max_key_bytes != filter::kLongKey;
        const unsigned high = is_known ? static_cast<unsigned char>(limits[2 * i + 1]) : 255;
        for (unsigned byte = low; byte <= (is_none ? 0 : high); ++byte) {
          longer.push_back(number + char(byte));
        }
      }
      numbers = longer;
    }
    return numbers;
  }

  // Those of [begin, end), as the format says.
  Strings NumbersOf(const std::string& begin, const std::string& end, size_t size) const {
    const std::string first = Padded(begin, size);
    const std::string last = Padded(end, size);
    const bool no_first = begin.size() > field.max_key_bytes && field.max_key_bytes <= size;
    const bool has_zeros = end.find_first_not_of('\0', std::min(size, end.size())) == end.npos;
    const bool no_last = has_zeros && (end.back() != 0 || end.size() <= field.min_key_bytes);
    Strings numbers = Numbers(size);
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(),
                                 [&](const std::string& number) {
                                   return number < first || number > last ||
                                          (no_first && number == first) ||
                                          (no_last && number == last);
                                 }),
                  numbers.end());
    return numbers;
  }

  std::set<std::string> keys;
  std::string limits;
  RangeField field;
};

std::string Text(const char* number, size_t size) { return {number, size}; }

// Expects cells of each length, and what lies in them.
void ExpectCells(const KeyLimits& limits, const KeyInterval& interval, const Strings& numbers) {
  for (size_t bits = 1; bits <= 8 * interval.num_bytes; ++bits) {
    std::set<std::string> cells;
    for (const std::string& number : numbers) cells.insert(CellOf(number, bits));
    ASSERT_EQ(interval.NumCells(limits, bits), cells.size()) << bits;
    std::string cell = *cells.begin();
    for (const std::string& expected : cells) {
      ASSERT_EQ(cell, expected) << bits;
      Strings inside;
      std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(inside),
                   [&](const std::string& number) { return CellOf(number, bits) == expected; });
      const KeyInterval part = interval.InCell(
          limits, bits, cell.data(), expected == *cells.begin(), expected == *cells.rbegin());
      ASSERT_EQ(Text(part.first, part.num_bytes), inside.front()) << bits;
      ASSERT_EQ(Text(part.last, part.num_bytes), inside.back()) << bits;
      filter::Advance(limits, bits, cell.data());
    }
  }
}

TEST(KeyIntervalTest, HasTheNumbersOfTheModelAndEachKey) {
  std::mt19937_64 random(3);
  size_t num_keys = 0;
  size_t num_empty = 0;
  size_t num_carries = 0;
  for (int set = 0; set < 3000; ++set) {
    const Model model(&random);
    const KeyLimits limits(model.field);
    const Strings list(model.keys.begin(), model.keys.end());
    // One position more than keys have, unless that has 256 bytes, which makes too many.
    const bool has_more = model.field.max_key_bytes != filter::kLongKey;
    for (int query = 0; query < 10; ++query) {
      const std::string begin = KeyNear(&random, list[random() % list.size()]);
      const std::string end = KeyNear(&random, random() % 2 == 0 ? begin : list.back());
      if (begin.empty() || begin >= end) continue;
      KeyInterval interval;
      interval.num_bytes = 1 + random() % (model.limits.size() / 2 + (has_more ? 1 : 0));
      SCOPED_TRACE(testing::PrintToString(begin) + " " + testing::PrintToString(end));
      const Strings numbers = model.NumbersOf(begin, end, interval.num_bytes);
      const bool has_any = interval.Set(limits, begin, end);
      ASSERT_EQ(has_any, !numbers.empty());
      for (auto key = model.keys.lower_bound(begin); key != model.keys.end() && *key < end; ++key) {
        const std::string number = Padded(*key, interval.num_bytes);
        ASSERT_TRUE(has_any && Text(interval.first, interval.num_bytes) <= number &&
                    number <= Text(interval.last, interval.num_bytes))
            << testing::PrintToString(*key);
        ++num_keys;
      }
      num_empty += has_any ? 0 : 1;
      if (!has_any) continue;
      num_carries += Text(interval.first, interval.num_bytes) != Padded(begin, interval.num_bytes);
      ASSERT_EQ(Text(interval.first, interval.num_bytes), numbers.front());
      ASSERT_EQ(Text(interval.last, interval.num_bytes), numbers.back());
      ExpectCells(limits, interval, numbers);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(num_keys, 10000U);
  EXPECT_GT(num_empty, 1000U);
  EXPECT_GT(num_carries, 1000U);
}

// Up to 64 bytes, and more numbers than are counted.
TEST(KeyIntervalTest, LongNumbers) {
  const KeyLimits limits;  // that say nothing
  KeyInterval interval;
  interval.num_bytes = filter::kMaxCellBytes;
  const std::string start(60, 'x');
  ASSERT_TRUE(interval.Set(limits, start + "abc\xff", start + "abd\3"));
  EXPECT_EQ(interval.NumCells(limits, 512), 4U);
  EXPECT_EQ(interval.NumCells(limits, 504), 2U);
  ASSERT_TRUE(interval.Set(limits, start, "y"));
  EXPECT_GT(interval.NumCells(limits, 512), KeyInterval::kMostCounted);
  EXPECT_EQ(interval.NumCells(limits, 8), 1U);
  std::string cell(64, '\xff');
  cell.replace(0, 8, "12345678");
  filter::Advance(limits, 512, cell.data());
  EXPECT_EQ(cell, "12345679" + std::string(56, '\0'));
}

}  // namespace
}  // namespace bloomline::tests::key_interval_test
