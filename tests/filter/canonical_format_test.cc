// Filters that record a canonicalizer (docs/format.md, section 5), without an engine.
#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "bloomline/filter.h"
#include "bloomline/key_canonicalizer.h"
#include "src/filter/container/shapes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/keys/callback_canonicalizer.h"
#include "src/filter/keys/canonical_keys.h"
#include "src/filter/layouts/hash_query.h"
#include "src/filter/writer/filter_writer.h"
#include "src/support/error_text.h"
#include "tests/support/case_folding.h"
#include "tests/support/finished_filter.h"

namespace bloomline {
namespace {

using filter::Layout;
using filter::Payload;

std::string Write(const FilterOptions& options, int num_keys, std::string_view canonicalizer,
                  tests::ShapeFunction shape = filter::TableShape) {
  filter::FilterWriter writer(options, {canonicalizer, {}});
  for (int i = 0; i < num_keys; ++i) writer.AddKey("key" + std::to_string(i));
  return tests::FinishedFilter(&writer, shape);
}

int Matches(const Payload& payload, int first, int last) {
  int matches = 0;
  for (int i = first; i < last; ++i) {
    matches += filter::HashMayMatch(payload, kernels::ActiveKernel(),
                                    filter::Hash64("key" + std::to_string(i), payload.seed));
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
          const Payload payload = filter::DecodeTrailer(filter, &why, read);
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
  const std::string filter = Write(FilterOptions(), 1000, "app.Case", filter::StandaloneShape);
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

// A name goes to terminals and JSON. Damage may be any bytes.
TEST(CanonicalFormatTest, OnlyAllowedNamesAreShown) {
  for (const char* odd : {"\x1b[31m", "a b", "name\n", "\xff"}) {
    const std::string filter = Write(FilterOptions(), 100, odd);
    EXPECT_EQ(RecordedCanonicalizer(filter), "");
    std::string why;
    EXPECT_EQ(filter::DecodeTrailer(filter, &why).layout, Layout::kAlwaysMatch);
    EXPECT_EQ(why, "its canonicalizer is a name that is not allowed; the reader's is none");
  }
}

TEST(CanonicalFormatTest, TheNameIsPaidForByTheKeys) {
  const std::string name(40, 'n');
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    for (const int num_keys : {1000, 3000, 20000}) {
      for (const auto shape : {filter::StandaloneShape, filter::TableShape}) {
        const double paid = num_keys * options.bits_per_key / 8;
        const auto bytes = static_cast<double>(Write(options, num_keys, name, shape).size());
        EXPECT_LT(bytes, paid + 64) << num_keys;
        EXPECT_GE(bytes, paid) << num_keys;
      }
    }
    // In small sets too, and the other way round.
    for (const uint64_t bytes : {300u, 1000u, 4096u}) {
      const uint64_t end = filter::EndBytes({name, {}});
      const uint64_t most = filter::MaxTableKeys(format, 10, bytes, end);
      const auto bytes_of = [&](uint64_t n) {
        return filter::TableShape(format, n, 10, end).payload_bytes() + end;
      };
      EXPECT_LE(bytes_of(most), bytes);
      EXPECT_GT(bytes_of(most + 1), bytes);
    }
  }
}

TEST(CanonicalFormatTest, LostKeysMakeAFilterMatchEverythingUnderItsName) {
  filter::FilterWriter writer(FilterOptions(), {"app.Case", {}});
  writer.AddKey("a key");
  writer.MatchEverything("a reason");
  std::string filter = tests::FinishedFilter(&writer, filter::TableShape);
  EXPECT_EQ(writer.error(), "a reason");
  EXPECT_EQ(RecordedCanonicalizer(filter), "app.Case");
  EXPECT_EQ(Matches(filter::DecodeTrailer(filter, nullptr, "app.Case"), 0, 100), 100);
  // The next filter is as good as ever.
  writer.AddKey("key1");
  filter = tests::FinishedFilter(&writer, filter::TableShape);
  EXPECT_EQ(writer.error(), "");
  EXPECT_LT(Matches(filter::DecodeTrailer(filter, nullptr, "app.Case"), 0, 100), 10);
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
  filter::CanonicalKey key;
  key.Set(folding, "A Key");
  EXPECT_TRUE(key.is_known());
  EXPECT_EQ(key.bytes(), "a key");
  key.Set(folding, "no memory");
  EXPECT_FALSE(key.is_known());
  EXPECT_EQ(key.error(), "out of memory");
  key.Set(folding, "an int");
  EXPECT_EQ(key.error(), "the key canonicalizer has no form of a key");
  key.Set(folding, "X");
  EXPECT_TRUE(key.is_known());
}

TEST(CanonicalKeyTest, ACallbackWithoutAFormIsNotOutOfMemory) {
  const filter::CallbackCanonicalizer canonicalizer(
      "test.Callback",
      filter::OwnedCallback({[](void*, const char* key, size_t length, char*, size_t capacity) {
                               // SIZE_MAX: none. Else it asks for ever more.
                               return length != 0 && *key == 'm' ? capacity + 1 : SIZE_MAX;
                             },
                             nullptr, nullptr}));
  for (const char* without : {"", "none", "more"}) {
    filter::CanonicalKey key;
    key.Set(canonicalizer, without);
    EXPECT_EQ(key.error(), "the key canonicalizer has no form of a key") << without;
  }
}

// A form of a key has its bytes in upper case, twice, and 200 more.
TEST(CanonicalKeyTest, ACallbackGetsRoomForALongForm) {
  int calls = 0;
  const auto fold = [](void* state, const char* key, size_t length, char* buffer, size_t capacity) {
    ++*static_cast<int*>(state);
    const std::string_view from(key, length);
    std::string form = std::string(from) + std::string(from) + std::string(200, '.');
    for (char& c : form) c = static_cast<char>(std::toupper(c));
    if (form.size() <= capacity) form.copy(buffer, form.size());
    return form.size();
  };
  const filter::CallbackCanonicalizer canonicalizer("test.Callback",
                                                    filter::OwnedCallback({fold, &calls, nullptr}));
  filter::CanonicalKey key;
  key.Set(canonicalizer, "key");
  ASSERT_TRUE(key.is_known()) << key.error();
  EXPECT_EQ(key.bytes(), "KEYKEY" + std::string(200, '.'));
  EXPECT_EQ(calls, 2);
  const std::string long_key(5000, 'k');
  key.Set(canonicalizer, long_key);
  ASSERT_TRUE(key.is_known()) << key.error();
  EXPECT_EQ(key.bytes(), std::string(10000, 'K') + std::string(200, '.'));
  EXPECT_EQ(calls, 4);

  // A filter of such forms finds keys of any case, and rejects others.
  filter::FilterWriter writer(FilterOptions(), {canonicalizer.Name(), {}});
  for (int i = 0; i < 1000; ++i) {
    key.Set(canonicalizer, "key" + std::to_string(i));
    writer.AddKey(key.bytes());
  }
  const std::string filter = tests::FinishedFilter(&writer, filter::StandaloneShape);
  const FilterView view = FilterView::Open(filter, canonicalizer.Name());
  int matches = 0;
  for (int i = 0; i < 2000; ++i) {
    key.Set(canonicalizer, "Key" + std::to_string(i));
    const bool may_match = view.MayMatch(key.bytes());
    EXPECT_TRUE(may_match || i >= 1000) << i;
    matches += may_match ? 1 : 0;
  }
  EXPECT_LT(matches, 1050);
}

TEST(CanonicalKeyTest, NamesAreShortAndPlain) {
  const auto error_of = [](const char* name) {
    support::ErrorText error;
    filter::CheckCanonicalizerName(name, &error);
    return error.str();
  };
  const std::string longest(64, 'n');
  for (const char* name : {"a", "z", "A", "Z9", "0", "app.Case-Folding_2", longest.c_str()}) {
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
