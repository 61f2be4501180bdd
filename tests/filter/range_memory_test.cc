// What a range filter of `auto` takes while it is built, for keys of many lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "src/filter/ranges/range_entries.h"
#include "tests/filter/counted_memory.h"
#include "tests/support/range_filter.h"
#include "tests/support/range_keys.h"

namespace bloomline::tests::range_memory_test {
namespace {

using filter::RangeEntryOptions;

// As range_entries.h says.
constexpr double kMostPerKey = 24;
constexpr double kMostBesides = 16 << 20;

// A text that looks random, the same for a number.
std::string Noise(uint64_t number, size_t bytes, bool is_text = false) {
  std::string text;
  while (text.size() < bytes) {
    number = number * 6364136223846793005 + 1442695040888963407;
    text += BigEndian((number ^ number >> 29) * 0x9e3779b97f4a7c15);
  }
  text.resize(bytes);
  if (is_text) {
    for (char& byte : text) byte = char('a' + (byte & 15));
  }
  return text;
}

std::string Digits(uint64_t number) {
  std::string text = std::to_string(number);
  return std::string(10 - text.size(), '0') + text;
}

// Keys by their index, in order.
struct Shape {
  const char* name;
  uint64_t num_keys;
  std::string (*key)(uint64_t index);
  // Where ranges end that were scanned: after so many bits, or at a depth of slashes.
  std::vector<size_t> bits, depths;
};

const std::vector<Shape>& Shapes() {
  static const auto& shapes = *new std::vector<Shape>{
      {"numbers",
       400000,
       [](uint64_t i) { return BigEndian(i << 40 | (Noise(i, 4)[0] & 0xff)); },
       {40, 48, 52, 56, 60, 64},
       {}},
      {"40 bytes",
       400000,
       [](uint64_t i) { return Digits(i) + Noise(i, 30); },
       {80, 120, 160, 200, 240, 280, 320},
       {}},
      {"64 bytes",
       400000,
       [](uint64_t i) { return BigEndian(i << 40) + Noise(i, 56); },
       {64, 500, 504, 508, 512},
       {}},
      {"paths",
       400000,
       [](uint64_t i) {
         return "/" + Digits(i / 50) + Noise(i / 50, 10, true) + "/" + Digits(i) +
                Noise(i, 30, true) + "/" + Noise(i, 6, true);
       },
       {320, 400},
       {1, 2, 3}},
      {"1,000 bytes",
       40000,
       [](uint64_t i) {
         std::string key = "/" + Digits(i);
         for (uint64_t part = 0; part < 12; ++part) key += "/" + Noise(13 * i + part, 78, true);
         return key;
       },
       {480},
       {2, 4, 6, 8}},
      // The second half is longer than the first.
      {"10 and 300 bytes",
       400000,
       [](uint64_t i) { return Digits(i) + (i < 200000 ? "" : Noise(i, 290)); },
       {80, 400, 512},
       {}}};
  return shapes;
}

RangeEntryOptions Options(const Shape& shape, int num_levels_below, bool has_learned) {
  RangeEntryOptions options = AutoEntries(0.2, num_levels_below);
  options.max_bytes = 16 << 20;
  if (!has_learned) return options;
  auto& sample = options.sample;
  const double weight = 1 / double(shape.bits.size() + shape.depths.size());
  for (const size_t bits : shape.bits) {
    sample.ranges[sample.size++] = {filter::kDelimiters.size(), 0, bits, weight};
  }
  for (const size_t depth : shape.depths) {
    sample.ranges[sample.size++] = {filter::kDelimiters.find('/'), depth, 0, weight};
  }
  return options;
}

void ExpectLittleMemory(const Shape& shape, uint64_t num_keys, const RangeEntryOptions& options) {
  std::string value;
  const CountedMemory memory;
  {
    filter::RangeEntries entries(options);
    for (uint64_t i = 0; i < num_keys; ++i) entries.Add(shape.key(i));
    value = entries.Finish();
  }
  const double keys = double(num_keys);
  EXPECT_LT(double(memory.peak()), kMostPerKey * keys + kMostBesides)
      << double(memory.peak()) / keys << " bytes per key";
  const WrittenRanges ranges(value);
  ASSERT_TRUE(ranges.is_understood());
  for (uint64_t i = 0; i < num_keys; i += 7) {
    const std::string key = shape.key(i);
    ASSERT_TRUE(ranges.MayMatch(key, key + '\0')) << i;
  }
}

TEST(RangeMemoryTest, FewBytesPerKey) {
  for (const Shape& shape : Shapes()) {
    SCOPED_TRACE(shape.name);
    for (const int level : {0, 2}) {
      SCOPED_TRACE(testing::Message() << level << " levels below");
      ExpectLittleMemory(shape, shape.num_keys, Options(shape, level, true));
    }
    SCOPED_TRACE("not learned");
    ExpectLittleMemory(shape, shape.num_keys, Options(shape, 0, false));
  }
}

TEST(RangeMemoryTest, MoreMemoryForEntries) {
  const Shape& shape = Shapes()[2];
  RangeEntryOptions options = Options(shape, 2, true);
  options.memory = 4;
  ExpectLittleMemory(shape, shape.num_keys, options);
}

// A file that is large beside kMostBesides.
TEST(RangeMemoryTest, ManyKeys) {
  const Shape& shape = Shapes()[2];
  ExpectLittleMemory(shape, 2000000, Options(shape, 0, true));
}

TEST(RangeMemoryTest, FewKeys) {
  for (const Shape& shape : Shapes()) {
    SCOPED_TRACE(shape.name);
    for (const uint64_t num_keys : {1, 2, 100, 5000}) {
      ExpectLittleMemory(shape, num_keys, Options(shape, 1, true));
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::range_memory_test
