// Filters in bloomline's trailer container, as RocksDB's tables have them, and what needs no
// engine. With the engines: engine_filters_rocksdb_test.cc, engine_filters_leveldb_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/container/shapes.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/db/engine_filter_checks.h"
#include "tests/support/finished_filter.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline::engine_filters {
namespace {

constexpr char kName[] = "rocksdb.BuiltinBloomFilter";

FilterOptions Options(Format format, double bits_per_key, uint64_t seed = 0) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  options.seed = seed;
  return options;
}

// As RocksDB's adaptor writes it, which has layouts of their own for few keys.
std::string Build(const FilterOptions& options, const std::vector<std::string>& keys) {
  filter::FilterWriter writer(options);
  for (const std::string& key : keys) writer.AddKey(key);
  return tests::FinishedFilter(&writer, filter::TableShape);
}

EngineFilter Open(std::string_view bytes) {
  return EngineFilter::Open(Container::kRocksDB, kName, bytes);
}

// As bloomline's reader, which is FilterView; RocksDB's takes other bytes than bloomline's.
void ExpectSameAnswers(std::string_view bytes, const std::vector<std::string>& keys) {
  const FilterView view = FilterView::Open(bytes);
  ExpectAnswers(Open(bytes), keys, [&](std::string_view key) { return view.MayMatch(key); });
}

constexpr size_t kTrailerBytes = 20;
bool EndsAsBloomline(const std::string& bytes) {
  return bytes.size() >= kTrailerBytes &&
         bytes.substr(bytes.size() - 5, 4) == std::string("\0bLn", 4);
}

TEST(EngineFiltersTest, AnswersAsBloomlineDoes) {
  const std::vector<std::string> stored = RandomKeys(3000, 1);
  const std::vector<std::string> others = RandomKeys(200, 2);
  std::set<Kind> layouts;
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    for (const double bits : {3.5, 6.0, 10.0, 20.0}) {
      for (size_t n = 0; n <= 3000; n += n < 40 ? 1 : n / 5) {
        SCOPED_TRACE(n);
        std::vector<std::string> keys = FirstOf(stored, n);
        const std::string bytes = Build(Options(format, bits, n % 2 * 77), keys);
        const EngineFilter filter = Open(bytes);
        layouts.insert(filter.kind());
        ASSERT_TRUE(filter.CanQuery());
        ASSERT_EQ(filter.why(), "");
        for (const std::string& key : keys) ASSERT_TRUE(filter.MayMatch(key));
        keys.insert(keys.end(), others.begin(), others.end());
        ExpectSameAnswers(bytes, keys);
        if (HasFatalFailure()) return;
      }
    }
  }
  const std::set<Kind> all = {Kind::kNoKeys, KindOf(filter::Layout::kFlat),
                              KindOf(filter::Layout::kBlocked), KindOf(filter::Layout::kCompact)};
  EXPECT_EQ(layouts, all);
}

TEST(EngineFiltersTest, AnswersAsBloomlineDoesWhenDamaged) {
  const std::vector<std::string> keys = RandomKeys(40, 3);
  tests::GuardedBytes guarded(64 << 10);
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    for (const size_t n : {0, 1, 40}) {
      const std::string bytes = Build(Options(format, 10, 5), FirstOf(keys, n));
      ForEachDamage(bytes, kTrailerBytes, [&](const std::string& damaged) {
        const std::string_view placed = guarded.AtEnd(damaged);
        if (EndsAsBloomline(damaged)) return ExpectSameAnswers(placed, keys);
        for (const std::string& key : keys) Open(placed).MayMatch(key);  // reads nothing outside
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(EngineFiltersTest, ABrokenTrailerMatchesEveryKeyAndSaysWhy) {
  const std::vector<std::string> keys = RandomKeys(40, 4);
  std::string bytes = Build(Options(Format::kBlocked, 10), keys);
  bytes.back() = 9;
  const EngineFilter version = Open(bytes);
  EXPECT_EQ(version.kind(), Kind::kUnknown);
  EXPECT_EQ(version.why(), "version is 9; known: 1");
  EXPECT_FALSE(version.CanQuery());
  EXPECT_TRUE(version.MayMatch("missing"));

  bytes.back() = 1;
  bytes[bytes.size() - 8] = 0;  // layout: matches every key
  EXPECT_EQ(Open(bytes).kind(), Kind::kAlwaysMatch);
  EXPECT_TRUE(Open(bytes).MayMatch("missing"));
  EXPECT_EQ(Open(bytes).ExpectedRate(7), 1);
  bytes.back() = 9;
  EXPECT_EQ(Open(bytes).kind(), Kind::kUnknown);
}

// It has canonical forms in place of keys.
TEST(EngineFiltersTest, AFilterUnderAnotherNameIsNotKnown) {
  const std::vector<std::string> keys = RandomKeys(400, 5);
  const std::string bytes = Build(Options(Format::kBlocked, 10), keys);
  const EngineFilter filter = EngineFilter::Open(
      Container::kRocksDB, std::string(kName) + ".canonicalizer-app.Case", bytes);
  EXPECT_EQ(filter.kind(), Kind::kUnknown);
  for (const std::string& key : RandomKeys(200, 6)) EXPECT_TRUE(filter.MayMatch(key));
}

// The highest byte first.
std::string NumberKey(uint64_t number) {
  std::string key(8, '\0');
  for (size_t i = 0; i < 8; ++i) key[7 - i] = static_cast<char>(number >> (8 * i));
  return key;
}

// A filter of squares, with entries for their first 30 and 61 bits.
std::string BuildWithRanges(Format format, double bits_per_key, size_t num_keys) {
  filter::RangeEntryOptions options;
  options.kinds.num_cells = 2;
  options.kinds.cells[0] = {30};
  options.kinds.cells[1] = {61};
  options.memory = 1.5;
  filter::RangeEntries entries(options);
  filter::FilterWriter writer(Options(format, bits_per_key, 9));
  entries.Add("", &writer);
  for (size_t i = 0; i < num_keys; ++i) {
    const std::string key = NumberKey(i * i);
    entries.Add(key, &writer);
    writer.AddKey(key);
  }
  entries.Finish(false, &writer);
  return tests::FinishedFilter(&writer, filter::TableShape);
}

TEST(EngineFiltersTest, AnswersForRanges) {
  constexpr size_t kKeys = 3000;
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    const std::string bytes = BuildWithRanges(format, 10, kKeys);
    const EngineFilter filter = Open(bytes);
    ASSERT_NE(filter.ranges(), nullptr);
    EXPECT_EQ(filter.ranges()->kinds.cells[1].bits, 61);
    // Entries take nothing of the keys' bits.
    constexpr double kKeyBytes = 10 * kKeys / 8;
    EXPECT_NEAR(static_cast<double>(filter.payload_bytes()), kKeyBytes, 0.03 * kKeyBytes);
    constexpr size_t kFieldBytes = 16;
    constexpr size_t kExtensionBytes = 2 + 6 + 2 + kFieldBytes;
    EXPECT_EQ(filter.payload_bytes() + filter.entry_bytes() + kExtensionBytes + kTrailerBytes,
              bytes.size());
    EXPECT_LT(filter.ExpectedRate(kKeys), 0.011);
    size_t rejected = 0;
    for (uint64_t i = 0; i + 1 < kKeys; ++i) {
      const std::string key = NumberKey(i * i);
      const std::string behind = NumberKey(i * i + 1);
      const std::string end = NumberKey(i * i + 1 + std::min<uint64_t>(2 * i, 16));
      ASSERT_TRUE(filter.RangeMayMatch(key, behind)) << i;
      rejected += filter.RangeMayMatch(behind, end) ? 0 : 1;
    }
    EXPECT_GT(rejected, kKeys / 2);
    // Without the field, every range may match.
    const EngineFilter without = Open(Build(Options(format, 10), {"key"}));
    EXPECT_EQ(without.ranges(), nullptr);
    EXPECT_EQ(without.entry_bytes(), 0U);
    EXPECT_TRUE(without.RangeMayMatch("a", "b"));
    // Neither where it breaks the rules: the least length of a key is above the greatest.
    std::string broken = bytes;
    broken[bytes.size() - kTrailerBytes - kFieldBytes] = 9;
    EXPECT_EQ(Open(broken).ranges(), nullptr);
    EXPECT_EQ(Open(broken).entry_bytes(), filter.entry_bytes());
    EXPECT_TRUE(Open(broken).MayMatch(NumberKey(4)));
  }
}

TEST(EngineFiltersTest, HasTheRateThatIsExpected) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    for (const size_t n : {150, 5000}) {
      SCOPED_TRACE(n);
      const bool compact = format == Format::kCompact;
      ExpectRates({Container::kRocksDB, kName, n}, [&](const std::vector<std::string>& keys) {
        return Build(Options(format, compact ? 7 : 9), keys);
      });
    }
  }
}

TEST(EngineFiltersTest, ExtremeNumbersOfKeysGiveRatesAtOnce) {
  const std::string layouts[] = {
      std::string(128, '\x55') + std::string("\xFF\0\x1E\0\0", 5),
      std::string(128, '\x55') + std::string("\x06\x02\0\0\0", 5),
      std::string(128, '\x55') + std::string("\x7F\x02\0\0\0", 5),
      std::string(128, '\x55') + std::string("\x7F\x80\0\0\0", 5),
      std::string(1 << 20, '\x55') + std::string("\x06\x01\0\0\0", 5),
      std::string(1 << 20, '\x55') + std::string("\x06\0\x40\0\0", 5),
      std::string(1 << 20, '\xFF') + std::string("\x1E\0\x40\0\0", 5),
      std::string(1 << 20, '\0') + std::string("\x1E\0\x40\0\0", 5),
  };
  for (const std::string& bytes : layouts) {
    const EngineFilter filter = Open(bytes);
    ASSERT_TRUE(filter.CanQuery()) << filter.why();
    double before = 0;
    for (const uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{100}, uint64_t{5000},
                             uint64_t{1000000000000}, UINT64_MAX}) {
      const double rate = filter.ExpectedRate(n);
      EXPECT_GE(rate, 0.97 * before);
      EXPECT_LE(rate, 1);
      before = rate;
    }
    EXPECT_GT(before, 0.99);
  }
  std::string classic(1 << 21, '\x55');
  classic.back() = 30;
  const EngineFilter filter = EngineFilter::Open(Container::kLevelDB, "", classic);
  EXPECT_LT(filter.ExpectedRate(1000), 1e-3);
  EXPECT_GT(filter.ExpectedRate(UINT64_MAX), 0.99);
}

}  // namespace
}  // namespace bloomline::engine_filters
