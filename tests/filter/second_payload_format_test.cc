// The second payload of a filter (docs/format.md, section 5): where it lies, and what makes a
// reader refuse the filter.
#include <gtest/gtest.h>

#include <string>

#include "src/filter/bits/compact_block.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"
#include "src/filter/view/hash_query.h"

namespace bloomline {
namespace {

using filter::Extension;
using filter::FilterShape;
using filter::Layout;
using filter::Payload;

const FilterShape kFirstShape = FilterShape::Blocked(2, 6);
const std::string kFirst(128, '\xff');  // it matches every key
constexpr uint64_t kSeed = 0x0123456789abcdef;

std::string Written(const Extension& extension) {
  std::string filter = kFirst + std::string(filter::TailBytes(extension), '\0');
  filter::EncodeTrailer(kFirstShape, kSeed, &filter[kFirst.size()], extension);
  return filter;
}

// The field of tag 2.
std::string Field(unsigned layout, unsigned parameter, uint32_t units) {
  std::string content{char(layout), char(parameter)};
  for (int i = 0; i < 4; ++i, units >>= 8) content += char(units);
  return content;
}

// A filter with `second_bytes` between payload and extension, whose fields are given as they are.
std::string WithExtension(size_t second_bytes, const std::string& extension) {
  std::string filter = kFirst + std::string(second_bytes, '\0') + extension;
  std::string trailer(filter::kTrailerBytes, '\0');
  filter::EncodeTrailer(kFirstShape, kSeed, trailer.data());
  trailer[14] = static_cast<char>(extension.size());
  return filter + trailer;
}
std::string WithField(size_t second_bytes, const std::string& content) {
  return WithExtension(second_bytes, "\2" + std::string(1, char(content.size())) + content);
}

// Why it matches every key; empty if it does not.
std::string Why(const std::string& filter) {
  std::string why;
  const Payload payload = filter::DecodeTrailer(filter, &why);
  EXPECT_EQ(payload.always_matches(), !why.empty());
  return why;
}

TEST(SecondPayloadFormatTest, LiesBehindTheFirst) {
  const FilterShape kShapes[] = {FilterShape::Blocked(1, 1), FilterShape::Blocked(3, 30),
                                 FilterShape::Flat(1, 7),    FilterShape::Flat(70, 30),
                                 FilterShape::Compact(1, 0), FilterShape::Compact(5, 1),
                                 FilterShape::Compact(2, 5)};
  const std::string ranges = "anything";
  for (const FilterShape& shape : kShapes) {
    const std::string bytes(shape.payload_bytes(), 'e');
    Extension extension;
    extension.ranges = ranges;
    extension.second = {shape, kSeed, bytes.data()};
    const std::string filter = Written(extension);
    EXPECT_EQ(filter.size(), kFirst.size() + bytes.size() + filter::EndBytes(extension));
    Extension read;
    std::string why;
    const Payload payload = filter::DecodeTrailer(filter, &why, &read);
    EXPECT_EQ(why, "");
    EXPECT_EQ(payload.num_blocks, 2U);
    EXPECT_EQ(payload.seed, kSeed);
    EXPECT_EQ(payload.data, filter.data());
    EXPECT_EQ(read.ranges, ranges);
    EXPECT_EQ(read.second.layout, shape.layout);
    EXPECT_EQ(read.second.num_blocks, shape.num_blocks);
    EXPECT_EQ(read.second.block_bytes, shape.block_bytes);
    EXPECT_EQ(read.second.num_probes, shape.num_probes);
    EXPECT_EQ(read.second.arrangement, shape.arrangement);
    EXPECT_EQ(read.second.seed, kSeed);
    EXPECT_EQ(read.second.data, filter.data() + kFirst.size());
    EXPECT_TRUE(
        filter::HashMayMatch(payload, kernels::ActiveKernel(), filter::Hash64("key", kSeed)));
    const unsigned parameter = shape.layout == Layout::kCompact
                                   ? shape.arrangement
                                   : static_cast<unsigned>(shape.num_probes);
    const std::string field = "\2\6" + Field(static_cast<unsigned>(shape.layout), parameter,
                                             static_cast<uint32_t>(shape.num_blocks));
    EXPECT_NE(filter.find(field), std::string::npos);
  }
}

TEST(SecondPayloadFormatTest, WhatBreaksARuleMatchesEveryKey) {
  EXPECT_EQ(Why(WithField(64, Field(1, 6, 1))), "");
  for (size_t size = 0; size < 10; ++size) {
    const std::string content = (Field(1, 6, 1) + "more").substr(0, size);
    EXPECT_EQ(Why(WithField(64, content)), size == 6
                                               ? ""
                                               : "its second payload is described in " +
                                                     std::to_string(size) + " bytes; allowed: 6");
  }
  for (unsigned layout = 0; layout < 256; ++layout) {
    const std::string why = Why(WithField(64, Field(layout, 1, layout == 2 ? 64 : 1)));
    EXPECT_EQ(why.empty(), layout == 1 || layout == 2) << why;
    if (layout == 0 || layout > 3) {
      EXPECT_EQ(why, "layout " + std::to_string(layout) + " is unknown");
    }
  }
  const struct {
    unsigned layout, least, greatest, units;
  } kParameters[] = {{1, 1, 30, 1}, {2, 1, 30, 64}, {3, 0, 6, 4}};
  for (const auto& c : kParameters) {
    for (unsigned parameter = 0; parameter < 256; ++parameter) {
      const bool is_compact = c.layout == 3 && parameter < kernels::kNumArrangements;
      const unsigned units =
          is_compact ? 64 / kernels::kArrangements[parameter].block_bytes : c.units;
      const std::string why = Why(WithField(64, Field(c.layout, parameter, units)));
      const bool is_allowed = c.least <= parameter && parameter <= c.greatest;
      EXPECT_EQ(why, is_allowed ? ""
                                : "parameter is " + std::to_string(parameter) +
                                      "; allowed: " + std::to_string(c.least) + " to " +
                                      std::to_string(c.greatest));
    }
    EXPECT_EQ(Why(WithField(64, Field(c.layout, 1, 0))), "its second payload has 0 units");
  }
}

TEST(SecondPayloadFormatTest, LongerThanTheFilter) {
  const size_t before = kFirst.size() + 64;
  const auto too_long = [&](uint64_t bytes) {
    return "its second payload has " + std::to_string(bytes) + " bytes; the filter has " +
           std::to_string(before) + " before the extension";
  };
  // It takes the place of all of the first payload, and of one byte more.
  EXPECT_EQ(Why(WithField(64, Field(2, 1, uint32_t(before)))),
            "payload has 0 bytes; the trailer says 2 units of 64");
  EXPECT_EQ(Why(WithField(64, Field(2, 1, uint32_t(before) + 1))), too_long(before + 1));
  EXPECT_EQ(Why(WithField(64, Field(1, 1, 2))),
            "payload has 64 bytes; the trailer says 2 units of 64");
  EXPECT_EQ(Why(WithField(64, Field(1, 1, 4))), too_long(256));
  EXPECT_EQ(Why(WithField(64, Field(1, 1, UINT32_MAX))), too_long(uint64_t{UINT32_MAX} * 64));
  EXPECT_EQ(Why(WithField(64, Field(3, 0, UINT32_MAX))), too_long(uint64_t{UINT32_MAX} * 32));
  // A flat payload has fewer than 2^32 bits, however long the filter is.
  EXPECT_EQ(Why(WithField(64, Field(2, 1, (1U << 29) - 1))), too_long((1U << 29) - 1));
  EXPECT_EQ(Why(WithField(64, Field(2, 1, 1U << 29))), "its second payload has 536870912 units");
}

TEST(SecondPayloadFormatTest, BesideOtherFields) {
  const std::string second = "\2\6" + Field(1, 6, 1);
  const std::string ranges = "\x80\1r";
  EXPECT_EQ(Why(WithExtension(64, second + ranges)), "");
  EXPECT_EQ(Why(WithExtension(64, "\1\1n" + second)),
            "its extension has tag 1, which this version does not know");
  EXPECT_EQ(Why(WithExtension(64, second + second)),
            "its extension has tag 2 after 2; allowed: ascending tags, from 1 on");
  EXPECT_EQ(Why(WithExtension(64, second + std::string("\3\0", 2))),
            "its extension has tag 3, which this version does not know");
  EXPECT_EQ(Why(WithExtension(64, second.substr(0, 7))),
            "its extension ends within the field of tag 2");
  // A filter that matches every key says so, whatever its second payload is.
  std::string always = WithExtension(64, second);
  always[always.size() - 8] = 0;
  EXPECT_TRUE(filter::SaysAlwaysMatch(always));
}

}  // namespace
}  // namespace bloomline
