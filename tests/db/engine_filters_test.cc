// Filters in bloomline's trailer container, as RocksDB's tables have them, and what needs no
// engine. With the engines: planted_losses_test.cc. Any bytes: engine_filters_fuzzer.cc.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/table_bytes.h"
#include "src/filter/kernel/kernel.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/db/table_entries.h"
#include "tests/support/finished_filter.h"
#include "tests/support/leveldb_filter.h"

namespace bloomline::engine_filters::engine_filters_test {
namespace {

// Random bytes. Every fourth key has another length, up to 300.
std::vector<std::string> RandomKeys(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys(count);
  for (size_t i = 0; i < count; ++i) {
    keys[i].resize(i % 4 == 0 ? i / 4 % 301 : 8 + i % 12);
    for (char& c : keys[i]) c = static_cast<char>(random());
  }
  return keys;
}

std::vector<std::string> FirstOf(const std::vector<std::string>& keys, size_t count) {
  return {keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count)};
}

// expected(key) is the answer of the filter's engine. Batches must give the same.
template <typename Expected>
void ExpectAnswers(const EngineFilter& filter, const std::vector<std::string>& keys,
                   Expected expected) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const std::unique_ptr<bool[]> batch(new bool[keys.size() + 1]);
  const size_t matches = filter.MayMatch(keys.size(), views.data(), batch.get());
  size_t expected_matches = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool answer = expected(views[i]);
    expected_matches += answer ? 1 : 0;
    ASSERT_EQ(filter.MayMatch(views[i]), answer)
        << "key " << i << " of a filter with " << LayoutName(filter.layout) << " " << filter.why;
    ASSERT_EQ(batch[i], answer) << "key " << i << " in a batch";
  }
  EXPECT_EQ(matches, expected_matches);
}

// As RocksDB's adaptor writes it, which has layouts of their own for few keys.
std::string Build(const FilterOptions& options, const std::vector<std::string>& keys) {
  filter::FilterWriter writer(options);
  for (const std::string& key : keys) writer.AddKey(key);
  return tests::FinishedFilter(&writer, filter::SSTableShape);
}

EngineFilter Open(std::string_view bytes) {
  return EngineFilter::Open(Container::kRocksDB, kRocksDBName, bytes);
}

// Filters of up to 3,000 keys.
TEST(EngineFiltersTest, AnswersAsBloomlineDoes) {
  const std::vector<std::string> stored = RandomKeys(3000, 1);
  const std::vector<std::string> others = RandomKeys(300, 2);
  std::set<std::string> layouts;
  for (size_t n = 0; n <= stored.size(); n += n < 70 ? 1 : n / 9) {
    SCOPED_TRACE(n);
    std::vector<std::string> keys = FirstOf(stored, n);
    const std::string bytes = Build({Format::kBlocked, 10, n % 2 * 77}, keys);
    const EngineFilter filter = Open(bytes);
    ASSERT_TRUE(filter.CanQuery()) << filter.why;
    layouts.insert(LayoutName(filter.layout));
    for (const std::string& key : keys) ASSERT_TRUE(filter.MayMatch(key));
    keys.insert(keys.end(), others.begin(), others.end());
    const FilterView view = FilterView::Open(bytes);
    ExpectAnswers(filter, keys, [&](std::string_view key) { return view.MayMatch(key); });
    if (HasFatalFailure()) return;
  }
  const std::set<std::string> all = {LayoutName(FilterLayout::kNoKeys), "bloomline flat",
                                     "bloomline blocked"};
  EXPECT_EQ(layouts, all);
}

// Also on CPUs for which there is no engine. With the engines: released_databases_test.cc.
TEST(EngineFiltersTest, FiltersOfReleasesHaveTheirKeys) {
  std::set<std::string> names;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(BLOOMLINE_GOLDEN_DIR "/releases")) {
    if (file.path().extension() != ".ldb" && file.path().extension() != ".sst") continue;
    SCOPED_TRACE(file.path());
    const auto table = tests::OpenTable(file.path());
    ASSERT_NE(table, nullptr);
    std::string error;
    const auto filters = table->NewFilterReader(&error);
    ASSERT_NE(filters, nullptr) << error;
    const std::vector<tests::TableEntry> entries = tests::TableEntries(*table);
    size_t false_positives = 0, queries = 0;
    for (const tests::TableEntry& entry : entries) {
      std::string_view bytes;
      ASSERT_TRUE(filters->Read(filters->FilterOf(entry.key, entry.sequence, entry.block_offset),
                                &bytes, &error))
          << error;
      const EngineFilter filter = EngineFilter::Open(table->engine(), table->filter_name(), bytes);
      ASSERT_TRUE(filter.MayMatch(entry.key)) << entry.key;
      names.insert(filter.entry_bytes == 0 ? LayoutName(filter.layout) : "ranges");
      if (filter.layout == FilterLayout::kFormerCompact) {
        ASSERT_TRUE(filter.MayMatch(entry.key + "x"));
        continue;
      }
      ++queries;
      false_positives += filter.MayMatch(entry.key + "x");
    }
    EXPECT_LE(false_positives, queries / 5);  // some have 5 bits per key
  }
  const std::set<std::string> all = {"LevelDB Bloom",
                                     "RocksDB Bloom",
                                     "RocksDB Ribbon",
                                     "RocksDB legacy Bloom",
                                     "ranges",
                                     "bloomline blocked",
                                     "bloomline flat",
                                     "bloomline small set",
                                     "bloomline compact (before 0.4.0)"};
  EXPECT_EQ(names, all);
}

// RocksDB's trailer of five bytes, behind two blocks without a set bit.
std::string Stock(std::string_view trailer) { return std::string(128, '\0').append(trailer); }

// The layouts that match no key, each key and some keys, and the reasons for what cannot be
// queried.
TEST(EngineFiltersTest, WhatIsNotUnderstoodMatchesEveryKey) {
  const std::vector<std::string> keys = RandomKeys(36, 4);
  const std::string own = Build({Format::kBlocked, 10}, keys);
  std::string newer = own, matches_all = own;
  newer.back() = 9;
  matches_all[own.size() - 8] = 0;  // the layout
  const std::string former_compact =
      std::string(64, '\x55') + std::string("\0\0\0\0\0\0\0\0\1\0\0\0\3\5\0\0bLn\1", 20);
  const std::string leveldb =
      tests::LevelDBFilter({Format::kBlocked, 10}, {keys.begin(), keys.end()});
  const FilterLayout flat = FilterLayout::kFlat;
  const std::string block_based(kRocksDBName);
  const std::string seeded = "app.Filter.seed-0123456789abcdef0123456789abcdef";
  const struct {
    Container container;
    std::string name;
    std::string bytes;
    FilterLayout layout;
    std::string why;  // "": its keys can be queried
  } kCases[] = {
      {Container::kRocksDB, "", own, flat, ""},
      {Container::kRocksDB, "", newer, FilterLayout::kUnknown, "version is 9; known: 1"},
      {Container::kRocksDB, "", matches_all, FilterLayout::kAlwaysMatch, ""},
      {Container::kRocksDB, "", former_compact, FilterLayout::kFormerCompact, ""},
      {Container::kRocksDB, "company.Filter", own, FilterLayout::kUnknown,
       "the filter policy company.Filter is not known"},
      // It has canonical forms in place of keys.
      {Container::kRocksDB, "rocksdb.BuiltinBloomFilter.canonicalizer-app.Case", own,
       FilterLayout::kUnknown, "is not known"},
      {Container::kRocksDB, "", Stock({"\x06\x02\0\0\0", 5}), FilterLayout::kRocksDBLegacy, ""},
      {Container::kRocksDB, "", Stock({"\xFF\0\x06\0\0", 5}), FilterLayout::kRocksDBBloom, ""},
      {Container::kRocksDB, "", Stock({"\0\0\0\0\0", 5}), FilterLayout::kAlwaysMatch, ""},
      {Container::kRocksDB, "", "12345", FilterLayout::kNoKeys, ""},
      {Container::kRocksDB, "", Stock({"\xFD\0\x06\0\0", 5}), FilterLayout::kUnknown, "of kind -3"},
      {Container::kRocksDB, "", Stock({"\xFF\x01\x06\0\0", 5}), FilterLayout::kUnknown,
       "variant 1"},
      {Container::kRocksDB, "", Stock({"\xFF\0\x26\0\0", 5}), FilterLayout::kUnknown,
       "of 128 bytes"},
      {Container::kRocksDB, "", Stock({"\xFF\0\x1F\0\0", 5}), FilterLayout::kUnknown, "31 probes"},
      {Container::kRocksDB, "", Stock({"\xFE\0\x01\0\0", 5}), FilterLayout::kUnknown,
       "of 1 blocks"},
      {Container::kRocksDB, "", Stock({"\x06\x03\0\0\0", 5}), FilterLayout::kUnknown,
       "in 3 blocks"},
      {Container::kLevelDB, "", leveldb, flat, ""},
      {Container::kLevelDB, "app.bloomline", leveldb, flat, ""},
      {Container::kLevelDB, "", "\x06", FilterLayout::kNoKeys, ""},
      {Container::kLevelDB, "app.Filter", leveldb, FilterLayout::kUnknown,
       "the filter policy app.Filter is not known"},
      {Container::kLevelDB, seeded, leveldb, flat, "have a seed"},
      {Container::kLevelDB, seeded.substr(0, seeded.size() - 1) + "g", leveldb,
       FilterLayout::kUnknown, "is not known"},
      {Container::kLevelDB, "app.bloomline.canonicalizer-app.Case", leveldb, FilterLayout::kUnknown,
       "is not known"},
      // RocksDB's block-based filters have no codes.
      {Container::kLevelDB, block_based, std::string(9, '\0') + '\x1E',
       FilterLayout::kRocksDBBlockBased, ""},
      {Container::kLevelDB, block_based, std::string(9, '\0') + '\x1F', FilterLayout::kUnknown,
       "code 31"},
      {Container::kLevelDB, block_based, leveldb, FilterLayout::kUnknown, "which is reserved"},
      {Container::kLevelDB, block_based, std::string(9, '\0') + '\xFD', FilterLayout::kUnknown,
       "code 253"},
      {Container::kLevelDB, block_based, std::string(9, '\0') + '\0', FilterLayout::kAlwaysMatch,
       ""},
      {Container::kLevelDB, block_based, "\x06", FilterLayout::kNoKeys, ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name + " " + c.why);
    const EngineFilter filter = EngineFilter::Open(c.container, c.name, c.bytes);
    EXPECT_EQ(filter.layout, c.layout) << LayoutName(filter.layout);
    EXPECT_EQ(filter.CanQuery(), c.why.empty());
    EXPECT_NE(filter.why.find(c.why), std::string::npos) << filter.why;
    const bool matches_every_key = !c.why.empty() || c.layout == FilterLayout::kAlwaysMatch ||
                                   c.layout == FilterLayout::kFormerCompact;
    EXPECT_EQ(filter.MayMatch("missing"), matches_every_key);
    const bool is_of_these_keys = c.bytes == own || c.bytes == leveldb;
    for (const std::string& key : keys) EXPECT_TRUE(!is_of_these_keys || filter.MayMatch(key));
    if (c.layout == FilterLayout::kUnknown || c.layout == FilterLayout::kAlwaysMatch ||
        c.layout == FilterLayout::kFormerCompact) {
      EXPECT_EQ(filter.ExpectedRate(7), 1);
    }
  }
}

// LevelDB's filters before 1.18. They have RocksDB's hash (rocksdb_stock_formats_test.cc compares
// it with RocksDB's).
TEST(EngineFiltersTest, TheOldNameOfLevelDBMatchesWithEitherHash) {
  constexpr int kProbes = 6;
  const std::vector<std::string> keys = RandomKeys(36, 13);
  for (const auto hash : {filter::LevelDBHash32, filter::RocksDBHash32}) {
    std::string bytes(keys.size() * 10 / 8, '\0');
    const size_t num_bits = 8 * bytes.size();
    for (const std::string& key : keys) {
      kernels::LevelDBBloomInsert(bytes.data(), num_bits, kProbes, hash(key));
    }
    bytes += static_cast<char>(kProbes);
    const EngineFilter filter =
        EngineFilter::Open(Container::kLevelDB, "leveldb.BuiltinBloomFilter", bytes);
    for (const std::string& key : keys) EXPECT_TRUE(filter.MayMatch(key));
    ExpectAnswers(filter, RandomKeys(1000, 14), [&](std::string_view key) {
      return kernels::LevelDBBloomMayMatch(bytes.data(), num_bits, kProbes,
                                           filter::LevelDBHash32(key)) ||
             kernels::LevelDBBloomMayMatch(bytes.data(), num_bits, kProbes,
                                           filter::RocksDBHash32(key));
    });
  }
}

// Tables of RocksDB 6.29. tests/db/block_based_test.py computes the bits anew.
TEST(EngineFiltersTest, BlockBasedFiltersHaveTheirKeysAndPrefixes) {
  for (const char* const name : {"block-based", "block-based-prefixes"}) {
    const auto table =
        tests::OpenTable(std::string(BLOOMLINE_GOLDEN_DIR "/tables/rocksdb-6.29-") + name + ".sst");
    ASSERT_NE(table, nullptr);
    ASSERT_EQ(table->filter_kind(), tables::FilterKind::kByOffset);
    std::string error;
    const auto filters = table->NewFilterReader(&error);
    ASSERT_NE(filters, nullptr) << error;
    EXPECT_GT(filters->num_filters(), 2u);
    const bool has_prefixes = table->properties().prefix_filtering;
    size_t false_positives = 0;
    for (const tests::TableEntry& entry : tests::TableEntries(*table)) {
      std::string_view bytes;
      ASSERT_TRUE(filters->Read(filters->FilterOf(entry.key, entry.sequence, entry.block_offset),
                                &bytes, &error))
          << error;
      const EngineFilter filter =
          EngineFilter::Open(Container::kLevelDB, table->filter_name(), bytes);
      EXPECT_EQ(filter.layout, FilterLayout::kRocksDBBlockBased);
      EXPECT_TRUE(filter.MayMatch(entry.key)) << entry.key;
      EXPECT_TRUE(!has_prefixes || filter.MayMatch(entry.key.substr(0, 10))) << entry.key;
      for (const char* const suffix : {"x", "y", "z"}) {
        false_positives += filter.MayMatch(entry.key + suffix);
      }
    }
    EXPECT_LT(false_positives, 20u);  // 360 queries, 10 bits per key
  }
}

// RocksDB's Ribbon filters of few keys have whole columns, whatever bits per key are asked for.
TEST(EngineFiltersTest, FiguresAreThoseOfFiltersThatAreWritten) {
  const std::vector<std::string> stored = RandomKeys(6000, 15);
  for (const Format format : {Format::kBlocked, Format::kBloom, Format::kRibbon}) {
    for (const size_t n : {60, 150, 400, 1000, 2500, 6000}) {
      for (const double bits_per_key : {6.0, 7.0, 8.3, 9.0, 10.0, 14.5}) {
        SCOPED_TRACE(std::string(FormatName(format)) + " " + std::to_string(n) + " keys, " +
                     std::to_string(bits_per_key) + " bits");
        filter::FilterWriter writer({format, bits_per_key}, filter::PlanRow(format));
        for (const std::string& key : FirstOf(stored, n)) writer.AddKey(key);
        const filter::FilterShape shape = writer.Plan({0, 0, filter::kTrailerBytes});
        std::string bytes(static_cast<size_t>(shape.payload_bytes() + writer.end_bytes()), 'x');
        writer.FinishTo(shape, bytes.data());
        const FilterFigures figures = FiguresFor(Container::kRocksDB, format, n, bits_per_key);
        EXPECT_NEAR(figures.bytes_per_key * static_cast<double>(n),
                    static_cast<double>(bytes.size()), format == Format::kRibbon ? 16 : 0.01);
        const double rate = Open(bytes).ExpectedRate(n);
        EXPECT_NEAR(figures.rate, rate, 0.03 * rate);
      }
    }
  }
}

TEST(EngineFiltersTest, RatesRiseWithTheKeysToOne) {
  const std::string mebibyte(1 << 20, '\x55');
  for (const std::string& bytes :
       {Stock({"\xFF\0\x1E\0\0", 5}), Stock({"\x06\x02\0\0\0", 5}),
        mebibyte + std::string("\x06\x01\0\0\0", 5), mebibyte + std::string("\x06\0\x40\0\0", 5)}) {
    const EngineFilter filter = Open(bytes);
    ASSERT_TRUE(filter.CanQuery()) << filter.why;
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
}

}  // namespace
}  // namespace bloomline::engine_filters::engine_filters_test
