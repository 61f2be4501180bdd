// Ranges in RocksDB: iterators with the range extractor against the same iterators without filters,
// over generated databases.
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/temp_dir.h"

namespace bloomline {
namespace {

using rocksdb::Slice;
using tests::OpenRocksDB;
using tests::TempDir;

// Overwrites: a merge that needs no library.
class LastOperand : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const Slice&, const Slice*, const Slice& value, std::string* merged,
             rocksdb::Logger*) const override {
    merged->assign(value.data(), value.size());
    return true;
  }
  const char* Name() const override { return "LastOperand"; }
};

// The order of little-endian numbers: many keys that follow each other are in the order of bytes.
class LittleEndianOrder : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "LittleEndianOrder"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return Reversed(a).compare(Reversed(b));
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static std::string Reversed(const Slice& key) {
    const std::string text = key.ToString();
    return {text.rbegin(), text.rend()};
  }
};

struct Setting {
  const char* name;
  const char* range_prefixes;
  Format format = Format::kCompact;
  bool is_partitioned = false;
  const rocksdb::Comparator* comparator = rocksdb::BytewiseComparator();
  bool says_no = true;  // of some ranges at least
  bool has_extractor = true;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

const LittleEndianOrder kLittleEndianOrder;

const Setting kSettings[] = {
    {"auto", "auto"},
    {"auto_partitioned", "auto", Format::kCompact, true},
    {"bytes", "1:2:3:4", Format::kBlocked},
    {"bytes_partitioned", "1:2:3:4", Format::kBlocked, true},
    {"delimited", "after0x61:after0x00:after0xff"},
    {"delimited_partitioned", "after0x61:2", Format::kBlocked, true},
    {"long", "5:64", Format::kCompact, true},
    {"no_entries", "", Format::kBlocked, false, rocksdb::BytewiseComparator(), false},
    {"no_extractor", "auto", Format::kBlocked, true, rocksdb::BytewiseComparator(), false, false},
    {"reverse", "1:2:3", Format::kBlocked, false, rocksdb::ReverseBytewiseComparator(), false,
     false},
    {"little_endian", "1:2:3", Format::kBlocked, true, &kLittleEndianOrder, false, false},
};

std::string RandomKey(std::mt19937_64* random, size_t max_bytes) {
  constexpr char kBytes[] = {0, 0, 1, 'a', 'b', char(0x7f), char(0x80), char(0xfe), char(0xff)};
  std::string key((*random)() % (max_bytes + 1), '\0');
  for (char& byte : key) byte = kBytes[(*random)() % sizeof(kBytes)];
  return key;
}

class RocksDBRangesTest : public testing::TestWithParam<Setting> {
 protected:
  RocksDBRangesTest() : random_(7) {
    const char* const rounds = std::getenv("BLOOMLINE_TEST_ROUNDS");
    if (rounds != nullptr) num_rounds_ = std::atoi(rounds);
    key_bytes_ = 2 + random_() % 5;
  }

  rocksdb::Options DatabaseOptions() {
    const Setting& setting = GetParam();
    rocksdb::Options options;
    options.create_if_missing = true;
    options.comparator = setting.comparator;
    options.compression = rocksdb::kNoCompression;
    options.merge_operator = std::make_shared<LastOperand>();
    options.statistics = statistics_;
    options.disable_auto_compactions = true;
    options.write_buffer_size = 1 << 20;  // the log takes as much, and a file in memory is zeroed
    options.manifest_preallocation_size = 4 << 10;
    options.target_file_size_base = 4 << 10;
    options.max_bytes_for_level_base = 16 << 10;
    options.max_bytes_for_level_multiplier = 3;
    if (setting.has_extractor) options.prefix_extractor = NewRangeExtractor();
    RocksDBFilterOptions filter;
    filter.format = setting.format;
    filter.bits_per_key = 12;
    filter.range_prefixes = setting.range_prefixes;
    filter.range_entries_per_key = 1;
    rocksdb::BlockBasedTableOptions table;
    table.block_size = 256;
    std::string error;
    table.filter_policy = NewRocksDBFilterPolicy(filter, &error);
    EXPECT_NE(table.filter_policy, nullptr) << error;
    if (setting.is_partitioned) {
      table.partition_filters = true;
      table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 128;
      table.cache_index_and_filter_blocks = true;
    }
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return options;
  }

  std::string AnyKey() {
    if (!keys_.empty() && random_() % 2 == 0) {
      std::string key = keys_[random_() % keys_.size()];
      switch (random_() % 6) {
        case 0:
          return key.substr(0, random_() % (key.size() + 1));
        case 1:
          return key + std::string(1 + random_() % 3, '\0');
        case 2:
          if (!key.empty()) key.back() = char(key.back() + 1);
          return key;
        case 3:
          return key + RandomKey(&random_, 2);
        default:
          return key;
      }
    }
    return RandomKey(&random_, key_bytes_);
  }

  void Write(rocksdb::DB* db) {
    const rocksdb::WriteOptions options;
    const std::string key = RandomKey(&random_, key_bytes_);
    switch (random_() % 24) {
      case 0:
        ASSERT_TRUE(db->Delete(options, AnyKey()).ok());
        break;
      case 1:
        ASSERT_TRUE(db->Merge(options, key, "merged").ok());
        keys_.push_back(key);
        break;
      case 2: {
        std::string begin = AnyKey();
        std::string end = AnyKey();
        if (GetParam().comparator->Compare(begin, end) > 0) std::swap(begin, end);
        if (random_() % 8 != 0) break;
        ASSERT_TRUE(db->DeleteRange(options, db->DefaultColumnFamily(), begin, end).ok());
        break;
      }
      case 3: {  // written and deleted once
        const std::string once = key + "once";
        ASSERT_TRUE(db->Put(options, once, "").ok());
        ASSERT_TRUE(random_() % 2 == 0 || db->Flush({}).ok());
        ASSERT_TRUE(db->SingleDelete(options, once).ok());
        break;
      }
      default:
        ASSERT_TRUE(db->Put(options, key, std::to_string(random_())).ok());
        keys_.push_back(key);
    }
  }

  // What an iterator shows after each of the same random steps.
  std::vector<std::string> Walk(rocksdb::DB* db, const rocksdb::Snapshot* snapshot, bool is_total,
                                uint64_t seed, rocksdb::Iterator* kept, Slice* kept_end) {
    std::mt19937_64 random(seed);
    std::vector<std::string> shown;
    const auto bound = [&] { return bounds_[random() % bounds_.size()]; };
    std::string begin = bound();
    std::string end = bound();
    if (GetParam().comparator->Compare(begin, end) > 0 && random() % 8 != 0) std::swap(begin, end);
    Slice end_slice(end);
    Slice begin_slice;
    std::unique_ptr<rocksdb::Iterator> made;
    rocksdb::Iterator* iterator = kept;
    if (kept == nullptr) {
      rocksdb::ReadOptions options;
      options.snapshot = snapshot;
      options.total_order_seek = is_total;
      options.auto_prefix_mode = !is_total;
      options.async_io = random() % 8 == 0;
      if (random() % 8 != 0) options.iterate_upper_bound = &end_slice;
      if (random() % 8 == 0) {
        begin_slice = begin;
        options.iterate_lower_bound = &begin_slice;
      }
      made.reset(db->NewIterator(options));
      iterator = made.get();
    } else {
      *kept_end = end_slice;
    }
    for (int seek = 0; seek < 3; ++seek) {
      if (seek > 0) {  // the bounds may move between seeks
        begin = bound();
        end = bound();
        if (GetParam().comparator->Compare(begin, end) > 0) std::swap(begin, end);
        end_slice = end;
        if (kept != nullptr) *kept_end = end_slice;
        if (begin_slice.data() != nullptr) begin_slice = begin;
      }
      switch (random() % 16) {
        case 0:
          iterator->SeekForPrev(begin);
          break;
        case 1:
          iterator->SeekToFirst();
          break;
        case 2:
          iterator->SeekToLast();
          break;
        default:
          iterator->Seek(begin);
      }
      for (int step = 0; step < 4; ++step) {
        shown.push_back(iterator->Valid()
                            ? iterator->key().ToString() + "=" + iterator->value().ToString()
                            : iterator->status().ToString());
        if (!iterator->Valid()) break;
        if (random() % 4 == 0) {
          iterator->Prev();
        } else {
          iterator->Next();
        }
      }
    }
    if (kept != nullptr) *kept_end = Slice();
    return shown;
  }

  void CompareWalks(rocksdb::DB* db, int num_walks) {
    bounds_.clear();
    for (int i = 0; i < 200; ++i) bounds_.push_back(AnyKey());
    const rocksdb::Snapshot* const snapshot = random_() % 2 == 0 ? db->GetSnapshot() : nullptr;
    for (int i = 0; i < num_walks; ++i) {
      const uint64_t seed = random_();
      const auto with = Walk(db, snapshot, false, seed, nullptr, nullptr);
      ASSERT_EQ(with, Walk(db, snapshot, true, seed, nullptr, nullptr)) << "seed " << seed;
      num_compared_ += with.size();
    }
    if (snapshot != nullptr) db->ReleaseSnapshot(snapshot);
  }

  uint64_t NumNo() const {
    return statistics_->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL)
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 803
           + statistics_->getTickerCount(rocksdb::NON_LAST_LEVEL_SEEK_FILTERED) +
           statistics_->getTickerCount(rocksdb::LAST_LEVEL_SEEK_FILTERED)
#endif
        ;
  }

  const std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
  const TempDir folder_;
  std::mt19937_64 random_;
  int num_rounds_ = 3;
  size_t key_bytes_;
  std::vector<std::string> keys_;
  std::vector<std::string> bounds_;
  uint64_t num_compared_ = 0;
};

TEST_P(RocksDBRangesTest, IteratorsShowWhatIteratorsWithoutFiltersShow) {
  for (int round = 0; round < num_rounds_; ++round) {
    keys_.clear();
    key_bytes_ = 2 + random_() % 5;
    const std::string path = folder_.Path(std::to_string(round));
    std::unique_ptr<rocksdb::DB> db;
    ASSERT_TRUE(OpenRocksDB(DatabaseOptions(), path, &db).ok());
    // An iterator that is kept over flushes and compactions, as its total-order twin.
    Slice kept_end[2];
    std::unique_ptr<rocksdb::Iterator> kept[2];
    for (int part = 0; part < 5; ++part) {
      for (int i = 0; i < 120; ++i) ASSERT_NO_FATAL_FAILURE(Write(db.get()));
      ASSERT_TRUE(part == 4 || db->Flush({}).ok());
      ASSERT_TRUE(part != 2 || db->CompactRange({}, nullptr, nullptr).ok());
      if (part == 1) {
        for (const int is_total : {0, 1}) {
          rocksdb::ReadOptions options;
          options.total_order_seek = is_total == 1;
          options.auto_prefix_mode = is_total == 0;
          options.iterate_upper_bound = &kept_end[is_total];
          kept[is_total].reset(db->NewIterator(options));
        }
      }
      ASSERT_NO_FATAL_FAILURE(CompareWalks(db.get(), 60)) << GetParam().name;
      if (part < 2) continue;
      if (part == 3) {
        ASSERT_EQ(kept[0]->Refresh().ok(), kept[1]->Refresh().ok());
      }
      for (int i = 0; i < 30; ++i) {
        const uint64_t seed = random_();
        ASSERT_EQ(Walk(db.get(), nullptr, false, seed, kept[0].get(), &kept_end[0]),
                  Walk(db.get(), nullptr, true, seed, kept[1].get(), &kept_end[1]));
      }
    }
    for (auto& iterator : kept) iterator.reset();
    db.reset();
    // Every stored key, by Get: entries for ranges change nothing there.
    ASSERT_TRUE(OpenRocksDB(DatabaseOptions(), path, &db).ok());
    ASSERT_NO_FATAL_FAILURE(CompareWalks(db.get(), 60));
  }
  if (GetParam().says_no) {
    EXPECT_GT(NumNo(), num_compared_ / 500) << "of " << num_compared_;
  } else {
    EXPECT_EQ(NumNo(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, RocksDBRangesTest, testing::ValuesIn(kSettings),
                         [](const auto& info) { return info.param.name; });

rocksdb::Options WithExtractor() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.prefix_extractor = NewRangeExtractor();
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = NewRocksDBFilterPolicy(FilterOptions());
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::string OpenError(const rocksdb::Options& options) {
  const TempDir folder;
  std::unique_ptr<rocksdb::DB> db;
  return OpenRocksDB(options, folder.Path("db"), &db).ToString();
}

TEST(RocksDBRangeExtractorTest, OptionsThatNeedPrefixesAreRefused) {
  EXPECT_EQ(OpenError(WithExtractor()), "OK");
  const auto expect_refused = [](const rocksdb::Options& options, const std::string& what) {
    EXPECT_EQ(OpenError(options), "Invalid argument: prefix_extractor bloomline.ranges: " + what);
  };
  rocksdb::Options options = WithExtractor();
  options.memtable_prefix_bloom_size_ratio = 0.1;
  expect_refused(options,
                 "memtable_prefix_bloom_size_ratio is above 0; allowed: 0, or "
                 "memtable_whole_key_filtering=true");
  options.memtable_whole_key_filtering = true;
  EXPECT_EQ(OpenError(options), "OK");

  for (const rocksdb::Comparator* order :
       {rocksdb::ReverseBytewiseComparator(),
        static_cast<const rocksdb::Comparator*>(&kLittleEndianOrder)}) {
    options = WithExtractor();
    options.comparator = order;
    expect_refused(options,
                   "comparator has another order than that of bytes; allowed: BytewiseComparator");
  }

  options = WithExtractor();
  options.allow_concurrent_memtable_write = false;
  options.memtable_factory.reset(rocksdb::NewHashSkipListRepFactory());
  expect_refused(options,
                 "memtable_factory has a list for each prefix; allowed: skip_list, vector");

  options = WithExtractor();
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  expect_refused(options, "table_factory has another format; allowed: BlockBasedTable");

  options = WithExtractor();
  rocksdb::BlockBasedTableOptions table;
  table.whole_key_filtering = false;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  expect_refused(options, "whole_key_filtering is false; allowed: true");
  table = {};
  table.index_type = rocksdb::BlockBasedTableOptions::kHashSearch;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  expect_refused(options, "index_type is kHashSearch; allowed: the others");
}

// The bounds that a filter gets for a prefix; empty if it is not that of the last call but one.
std::string Bounds(const Slice& prefix) {
  std::string_view begin;
  std::string_view end;
  if (!LastRange(prefix, &begin, &end)) return "";
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

TEST(RocksDBRangeExtractorTest, LongBoundsAreNotKept) {
  const auto extractor = NewRangeExtractor();
  const std::string longest(kMaxBoundBytes, 'x');
  const std::string too_long(kMaxBoundBytes + 1, 'x');
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

TEST(RocksDBRangeExtractorTest, IsKnownByName) {
  ASSERT_TRUE(RegisterBloomline());
  rocksdb::ColumnFamilyOptions options;
  const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromString(
      rocksdb::ConfigOptions(), {},
      "prefix_extractor=bloomline.ranges;block_based_table_factory={filter_policy={id=bloomline;"
      "range_prefixes=4:8:after0x2f;range_entries_per_key=0.25}}",
      &options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_NE(options.prefix_extractor, nullptr);
  EXPECT_STREQ(options.prefix_extractor->Name(), "bloomline.ranges");
  const auto* const table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  ASSERT_NE(table->filter_policy, nullptr);
  EXPECT_EQ(tests::Value(*table->filter_policy, "range_prefixes"), "4:8:after0x2f");
  EXPECT_EQ(tests::Value(*table->filter_policy, "range_entries_per_key"), "0.25");
}

TEST(RocksDBRangeOptionsTest, WrongTextsAreRefused) {
  const auto error = [](const std::string& prefixes) {
    RocksDBFilterOptions options;
    options.range_prefixes = prefixes;
    return options.Validate();
  };
  for (const char* allowed : {"", "auto", "1", "64", "8:4", "4,8", "after0x2f", "4:after0xFF"}) {
    EXPECT_EQ(error(allowed), "") << allowed;
  }
  for (const char* wrong : {"0", "65", "4:", ":4", "4:4", "-1", "+4", "4 ", "after", "after0x",
                            "after0x2f:after0x2F", "after0x100", "afterx2f", "automatic",
                            "1:2:3:4:5:6:7:8:9", "after0x1:after0x2:after0x3:after0x4:after0x5"}) {
    EXPECT_EQ(error(wrong),
              "range_prefixes is '" + std::string(wrong) +
                  "'; allowed: auto, or a list as in 4:8:after0x2f of up to 8 "
                  "different lengths of 1 to 64 bytes and up to 4 different delimiters");
  }
  RocksDBFilterOptions options;
  options.range_entries_per_key = 0;
  EXPECT_EQ(options.Validate(), "range_entries_per_key is 0; allowed: 0.001 to 8");
}

}  // namespace
}  // namespace bloomline
