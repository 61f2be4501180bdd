// The field of a filter with range entries (docs/format.md, section 12): any content is safe, and
// what breaks a rule makes every range match.
#include "src/filter/ranges/range_field.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/table/kernel_table.h"
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
    return two(min_bytes) + two(max_bytes) + char(suffix_bytes) + "s\4\3\2\1" + char(num_cells) +
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
  field.family = 0x89abcdef;
  const std::string last_key(filter::kMaxLastKeyBytes, 'k');
  field.last_key = last_key;
  char bytes[filter::kMaxRangeFieldBytes];
  const size_t size = filter::EncodeRangeField(field, bytes);
  EXPECT_EQ(size, 12U + 8 + 8 + 64);
  RangeField read;
  ASSERT_TRUE(filter::DecodeRangeField({bytes, size}, &read));
  EXPECT_EQ(read.min_key_bytes, 300);
  EXPECT_EQ(read.max_key_bytes, 300);
  EXPECT_EQ(read.suffix_bytes, 255);
  EXPECT_EQ(read.suffix_byte, '\xfe');
  EXPECT_EQ(read.family, 0x89abcdefU);
  EXPECT_EQ(read.last_key, last_key);
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
  EXPECT_EQ(field.family, 0x01020304U);

  // Least and greatest bytes of keys, bytes of their suffix.
  EXPECT_FALSE(IsUnderstood({2, 1, 0}));
  EXPECT_TRUE(IsUnderstood({2, 2, 1}));
  EXPECT_FALSE(IsUnderstood({2, 2, 2})) << "a suffix that is the key";
  EXPECT_FALSE(IsUnderstood({2, 3, 1})) << "a suffix of keys of two lengths";
  EXPECT_FALSE(IsUnderstood({65535, 65535, 1})) << "those may have any length";

  EXPECT_FALSE(IsUnderstood(WithCells(1, ""))) << "cut";
  EXPECT_FALSE(IsUnderstood(WithCells(1, Bytes({1})))) << "cut";
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
  EXPECT_TRUE(IsUnderstood(WithCells(8, cells)));
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
  EXPECT_TRUE(IsUnderstood(WithPrefixes(32, prefixes)));
  EXPECT_FALSE(IsUnderstood(WithPrefixes(33, prefixes)));

  EXPECT_TRUE(IsUnderstood(WithCells(1, Bytes({5, 0}) + std::string(64, 1))));
  EXPECT_FALSE(IsUnderstood(WithCells(1, Bytes({5, 0}) + std::string(65, 1)))) << "a last key";
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
  // Then ranges may match, and queries of keys are as before.
  std::string bytes =
      RangeFilter({"ant", "bees"}, EntriesOf(Kinds({{8}})), Format::kBlocked).bytes();
  const size_t limits = bytes.size() - filter::kTrailerBytes - 8;
  ASSERT_EQ(bytes.substr(limits - 2, 10), Bytes({129, 8}) + "abenet" + Bytes({0, 's'}));
  EXPECT_FALSE(RangeFilter(bytes).MayMatch("c", "d"));
  bytes[limits + 1] = '`';
  EXPECT_TRUE(RangeFilter(bytes).MayMatch("c", "d"));
  EXPECT_FALSE(RangeFilter(bytes).keys().always_matches());
}

// A filter whose payloads have only zeros, with a field that names what is not there, or anything.
TEST(RangeFieldTest, AnyContentIsSafe) {
  std::mt19937_64 random(7);
  const std::string zeros(128, '\0');
  const filter::FilterShape shape = filter::FilterShape::Blocked(1, 5);
  const Content parts = {
      16, 16, 8, 2, 3, Bytes({8, 0, 40, 0xc0, '/', 1, '/', 0x18, '/' + 1, 4}) + "last key"};
  const std::string intact = parts.bytes();
  size_t num_understood = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string content = intact;
    for (uint64_t n = random() % 4; n > 0; --n) {
      content[random() % content.size()] = char(random() % 2 == 0 ? random() : random() % 16);
    }
    if (random() % 4 == 0) content.resize(random() % (filter::kMaxRangeFieldBytes + 4), 'x');
    RangeField field;
    bool is_decoded = filter::DecodeRangeField(content, &field);
    filter::Extension extension;
    extension.ranges = content;
    const std::string limits = RandomKey(&random, 0, 4) + std::string(random() % 128, '\xff');
    extension.key_limits = limits;
    is_decoded &= filter::DecodeKeyLimits(limits, &field);
    if (random() % 2 == 0) extension.second = {shape, 0, zeros.data()};
    const bool has_entries = extension.second.num_blocks != 0;
    const auto ranges =
        filter::OpenedRanges({shape, 0, zeros.data()}, extension, kernels::ActiveKernel());
    ASSERT_EQ(ranges.is_understood, is_decoded && (has_entries || field.kinds.empty()));
    num_understood += ranges.is_understood ? 1 : 0;
    const bool may_match = filter::RangeMayMatch(ranges, "ab//////////", "b");
    ASSERT_TRUE(may_match || ranges.is_understood);
  }
  EXPECT_GT(num_understood, 1000U);
}

}  // namespace
}  // namespace bloomline::tests::range_field_test
