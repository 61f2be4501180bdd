// `bloomline db advise --queries` against RocksDB's tickers: the same queries, from a file of keys
// and from a trace, and the promises for them against the tickers after what was advised.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/trace_reader_writer.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "tests/cli/tool_run.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

class Append : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing, const rocksdb::Slice& value,
             std::string* merged, rocksdb::Logger*) const override {
    *merged = (existing == nullptr ? "" : existing->ToString()) + value.ToString();
    return true;
  }
  const char* Name() const override { return "append"; }
};

// Numbers are spread over the range of all keys.
std::string KeyOf(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016" PRIx64, number * 0x9e3779b97f4a7c15);
  return text;
}

constexpr uint64_t kMissing = uint64_t{1} << 40;

class ToolQueriesTest : public testing::Test {
 protected:
  // Three levels.
  void SetUp() override {
    Open("bloomfilter:10");
    uint64_t number = 0;
    for (const auto& [level, keys] : {std::pair(6, 60000), std::pair(5, 6000), std::pair(4, 600)}) {
      for (int i = 0; i < keys; ++i) ASSERT_TRUE(db_->Put(write_, KeyOf(number++), "v").ok());
      FlushTo(level);
    }
    for (uint64_t i = 0; i < 40000; ++i) gets_.push_back(KeyOf(kMissing + i));
    for (uint64_t i = 0; i < number; i += 8) gets_.push_back(KeyOf(i));
  }

  // Two files in level 0 with newer values, deletions and operands of merges; and keys that are
  // asked for often.
  void AddLevel0() {
    for (uint64_t file = 0; file < 2; ++file) {
      for (uint64_t i = file; i < 66000; i += 40) {
        if (i % 3 == 0) {
          ASSERT_TRUE(db_->Merge(write_, KeyOf(i), "m").ok());
        } else if (i % 3 == 1) {
          ASSERT_TRUE(db_->Delete(write_, KeyOf(i)).ok());
        } else {
          ASSERT_TRUE(db_->Put(write_, KeyOf(i + kMissing / 2), "v").ok());
        }
      }
      ASSERT_TRUE(db_->Flush({}).ok());
    }
    for (uint64_t i = 0; i < 10000; ++i) gets_.push_back(KeyOf(kMissing + i % 100));
  }

  void Open(const std::string& policy) {
    db_.reset();
    RegisterBloomline();
    rocksdb::ConfigOptions strict;
    strict.ignore_unsupported_options = false;
    rocksdb::BlockBasedTableOptions table;
    ASSERT_TRUE(rocksdb::FilterPolicy::CreateFromString(strict, policy, &table.filter_policy).ok());
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.disable_auto_compactions = true;
    options.statistics = statistics_;
    options.merge_operator = std::make_shared<Append>();
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    ASSERT_TRUE(OpenRocksDB(options, folder_, &db_).ok());
  }

  void FlushTo(int level) {
    ASSERT_TRUE(db_->Flush({}).ok());
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.level == 0) {
        ASSERT_TRUE(db_->CompactFiles({}, {file.name}, level).ok());
      }
    }
  }

  // Rewrites each file in its level.
  void Rewrite() {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      ASSERT_TRUE(db_->CompactFiles({}, {file.name}, file.level).ok());
    }
  }

  struct Tickers {
    uint64_t useful, positive, true_positive;
    uint64_t false_positives() const { return positive - true_positive; }
  };
  template <typename Ask>
  Tickers Count(Ask ask) {
    EXPECT_TRUE(statistics_->Reset().ok());
    ask();
    return {statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL),
            statistics_->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE),
            statistics_->getTickerCount(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE)};
  }
  void AskAll() {
    std::string value;
    for (const std::string& key : gets_) db_->Get({}, key, &value).PermitUncheckedError();
  }

  nlohmann::json Advise(const std::string& arguments) {
    const ToolRun run = RunTool("db advise --json " + arguments, folder_);
    EXPECT_EQ(run.exit_code, 0) << run.text;
    return run.json["databases"][0]["column_families"][0];
  }

  static void ExpectTickers(const nlohmann::json& queries, const Tickers& tickers) {
    EXPECT_EQ(queries["rejected"], tickers.useful);
    EXPECT_EQ(queries["false_positives"], tickers.false_positives());
    EXPECT_EQ(queries["true_positives"], tickers.true_positive);
    EXPECT_EQ(queries["unfiltered"], 0);
    EXPECT_GT(tickers.useful, 100000u);
    EXPECT_GT(tickers.false_positives(), 1000u);
    EXPECT_GT(tickers.true_positive, 5000u);
  }

  const TempDir dir_;
  const std::string folder_ = dir_.Path("db");
  const std::string file_ = dir_.Path("queries");
  const std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
  rocksdb::WriteOptions write_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<std::string> gets_;
};

TEST_F(ToolQueriesTest, GetsOfAFileAreThoseOfTheTickers) {
  AddLevel0();
  const Tickers tickers = Count([&] { AskAll(); });
  {
    std::ofstream file(file_);
    for (const std::string& key : gets_) file << key << '\n';
  }
  const nlohmann::json advice = Advise("--queries '" + file_ + "'");
  const nlohmann::json& queries = advice["queries"];
  ExpectTickers(queries, tickers);
  EXPECT_EQ(queries["gets"], gets_.size());
  uint64_t missing = 0;
  for (const std::string& key : gets_) {
    std::string value;
    missing += db_->Get({}, key, &value).IsNotFound() ? 1 : 0;
  }
  // A deleted key is in a file, where the Get ends.
  EXPECT_LE(queries["gets_of_missing_keys"], missing);
  EXPECT_GE(queries["gets_of_missing_keys"], 50000);
  EXPECT_NEAR(advice["wasted_reads_now"].get<double>(),
              static_cast<double>(tickers.false_positives()) / static_cast<double>(gets_.size()),
              1e-9);
}

TEST_F(ToolQueriesTest, ATraceIsReadAsRocksDBWritesIt) {
  AddLevel0();
  std::unique_ptr<rocksdb::TraceWriter> writer;
  ASSERT_TRUE(rocksdb::NewFileTraceWriter(rocksdb::Env::Default(), {}, file_, &writer).ok());
  ASSERT_TRUE(db_->StartTrace({}, std::move(writer)).ok());
  ASSERT_TRUE(db_->Put(write_, "zz written", std::string(100000, 'v')).ok());
  const Tickers tickers = Count([&] {
    const size_t singles = gets_.size() / 2;
    std::string value;
    for (size_t i = 0; i < singles; ++i) {
      db_->Get({}, gets_[i], &value).PermitUncheckedError();
    }
    for (size_t i = singles; i < gets_.size(); i += 10) {
      std::vector<rocksdb::Slice> keys;
      for (size_t k = i; k < std::min(i + 10, gets_.size()); ++k) keys.emplace_back(gets_[k]);
      std::vector<std::string> values;
      for (auto& status : db_->MultiGet({}, keys, &values)) status.PermitUncheckedError();
    }
  });
  const std::string bounds[] = {KeyOf(kMissing + 7), KeyOf(kMissing + 7) + "z"};
  const rocksdb::Slice end = bounds[1];
  for (const rocksdb::Slice* upper : {&end, static_cast<const rocksdb::Slice*>(nullptr)}) {
    rocksdb::ReadOptions read;
    read.iterate_upper_bound = upper;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(read));
    iterator->Seek(bounds[0]);
    iterator->SeekForPrev(bounds[0]);
  }
  ASSERT_TRUE(db_->EndTrace().ok());
  const nlohmann::json queries = Advise("--queries '" + file_ + "'")["queries"];
  ExpectTickers(queries, tickers);
  EXPECT_EQ(queries["gets"], gets_.size());
  EXPECT_EQ(queries["scans"], 1);
  EXPECT_EQ(queries["other_seeks"], 3);
  EXPECT_EQ(queries["empty_scans"], 1);

  // Cut off anywhere, it gives what is whole.
  std::ifstream in(file_, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  const size_t cut = bytes.size() / 2 + 1;
  std::ofstream(file_, std::ios::binary) << bytes.substr(0, cut);
  const ToolRun run = RunTool("db advise --json --queries '" + file_ + "'", folder_);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.text.find("ends within the record at offset "), std::string::npos) << run.text;
  const nlohmann::json& half = run.json["databases"][0]["column_families"][0]["queries"];
  EXPECT_GT(half["gets"], 1000);
  EXPECT_LT(half["gets"], gets_.size());
  // A wrong length of a key.
  std::string wrong = bytes;
  const size_t key = wrong.find(gets_.front());
  ASSERT_NE(key, std::string::npos);
  wrong[key - 1] = 100;
  std::ofstream(file_, std::ios::binary) << wrong;
  const ToolRun refused = RunTool("db advise --queries '" + file_ + "'", folder_);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.text.find("is no Get: its fields do not fit into its "), std::string::npos)
      << refused.text;
}

// The sample of a policy has falsely matched keys as often as the queries had.
TEST_F(ToolQueriesTest, ASampleHasTheRateOfTheTickers) {
  Open("{id=bloomline;format=bloom;sample_queries=7}");
  const Tickers tickers = Count([&] { AskAll(); });
  std::string error;
  ASSERT_TRUE(WriteQuerySample(db_.get(), db_->DefaultColumnFamily(), file_, &error)) << error;
  const nlohmann::json queries = Advise("--hex --queries '" + file_ + "'")["queries"];
  const auto rate = [](uint64_t rejected, uint64_t false_positives) {
    return static_cast<double>(false_positives) / static_cast<double>(rejected + false_positives);
  };
  const uint64_t false_positives = queries["false_positives"];
  EXPECT_GT(queries["gets"], 15000);
  EXPECT_GT(false_positives, 300u);
  const double expected = rate(tickers.useful, tickers.false_positives());
  EXPECT_NEAR(rate(queries["rejected"], false_positives), expected, 0.25 * expected);
}

TEST_F(ToolQueriesTest, PromisesForTheQueriesAreKept) {
  {
    std::ofstream file(file_);
    for (const std::string& key : gets_) file << key << '\n';
  }
  const nlohmann::json advice = Advise("--queries '" + file_ + "'");
  ASSERT_GE(advice["choices"].size(), 2u) << advice;
  for (const size_t number : {0u, 1u}) {
    const nlohmann::json& choice = advice["choices"][number];
    const std::string option_string = choice["option_string"];
    SCOPED_TRACE(option_string);
    Open(option_string);
    Rewrite();
    if (HasFatalFailure()) return;
    const Tickers tickers = Count([&] { AskAll(); });
    const double promised =
        choice["wasted_reads"].get<double>() * static_cast<double>(gets_.size());
    EXPECT_NEAR(static_cast<double>(tickers.false_positives()), promised,
                0.05 * promised + 4 * std::sqrt(promised));
    EXPECT_LT(promised,
              0.8 * advice["wasted_reads_now"].get<double>() * static_cast<double>(gets_.size()));
    // What the present filters would waste, in the table of all formats.
    const nlohmann::json after = Advise("--queries '" + file_ + "'");
    EXPECT_EQ(after["queries"]["false_positives"], tickers.false_positives());
  }
  // In 10 bits per key, Bloom filters waste what they waste now.
  for (const nlohmann::json& row : advice["queries"]["by_bits"]) {
    if (row["format"] != "bloom" || row["by_level"]) continue;
    EXPECT_EQ(row["bits"][2], 10);
    EXPECT_NEAR(row["wasted_reads"][2].get<double>(), advice["wasted_reads_now"].get<double>(),
                0.15 * advice["wasted_reads_now"].get<double>());
  }
}

}  // namespace
}  // namespace bloomline::tests
