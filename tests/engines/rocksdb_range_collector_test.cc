// The filter of one table, and what a RangeScan asks it, without a database.
#include <gtest/gtest.h>
#include <rocksdb/options.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb_range_filter.h"
#include "tests/support/range_keys.h"

namespace bloomline::tests::rocksdb_range_collector_test {
namespace {

constexpr char kProperty[] = "bloomline.range_filter";

using Entries = std::vector<std::pair<std::string, rocksdb::EntryType>>;

std::unique_ptr<rocksdb::TablePropertiesCollector> NewCollector(RangeFilter* filter) {
  rocksdb::TablePropertiesCollectorFactory::Context context{};
  return std::unique_ptr<rocksdb::TablePropertiesCollector>(
      filter->CreateTablePropertiesCollector(context));
}

void AddTo(rocksdb::TablePropertiesCollector* collector, const Entries& entries) {
  for (const auto& [key, type] : entries) {
    EXPECT_TRUE(collector->AddUserKey(key, "value", type, 1, 0).ok());
  }
}

// The properties that a table gets.
rocksdb::TableProperties Finished(rocksdb::TablePropertiesCollector* collector) {
  rocksdb::TableProperties table;
  table.comparator_name = "leveldb.BytewiseComparator";
  EXPECT_TRUE(collector->Finish(&table.user_collected_properties).ok());
  return table;
}

rocksdb::TableProperties TableOf(const Entries& entries, const RangeFilterOptions& options = {}) {
  const auto filter = NewRangeFilter(options);
  const auto collector = NewCollector(filter.get());
  AddTo(collector.get(), entries);
  return Finished(collector.get());
}

Entries Puts(const std::vector<std::string>& keys) {
  Entries entries;
  for (const std::string& key : keys) entries.emplace_back(key, rocksdb::kEntryPut);
  return entries;
}

RangeFilterOptions WithPrefixes(const char* prefixes) {
  RangeFilterOptions options;
  options.prefixes = prefixes;
  options.memory_percent = 400;
  return options;
}

bool IsRead(const rocksdb::TableProperties& table, const std::string& lower,
            const std::string& upper) {
  const RangeScan scan(nullptr, lower, upper);
  rocksdb::ReadOptions read_options;
  scan.Apply(&read_options);
  return read_options.table_filter(table);
}

TEST(RocksDBRangeCollectorTest, WhateverHidesOrChangesKeysIsAKey) {
  for (int type = rocksdb::kEntryPut; type <= rocksdb::kEntryOther; ++type) {
    const auto entry = static_cast<rocksdb::EntryType>(type);
    const auto table = TableOf({{"b", rocksdb::kEntryPut}, {"m", entry}, {"x", rocksdb::kEntryPut}},
                               WithPrefixes("1"));
    EXPECT_EQ(IsRead(table, "m", "n"), entry != rocksdb::kEntryRangeDeletion) << type;
    EXPECT_FALSE(IsRead(table, "c", "d")) << type;
  }
}

TEST(RocksDBRangeCollectorTest, FinishTwiceGivesTheSameBytes) {
  const auto filter = NewRangeFilter();
  const auto collector = NewCollector(filter.get());
  AddTo(collector.get(), Puts({"b", "b", "b", "m"}));
  const auto once = Finished(collector.get()).user_collected_properties;
  EXPECT_EQ(once.count(kProperty), 1U);
  EXPECT_EQ(Finished(collector.get()).user_collected_properties, once);
  AddTo(collector.get(), Puts({"n"}));
  EXPECT_TRUE(IsRead(Finished(collector.get()), "n", "o"));
  // Versions of a key count once.
  EXPECT_EQ(TableOf(Puts({"b", "m"})).user_collected_properties, once);
}

TEST(RocksDBRangeCollectorTest, OtherOrdersAreNeverSkipped) {
  rocksdb::TableProperties table = TableOf(Puts({"b", "m"}), WithPrefixes("1"));
  EXPECT_FALSE(IsRead(table, "c", "d"));
  for (const char* name : {"", "rocksdb.ReverseBytewiseComparator",
                           "leveldb.BytewiseComparator.u64ts", "leveldb.BytewiseComparator2"}) {
    table.comparator_name = name;
    EXPECT_TRUE(IsRead(table, "c", "d")) << name;
    EXPECT_TRUE(IsRead(table, "n", "o")) << name;
  }
  EXPECT_TRUE(TableOf(Puts({"m", "b"})).user_collected_properties.empty());
}

TEST(RocksDBRangeCollectorTest, TheEmptyKeyIsFoundWhereItCanBe) {
  EXPECT_TRUE(TableOf({}).user_collected_properties.empty());
  EXPECT_TRUE(TableOf(Puts({""})).user_collected_properties.empty());
  const auto table = TableOf(Puts({"", "b"}), WithPrefixes("1"));
  EXPECT_TRUE(IsRead(table, "", "a"));
  EXPECT_FALSE(IsRead(table, "a", "b"));
  EXPECT_TRUE(IsRead(table, "b", "a")) << "a range that is none";
}

TEST(RocksDBRangeCollectorTest, AFewTablesBelowTheRangeAreSkipped) {
  const auto table = TableOf(Puts({"a", "b"}), WithPrefixes("1"));
  const auto filter = NewRangeFilter();
  const RangeScan scan(filter, "c", "d");
  rocksdb::ReadOptions read_options;
  scan.Apply(&read_options);
  const auto of_iterator = read_options.table_filter;
  for (const auto& table_filter : {of_iterator, read_options.table_filter}) {
    for (int i = 0; i < 16; ++i) EXPECT_FALSE(table_filter(table)) << i;
    EXPECT_TRUE(table_filter(table));
  }
  EXPECT_EQ(filter->counts().tables_asked, 34U);
  EXPECT_EQ(filter->counts().tables_skipped, 32U);
  // One above it, or with the bound as its last key, is no such table.
  for (int i = 0; i < 17; ++i) {
    EXPECT_FALSE(IsRead(TableOf(Puts({"e", "f"}), WithPrefixes("1")), "c", "d"));
  }
  EXPECT_TRUE(IsRead(TableOf(Puts({"a", "c"}), WithPrefixes("1")), "c", "d"));
}

TEST(RocksDBRangeCollectorTest, LastKeysThatAreLongAreNotKept) {
  const std::string longest(1024, 'b');
  EXPECT_FALSE(IsRead(TableOf(Puts({longest}), WithPrefixes("after0x2f")), longest + "a", "c"));
  EXPECT_TRUE(
      IsRead(TableOf(Puts({longest + "b"}), WithPrefixes("after0x2f")), longest + "a", "c"));
}

// Whatever the bytes are, the answer is one.
TEST(RocksDBRangeCollectorTest, DamagedBytesCrashNothing) {
  const rocksdb::TableProperties whole =
      TableOf(Puts({"a/b", "a/c", "m/n/o", "z"}), WithPrefixes("1:2:after0x2f"));
  const std::string value = whole.user_collected_properties.at(kProperty);
  const auto is_read = [&](const std::string& damaged) {
    rocksdb::TableProperties table = whole;
    table.user_collected_properties[kProperty] = damaged;
    return IsRead(table, "c/", "c0");
  };
  ASSERT_FALSE(is_read(value));
  for (size_t size = 0; size < value.size(); ++size) {
    EXPECT_TRUE(is_read(value.substr(0, size))) << size;
  }
  std::string other = value;
  other[0] = 2;
  EXPECT_TRUE(is_read(other)) << "of another version";
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    other = value;
    for (uint64_t n = 1 + random() % 4; n > 0; --n) {
      other[random() % std::min<size_t>(value.size(), 80)] = static_cast<char>(random());
    }
    is_read(other);
    is_read(other.substr(random() % other.size()));
  }
}

TEST(RocksDBRangeCollectorTest, MaxBytesBoundsTheFilter) {
  Entries entries;
  for (int i = 10000; i < 30000; ++i) {
    entries.emplace_back(std::to_string(i * 31L), rocksdb::kEntryPut);
  }
  std::sort(entries.begin(), entries.end());
  for (const char* prefixes : {"auto", "6", "2:3:4:5:6:after0x30"}) {
    RangeFilterOptions options = WithPrefixes(prefixes);
    size_t last = SIZE_MAX;
    for (const uint64_t max_bytes : {0, 16384, 4096}) {
      options.max_bytes_per_table = max_bytes;
      const auto table = TableOf(entries, options);
      const size_t bytes = table.user_collected_properties.at(kProperty).size();
      EXPECT_LT(bytes, last) << prefixes;
      EXPECT_TRUE(max_bytes == 0 || bytes <= max_bytes) << prefixes << ", " << bytes;
      last = bytes;
      for (size_t i = 0; i < entries.size(); i += 7) {
        const std::string& key = entries[i].first;
        ASSERT_TRUE(IsRead(table, key, key + '\0'));
      }
      EXPECT_FALSE(IsRead(table, "a", "b"));
    }
  }
}

// What scans ask for decides what new filters have.
TEST(RocksDBRangeCollectorTest, AutoLearnsFromScans) {
  std::mt19937_64 random(3);
  std::set<std::string> keys;
  while (keys.size() < 20000) keys.insert(BigEndian(random() % 4000, 3) + BigEndian(random(), 5));
  const auto filter = NewRangeFilter();
  const auto table_now = [&] {
    const auto collector = NewCollector(filter.get());
    AddTo(collector.get(), Puts({keys.begin(), keys.end()}));
    return Finished(collector.get());
  };
  const auto num_read = [&](const rocksdb::TableProperties& table) {
    int read = 0;
    for (int i = 0; i < 2000; ++i) {
      const uint64_t number = random() % (4000ULL << 40) >> 30 << 30;
      const RangeScan scan(filter, BigEndian(number), BigEndian(number + (1 << 30)));
      rocksdb::ReadOptions read_options;
      scan.Apply(&read_options);
      read += read_options.table_filter(table) ? 1 : 0;
    }
    return read;
  };
  const int before = num_read(table_now());
  EXPECT_LT(num_read(table_now()), before * 3 / 4);
}

// ---- Several scans and functions in one ReadOptions.

TEST(RocksDBRangeScanTest, OptionsServeOneScanAfterAnother) {
  const auto table = TableOf(Puts({"b", "m"}), WithPrefixes("1"));
  rocksdb::ReadOptions read_options;
  {
    const RangeScan first(nullptr, "c", "d");
    first.Apply(&read_options);
    EXPECT_EQ(*read_options.iterate_lower_bound, "c");
    EXPECT_EQ(*read_options.iterate_upper_bound, "d");
    EXPECT_FALSE(read_options.table_filter(table));
  }
  // The options keep what they refer to.
  EXPECT_EQ(*read_options.iterate_upper_bound, "d");
  // Also if a program has put the function into another one, where nobody can see it.
  read_options.table_filter =
      [of_first = read_options.table_filter](const rocksdb::TableProperties& properties) {
        return of_first(properties);
      };
  const RangeScan second(nullptr, "m", "n");
  second.Apply(&read_options);
  EXPECT_EQ(*read_options.iterate_lower_bound, "m");
  EXPECT_TRUE(read_options.table_filter(table)) << "not what the first scan says";
}

TEST(RocksDBRangeScanTest, BothFiltersMustWantATable) {
  const auto table = TableOf(Puts({"b", "m"}), WithPrefixes("1"));
  bool wants = true;
  const auto own_filter = [&](const rocksdb::TableProperties&) { return wants; };
  const auto is_read = [&](const char* lower, const char* upper) {
    const RangeScan scan(nullptr, lower, upper);
    rocksdb::ReadOptions read_options;
    scan.Apply(&read_options, own_filter);
    return read_options.table_filter(table);
  };
  EXPECT_TRUE(is_read("m", "n"));
  EXPECT_FALSE(is_read("c", "d"));
  wants = false;
  EXPECT_FALSE(is_read("m", "n"));
}

// Ranges are turned around in reverse orders. RocksDB can write a table with such an order under
// the name of the bytewise one (SstFileWriter's old constructor).
TEST(RocksDBRangeScanTest, RangesThatAreTurnedAroundSkipNoTable) {
  const auto table = TableOf(Puts({"k"}), WithPrefixes("1"));
  EXPECT_TRUE(IsRead(table, "z", "a"));
  EXPECT_TRUE(IsRead(table, "z", "z"));
  EXPECT_FALSE(IsRead(table, "y", "z"));
}

TEST(RocksDBRangeScanTest, SeveralRangesAreTheirUnion) {
  const auto table = TableOf(Puts({"b", "m"}), WithPrefixes("1"));
  const auto is_read = [&](const std::vector<RangeScan::Range>& ranges) {
    const RangeScan scan(nullptr, ranges);
    rocksdb::ReadOptions read_options;
    scan.Apply(&read_options);
    return read_options.table_filter(table);
  };
  EXPECT_FALSE(is_read({{"c", "d"}, {"a", "b"}}));
  EXPECT_TRUE(is_read({{"c", "d"}, {"a", "bb"}}));
  EXPECT_TRUE(is_read({{"m", "n"}, {"c", "d"}}));
  EXPECT_TRUE(is_read({})) << "nothing is asked";
  const RangeScan scan(nullptr, {{"m", "n"}, {"c", "z"}, {"d", "e"}});
  rocksdb::ReadOptions read_options;
  scan.Apply(&read_options);
  EXPECT_EQ(*read_options.iterate_lower_bound, "c");
  EXPECT_EQ(*read_options.iterate_upper_bound, "z");
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_range_collector_test
