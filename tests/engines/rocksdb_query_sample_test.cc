// The sample of queries that a policy takes, and the file that it is written to.
#include <gtest/gtest.h>
#include <rocksdb/c.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/query_sample/query_sample.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/case_folding.h"
#include "tests/support/metric_value.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

constexpr int kKeys = 5000;

std::string Key(int i) {
  const std::string digits = std::to_string(i);
  return std::string(10 - digits.size(), '0') + digits;
}

std::string Hex(const std::string& key) {
  std::string hex;
  for (const unsigned char c : key) {
    hex += "0123456789abcdef"[c >> 4];
    hex += "0123456789abcdef"[c & 15];
  }
  return hex;
}

// How often each line is in the file.
std::map<std::string, int> LinesOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::map<std::string, int> lines;
  for (std::string line; std::getline(file, line);) ++lines[line];
  return lines;
}

class RocksDBQuerySampleTest : public testing::Test {
 protected:
  static rocksdb::Options WithPolicy(const RocksDBFilterOptions& filter) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = NewRocksDBFilterPolicy(filter);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return options;
  }

  // A database of one file. Only even keys are stored.
  void Open(const rocksdb::Options& options) {
    db_.reset();
    ASSERT_TRUE(OpenRocksDB(options, dir_.Path("db"), &db_).ok());
    for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(db_->Put({}, Key(2 * i), "value").ok());
    ASSERT_TRUE(db_->Flush({}).ok());
  }
  void Open(Format format, uint32_t sample_queries) {
    RocksDBFilterOptions filter;
    filter.format = format;
    filter.sample_queries = sample_queries;
    Open(WithPolicy(filter));
  }

  void Get(int key) { db_->Get({}, Key(key), &value_).PermitUncheckedError(); }

  // Empty if it was written.
  std::string Write() {
    std::string error;
    const bool is_written = WriteQuerySample(db_.get(), db_->DefaultColumnFamily(), path_, &error);
    EXPECT_EQ(is_written, error.empty());
    return error;
  }
  std::map<std::string, int> Sample() {
    EXPECT_EQ(Write(), "");
    return LinesOf(path_);
  }

  const TempDir dir_;
  const std::string path_ = dir_.Path("sample");
  std::unique_ptr<rocksdb::DB> db_;
  std::string value_;
};

class FormatsTest : public RocksDBQuerySampleTest, public testing::WithParamInterface<Format> {};

// Found, missing and falsely matched ones, alone and in batches.
TEST_P(FormatsTest, OneOfOneHasEachQueryOnce) {
  Open(GetParam(), 1);
  std::map<std::string, int> expected;
  for (int i = 0; i < 2 * kKeys; ++i) {
    Get(i);
    ++expected[Hex(Key(i))];
  }
  std::vector<std::string> keys;
  for (int i = 0; i < 32; ++i) keys.push_back(Key(300 * i + 1));
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values;
  db_->MultiGet({}, slices, &values);
  for (const std::string& key : keys) ++expected[Hex(key)];
  EXPECT_EQ(Sample(), expected);
}

INSTANTIATE_TEST_SUITE_P(All, FormatsTest,
                         testing::Values(Format::kBlocked, Format::kCompact, Format::kBloom,
                                         Format::kRibbon),
                         [](const auto& test) { return std::string(FormatName(test.param)); });

TEST_F(RocksDBQuerySampleTest, OneOfNHasEachQueryWithTheSameProbability) {
  constexpr int kOneOf = 50;
  constexpr int kQueries = 400000;
  Open(Format::kBlocked, kOneOf);
  for (int i = 0; i < kQueries; ++i) Get(i % 4 == 0 ? 0 : i % 4);
  int count = 0;
  std::vector<int> of_key(4);
  for (const auto& [line, times] : Sample()) {
    const int key = line.back() - '0';  // the last digit of the key
    of_key.at(static_cast<size_t>(key)) += times;
    count += times;
  }
  const double expected = 1.0 * kQueries / kOneOf;
  EXPECT_NEAR(count, expected, 5 * std::sqrt(expected));
  for (const int times : of_key) EXPECT_NEAR(times, expected / 4, 5 * std::sqrt(expected / 4));
}

TEST_F(RocksDBQuerySampleTest, BatchesAreSampledAsSingleKeysAre) {
  constexpr int kOneOf = 10;
  constexpr int kBatches = 10000;
  Open(Format::kCompact, kOneOf);
  std::vector<std::string> keys;
  for (int i = 0; i < 32; ++i) keys.push_back(Key(2 * i + 1));
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(slices.size());
  std::vector<rocksdb::Status> statuses(slices.size());
  for (int i = 0; i < kBatches; ++i) {
    db_->MultiGet({}, db_->DefaultColumnFamily(), slices.size(), slices.data(), values.data(),
                  statuses.data());
  }
  const auto sample = Sample();
  EXPECT_EQ(sample.size(), keys.size());
  const double expected = 1.0 * kBatches / kOneOf;
  for (const auto& [line, times] : sample) {
    EXPECT_NEAR(times, expected, 5 * std::sqrt(expected)) << line;
  }
}

TEST_F(RocksDBQuerySampleTest, OffByDefault) {
  Open(WithPolicy(RocksDBFilterOptions()));
  for (int i = 0; i < 1000; ++i) Get(i);
  EXPECT_EQ(Write(),
            "the sample has no key; filters that were opened while sample_queries was above 0 take "
            "one of so many queries");
  EXPECT_FALSE(std::ifstream(path_).is_open());
}

TEST_F(RocksDBQuerySampleTest, TheKeysOfACanonicalizerAreThoseOfTheProgram) {
  RocksDBFilterOptions filter;
  filter.sample_queries = 1;
  filter.canonicalizer = CaseFolding::Named("tests.Folding");
  Open(WithPolicy(filter));
  db_->Get({}, "0000000AbC", &value_).PermitUncheckedError();
  EXPECT_EQ(Sample(), (std::map<std::string, int>{{Hex("0000000AbC"), 1}}));
}

// Their filters are queried with empty prefixes that point nowhere.
TEST_F(RocksDBQuerySampleTest, RangesAreLeftOut) {
  RocksDBFilterOptions filter;
  filter.sample_queries = 1;
  filter.range_prefixes = "8";
  rocksdb::Options options = WithPolicy(filter);
  options.prefix_extractor = NewRangeExtractor();
  Open(options);
  const std::string end = Key(2);
  const rocksdb::Slice bound(end);
  rocksdb::ReadOptions read;
  read.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> scan(db_->NewIterator(read));
  scan->Seek(Key(1));
  EXPECT_FALSE(scan->Valid());
  Get(3);
  EXPECT_EQ(Sample(), (std::map<std::string, int>{{Hex(Key(3)), 1}}));
}

// A rewrite builds filters of random keys, and queries each for 10,000 others.
TEST_F(RocksDBQuerySampleTest, RewritesAddNothing) {
  Open(Format::kBlocked, 1);
  Get(3);
  const double queries = MetricValue("bloomline_filter_queries_total");
  const double built = MetricValue("bloomline_filters_built_total");
  const double keys = MetricValue("bloomline_filter_built_keys_total");
  const double opened = MetricValue("bloomline_filters_opened_total");
  RewriteOptions rewrite;
  rewrite.include_level0 = true;
  rewrite.needs_rewrite = [](const RewriteCandidate&) { return true; };
  RewriteReport report;
  std::string error;
  ASSERT_TRUE(RewriteFilters(db_.get(), db_->DefaultColumnFamily(), rewrite, &report, &error))
      << error;
  EXPECT_EQ(report.files_rewritten, 1u);
  EXPECT_EQ(Sample(), (std::map<std::string, int>{{Hex(Key(3)), 1}}));
  EXPECT_EQ(MetricValue("bloomline_filter_queries_total"), queries);
  EXPECT_EQ(MetricValue("bloomline_filters_built_total"), built + 1);
  EXPECT_NEAR(MetricValue("bloomline_filter_built_keys_total"), keys + kKeys, 10);
  EXPECT_EQ(MetricValue("bloomline_filters_opened_total"), opened + 1);
}

TEST_F(RocksDBQuerySampleTest, WhatCannotBeWrittenHasAReason) {
  Open(Format::kBlocked, 1);
  Get(1);
  std::string error;
  EXPECT_FALSE(WriteQuerySample(db_.get(), db_->DefaultColumnFamily(), "/nowhere/sample", &error));
  EXPECT_NE(error.find("/nowhere/sample"), std::string::npos) << error;

  rocksdb::Options with_prefixes = WithPolicy(RocksDBFilterOptions());
  with_prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  Open(with_prefixes);
  const std::string refused = Write();
  EXPECT_NE(refused.find("prefix_extractor is 'rocksdb.FixedPrefix"), std::string::npos) << refused;
  EXPECT_NE(refused.find("allowed: none, bloomline.ranges"), std::string::npos) << refused;

  rocksdb::Options of_rocksdb = WithPolicy(RocksDBFilterOptions());
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  of_rocksdb.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  Open(of_rocksdb);
  EXPECT_EQ(Write(),
            "filter_policy is 'bloomfilter:10:false'; allowed: bloomline with sample_queries");
}

// Keys may be personal data.
TEST_F(RocksDBQuerySampleTest, ANewFileIsForItsOwnerAndAnOldOneKeepsItsMode) {
  Open(Format::kBlocked, 1);
  Get(1);
  struct stat status;
  ASSERT_EQ(Write(), "");
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
  ASSERT_EQ(Write(), "");
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

// tests/threads/tsan runs it, too.
TEST_F(RocksDBQuerySampleTest, ManyThreadsQueryWhileItIsWritten) {
  Open(Format::kCompact, 2);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this] {
      std::string value;
      for (int i = 0; i < 20000; ++i) db_->Get({}, Key(i), &value).PermitUncheckedError();
    });
  }
  for (int i = 0; i < 20; ++i) Write();
  for (std::thread& thread : threads) thread.join();
  int count = 0;
  for (const auto& [line, times] : Sample()) {
    ASSERT_EQ(line.size(), 20u);
    count += times;
  }
  // Of 40,000, without those that met another thread.
  EXPECT_GT(count, 10000);
  EXPECT_LT(count, 41000);
}

TEST_F(RocksDBQuerySampleTest, FromC) {
  char* error = nullptr;
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_block_based_table_options_t* const table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(
      table, bloomline_rocksdb_filterpolicy_create("{id=bloomline;sample_queries=1}", &error));
  ASSERT_EQ(error, nullptr) << error;
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_t* const db = rocksdb_open(options, dir_.Path("c").c_str(), &error);
  ASSERT_EQ(error, nullptr) << error;
  rocksdb_writeoptions_t* const write = rocksdb_writeoptions_create();
  rocksdb_put(db, write, "key", 3, "value", 5, &error);
  rocksdb_flushoptions_t* const flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  rocksdb_readoptions_t* const read = rocksdb_readoptions_create();
  size_t size = 0;
  rocksdb_free(rocksdb_get(db, read, "key", 3, &size, &error));
  EXPECT_EQ(error, nullptr) << error;
  EXPECT_EQ(bloomline_rocksdb_write_query_sample(db, nullptr, path_.c_str(), &error), 1);
  EXPECT_EQ(LinesOf(path_), (std::map<std::string, int>{{Hex("key"), 1}}));
  EXPECT_EQ(bloomline_rocksdb_write_query_sample(db, nullptr, nullptr, &error), 0);
  EXPECT_STREQ(error, "path is NULL; allowed: a string");
  rocksdb_free(error);
  error = nullptr;
  EXPECT_EQ(bloomline_rocksdb_write_query_sample(nullptr, nullptr, "x", &error), 0);
  EXPECT_STREQ(error, "db is null; allowed: that of an open database");
  rocksdb_free(error);
  rocksdb_readoptions_destroy(read);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
  rocksdb_block_based_options_destroy(table);
  rocksdb_options_destroy(options);
}

size_t BytesOf(const std::vector<std::string>& keys) {
  size_t bytes = 0;
  for (const std::string& key : keys) bytes += sizeof(key) + key.size();
  return bytes;
}

TEST(QuerySampleTest, KeepsTheNewestThatFit) {
  QuerySample sample;
  for (int i = 0; i < 200000; ++i) sample.Add(Key(i));
  const std::vector<std::string> keys = sample.Keys();
  ASSERT_GT(keys.size(), 50000u);
  EXPECT_LE(BytesOf(keys), QuerySample::kMaxBytes);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(keys[i], Key(200000 - static_cast<int>(keys.size() - i)));
  }
  sample.Add(std::string(QuerySample::kMaxKeyBytes + 1, 'x'));
  EXPECT_EQ(sample.Keys(), keys);
  for (int i = 0; i < 1000; ++i) {
    sample.Add(std::string(QuerySample::kMaxKeyBytes, static_cast<char>('a' + i % 26)));
    ASSERT_LE(BytesOf(sample.Keys()), QuerySample::kMaxBytes);
  }
  EXPECT_EQ(sample.Keys().back(), std::string(QuerySample::kMaxKeyBytes, 'a' + 999 % 26));
}

TEST(QuerySampleTest, ManyThreads) {
  QuerySample sample;
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&sample, thread] {
      for (int i = 0; i < 50000; ++i) {
        sample.Add(Key(thread));
        if (i % 10000 == 0) {
          for (const std::string& key : sample.Keys()) ASSERT_EQ(key.substr(0, 9), "000000000");
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(BytesOf(sample.Keys()), QuerySample::kMaxBytes);
  EXPECT_GT(sample.Keys().size(), 1000u);
}

}  // namespace
}  // namespace bloomline::tests
