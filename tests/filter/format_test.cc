// Decoders are total: any bytes of any length are safe, and damage never turns into a "no".
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "bloomline/filter.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/payload_query.h"

namespace bloomline::tests::format_test {
namespace {

using filter::FilterShape;
using filter::Layout;
using filter::Payload;

constexpr size_t kMaxLength = 4096;

std::string RandomBytes(size_t n, std::mt19937_64& random) {
  std::string bytes(n, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() & 0xFF);
  return bytes;
}

// Queries keys and returns the number of matches. A read outside the bytes hits a guard page.
int Ask(const Payload& payload) {
  int matches = 0;
  for (const std::string_view key : {"", "a", "hello", "a longer key with some more bytes in it"}) {
    matches += PayloadMayMatch(payload, kernels::ActiveKernel(),
                               filter::LayoutHash(payload.layout, key, payload.seed));
  }
  return matches;
}

std::string StandaloneFilter(int num_keys, Format format = Format::kBlocked,
                             double bits_per_key = 10) {
  FilterBuilder builder({format, bits_per_key});
  for (int i = 0; i < num_keys; ++i) builder.AddKey(std::to_string(i));
  return builder.Finish();
}

// The end of a filter with this extension, which may say that it has other bytes; without a shape,
// a filter without keys.
std::string WithExtension(const std::string& extension, size_t extension_bytes,
                          const FilterShape& shape = FilterShape::Blocked(0, 6)) {
  std::string trailer(filter::kTrailerBytes, '\0');
  filter::EncodeEnd(shape, 0, trailer.size(), trailer.data());
  trailer[14] = static_cast<char>(extension_bytes);
  return extension + trailer;
}

std::string Field(int tag, const std::string& content) {
  return std::string{static_cast<char>(tag), static_cast<char>(content.size())} + content;
}

TEST(StandaloneFormatTest, FieldsAreReadOrSkippedByTheirTags) {
  for (int tag = 0; tag < 256; ++tag) {
    for (const size_t length : {0, 1, 64, 65, 253}) {
      const std::string field = Field(tag, std::string(length, 'n'));
      std::string why;
      const std::string filter = WithExtension(field, field.size());
      const Payload payload = filter::DecodeTrailer(filter, &why);
      const bool is_understood = tag >= 128;
      EXPECT_EQ(!payload.always_matches(), is_understood) << tag << ", " << length;
      EXPECT_EQ(why.empty(), is_understood) << why;
    }
  }
}

TEST(StandaloneFormatTest, FieldsThatAreNotInOrderMatchEverything) {
  for (const auto& [first, second] :
       {std::pair{128, 1}, {128, 128}, {255, 254}, {128, 129}, {128, 255}}) {
    const std::string fields = Field(first, "n") + Field(second, "n");
    std::string why;
    const Payload payload = filter::DecodeTrailer(WithExtension(fields, fields.size()), &why);
    EXPECT_EQ(!payload.always_matches(), first < second);
    EXPECT_EQ(why, first < second
                       ? ""
                       : "its extension has tag " + std::to_string(second) + " after " +
                             std::to_string(first) + "; allowed: ascending tags, from 1 on");
  }
}

// Also one that is longer than the filter: the length of the payload would wrap.
TEST(StandaloneFormatTest, AnExtensionThatItsFieldsDoNotFillMatchesEverything) {
  const std::string fields = Field(199, "app.Case") + Field(200, "content");
  GuardedBytes guarded(kMaxLength);
  for (size_t bytes = 0; bytes < 256; ++bytes) {
    for (size_t length = 0; length <= fields.size(); ++length) {
      const std::string extension = fields.substr(0, length);
      const std::string_view filter = guarded.AtEnd(WithExtension(extension, bytes));
      std::string why;
      const Payload payload = filter::DecodeTrailer(filter, &why);
      const bool fills =
          bytes == length && (length == 0 || length == 10 || length == fields.size());
      EXPECT_EQ(!payload.always_matches(), fills) << bytes << ", " << length;
      if (bytes > length) {
        EXPECT_EQ(why, "its extension has " + std::to_string(bytes) + " bytes; the filter has " +
                           std::to_string(length) + " before the trailer");
      } else if (bytes == length && !fills) {
        EXPECT_EQ(why, std::string("its extension ends within the field of tag ") +
                           (length < 10 ? "199" : "200"));
      }
    }
  }
}

TEST(StandaloneFormatTest, AFilterThatCouldNotBeBuiltIsATrailerAlone) {
  FilterBuilder builder({Format::kBlocked, 1e9});
  builder.AddKey("a");
  EXPECT_EQ(builder.Finish(), std::string(16, '\0') + "bLn\x01");
}

TEST(StandaloneFormatTest, RandomBytesOfEveryLengthMatchEverything) {
  std::mt19937_64 random(1);
  GuardedBytes guarded(kMaxLength);
  for (size_t length = 0; length <= kMaxLength; ++length) {
    const std::string bytes = RandomBytes(length, random);
    for (const bool at_end : {true, false}) {
      const FilterView view =
          FilterView::Open(at_end ? guarded.AtEnd(bytes) : guarded.AtStart(bytes));
      ASSERT_TRUE(view.AlwaysMatches());
      ASSERT_TRUE(view.MayMatch("any"));
    }
  }
}

// Any layout that can have these bytes, with parameters that depend on their number.
FilterShape ShapeOfBytes(size_t bytes) {
  const auto k = static_cast<int>(bytes % 30 + 1);
  if (bytes % 16 != 0) return FilterShape::Flat(bytes, k);
  if (bytes % 128 == 0) return FilterShape::Blocked(bytes / 64, k);
  const auto segments = static_cast<uint32_t>(bytes / 16);
  FilterShape shape = FilterShape::Ribbon(segments, segments / (segments % 32 + 1) + 2);
  shape.attempt = segments % 256;
  return shape;
}

TEST(StandaloneFormatTest, RandomPayloadUnderAValidTrailerIsNeverReadOutside) {
  std::mt19937_64 random(2);
  GuardedBytes guarded(kMaxLength + 64);
  for (size_t length = 0; length <= kMaxLength; ++length) {
    std::string bytes = RandomBytes(length, random);
    const FilterShape shape = ShapeOfBytes(length);
    std::string end(filter::EndBytes(shape), 'x');
    filter::EncodeEnd(shape, length, end.size(), end.data());
    bytes += end;
    const Payload payload = filter::DecodeTrailer(guarded.AtEnd(bytes));
    ASSERT_EQ(payload.layout, shape.layout) << length;
    ASSERT_EQ(payload.num_probes, shape.num_probes);
    ASSERT_EQ(payload.row_blocks, shape.row_blocks);
    ASSERT_EQ(payload.attempt, shape.attempt);
    ASSERT_EQ(payload.block_bytes, shape.block_bytes);
    ASSERT_EQ(payload.payload_bytes(), length);
    ASSERT_EQ(payload.seed, length);
    Ask(payload);
    Ask(filter::DecodeTrailer(guarded.AtStart(bytes)));
  }
}

TEST(StandaloneFormatTest, TruncatedOrExtendedFiltersMatchEverything) {
  for (const auto& [format, bits_per_key] :
       {std::pair{Format::kBlocked, 10.0}, {Format::kRibbon, 10.0}, {Format::kRibbon, 4.0}}) {
    const std::string whole = StandaloneFilter(1500, format, bits_per_key);
    ASSERT_FALSE(FilterView::Open(whole).AlwaysMatches());
    for (size_t length = 0; length < whole.size(); ++length) {
      ASSERT_TRUE(FilterView::Open(std::string_view(whole).substr(0, length)).AlwaysMatches());
      // From the front too: without the line count in the trailer, a whole number of lost lines
      // would go unnoticed and lose keys.
      ASSERT_TRUE(
          FilterView::Open(std::string_view(whole).substr(whole.size() - length)).AlwaysMatches());
    }
    std::string extended = whole;
    for (int i = 0; i < 200; ++i) {
      extended.push_back('\0');
      ASSERT_TRUE(FilterView::Open(extended).AlwaysMatches());
      ASSERT_TRUE(
          FilterView::Open(std::string(static_cast<size_t>(i) + 1, '\0') + whole).AlwaysMatches());
    }
  }
}

TEST(StandaloneFormatTest, EveryReservedValueMatchesEverything) {
  const std::string whole = StandaloneFilter(100);
  const size_t trailer = whole.size() - filter::kTrailerBytes;
  const auto with = [&](size_t offset, int value) {
    std::string changed = whole;
    changed[trailer + offset] = static_cast<char>(value);
    return FilterView::Open(changed).AlwaysMatches();
  };
  for (int value = 0; value < 256; ++value) {
    // Other known layouts have other units or parameters.
    EXPECT_EQ(with(12, value), value != 1) << "layout " << value;
    EXPECT_EQ(with(13, value), value < 1 || value > 30) << "num_probes " << value;
    EXPECT_EQ(with(14, value), value != 0) << "extension_bytes " << value;
    EXPECT_EQ(with(15, value), value != 0) << "marker " << value;
    EXPECT_EQ(with(16, value), value != 'b') << "magic " << value;
    EXPECT_EQ(with(19, value), value != 1) << "version " << value;
  }
}

// ---- Ribbon: its number of segments, and the field of the extension that has its blocks.

// A filter of layout 4 with these fields in the extension.
std::string WithRows(uint64_t num_segments, const std::string& extension) {
  const FilterShape shape = FilterShape::Ribbon(num_segments, 2);
  return std::string(shape.payload_bytes(), '\0') +
         WithExtension(extension, extension.size(), shape);
}

std::string RowsField(uint32_t blocks) {
  std::string content;
  for (int i = 0; i < 3; ++i, blocks >>= 8) content += static_cast<char>(blocks);
  return Field(3, content);
}

TEST(RibbonFormatTest, EverySeedAndNumberOfBlocksIsRead) {
  std::string why;
  for (int seed = 0; seed < 256; ++seed) {
    std::string filter = WithRows(7, RowsField(2));
    filter[filter.size() - 7] = static_cast<char>(seed);
    const Payload payload = filter::DecodeTrailer(filter, &why);
    ASSERT_EQ(payload.layout, Layout::kRibbon) << why;
    EXPECT_EQ(payload.attempt, static_cast<uint32_t>(seed));
    EXPECT_EQ(payload.num_blocks, 7u);
    EXPECT_EQ(payload.block_bytes, 16u);
    char end[filter::kTrailerBytes + filter::kRowsFieldBytes];
    filter::EncodeEnd(payload, 0, sizeof(end), end);
    EXPECT_EQ(filter.substr(7 * 16), std::string(end, sizeof(end)));
  }
  for (const uint32_t blocks : {2u, 3u, 255u, 256u, 65535u, 65536u, 0xFFFFFEu, 0xFFFFFFu}) {
    const std::string filter = WithRows(3, RowsField(blocks));
    const Payload payload = filter::DecodeTrailer(filter, &why);
    ASSERT_EQ(payload.layout, Layout::kRibbon) << why;
    EXPECT_EQ(payload.row_blocks, blocks);
    Ask(payload);
  }
}

TEST(RibbonFormatTest, WhatBreaksARuleMatchesEveryKey) {
  const auto why = [](const std::string& filter) {
    std::string reason;
    const Payload payload = filter::DecodeTrailer(filter, &reason);
    EXPECT_EQ(payload.always_matches(), !reason.empty());
    EXPECT_EQ(FilterView::Open(filter).AlwaysMatches(), !reason.empty());
    EXPECT_EQ(FilterView::Validate(filter), reason);
    return reason;
  };
  const auto rows = [](uint32_t blocks, uint32_t segments) {
    return "it has " + std::to_string(blocks) + " blocks of rows and " + std::to_string(segments) +
           " segments; allowed: 2 blocks or more, and at most 32 segments for each";
  };
  EXPECT_EQ(why(WithRows(7, "")), rows(0, 7));
  EXPECT_EQ(why(WithRows(7, RowsField(0))), rows(0, 7));
  EXPECT_EQ(why(WithRows(7, RowsField(1))), rows(1, 7));
  EXPECT_EQ(why(WithRows(64, RowsField(2))), "");
  EXPECT_EQ(why(WithRows(65, RowsField(2))), rows(2, 65));
  EXPECT_EQ(why(WithRows(65, RowsField(3))), "");
  EXPECT_EQ(why(WithRows(0, RowsField(2))), "");  // no keys
  EXPECT_FALSE(FilterView::Open(WithRows(0, RowsField(2))).MayMatch("a"));
  for (const size_t size : {0, 1, 2, 4, 200}) {
    EXPECT_EQ(why(WithRows(7, Field(3, std::string(size, '\2')))),
              "the blocks of its rows have " + std::to_string(size) + " bytes; allowed: 3");
  }
  EXPECT_EQ(why(WithRows(7, RowsField(2) + Field(130, "skipped"))), "");
  EXPECT_EQ(why(WithRows(7, RowsField(2) + RowsField(2))),
            "its extension has tag 3 after 3; allowed: ascending tags, from 1 on");
  EXPECT_EQ(why(WithRows(7, RowsField(2) + Field(4, "n"))),
            "its extension has tag 4, which this version does not know");
  const std::string blocked =
      std::string(64, '\0') + WithExtension(RowsField(2), 5, FilterShape::Blocked(1, 6));
  EXPECT_EQ(why(blocked), "its extension has blocks of rows, and the layout has no rows");
  for (const size_t size : {7 * 16 - 1, 7 * 16 + 1, 6 * 16, 8 * 16}) {
    const std::string filter = WithRows(7, RowsField(2));
    EXPECT_EQ(why(std::string(size, '\0') + filter.substr(7 * 16)),
              "payload has " + std::to_string(size) + " bytes; the trailer says 7 units of 16");
  }
}

// Any byte behind the payload of a filter of each layout that the format has. A seed, of the hash
// or of Ribbon, may become another one, which is damage that no reader can see.
TEST(RibbonFormatTest, AnyOtherByteBehindThePayloadMatchesEveryKey) {
  GuardedBytes guarded(kMaxLength);
  for (const int num_keys : {100, 300, 1000}) {
    const std::string whole = StandaloneFilter(num_keys, Format::kRibbon, 10);
    const FilterShape shape = filter::DecodeTrailer(whole);
    EXPECT_EQ(shape.layout, num_keys == 100 ? Layout::kFlat : Layout::kRibbon);
    for (size_t at = shape.payload_bytes(); at < whole.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string changed = whole;
        changed[at] = static_cast<char>(value);
        const Payload payload = filter::DecodeTrailer(guarded.AtEnd(changed));
        Ask(payload);
        Ask(filter::DecodeTrailer(guarded.AtStart(changed)));
        const size_t from_end = whole.size() - at;
        const bool is_seed = from_end > 12 && from_end <= 20;
        const bool is_parameter = from_end == 7;
        // Another number of rows, for which there are enough segments.
        const bool is_blocks = from_end > 20 && from_end <= 23;
        if (changed == whole || is_seed || is_parameter || is_blocks) continue;
        EXPECT_TRUE(payload.always_matches()) << from_end << ", " << value;
      }
    }
  }
}

// ---- The retired layout.

TEST(FormerCompactFormatTest, EveryParameterMatchesEveryKey) {
  std::string filter(64 + filter::kTrailerBytes, '\0');
  for (int parameter = 0; parameter < 256; ++parameter) {
    const uint64_t units = parameter < 2 ? 2 : parameter == 6 ? 4 : 1;
    filter::EncodeEnd(FilterShape::Blocked(units, parameter), 0, filter::kTrailerBytes,
                      filter.data() + 64);
    filter[64 + 12] = 3;
    std::string why;
    const Payload payload = filter::DecodeTrailer(filter, &why);
    EXPECT_TRUE(payload.always_matches());
    EXPECT_TRUE(FilterView::Open(filter).MayMatch("any"));
    if (parameter > 6) {
      EXPECT_EQ(payload.layout, Layout::kUnknown) << parameter;
      EXPECT_EQ(why, "parameter is " + std::to_string(parameter) + "; allowed: 0 to 6");
    } else {
      EXPECT_EQ(payload.layout, Layout::kFormerCompact) << why;
      EXPECT_EQ(why, filter::kFormerCompactText);
      EXPECT_EQ(payload.payload_bytes(), 64u);
    }
  }
  // Of another length, it is damaged.
  EXPECT_EQ(FilterView::Validate(filter.substr(1)), "parameter is 255; allowed: 0 to 6");
  filter[64 + 13] = 2;
  filter[64 + 8] = 1;
  EXPECT_EQ(FilterView::Validate(filter), filter::kFormerCompactText);
  EXPECT_EQ(FilterView::Validate(filter.substr(1)),
            "payload has 63 bytes; the trailer says 1 units of 64");
  EXPECT_TRUE(FilterView::Open(filter.substr(1)).AlwaysMatches());
}

// ---- The second payload (docs/format.md, section 5): where it lies, and what makes a reader
// refuse the filter.

const FilterShape kFirstShape = FilterShape::Blocked(2, 6);
const std::string kFirst(128, '\xff');  // it matches every key

// The content of tag 2.
std::string SecondField(unsigned layout, unsigned parameter, uint32_t units) {
  std::string content{char(layout), char(parameter)};
  for (int i = 0; i < 4; ++i, units >>= 8) content += char(units);
  return content;
}

// A filter with `second_bytes` between payload and extension, whose fields are given as they are.
std::string WithSecond(size_t second_bytes, const std::string& extension) {
  return kFirst + std::string(second_bytes, '\0') +
         WithExtension(extension, extension.size(), kFirstShape);
}
std::string WithField(size_t second_bytes, const std::string& content) {
  return WithSecond(second_bytes, Field(2, content));
}

// Why it matches every key; empty if it does not.
std::string Why(const std::string& filter) {
  std::string why;
  const Payload payload = filter::DecodeTrailer(filter, &why);
  EXPECT_EQ(payload.always_matches(), !why.empty());
  return why;
}

FilterShape FormerCompact(uint64_t num_blocks, uint32_t arrangement) {
  FilterShape shape = filter::LayoutRowFor(Layout::kFormerCompact).trailer_shape(arrangement);
  shape.num_blocks = num_blocks;
  shape.attempt = arrangement;
  return shape;
}

TEST(SecondPayloadFormatTest, LiesBehindTheFirst) {
  const FilterShape kShapes[] = {FilterShape::Blocked(1, 1), FilterShape::Blocked(3, 30),
                                 FilterShape::Flat(1, 7),    FilterShape::Flat(70, 30),
                                 FormerCompact(1, 0),        FormerCompact(5, 1),
                                 FormerCompact(2, 5),        FilterShape::Ribbon(3, 0)};
  for (const FilterShape& shape : kShapes) {
    // The parameter of a former compact filter is the number of an arrangement.
    const unsigned parameter =
        shape.layout == Layout::kFormerCompact ? shape.attempt : shape.parameter();
    const std::string second = Field(2, SecondField(static_cast<unsigned>(shape.layout), parameter,
                                                    static_cast<uint32_t>(shape.num_blocks)));
    const std::string filter =
        WithSecond(shape.payload_bytes(), second + Field(128, "kinds") + Field(129, "limits"));
    std::string why;
    const Payload payload = filter::DecodeTrailer(filter, &why);
    EXPECT_EQ(why, "");
    EXPECT_EQ(payload.num_blocks, 2U);
    EXPECT_EQ(payload.data, filter.data());
    EXPECT_TRUE(filter::HashMayMatch(payload, kernels::ActiveKernel(), filter::Hash64("key", 0)));
  }
}

TEST(SecondPayloadFormatTest, WhatBreaksARuleMatchesEveryKey) {
  EXPECT_EQ(Why(WithField(64, SecondField(1, 6, 1))), "");
  for (size_t size = 0; size < 10; ++size) {
    const std::string content = (SecondField(1, 6, 1) + "more").substr(0, size);
    EXPECT_EQ(Why(WithField(64, content)), size == 6
                                               ? ""
                                               : "its second payload is described in " +
                                                     std::to_string(size) + " bytes; allowed: 6");
  }
  for (unsigned layout = 0; layout < 256; ++layout) {
    const uint32_t units = layout == 2 ? 64 : layout == 3 ? 2 : layout == 4 ? 4 : 1;
    const std::string why = Why(WithField(64, SecondField(layout, 1, units)));
    EXPECT_EQ(why.empty(), layout >= 1 && layout <= 4) << why;
    if (layout == 0 || layout > 4) {
      EXPECT_EQ(why, "layout " + std::to_string(layout) + " is unknown");
    }
  }
  const struct {
    unsigned layout, least, greatest, units;
  } kParameters[] = {{1, 1, 30, 1}, {2, 1, 30, 64}, {3, 0, 6, 4}, {4, 0, 255, 4}};
  for (const auto& c : kParameters) {
    for (unsigned parameter = 0; parameter < 256; ++parameter) {
      constexpr unsigned kFormerBlockBytes[] = {32, 32, 64, 64, 64, 64, 16};
      const unsigned units =
          c.layout == 3 && parameter <= 6 ? 64 / kFormerBlockBytes[parameter] : c.units;
      const std::string why = Why(WithField(64, SecondField(c.layout, parameter, units)));
      const bool is_allowed = c.least <= parameter && parameter <= c.greatest;
      EXPECT_EQ(why, is_allowed ? ""
                                : "parameter is " + std::to_string(parameter) +
                                      "; allowed: " + std::to_string(c.least) + " to " +
                                      std::to_string(c.greatest));
    }
    EXPECT_EQ(Why(WithField(64, SecondField(c.layout, 1, 0))), "its second payload has 0 units");
  }
}

TEST(SecondPayloadFormatTest, LongerThanTheFilter) {
  const size_t before = kFirst.size() + 64;
  const auto too_long = [&](uint64_t bytes) {
    return "its second payload has " + std::to_string(bytes) + " bytes; the filter has " +
           std::to_string(before) + " before the extension";
  };
  // It takes the place of all of the first payload, and of one byte more.
  EXPECT_EQ(Why(WithField(64, SecondField(2, 1, uint32_t(before)))),
            "payload has 0 bytes; the trailer says 2 units of 64");
  EXPECT_EQ(Why(WithField(64, SecondField(2, 1, uint32_t(before) + 1))), too_long(before + 1));
  EXPECT_EQ(Why(WithField(64, SecondField(1, 1, 2))),
            "payload has 64 bytes; the trailer says 2 units of 64");
  EXPECT_EQ(Why(WithField(64, SecondField(1, 1, 4))), too_long(256));
  EXPECT_EQ(Why(WithField(64, SecondField(1, 1, UINT32_MAX))), too_long(uint64_t{UINT32_MAX} * 64));
  EXPECT_EQ(Why(WithField(64, SecondField(3, 0, UINT32_MAX))), too_long(uint64_t{UINT32_MAX} * 32));
  // A flat payload has fewer than 2^32 bits, however long the filter is.
  EXPECT_EQ(Why(WithField(64, SecondField(2, 1, (1U << 29) - 1))), too_long((1U << 29) - 1));
  EXPECT_EQ(Why(WithField(64, SecondField(2, 1, 1U << 29))),
            "its second payload has 536870912 units");
}

TEST(SecondPayloadFormatTest, BesideOtherFields) {
  const std::string second = Field(2, SecondField(1, 6, 1));
  const std::string ranges = "\x80\1r";
  EXPECT_EQ(Why(WithSecond(64, second + ranges)), "");
  EXPECT_EQ(Why(WithSecond(64, "\1\1n" + second)),
            "its extension has tag 1, which this version does not know");
  EXPECT_EQ(Why(WithSecond(64, second + second)),
            "its extension has tag 2 after 2; allowed: ascending tags, from 1 on");
  EXPECT_EQ(Why(WithSecond(64, second + RowsField(2))),
            "its extension has blocks of rows, and the layout has no rows");
  EXPECT_EQ(Why(WithSecond(64, second + std::string("\4\0", 2))),
            "its extension has tag 4, which this version does not know");
  EXPECT_EQ(Why(WithSecond(64, second.substr(0, 7))),
            "its extension ends within the field of tag 2");
  // A filter that matches every key says so, whatever its second payload is.
  std::string always = WithSecond(64, second);
  always[always.size() - 8] = 0;
  EXPECT_TRUE((filter::DecodeTrailer(always).layout == filter::Layout::kAlwaysMatch));
}

// The table of docs/format.md, section 4. `code - base` is k; or, in the rows of small sets, a
// quarter of the first attempt, and the number of blocks.
constexpr struct {
  int from, to;
  Layout layout;
  int base;
} kLevelDBCodes[] = {{0x01, 0x1E, Layout::kClassic, 0},
                     {0x80, 0x9D, Layout::kFlat, 0x7F},
                     {0xA0, 0xBD, Layout::kBlocked, 0x9F},
                     {0xE0, 0xE3, Layout::kSmallSet, 0xE0},
                     {0xE4, 0xFA, Layout::kSmallSet, 0xE2}};

FilterShape SmallSetShape(size_t bytes, size_t num_blocks, uint32_t attempt) {
  const size_t block_bytes = bytes / num_blocks;
  const bool fits = bytes % num_blocks == 0 && block_bytes >= 8 && block_bytes <= 64;
  if (!fits) return FilterShape();
  return FilterShape::SmallSet(num_blocks, static_cast<uint32_t>(block_bytes), attempt);
}

FilterShape LevelDBShape(int code, size_t bytes) {
  for (const auto& row : kLevelDBCodes) {
    if (code < row.from || code > row.to) continue;
    const int value = code - row.base;
    if (row.layout == Layout::kClassic) return FilterShape::Classic(bytes, value);
    if (row.layout == Layout::kFlat) return FilterShape::Flat(bytes, value);
    if (row.from == 0xE0) return SmallSetShape(bytes, 1, 4 * static_cast<uint32_t>(value));
    if (row.from == 0xE4) return SmallSetShape(bytes, static_cast<size_t>(value), 0);
    if (bytes % 64 == 0) return FilterShape::Blocked(bytes / 64, value);
  }
  return FilterShape();
}

TEST(LevelDBFormatTest, EveryLastByteMeansWhatTheTableSays) {
  for (size_t length = 1; length <= 25 * 64; ++length) {
    std::string filter(length + 1, '\0');
    for (int code = 0; code < 256; ++code) {
      SCOPED_TRACE(testing::Message() << length << " bytes, code " << code);
      filter.back() = static_cast<char>(code);
      const Payload payload = filter::DecodeLevelDB(filter);
      const FilterShape expected = LevelDBShape(code, length);
      ASSERT_EQ(payload.layout, expected.layout);
      ASSERT_EQ(payload.num_probes, expected.num_probes);
      ASSERT_EQ(payload.num_blocks, expected.num_blocks);
      ASSERT_EQ(payload.attempt, expected.attempt);
      ASSERT_EQ(payload.payload_bytes(), expected.layout == Layout::kAlwaysMatch ? 0 : length);
    }
  }
}

TEST(LevelDBFormatTest, NoBytesHoldNoKeysAndOneByteIsDamage) {
  EXPECT_EQ(Ask(filter::DecodeLevelDB("")), 0);
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(Ask(filter::DecodeLevelDB(std::string(1, static_cast<char>(byte)))), 4) << byte;
  }
  EXPECT_EQ(Ask(filter::DecodeLevelDB(filter::kLevelDBAlwaysMatch)), 4);
}

TEST(LevelDBFormatTest, RandomBytesOfEveryLengthAreNeverReadOutside) {
  std::mt19937_64 random(3);
  GuardedBytes guarded(kMaxLength);
  for (size_t length = 0; length <= kMaxLength; ++length) {
    std::string bytes = RandomBytes(length, random);
    // Random last bytes rarely pick a layout, so every layout is also chosen on purpose.
    for (const int code : {-1, 6, 30, 0x86, 0x9D, 0xA5, 0xBD, 0xC0, 0xC1, 0xC3, 0xDF}) {
      if (code >= 0 && length > 0) bytes.back() = static_cast<char>(code);
      Ask(filter::DecodeLevelDB(guarded.AtEnd(bytes)));
      Ask(filter::DecodeLevelDB(guarded.AtStart(bytes)));
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::format_test
