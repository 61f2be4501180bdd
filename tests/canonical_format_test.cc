// Filters that record a canonicalizer (docs/format.md, section 5), without an engine.
#include <gtest/gtest.h>

#include <string>

#include "bloomline/filter.h"
#include "bloomline/key_canonicalizer.h"
#include "src/build/filter_writer.h"
#include "src/errors/error_text.h"
#include "src/format/canonical_keys.h"
#include "src/format/table_shape.h"
#include "src/format/trailer.h"
#include "src/query/hash_query.h"
#include "tests/case_folding.h"
#include "tests/guarded_bytes.h"

namespace bloomline {
namespace {

using core::Layout;
using core::Payload;

std::string Write(const FilterOptions& options, int num_keys, std::string_view canonicalizer,
                  core::FilterWriter::ShapeFunction shape = core::TableShape) {
  core::FilterWriter writer(options, UINT64_MAX, shape, canonicalizer);
  for (int i = 0; i < num_keys; ++i) writer.AddKey("key" + std::to_string(i));
  std::string filter(writer.FinishedBytes(), '\0');
  writer.FinishTo(filter.data());
  return filter;
}

int Matches(const Payload& payload, int first, int last) {
  int matches = 0;
  for (int i = first; i < last; ++i) {
    matches += core::HashMayMatch(payload, kernels::ActiveKernel(),
                                  core::Hash64("key" + std::to_string(i), payload.seed));
  }
  return matches;
}

TEST(CanonicalFormatTest, OnlyAReaderOfTheSameNameUsesAFilter) {
  const std::string names[] = {"", "a", "b", "ab", "app.Case", std::string(64, 'n')};
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    for (const int num_keys : {0, 100, 3000}) {
      for (const std::string& written : names) {
        const std::string filter = Write(options, num_keys, written);
        EXPECT_EQ(RecordedCanonicalizer(filter), written);
        for (const std::string& read : names) {
          std::string why;
          const Payload payload = core::DecodeStandalone(filter, &why, read);
          EXPECT_EQ(Matches(payload, 0, num_keys), num_keys);
          if (read == written) {
            EXPECT_LT(Matches(payload, num_keys, num_keys + 1000), 30) << why;
          } else {
            ASSERT_EQ(payload.layout, Layout::kAlwaysMatch);
            EXPECT_EQ(why, "its canonicalizer is " + (written.empty() ? "none" : written) +
                               "; the reader's is " + (read.empty() ? "none" : read));
          }
        }
      }
    }
  }
}

TEST(CanonicalFormatTest, AViewUsesAFilterIfItIsToldTheCanonicalizer) {
  const std::string filter = Write(FilterOptions(), 1000, "app.Case", core::StandaloneShape);
  EXPECT_TRUE(FilterView::Open(filter).AlwaysMatches());
  EXPECT_TRUE(FilterView::Open(filter, "app.case").AlwaysMatches());
  const FilterView view = FilterView::Open(filter, "app.Case");
  EXPECT_FALSE(view.AlwaysMatches());
  int matches = 0;
  for (int i = 0; i < 2000; ++i) matches += view.MayMatch("key" + std::to_string(i));
  EXPECT_GE(matches, 1000);
  EXPECT_LT(matches, 1050);
  EXPECT_FALSE(FilterView::Open(Write(FilterOptions(), 10, ""), "").AlwaysMatches());
  EXPECT_TRUE(FilterView::Open(Write(FilterOptions(), 10, ""), "app.Case").AlwaysMatches());
}

TEST(CanonicalFormatTest, ANameThatDoesNotFitMayMatch) {
  const std::string filter = Write(FilterOptions(), 100, "app.Case");
  const size_t length_at = filter.size() - core::kTrailerBytes - 1;
  for (int length = 0; length < 256; ++length) {
    std::string changed = filter;
    changed[length_at] = static_cast<char>(length);
    const bool has_name = length >= 1 && length <= 64;
    EXPECT_EQ(RecordedCanonicalizer(changed).size(), has_name ? length : 0u);
    std::string why;
    EXPECT_EQ(core::DecodeStandalone(changed, &why, "app.Case").layout != Layout::kAlwaysMatch,
              length == 8)
        << why;
    // No name at all is not the name of no canonicalizer.
    EXPECT_EQ(core::DecodeStandalone(changed).layout, Layout::kAlwaysMatch);
  }
  // Each length of the whole, from a trailer alone on: a name may not begin before the filter.
  tests::GuardedBytes guarded(filter.size());
  for (size_t size = 0; size <= filter.size(); ++size) {
    const std::string_view end = guarded.AtEnd(filter.substr(filter.size() - size));
    const Payload payload = core::DecodeStandalone(end, nullptr, "app.Case");
    EXPECT_EQ(payload.layout != Layout::kAlwaysMatch, size == filter.size()) << size;
    EXPECT_EQ(RecordedCanonicalizer(end), size >= core::EndBytes("app.Case") ? "app.Case" : "");
  }
}

TEST(CanonicalFormatTest, OtherVersionsMayMatch) {
  std::string filter = Write(FilterOptions(), 100, "app.Case");
  for (int version = 0; version < 256; ++version) {
    filter.back() = static_cast<char>(version);
    EXPECT_EQ(RecordedCanonicalizer(filter).empty(), version != 2);
    EXPECT_EQ(core::DecodeStandalone(filter, nullptr, "app.Case").layout != Layout::kAlwaysMatch,
              version == 2);
    EXPECT_EQ(core::DecodeStandalone(filter).layout, Layout::kAlwaysMatch) << version;
  }
}

TEST(CanonicalFormatTest, TheNameIsPaidForByTheKeys) {
  const std::string name(40, 'n');
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    for (const int num_keys : {1000, 3000, 20000}) {
      for (const auto shape : {core::StandaloneShape, core::TableShape}) {
        const double paid = num_keys * options.bits_per_key / 8;
        const auto bytes = static_cast<double>(Write(options, num_keys, name, shape).size());
        EXPECT_LT(bytes, paid + 64) << num_keys;
        EXPECT_GE(bytes, paid) << num_keys;
      }
    }
    // In small sets too, and the other way round.
    for (const uint64_t bytes : {300u, 1000u, 4096u}) {
      const uint64_t end = core::EndBytes(name);
      const uint64_t most = core::MaxTableKeys(format, 10, bytes, end);
      const auto bytes_of = [&](uint64_t n) {
        return core::TableShape(format, n, 10, 6, UINT64_MAX, end).payload_bytes() + end;
      };
      EXPECT_LE(bytes_of(most), bytes);
      EXPECT_GT(bytes_of(most + 1), bytes);
    }
  }
}

TEST(CanonicalFormatTest, LostKeysMakeAFilterMatchEverythingUnderItsName) {
  core::FilterWriter writer(FilterOptions(), UINT64_MAX, core::TableShape, "app.Case");
  writer.AddKey("a key");
  writer.LoseKeys("a reason");
  std::string filter(writer.FinishedBytes(), '\0');
  writer.FinishTo(filter.data());
  EXPECT_EQ(writer.error(), "a reason");
  EXPECT_EQ(RecordedCanonicalizer(filter), "app.Case");
  EXPECT_EQ(Matches(core::DecodeStandalone(filter, nullptr, "app.Case"), 0, 100), 100);
  // The next filter is as good as ever.
  writer.AddKey("key1");
  filter.resize(writer.FinishedBytes());
  writer.FinishTo(filter.data());
  EXPECT_EQ(writer.error(), "");
  EXPECT_LT(Matches(core::DecodeStandalone(filter, nullptr, "app.Case"), 0, 100), 10);
}

TEST(CanonicalKeyTest, BuffersHoldKeysOfAnyLength) {
  CanonicalKeyBuffer buffer;
  for (const size_t size : {0, 1, 127, 128, 129, 5000, 200, 100000, 64}) {
    char* const bytes = buffer.Bytes(size);
    std::fill(bytes, bytes + size, 'x');  // the sanitizers watch
  }
}

TEST(CanonicalKeyTest, ExceptionsBecomeReasons) {
  const tests::ThrowingFolding folding;
  core::CanonicalKey key;
  key.Set(folding, "A Key");
  EXPECT_TRUE(key.is_known());
  EXPECT_EQ(key.bytes(), "a key");
  key.Set(folding, "no memory");
  EXPECT_FALSE(key.is_known());
  EXPECT_EQ(key.error(), "out of memory");
  key.Set(folding, "an int");
  EXPECT_EQ(key.error(), "the key canonicalizer threw an exception");
  key.Set(folding, "X");
  EXPECT_TRUE(key.is_known());
}

TEST(CanonicalKeyTest, NamesAreShortAndPlain) {
  const auto error_of = [](const char* name) {
    core::ErrorText error;
    core::CheckCanonicalizerName(name, &error);
    return error.str();
  };
  const std::string longest(64, 'n');
  for (const char* name : {"a", "app.Case-Folding_2", "Z9", longest.c_str()}) {
    EXPECT_EQ(error_of(name), "");
  }
  const std::string allowed = "; allowed: 1 to 64 letters, digits, '.', '_' and '-' of ASCII";
  EXPECT_EQ(error_of("a name"), "the canonicalizer's name is 'a name'" + allowed);
  EXPECT_EQ(error_of(""), "the canonicalizer's name is ''" + allowed);
  EXPECT_EQ(error_of(nullptr), "the canonicalizer's name is ''" + allowed);
  for (const char* name : {"a;b", "{a}", "a=b", "a:b", "a/b", "\xc3\xa4", "a\n", "@", "[", "`"}) {
    EXPECT_NE(error_of(name), "") << name;
  }
  EXPECT_EQ(error_of(std::string(65, 'n').c_str()),
            "the canonicalizer's name is '" + std::string(64, 'n') + "...'" + allowed);
}

}  // namespace
}  // namespace bloomline
