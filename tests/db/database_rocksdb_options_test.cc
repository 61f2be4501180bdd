// OPTIONS and LOG, as RocksDB writes them, and texts that it does not write.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "src/db/directory/database.h"
#include "src/db/directory/options_file.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::directory {
namespace {

using tests::TempDir;

TEST(OptionsFile, Sections) {
  OptionsFile options;
  ParseOptionsFile(
      "# comment\n"
      "[Version]\n  rocksdb_version=7.8.3\n"
      "[DBOptions]\r\n  db_log_dir=/a\\:b\\#c # comment\r\n  no statement\n=\n"
      "[CFOptions \"default\"]\n  num_levels=5\n  compression_opts={max_dict_bytes=0;level=1;}\n"
      "  a = b=c  \n"
      "[TableOptions/BlockBasedTable \"default\"]\n  filter_policy={id=bloomfilter:10:false;}#x\n"
      "  num_levels=9\n"
      "[CFOptions \"with \\\"quotes\\\" \\#1\"]\n  a=1\n"
      "[Unknown \"default\"]\n  b=2\n"
      "[CFOptions]\n  c=3\n"
      "[TableOptions \"default\"]\n  d=4",
      &options);
  EXPECT_EQ(options.database, (OptionMap{{"db_log_dir", "/a:b#c"}, {"", ""}}));
  ASSERT_EQ(options.column_families.size(), 2u);
  EXPECT_EQ(options.column_families["default"],
            (OptionMap{{"num_levels", "5"},
                       {"compression_opts", "{max_dict_bytes=0;level=1;}"},
                       {"a", "b=c"},
                       {"filter_policy", "{id=bloomfilter:10:false;}"}}));
  EXPECT_EQ(options.column_families["with \"quotes\" #1"], (OptionMap{{"a", "1"}}));
}

TEST(OptionsFile, Values) {
  EXPECT_EQ(OptionId("bloomfilter:10:false"), "bloomfilter:10:false");
  EXPECT_EQ(OptionId(" {bloomfilter:10:false;} "), "bloomfilter:10:false");
  EXPECT_EQ(OptionId("{bloom_before_level=0;id=ribbonfilter:10;}"), "ribbonfilter:10");
  EXPECT_EQ(OptionId("id=bloomline;format=compact"), "bloomline");
  EXPECT_EQ(OptionId("{bits_per_key=7}"), "");
  EXPECT_EQ(OptionId(""), "");
  EXPECT_EQ(OptionIn("{a={id=x;b=1;};id=y;b={c=2;};}", "id"), "y");
  EXPECT_EQ(OptionIn("{a={id=x;b=1;};id=y;b={c=2;};}", "b"), "c=2;");
  EXPECT_EQ(OptionIn("{a=1}", "b"), "");
  // Braces that do not match.
  for (const char* text :
       {"{", "}", "{a", "a}", "{{a=1}", "{a=1}}", "}{", "a={;b=1", ";;;", "=", "{=}"}) {
    OptionId(text);
    OptionIn(text, "b");
  }
}

// Cut off at any length, and with any byte changed: options of the same names, or fewer.
TEST(OptionsFile, Damage) {
  const std::string text =
      "[DBOptions]\n db_log_dir=/x\n[CFOptions \"default\"]\n a={b={c=1;};}\n"
      "[TableOptions/BlockBasedTable \"default\"]\n filter_policy=bloomline\\:10 # c\n";
  for (size_t i = 0; i <= text.size(); ++i) {
    OptionsFile cut;
    ParseOptionsFile(text.substr(0, i), &cut);
    EXPECT_LE(cut.column_families.size(), 1u);
    for (int byte = 0; i < text.size() && byte < 256; ++byte) {
      std::string changed = text;
      changed[i] = static_cast<char>(byte);
      OptionsFile options;
      ParseOptionsFile(changed, &options);
    }
  }
}

TEST(Tickers, Texts) {
  Tickers tickers{{"kept", 1}};
  std::string error;
  const auto parse = [&](const std::string& text) { return ParseTickers(text, &tickers, &error); };
  EXPECT_TRUE(
      parse("rocksdb.bloom.filter.useful COUNT : 12\n"
            " rocksdb.bloom.filter.full.positive  34\r\n"
            "fillseq : 1.2 micros/op\nSTATISTICS:\n\n"
            "rocksdb.l0.hit COUNT : 18446744073709551615\n"
            "rocksdb.db.get.micros P50 : 1.5 P95 : 2.0 P99 : 3 P100 : 9 COUNT : 5 SUM : 8\n"
            "rocksdb.db.get.micros statistics Percentiles :=> 50 : 1.5 95 : 2.0\n"
            "rocksdb.bloom.filter.useful COUNT : 13"));
  EXPECT_EQ(tickers, (Tickers{{"rocksdb.bloom.filter.useful", 13},
                              {"rocksdb.bloom.filter.full.positive", 34},
                              {"rocksdb.l0.hit", ~uint64_t{0}}}));
  EXPECT_EQ(error, "");
  const Tickers before = tickers;
  for (const char* bad :
       {"rocksdb.a", "rocksdb.a COUNT", "rocksdb.a COUNT :", "rocksdb.a COUNT : -1",
        "rocksdb.a COUNT : 18446744073709551616", "rocksdb.a COUNT : 1x", "rocksdb.a COUNT : 1 2",
        "rocksdb.a COUNTS : 1", "rocksdb.a : 1", "rocksdb.a 1.5", "rocksdb.a ten"}) {
    EXPECT_FALSE(parse("rocksdb.ok 1\n\n" + std::string(bad) + "\n")) << bad;
    EXPECT_EQ(error, "line 3 is '" + std::string(bad) +
                         "'; allowed: a name and a count from 0 to 18446744073709551615, as in "
                         "'rocksdb.bloom.filter.useful COUNT : 12'");
    EXPECT_EQ(tickers, before);
  }
  for (const char* none : {"", "\n", "text", "rocksdb.x P50 : 1 COUNT : 2 SUM : 3\n"}) {
    EXPECT_FALSE(parse(none));
    EXPECT_NE(error.find("has no tickers"), std::string::npos);
  }
}

class LogTest : public ::testing::Test {
 protected:
  void Open(rocksdb::Options options) {
    db_.reset();
    options.create_if_missing = true;
    options.statistics = statistics_;
    options.stats_dump_period_sec = 0;  // else RocksDB's first dump comes within seconds of Open
    ASSERT_TRUE(tests::OpenRocksDB(options, path_, &db_).ok());
  }
  // As DBImpl::PrintStatistics.
  void Dump() {
    rocksdb::Log(rocksdb::INFO_LEVEL, db_->GetDBOptions().info_log, "STATISTICS:\n %s",
                 statistics_->ToString().c_str());
    db_->GetDBOptions().info_log->Flush();
  }
  uint64_t Count() {
    Tickers tickers;
    std::string error;
    if (!ReadLogTickers(path_, &tickers, &error)) {
      EXPECT_TRUE(tickers.empty());
      EXPECT_NE(error.find("LOG has no statistics"), std::string::npos) << error;
      return 0;
    }
    EXPECT_GT(tickers.size(), 100u);
    return tickers.at("rocksdb.bloom.filter.useful");
  }
  void Set(uint64_t count) { statistics_->setTickerCount(rocksdb::BLOOM_FILTER_USEFUL, count); }

  const TempDir dir_;
  const std::string path_ = dir_.Path("db");
  const std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(LogTest, TheNewestDumpCounts) {
  Open({});
  EXPECT_EQ(Count(), 0u);
  Set(1ull << 63);
  Dump();
  EXPECT_EQ(Count(), 1ull << 63);
  Set(7);
  Dump();
  EXPECT_EQ(Count(), 7u);
  // Much other text, so that the dump crosses the borders of what is read at once.
  for (int i = 0; i < 400; ++i) {
    rocksdb::Log(rocksdb::INFO_LEVEL, db_->GetDBOptions().info_log, "%s",
                 std::string(8001, 'x').c_str());
    if (i % 40 == 0) {
      db_->GetDBOptions().info_log->Flush();
      EXPECT_EQ(Count(), 7u);
    }
  }
  // The next start has a new LOG, and the last one becomes LOG.old.NUMBER.
  Open({});
  EXPECT_EQ(Count(), 7u);
  Set(8);
  Dump();
  EXPECT_EQ(Count(), 8u);
  Open({});
  EXPECT_EQ(Count(), 8u);
}

// The owner is writing a dump: the one before counts.
TEST_F(LogTest, HalfOfADump) {
  Open({});
  Set(1);
  Dump();
  const auto one = std::filesystem::file_size(path_ + "/LOG");
  Set(2);
  Dump();
  db_.reset();
  std::ifstream file(path_ + "/LOG", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t two = text.rfind("SUM :");  // RocksDB may write more behind the dump
  ASSERT_NE(two, std::string::npos);
  ASSERT_EQ(Count(), 2u);
  int second = 0;
  for (auto size = one; size < two; size += 97) {
    std::ofstream(path_ + "/LOG", std::ios::binary) << text.substr(0, size);
    const uint64_t count = Count();
    ASSERT_TRUE(count == 1 || count == 2) << size;
    second += count == 2;
  }
  EXPECT_LT(second, 60);  // only among the histograms, which come last
}

TEST_F(LogTest, LogFolder) {
  rocksdb::Options options;
  options.db_log_dir = dir_.Path("logs");
  Open(options);
  Set(5);
  Dump();
  EXPECT_FALSE(std::filesystem::exists(path_ + "/LOG"));
  EXPECT_EQ(Count(), 5u);
}

// Not the one that an earlier LOG names.
TEST_F(LogTest, TheBlockCacheIsThatOfTheNewestLog) {
  const auto capacity = [&](const rocksdb::BlockBasedTableOptions& table) {
    rocksdb::Options options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    Open(options);
    db_.reset();
    std::vector<Database> databases;
    std::string error;
    EXPECT_TRUE(OpenInput(path_, &databases, &error)) << error;
    return databases.at(0).column_families.at(0).block_cache_bytes;
  };
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(3 << 20);
  EXPECT_EQ(capacity(table), 3u << 20);
  table.block_cache = rocksdb::NewLRUCache(5 << 20);
  EXPECT_EQ(capacity(table), 5u << 20);
  table.block_cache = nullptr;
  table.no_block_cache = true;
  EXPECT_EQ(capacity(table), 0u);
}

TEST_F(LogTest, NoLog) {
  std::filesystem::create_directory(path_);
  Tickers tickers;
  std::string error;
  EXPECT_FALSE(ReadLogTickers(path_, &tickers, &error));
  EXPECT_EQ(error, path_ + ": has no LOG");
}

}  // namespace
}  // namespace bloomline::directory
