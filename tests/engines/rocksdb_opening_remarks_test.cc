// What LOG says of a policy each time that a database is opened, and of files without a database.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>

#include <memory>
#include <string>
#include <utility>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/kept_log.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/own_process.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_opening_remarks_test {
namespace {

// Opens a database with the policy, and with an account if `is_accounted`, writes two files, and
// returns LOG.
std::shared_ptr<KeptLog> LogOf(const Policy& policy, rocksdb::CompactionStyle style,
                               bool is_accounted = false) {
  const TempDir dir;
  const auto log = std::make_shared<KeptLog>();
  rocksdb::Options options = WithPolicy(policy);
  options.info_log = log;
  options.compaction_style = style;
  if (is_accounted) options.listeners = {NewFilterAccount()};
  const std::unique_ptr<rocksdb::DB> db = MustOpenRocksDB(options, dir.Path("db"));
  for (const char* key : {"key", "another"}) {
    EXPECT_TRUE(db->Put({}, key, "value").ok());
    EXPECT_TRUE(db->Flush({}).ok());
  }
  return log;
}

TEST(RocksDBOpeningRemarksTest, BitsByLevelWithoutEffectOrAccountAreNamedOncePerOpening) {
  for (const char* text : {"bits_by_level=auto;", "memory=0;", "bits_by_level=20:10;",
                           "bits_by_level=auto;bits_per_key=0.2;"}) {
    const Policy policy = PolicyOf(std::string("{id=bloomline;") + text + "}");
    const bool is_auto = std::string(text) == "bits_by_level=auto;";
    for (const bool is_accounted : {false, true}) {
      for (const auto& [style, remark] :
           {std::pair(rocksdb::kCompactionStyleLevel, "waste fewer reads with a FilterAccount; "),
            std::pair(rocksdb::kCompactionStyleUniversal, "have no effect with universal"),
            std::pair(rocksdb::kCompactionStyleFIFO, "have no effect with FIFO")}) {
        const bool is_fifo = style == rocksdb::kCompactionStyleFIFO;
        for (int opening = 0; opening < 2; ++opening) {
          const auto log = LogOf(policy, style, is_accounted);
          EXPECT_EQ(log->CountOf(remark), is_auto && (is_fifo || !is_accounted) ? 1 : 0)
              << text << remark;
          // The lines that add an account, in C++, in Java and in option strings.
          const int num_lines = is_auto && !is_fifo && !is_accounted ? 1 : 0;
          EXPECT_EQ(log->CountOf("options.listeners.push_back(bloomline::NewFilterAccount())"),
                    num_lines);
          EXPECT_EQ(log->CountOf("options.setListeners(Collections.singletonList("), num_lines);
          EXPECT_EQ(log->CountOf("listeners=bloomline.account"), num_lines);
        }
      }
    }
  }
}

TEST(RocksDBOpeningRemarksTest, FormerOptionsWithAnotherValueThanTheDefaultAreNamed) {
  const auto says = [&](const Policy& policy, const std::string& options) {
    const auto log = LogOf(policy, rocksdb::kCompactionStyleLevel);
    const int count = log->CountOf("have no effect any more: " + options + "; CHANGELOG.md");
    EXPECT_EQ(log->CountOf("any more"), count) << "other options are named";
    return count == 1;
  };
  for (const auto& [text, options] :
       {std::pair("range_prefixes=auto;", "range_prefixes=auto"),
        std::pair("range_prefixes=4:x;range_memory_percent=30;",
                  "range_memory_percent=30, range_prefixes=4:x"),
        std::pair("bits_by_level=auto;levels_in_use=6;level_size_ratio=10;", "levels_in_use=6"),
        std::pair("level_size_ratio=8.5;levels_in_use=0;", "level_size_ratio=8.5")}) {
    const Policy policy = PolicyOf(std::string("{id=bloomline;") + text + "}");
    EXPECT_TRUE(says(policy, options)) << text;
    EXPECT_TRUE(says(policy, options)) << "opened again";
    // What the new OPTIONS file has.
    EXPECT_FALSE(says(PolicyOf(policy->ToString(rocksdb::ConfigOptions())), options)) << text;
  }
  // As earlier releases wrote for all.
  EXPECT_FALSE(says(PolicyOf("{id=bloomline;range_prefixes=none;range_memory_percent=20;"
                             "sample_queries=0;levels_in_use=0;level_size_ratio=10;}"),
                    ""));
}

// Writes a file that belongs to no database.
void WriteFile(const Policy& policy, const std::shared_ptr<KeptLog>& log) {
  const TempDir dir;
  rocksdb::Options options = WithPolicy(policy);
  options.info_log = log;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  ASSERT_TRUE(writer.Open(dir.Path("table.sst")).ok());
  ASSERT_TRUE(writer.Put("key", "value").ok());
  ASSERT_TRUE(writer.Finish().ok());
}

constexpr char kNoLimit[] = "bloomline: memory has no effect in an SstFileWriter";

TEST(RocksDBOpeningRemarksTest, AFileWithoutADatabaseNamesTheLimitOnce) {
  for (const char* text : {"memory=1MiB", "memory=1MiB;format=ribbon", "memory=0"}) {
    const Policy policy = PolicyOf("{id=bloomline;" + std::string(text) + "}");
    const auto log = std::make_shared<KeptLog>();
    testing::internal::CaptureStderr();
    for (int file = 0; file < 3; ++file) WriteFile(policy, log);
    EXPECT_EQ(TakeStderr(), "");
    EXPECT_EQ(log->CountOf(kNoLimit), text == std::string("memory=0") ? 0 : 1) << text;
  }
}

TEST(RocksDBOpeningRemarksTest, AFileWithoutALogNamesTheLimitOnStderrOnceInTheProcess) {
  InOwnProcess([] {
    testing::internal::CaptureStderr();
    for (int file = 0; file < 4; ++file) {
      WriteFile(PolicyOf(file == 0 ? "{id=bloomline}" : "{id=bloomline;memory=1MiB}"), nullptr);
    }
    EXPECT_EQ(CountOf(kNoLimit, TakeStderr()), 1);
  });
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_opening_remarks_test
