// What LOG says of a policy each time that a database is opened, and of files without a database.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>

#include <memory>
#include <string>
#include <utility>

#include "bloomline/rocksdb.h"
#include "tests/engines/kept_log.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/own_process.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_opening_remarks_test {
namespace {

// Opens a database with the policy, writes a file, and returns LOG.
std::shared_ptr<KeptLog> LogOf(const Policy& policy, rocksdb::CompactionStyle style) {
  const TempDir dir;
  const auto log = std::make_shared<KeptLog>();
  rocksdb::Options options = WithPolicy(policy);
  options.info_log = log;
  options.compaction_style = style;
  const std::unique_ptr<rocksdb::DB> db = MustOpenRocksDB(options, dir.Path("db"));
  EXPECT_TRUE(db->Put({}, "key", "value").ok());
  EXPECT_TRUE(db->Flush({}).ok());
  return log;
}

TEST(RocksDBOpeningRemarksTest, BitsByLevelThatHaveNoEffectAreNamed) {
  for (const char* text : {"bits_by_level=auto;", "memory=0;", "bits_by_level=20:10;"}) {
    const Policy policy = PolicyOf(std::string("{id=bloomline;") + text + "}");
    const bool is_auto = std::string(text) == "bits_by_level=auto;";
    for (const auto& [style, name] : {std::pair(rocksdb::kCompactionStyleLevel, "level"),
                                      std::pair(rocksdb::kCompactionStyleUniversal, "universal"),
                                      std::pair(rocksdb::kCompactionStyleFIFO, "FIFO")}) {
      const bool is_leveled = style == rocksdb::kCompactionStyleLevel;
      for (int opening = 0; opening < 2; ++opening) {
        EXPECT_EQ(LogOf(policy, style)->Has("have no effect with " + std::string(name)),
                  is_auto && !is_leveled)
            << text << name;
      }
    }
  }
}

TEST(RocksDBOpeningRemarksTest, OptionsForRangesWithoutEffectAreNamed) {
  constexpr char kRemark[] = "range_prefixes has no effect since bloomline 0.3; docs/ranges.md";
  const auto says = [&](const Policy& policy) {
    return LogOf(policy, rocksdb::kCompactionStyleLevel)->Has(kRemark);
  };
  for (const char* text : {"range_prefixes=auto;", "range_memory_percent=30;range_prefixes=4:x;"}) {
    const Policy policy = PolicyOf(std::string("{id=bloomline;") + text + "}");
    EXPECT_TRUE(says(policy)) << text;
    EXPECT_TRUE(says(policy)) << "opened again";
    // What the new OPTIONS file has.
    EXPECT_FALSE(says(PolicyOf(policy->ToString(rocksdb::ConfigOptions())))) << text;
  }
  // As earlier releases wrote for all.
  EXPECT_FALSE(says(PolicyOf("{id=bloomline;range_prefixes=none;range_memory_percent=20;}")));
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
