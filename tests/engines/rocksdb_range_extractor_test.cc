// The range extractor: which calls it takes for a range, and which options it refuses.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/engines/rocksdb/reader/bits_reader.h"
#include "src/filter/ranges/asked_ranges.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/range_filter.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_range_extractor_test {
namespace {

using rocksdb::Slice;

rocksdb::Options WithExtractor() {
  rocksdb::Options options = WithPolicy(NewRocksDBFilterPolicy(FilterOptions()));
  options.prefix_extractor = NewRangeExtractor();
  return options;
}

TEST(RocksDBRangeExtractorTest, OptionsThatNeedPrefixesAreRefused) {
  const struct {
    const char* options;
    const char* why;  // empty: they are allowed
  } kCases[] = {
      {"", ""},
      {"memtable_prefix_bloom_size_ratio=0.1;memtable_whole_key_filtering=true", ""},
      {"memtable_prefix_bloom_size_ratio=0.1",
       "memtable_prefix_bloom_size_ratio is above 0; allowed: 0, or "
       "memtable_whole_key_filtering=true"},
      {"comparator=rocksdb.ReverseBytewiseComparator",
       "comparator has another order than that of bytes; allowed: BytewiseComparator"},
      {"memtable_factory=prefix_hash:1000;allow_concurrent_memtable_write=false",
       "memtable_factory has a list for each prefix; allowed: skip_list, vector"},
      {"table_factory=PlainTable", "table_factory has another format; allowed: BlockBasedTable"},
      {"block_based_table_factory={whole_key_filtering=false}",
       "whole_key_filtering is false; allowed: true"},
      {"block_based_table_factory={index_type=kHashSearch}",
       "index_type is kHashSearch; allowed: the others"},
  };
  for (const auto& c : kCases) {
    rocksdb::Options options = WithExtractor();
    ASSERT_TRUE(rocksdb::GetOptionsFromString({}, options, c.options, &options).ok()) << c.options;
    const TempDir folder;
    std::unique_ptr<rocksdb::DB> db;
    const std::string refusal = "Invalid argument: prefix_extractor bloomline.ranges: ";
    EXPECT_EQ(OpenRocksDB(options, folder.Path("db"), &db).ToString(),
              *c.why == '\0' ? "OK" : refusal + c.why);
  }
}

// The bounds that a filter gets for a prefix; empty if it is not that of the last call but one.
std::string Bounds(const Slice& prefix) {
  std::string_view begin;
  std::string_view end;
  if (!engine::LastRange(prefix, &begin, &end)) return "";
  return std::string(begin) + "-" + std::string(end);
}

TEST(RocksDBRangeExtractorTest, OnlyTheLastTwoCallsAreARange) {
  const auto extractor = NewRangeExtractor();
  const Slice first = extractor->Transform("a");
  EXPECT_EQ(Bounds(first), "") << "one call";
  const Slice second = extractor->Transform("b");
  EXPECT_EQ(first, second);
  EXPECT_EQ(Bounds(first), "a-b");
  EXPECT_EQ(Bounds(first), "a-b") << "partitions ask again";
  EXPECT_EQ(Bounds(second), "");
  EXPECT_EQ(Bounds(Slice()), "");
  EXPECT_EQ(Bounds(Slice("", 0)), "");
  std::string in_thread = "not asked";
  std::thread([&] { in_thread = Bounds(first); }).join();
  EXPECT_EQ(in_thread, "") << "another thread";
  const Slice third = extractor->Transform("c");
  EXPECT_EQ(Bounds(first), "");
  EXPECT_EQ(Bounds(second), "b-c");
  extractor->Transform("d");
  extractor->Transform("e");
  EXPECT_EQ(Bounds(first), "") << "an even number of calls later";
  EXPECT_EQ(Bounds(second), "");
  EXPECT_EQ(Bounds(third), "");
  for (int i = 0; i < 200000; ++i) {  // addresses come again
    const Slice begin = extractor->Transform(std::to_string(i));
    extractor->Transform(std::to_string(i + 1));
    ASSERT_EQ(Bounds(begin), std::to_string(i) + "-" + std::to_string(i + 1));
  }
}

// Fibers move between threads, and scans of other databases come between calls and query: a token
// that came again would be taken for another range, and keys would be lost.
TEST(RocksDBRangeExtractorTest, NoTokenComesAgain) {
  if (sizeof(void*) < 8) GTEST_SKIP() << "there are no tokens";
  constexpr size_t kCalls = engine::TokenBlocks::kTokensPerBlock + 1000;
  constexpr int kThreads = 3;
  const auto extractor = NewRangeExtractor();
  std::vector<const char*> tokens(kThreads * kCalls);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < kCalls; ++i) {
        tokens[t * kCalls + i] = extractor->Transform("a").data();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(tokens.begin(), tokens.end());
  EXPECT_EQ(std::adjacent_find(tokens.begin(), tokens.end()), tokens.end());
  // An empty key of a user may begin at any address of memory.
  EXPECT_GE(reinterpret_cast<uintptr_t>(tokens.front()), engine::TokenBlocks::kFirst);
}

TEST(RocksDBRangeExtractorTest, ThreadsWithAsManyCallsDoNotMixTheirRanges) {
  const auto extractor = NewRangeExtractor();
  std::string seen;
  std::thread([&] {
    const Slice prefix = extractor->Transform("a");
    extractor->Transform("b");
    std::thread([&] {  // where a fiber of the first goes on
      for (int i = 0; i < 3; ++i) {
        seen += Bounds(prefix);
        extractor->Transform("c");
      }
    })
        .join();
    EXPECT_EQ(Bounds(prefix), "a-b");
  }).join();
  EXPECT_EQ(seen, "");
}

TEST(RocksDBRangeExtractorTest, TokensEnd) {
  constexpr uint64_t kFirst = engine::TokenBlocks::kFirst;
  constexpr uint64_t kBlock = engine::TokenBlocks::kTokensPerBlock;
  engine::TokenBlocks blocks(kFirst + 2 * kBlock + kBlock / 2);
  EXPECT_EQ(blocks.Take(), kFirst);
  EXPECT_EQ(blocks.Take(), kFirst + kBlock);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(blocks.Take(), 0U) << "would pass the last token";
  EXPECT_EQ(engine::TokenBlocks(UINT32_MAX).Take(), 0U) << "addresses of 32 bits";
}

TEST(RocksDBRangeExtractorTest, LongBoundsAreNotKept) {
  const auto extractor = NewRangeExtractor();
  const std::string longest(filter::kMaxBoundBytes, 'x');
  const std::string too_long(filter::kMaxBoundBytes + 1, 'x');
  Slice prefix = extractor->Transform(longest);
  extractor->Transform(longest);
  EXPECT_EQ(Bounds(prefix), longest + "-" + longest);
  prefix = extractor->Transform(longest);
  extractor->Transform(too_long);
  EXPECT_EQ(Bounds(prefix), "");
  prefix = extractor->Transform(too_long);
  extractor->Transform(longest);
  EXPECT_EQ(Bounds(prefix), "");
  prefix = extractor->Transform("a");
  extractor->Transform("");
  EXPECT_EQ(Bounds(prefix), "a-");
}

// A filter with entries for cells of 8 and 16 bits.
std::string FilterOf(const std::set<std::string>& keys) {
  filter::FilterWriter writer({Format::kBlocked, 10, /*seed=*/7});
  filter::RangeEntries entries(EntriesOf(Kinds({{8}, {16}})));
  return FilterWithRanges(keys, false, &entries, &writer);
}

TEST(RocksDBRangeExtractorTest, ReadersAddRangesToTheSampleAndKeepIt) {
  const auto extractor = NewRangeExtractor();
  const std::string filter = FilterOf({"ant", "bee"});
  auto sample = std::make_shared<filter::AskedByFamily>();
  const std::weak_ptr<filter::AskedByFamily> watched = sample;
  Reader reader(engine::NewRocksDBBitsReader(filter, filter::UnlabelledCounts(), sample));
  for (int i = 0; i < 2000; ++i) {
    reader->MayMatch(Slice("ant"));
    reader->MayMatch(Slice(""));
  }
  EXPECT_EQ(sample->Find(0), nullptr);
  const auto query = [&] {
    const Slice prefix = extractor->Transform("ae");
    extractor->Transform("af");
    return reader->MayMatch(prefix);
  };
  for (int i = 0; i < 2000; ++i) ASSERT_FALSE(query());
  EXPECT_NE(sample->Find(0), nullptr);
  sample.reset();  // as the policy of a reader in a block cache may
  EXPECT_FALSE(watched.expired());
  EXPECT_FALSE(query());
  reader.reset();
  EXPECT_TRUE(watched.expired());
}

// RocksDB asks the partition of a scan's first key alone. The next one may have keys of the range.
TEST(RocksDBRangeExtractorTest, APartitionSaysNothingOfTheKeysBehindIt) {
  RocksDBFilterOptions options;
  options.range_prefixes = "1:2";
  const auto policy = NewRocksDBFilterPolicy(options);
  const auto extractor = NewRangeExtractor();
  for (const bool is_partition : {false, true}) {
    rocksdb::BlockBasedTableOptions table;
    table.partition_filters = is_partition;
    const Builder builder = NewBuilder(policy, table);
    for (const char* key : {"", "ant", "bee"}) builder->AddKey(key);
    const std::string filter = Finished(builder.get());
    const Reader reader(policy->GetFilterBitsReader(filter));
    const auto may_match = [&](const char* begin, const char* end) {
      const Slice prefix = extractor->Transform(begin);
      extractor->Transform(end);
      return reader->MayMatch(prefix);
    };
    EXPECT_TRUE(may_match("bed", "bef"));
    EXPECT_FALSE(may_match("ba", "bd"));
    EXPECT_EQ(may_match("cat", "dog"), is_partition);
  }
}

// A memtable, and so its iterators, keeps a plain pointer to the extractor of its time.
TEST(RocksDBRangeExtractorTest, IteratorsOutliveAReplacedExtractor) {
  rocksdb::Options options = WithExtractor();
  options.prefix_extractor = nullptr;  // RocksDB keeps the first one for ever
  ASSERT_TRUE(GetOptionsFromString(rocksdb::ConfigOptions(), options,
                                   "memtable_factory=skip_list:16", &options)
                  .ok());
  const TempDir folder;
  const auto db = MustOpenRocksDB(options, folder.Path("db"));
  ASSERT_TRUE(db->SetOptions({{"prefix_extractor", "bloomline.ranges"}}).ok());
  ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), "0", "").ok());
  ASSERT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());  // the next memtable has the extractor
  for (int i = 100; i < 200; ++i) {
    ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), std::to_string(i), "value").ok());
  }
  ASSERT_TRUE(db->SetOptions({{"prefix_extractor", "rocksdb.FixedPrefix.2"}}).ok());
  for (const bool is_tailing : {false, true}) {
    rocksdb::ReadOptions read;
    read.total_order_seek = true;
    read.tailing = is_tailing;
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(read));
    for (const int first : {101, 150, 189}) {
      iterator->Seek(std::to_string(first));
      ASSERT_TRUE(iterator->Valid());
      EXPECT_EQ(iterator->key().ToString(), std::to_string(first));
    }
  }
}

TEST(RocksDBRangeOptionsTest, WrongTextsAreRefused) {
  const auto error = [](const std::string& prefixes) {
    RocksDBFilterOptions options;
    options.range_prefixes = prefixes;
    return options.Validate();
  };
  const auto each_of = [](const char* texts, auto check) {
    std::istringstream in(texts);
    for (std::string text; in >> text;) check(text);
  };
  const auto expect_refused = [&](const std::string& text) {
    EXPECT_EQ(error(text).find("range_prefixes is '" + text + "'; allowed: auto, or a list as in "),
              0U)
        << text;
  };
  EXPECT_EQ(error(""), "");
  each_of(
      "auto 1 64 8:4 4,8 after0x2f 4:after0xFF 1bits 512bits 8:65bits after0x2f@1 "
      "after0x2f@8+1:124bits",
      [&](const std::string& text) { EXPECT_EQ(error(text), "") << text; });
  each_of(
      "0 65 4: :4 4:4 -1 +4 automatic bits 0bits 513bits 8bits:1 124bit 1:2:3:4:5:6:7:8:9 "
      "1:2:3:4:5:6:7:8:9bits after after0x after0x2f:after0x2F after0x100 afterx2f after0x2f@ "
      "after0x2f@0 after0x2f@9 after0x2f@1+ after0x2f@12 after0x2f@1+1 after0x2f@1-2 "
      "after0x2f:after0x2f@1 after0x1:after0x2:after0x3:after0x4:after0x5",
      expect_refused);
  for (const char* with_space : {"4 ", "124 bits"}) expect_refused(with_space);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_range_extractor_test
