// What a range filter says of its keys (docs/format.md, section 12): any content is safe, and what
// breaks a rule makes every range match.
#include "src/filter/ranges/range_field.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/range_filter.h"
#include "tests/support/range_keys.h"

namespace bloomline::tests::range_field_test {
namespace {

using filter::RangeField;

// The bytes of a field, of its parts.
struct Content {
  unsigned min_bytes = 0;
  unsigned max_bytes = 65535;
  unsigned suffix_bytes = 0;
  unsigned num_cells = 0;
  unsigned num_prefixes = 0;
  std::string rest = {};

  std::string bytes() const {
    const auto two = [](unsigned number) { return std::string{char(number), char(number >> 8)}; };
    return two(min_bytes) + two(max_bytes) + char(suffix_bytes) + "s" + char(num_cells) +
           char(num_prefixes) + rest;
  }
};

bool IsUnderstood(const Content& content) {
  RangeField field;
  return filter::DecodeRangeField(content.bytes(), &field);
}

Content WithCells(unsigned num_cells, const std::string& rest) {
  return {0, 65535, 0, num_cells, 0, rest};
}
Content WithPrefixes(unsigned num_prefixes, const std::string& rest) {
  return {0, 65535, 0, 0, num_prefixes, rest};
}

std::string Bytes(std::initializer_list<unsigned> numbers) {
  std::string bytes;
  for (const unsigned number : numbers) bytes += char(number);
  return bytes;
}

TEST(RangeFieldTest, WhatIsWrittenIsRead) {
  RangeField field;
  field.kinds =
      Kinds({{1}, {12, 2}, {511, 3}, {512, 4}}, {{0, 1}, {'/', 1, 2}, {'/', 8, 3}, {0xff, 4, 4}});
  field.min_key_bytes = field.max_key_bytes = 300;
  field.suffix_bytes = 255;
  field.suffix_byte = '\xfe';
  char bytes[filter::kMaxRangeFieldBytes];
  const size_t size = filter::EncodeRangeField(field, bytes);
  EXPECT_EQ(size, 8U + 8 + 8);
  RangeField read;
  ASSERT_TRUE(filter::DecodeRangeField({bytes, size}, &read));
  EXPECT_EQ(read.min_key_bytes, 300);
  EXPECT_EQ(read.max_key_bytes, 300);
  EXPECT_EQ(read.suffix_bytes, 255);
  EXPECT_EQ(read.suffix_byte, '\xfe');
  ASSERT_EQ(read.kinds.num_cells, 4);
  ASSERT_EQ(read.kinds.num_prefixes, 4);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.kinds.cells[i].bits, field.kinds.cells[i].bits);
    EXPECT_EQ(read.kinds.cells[i].copies, field.kinds.cells[i].copies);
    EXPECT_EQ(read.kinds.prefixes[i].delimiter, field.kinds.prefixes[i].delimiter);
    EXPECT_EQ(read.kinds.prefixes[i].depth, field.kinds.prefixes[i].depth);
    EXPECT_EQ(read.kinds.prefixes[i].copies, field.kinds.prefixes[i].copies);
  }
}

TEST(RangeFieldTest, WhatBreaksARuleIsRefused) {
  const std::string least = Content().bytes();
  RangeField field;
  for (size_t size = 0; size < least.size(); ++size) {
    EXPECT_FALSE(filter::DecodeRangeField(least.substr(0, size), &field)) << size;
  }
  ASSERT_TRUE(filter::DecodeRangeField(least, &field));

  // Least and greatest bytes of keys, bytes of their suffix.
  EXPECT_FALSE(IsUnderstood({2, 1, 0}));
  EXPECT_TRUE(IsUnderstood({2, 2, 1}));
  EXPECT_FALSE(IsUnderstood({2, 2, 2})) << "a suffix that is the key";
  EXPECT_FALSE(IsUnderstood({2, 3, 1})) << "a suffix of keys of two lengths";
  EXPECT_FALSE(IsUnderstood({65535, 65535, 1})) << "those may have any length";

  EXPECT_FALSE(IsUnderstood(WithCells(1, ""))) << "cut";
  EXPECT_FALSE(IsUnderstood(WithCells(1, Bytes({1})))) << "cut";
  EXPECT_FALSE(IsUnderstood(WithCells(1, Bytes({1, 0, 0})))) << "more";
  EXPECT_TRUE(IsUnderstood(WithCells(1, Bytes({1, 0}))));
  EXPECT_FALSE(IsUnderstood(WithCells(1, Bytes({0, 0})))) << "0 bits";
  EXPECT_TRUE(IsUnderstood(WithCells(1, Bytes({0, 0xc2})))) << "512 bits, 4 copies";
  EXPECT_FALSE(IsUnderstood(WithCells(1, Bytes({1, 2})))) << "513 bits";
  EXPECT_FALSE(IsUnderstood(WithCells(1, Bytes({0, 0x20})))) << "8192 bits";
  EXPECT_FALSE(IsUnderstood(WithCells(2, Bytes({5, 0, 5, 0})))) << "twice";
  EXPECT_FALSE(IsUnderstood(WithCells(2, Bytes({5, 0, 5, 0x40})))) << "twice, with other copies";
  EXPECT_FALSE(IsUnderstood(WithCells(2, Bytes({5, 0x40, 4, 0x80})))) << "not in order";
  EXPECT_TRUE(IsUnderstood(WithCells(2, Bytes({4, 0x80, 5, 0}))));
  std::string cells;
  for (unsigned i = 1; i <= 9; ++i) cells += Bytes({i, 0});
  EXPECT_TRUE(IsUnderstood(WithCells(8, cells.substr(0, 16))));
  EXPECT_FALSE(IsUnderstood(WithCells(9, cells)));

  EXPECT_FALSE(IsUnderstood(WithPrefixes(1, "/"))) << "cut";
  EXPECT_FALSE(IsUnderstood(WithPrefixes(1, Bytes({'/', 0})))) << "depth 0";
  EXPECT_FALSE(IsUnderstood(WithPrefixes(1, Bytes({'/', 9})))) << "depth 9";
  EXPECT_TRUE(IsUnderstood(WithPrefixes(1, Bytes({'/', 0x38})))) << "depth 8, 4 copies";
  EXPECT_FALSE(IsUnderstood(WithPrefixes(1, Bytes({'/', 0x48})))) << "an unused bit";
  EXPECT_FALSE(IsUnderstood(WithPrefixes(1, Bytes({'/', 0x88})))) << "an unused bit";
  EXPECT_FALSE(IsUnderstood(WithPrefixes(2, Bytes({'/', 1, '/', 0x11})))) << "twice";
  EXPECT_FALSE(IsUnderstood(WithPrefixes(2, Bytes({'/', 0x12, '/', 0x31})))) << "not in order";
  EXPECT_TRUE(IsUnderstood(WithPrefixes(2, Bytes({'/', 8, '0', 1}))));
  EXPECT_FALSE(IsUnderstood(WithPrefixes(2, Bytes({'0', 1, '/', 8})))) << "not in order";
  std::string prefixes;
  for (unsigned i = 0; i < 33; ++i) prefixes += Bytes({i, 1});
  EXPECT_TRUE(IsUnderstood(WithPrefixes(32, prefixes.substr(0, 64))));
  EXPECT_FALSE(IsUnderstood(WithPrefixes(33, prefixes)));
}

TEST(RangeFieldTest, LimitsAreInOrderForUpTo64Positions) {
  const std::string most = Bytes({0, 255}) + std::string(126, 'x');
  RangeField field;
  for (size_t size = 0; size <= most.size(); size += 2) {
    ASSERT_TRUE(filter::DecodeKeyLimits(most.substr(0, size), &field)) << size;
    EXPECT_EQ(field.key_limits.size(), size);
    EXPECT_FALSE(filter::DecodeKeyLimits(most.substr(0, size) + "x", &field)) << size;
  }
  EXPECT_FALSE(filter::DecodeKeyLimits(most + "xx", &field));
  EXPECT_FALSE(filter::DecodeKeyLimits(Bytes({1, 1, 255, 254}), &field));
  EXPECT_FALSE(filter::DecodeKeyLimits(Bytes({128, 127}), &field));
  // Then ranges may match.
  std::string bytes =
      WrittenRanges({"ant", "bees"}, EntriesOf(Kinds({{8}})), Format::kBlocked).bytes();
  const size_t limits = bytes.find("abenet" + Bytes({0, 's'}));
  ASSERT_NE(limits, bytes.npos);
  EXPECT_FALSE(WrittenRanges(bytes).MayMatch("c", "d"));
  bytes[limits + 1] = '`';
  EXPECT_TRUE(WrittenRanges(bytes).MayMatch("c", "d"));
}

// The value of the property: a version, three lengths, and the parts.
TEST(RangeFieldTest, AnyValueIsSafe) {
  std::mt19937_64 random(7);
  const std::string intact =
      WrittenRanges({"a/b//c", "a/c//d", "k/l//m"},
                    EntriesOf(Kinds({{8}, {40, 4}}, {{'/', 1}, {'/', 8, 2}, {'0', 4}})),
                    Format::kBlocked)
          .bytes();
  ASSERT_TRUE(WrittenRanges(intact).is_understood());
  ASSERT_FALSE(WrittenRanges(intact).MayMatch("b/", "b0"));
  for (size_t size = 0; size < intact.size(); ++size) {
    ASSERT_FALSE(WrittenRanges(intact.substr(0, size)).is_understood()) << size;
  }
  size_t num_understood = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string value = intact;
    for (uint64_t n = random() % 4; n > 0; --n) {
      const size_t at = random() % std::min<size_t>(value.size(), 64);
      value[at] = char(random() % 2 == 0 ? random() : random() % 16);
    }
    if (random() % 4 == 0) value.resize(random() % (value.size() + 200), 'x');
    const WrittenRanges ranges(value);
    num_understood += ranges.is_understood() ? 1 : 0;
    const bool may_match = ranges.MayMatch("ab//////////", "b");
    ASSERT_TRUE(may_match || ranges.is_understood());
    ASSERT_TRUE(ranges.last_key().empty() || ranges.is_understood());
  }
  EXPECT_GT(num_understood, 1000U);
}

}  // namespace
}  // namespace bloomline::tests::range_field_test
