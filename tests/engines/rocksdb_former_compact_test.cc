// Format compact, which RocksDB's policies had before bloomline 0.4: texts that name it mean
// Ribbon.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/former_compact.h"
#include "tests/engines/kept_log.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/own_process.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_former_compact_test {
namespace {

std::string Text(const rocksdb::FilterPolicy& policy) { return policy.ToString({}); }

// The options of this policy are those of the other text.
void ExpectMeans(const rocksdb::FilterPolicy& policy, const std::string& other) {
  EXPECT_EQ(Text(policy), Text(*PolicyOf("{id=bloomline;" + other + "}")));
}

double BitsPerKey(const Policy& policy, int num_keys) {
  const Builder builder = NewBuilder(policy);
  for (int i = 0; i < num_keys; ++i) builder->AddKey(std::to_string(i));
  return 8.0 * static_cast<double>(Finished(builder.get()).size()) / num_keys;
}

TEST(RocksDBFormerCompactTest, TextsMeanRibbon) {
  const struct {
    const char* text;
    const char* meaning;
  } kTexts[] = {
      {"format=compact", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;bits_per_key=7.5", "format=ribbon;bits_per_key=10.63"},
      {"format=compact;bits_per_key=3", "format=ribbon;bits_per_key=4.08"},
      {"format=compact;bits_per_key=24", "format=ribbon;bits_per_key=40.74"},
      {"format=compact;bits_per_key=0.2", "format=ribbon;bits_per_key=0.2"},  // no filters
      {"format=compact;seed=77", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;seed=random", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;max_filter_bytes=200", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;memory=1MiB", "format=ribbon;bits_per_key=14.53;memory=1MiB"},
      {"format=compact;filters_at_bottom=false",
       "format=ribbon;bits_per_key=14.53;filters_at_bottom=false"},
      {"format=compact;bits_by_level=24:10:0:3",
       "format=ribbon;bits_per_key=14.53;bits_by_level=40.74:14.53:0:4.08"},
      {"format=compact;bits_by_level=auto;levels_in_use=4;level_size_ratio=8.5",
       "format=ribbon;bits_per_key=14.53;bits_by_level=auto"},
      {"format=compact;flush_format=same", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;flush_format=compact", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;flush_format=blocked;seed=77", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;flush_format=ribbon", "format=ribbon;bits_per_key=14.53"},
      {"format=compact;stock_id=true", "format=ribbon;bits_per_key=14.53;stock_id=true"},
      // With one of the other formats, the bits are as they were.
      {"flush_format=compact", "flush_format=ribbon"},
      {"flush_format=compact;bits_per_key=12;seed=77;max_filter_bytes=200",
       "flush_format=ribbon;bits_per_key=12"},
      {"flush_format=compact;format=bloom;bits_by_level=20:10",
       "flush_format=ribbon;format=bloom;bits_by_level=20:10"},
      {"flush_format=compact;format=ribbon", "flush_format=ribbon;format=ribbon"},
  };
  for (const auto& c : kTexts) {
    SCOPED_TRACE(c.text);
    const std::string text = std::string("{id=bloomline;") + c.text + "}";
    ExpectMeans(*PolicyOf(text), c.meaning);
    char* error = nullptr;
    const std::unique_ptr<const rocksdb::FilterPolicy> by_c(
        reinterpret_cast<rocksdb::FilterPolicy*>(
            bloomline_rocksdb_filterpolicy_create(text.c_str(), &error)));
    ASSERT_NE(by_c, nullptr) << error;
    ExpectMeans(*by_c, c.meaning);
    const std::string family = "block_based_table_factory={filter_policy=" + text + "}";
    EXPECT_EQ(bloomline_rocksdb_validate_family_options(family.c_str(), &error), 1) << error;
    // The OPTIONS file that RocksDB writes next names Ribbon, and means the same.
    const std::string written = Text(*PolicyOf(text));
    EXPECT_EQ(written.find("compact"), std::string::npos) << written;
    EXPECT_EQ(Text(*PolicyOf(written)), written);
  }
  ExpectMeans(*PolicyOf("{id=bloomline:7.5;format=compact}"), "format=ribbon;bits_per_key=10.63");
}

TEST(RocksDBFormerCompactTest, MemoryIsTheSame) {
  constexpr int kKeys = 1000000;
  for (const double bits : {3.0, 7.5, 10.0, 16.0, 24.0}) {
    const Policy policy =
        PolicyOf("{id=bloomline;format=compact;bits_per_key=" + std::to_string(bits) + "}");
    EXPECT_NEAR(BitsPerKey(policy, kKeys), bits, 0.01 * bits);
  }
}

TEST(RocksDBFormerCompactTest, SetOptionsMeansRibbon) {
  const TempDir dir;
  const auto log = std::make_shared<KeptLog>();
  rocksdb::Options options = WithPolicy(PolicyOf("bloomline:7.5"));
  options.info_log = log;
  auto db = MustOpenRocksDB(options, dir.Path("db"));
  const auto set = [&](const std::string& change) {
    const rocksdb::Status status =
        db->SetOptions({{"block_based_table_factory", "{filter_policy={" + change + "};}"}});
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(db->Put({}, "key", "value").ok());
    EXPECT_TRUE(db->Flush({}).ok());
    return PolicyOf(db->GetOptions());
  };
  ExpectMeans(*set("format=compact;"), "format=ribbon;bits_per_key=10.63");
  EXPECT_TRUE(
      log->Has("bits_per_key=7.5, format=compact now means bits_per_key=10.63, "
               "format=ribbon: ribbon takes the place of compact"));
  // Before 9.8, RocksDB passes what changes, so bits that are Ribbon's already are told apart.
  if (!kSetOptionsMakesANewPolicy) {
    ExpectMeans(*set("format=compact;"), "format=ribbon;bits_per_key=10.63");
  }
  ExpectMeans(*set("format=compact;bits_per_key=7.5;"), "format=ribbon;bits_per_key=10.63");
  ExpectMeans(*set("bits_per_key=8;"), "format=ribbon;bits_per_key=8");
  ExpectMeans(*set("format=compact;bits_per_key=10;bits_by_level=24:3;"),
              "format=ribbon;bits_per_key=14.53;bits_by_level=40.74:4.08");
  ExpectMeans(*set("format=blocked;bits_by_level=uniform;flush_format=compact;"),
              "bits_per_key=14.53;flush_format=ribbon");
  options = LoadOptions(dir.Path("db"));
  ExpectMeans(*PolicyOf(options), "bits_per_key=14.53;flush_format=ribbon");
  db.reset();
  std::string value;
  EXPECT_TRUE(MustOpenRocksDB(options, dir.Path("db"))->Get({}, "key", &value).ok());
}

void SayWhatTextsMean() {
  testing::internal::CaptureStderr();
  const Policy seeded = PolicyOf("{id=bloomline;format=compact;seed=4711;max_filter_bytes=200}");
  const Policy other = PolicyOf("{id=bloomline;flush_format=compact}");
  const std::string said = TakeStderr();
  EXPECT_EQ(CountOf("\n", said), 1) << said;
  EXPECT_EQ(said,
            "bloomline: the filter policy's bits_per_key=10, format=compact, seed=..., "
            "max_filter_bytes=200 now means bits_per_key=14.53, format=ribbon, seed=0, "
            "max_filter_bytes=0: ribbon takes the place of compact since bloomline 0.4\n");
  const TempDir dir;
  for (int opening = 0; opening < 2; ++opening) {
    const auto log = std::make_shared<KeptLog>();
    rocksdb::Options options = WithPolicy(other);
    options.info_log = log;
    const auto db = MustOpenRocksDB(options, dir.Path("db"));
    EXPECT_TRUE(db->Put({}, "key", "value").ok());
    EXPECT_TRUE(db->Flush({}).ok());
    EXPECT_TRUE(log->Has("flush_format=compact now means flush_format=ribbon: ribbon takes"));
  }
}

TEST(RocksDBFormerCompactTest, StderrSaysOnceWhatTextsMeanAndLogAtEachOpening) {
  InOwnProcess(SayWhatTextsMean);
}

// LOG gets the line with the next table that is written, which may be never.
void OpenFormerFilters() {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    const Policy policy = NewRocksDBFilterPolicy(FilterOptions());
    EXPECT_TRUE(Reader(policy->GetFilterBitsReader(FormerCompactFilter()))->MayMatch("key"));
  }
  const std::string said = TakeStderr();
  EXPECT_EQ(CountOf("\n", said), 1) << said;
  EXPECT_EQ(CountOf("a table has a compact filter of bloomline before 0.4", said), 1) << said;
}

TEST(RocksDBFormerCompactTest, StderrSaysOnceThatFiltersMatchEveryKey) {
  InOwnProcess(OpenFormerFilters);
}

TEST(RocksDBFormerCompactTest, FiltersMatchEveryKeyAndLogSaysSoOncePerOpening) {
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions());
  const TempDir dir;
  constexpr char kRemark[] = "a table has a compact filter of bloomline before 0.4";
  for (int opening = 0; opening < 2; ++opening) {
    const auto log = std::make_shared<KeptLog>();
    rocksdb::Options options = WithPolicy(policy);
    options.info_log = log;
    const auto db = MustOpenRocksDB(options, dir.Path("db"));
    const auto write = [&] {
      EXPECT_TRUE(db->Put({}, "key", "value").ok());
      EXPECT_TRUE(db->Flush({}).ok());
    };
    write();
    EXPECT_FALSE(log->Has(kRemark));
    const std::string bytes = FormerCompactFilter();
    for (int i = 0; i < 2; ++i) {
      const Reader reader(policy->GetFilterBitsReader(bytes));
      EXPECT_TRUE(reader->MayMatch("key"));
      rocksdb::Slice keys[] = {"key", "another", "a third"};
      rocksdb::Slice* pointers[] = {&keys[0], &keys[1], &keys[2]};
      bool may_match[3] = {};
      reader->MayMatch(3, pointers, may_match);
      EXPECT_TRUE(may_match[0] && may_match[1] && may_match[2]);
    }
    write();
    write();
    EXPECT_EQ(log->CountOf(kRemark), 1);
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_former_compact_test
