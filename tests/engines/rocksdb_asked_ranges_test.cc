// The sample of ranges inside RocksDB: readers add to it, and later files follow it.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/bits_reader.h"
#include "src/filter/container/trailer.h"
#include "src/filter/ranges/asked_ranges.h"
#include "src/filter/ranges/range_entries.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/finished_filter.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using rocksdb::Slice;

filter::EntryKinds Cells(uint16_t bits) {
  filter::EntryKinds kinds;
  kinds.cells[kinds.num_cells++].bits = bits;
  return kinds;
}

// A filter of two keys, with entries for their first bytes.
std::string SmallFilter() {
  filter::RangeEntryOptions options;
  options.kinds = Cells(8);
  filter::RangeEntries entries(options);
  filter::FilterWriter writer{FilterOptions()};
  for (const char* key : {"", "ant", "bee"}) {
    entries.Add(key, &writer);
    writer.AddKey(key);
  }
  entries.Finish(false, &writer);
  return FinishedFilter(&writer);
}

TEST(RocksDBAskedRangesTest, ReadersAddRangesToTheSampleAndKeepIt) {
  const auto extractor = NewRangeExtractor();
  const std::string filter = SmallFilter();
  auto sample = std::make_shared<filter::AskedByFamily>();
  const std::weak_ptr<filter::AskedByFamily> watched = sample;
  std::unique_ptr<rocksdb::FilterBitsReader> reader(
      NewRocksDBBitsReader(filter, filter::UnlabelledCounts(), sample));
  for (int i = 0; i < 2000; ++i) {
    reader->MayMatch(Slice("ant"));
    reader->MayMatch(Slice(""));
  }
  EXPECT_EQ(sample->Find(0), nullptr);
  const auto query = [&] {
    const Slice prefix = extractor->Transform("cat:");
    extractor->Transform("cat;");
    return reader->MayMatch(prefix);
  };
  for (int i = 0; i < 2000; ++i) ASSERT_FALSE(query());
  ASSERT_NE(sample->Find(0), nullptr);
  filter::AskedShape shapes[2];
  ASSERT_EQ(sample->Find(0)->Copy(shapes, 2), 1u);
  EXPECT_TRUE(shapes[0].is_prefix);
  EXPECT_EQ(shapes[0].resolution_bits, 32);
  EXPECT_EQ(shapes[0].last_byte, ':');
  EXPECT_GT(shapes[0].count, 50u);
  sample.reset();  // as the policy of a reader in a block cache may
  EXPECT_FALSE(watched.expired());
  EXPECT_FALSE(query());
  reader.reset();
  EXPECT_TRUE(watched.expired());
}

// Keys of ten letters, of which scans ask for the first six: nothing in the keys says so.
TEST(RocksDBAskedRangesTest, LaterFilesHaveWhatScansAskFor) {
  const TempDir dir;
  RocksDBFilterOptions filter;
  filter.format = Format::kCompact;
  filter.range_prefixes = "auto";
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBFilterPolicy(filter);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.prefix_extractor = NewRangeExtractor();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.statistics = rocksdb::CreateDBStatistics();
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(OpenRocksDB(options, dir.Path("db"), &db).ok());
  std::mt19937_64 random(1);
  const auto word = [&](size_t size) {
    std::string text(size, 'a');
    for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
    return text;
  };
  const auto skipped = [&] {
    uint64_t sum = options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 803  // these count seeks
    sum += options.statistics->getTickerCount(rocksdb::NON_LAST_LEVEL_SEEK_FILTERED) +
           options.statistics->getTickerCount(rocksdb::LAST_LEVEL_SEEK_FILTERED);
#endif
    return sum;
  };
  const auto scan = [&](uint64_t num_scans) {
    const uint64_t before = skipped();
    for (uint64_t i = 0; i < num_scans; ++i) {
      const std::string begin = word(6);
      std::string end = begin;
      ++end.back();
      const Slice bound(end);
      rocksdb::ReadOptions read;
      read.iterate_upper_bound = &bound;
      const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
      iterator->Seek(begin);
      EXPECT_TRUE(iterator->status().ok());
    }
    return skipped() - before;
  };
  constexpr int kKeys = 30000;
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db->Put({}, word(10), "value").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  scan(10000);  // of which one in 16 is sampled, if other tests were first
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db->CompactRange(all, nullptr, nullptr).ok());
  EXPECT_GT(scan(1000), 500U);
}

}  // namespace
}  // namespace bloomline::tests
