// Changes of a policy's options in a running RocksDB database. Policies with stock_id call
// themselves by the names of RocksDB's own: RocksDB opens their databases.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <atomic>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/options/mutable_settings.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/table_bytes.h"
#include "tests/engines/accounted_database.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/repetitions.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::rocksdb_set_options_test {
namespace {

// "blocked 10 0" of a policy of ours, or "bloomfilter:10:false" of RocksDB's.
std::string Shown(const rocksdb::FilterPolicy& policy) {
  std::string unused;
  if (IsRefused(policy)) return "refused";
  const bool is_ours = policy.GetOption(rocksdb::ConfigOptions(), "stock_id", &unused).ok();
  return is_ours ? Settings(policy) : policy.GetId();
}

// A database whose filter options change while it runs.
class RunningDatabase : public AccountedDatabase {
 public:
  RunningDatabase(const std::string& path, Policy policy)
      : AccountedDatabase(path, nullptr), path_(path) {
    options().table_factory = WithPolicy(std::move(policy)).table_factory;
    options().disable_auto_compactions = true;  // AddTable counts on the tables before its own
    options().write_buffer_size = 64 << 20;
    EXPECT_TRUE(Open().ok());
  }

  rocksdb::Status Set(const std::string& table_options) {
    return db()->SetOptions({{"block_based_table_factory", "{" + table_options + ";}"}});
  }
  rocksdb::Status SetFilter(const std::string& changes) {
    return Set("filter_policy={" + changes + "}");
  }

  // Writes a table of `n` new keys. Returns its filter's bits per key.
  double AddTable(uint64_t n) {
    const uint64_t before = filter_bytes();
    Put(handles()[0], num_keys_, n);
    num_keys_ += n;
    Flush();
    return 8 * static_cast<double>(filter_bytes() - before) / static_cast<double>(n);
  }

  void ExpectNoKeyLost() { AccountedDatabase::ExpectNoKeyLost(num_keys_); }

  // The policy that the database has, and that of its OPTIONS file.
  std::string policy() { return Shown(*PolicyOf(db()->GetOptions())); }
  std::string loaded_policy() { return Shown(*PolicyOf(LoadOptions(path_))); }

  // Opens the database again with the options of its OPTIONS file.
  rocksdb::Status Reopen() {
    Close();
    options() = LoadOptions(path_);
    return Open();
  }
  void ReopenFromOptionsFile() {
    EXPECT_EQ(loaded_policy(), policy());
    ASSERT_TRUE(Reopen().ok());
  }

 private:
  const std::string path_;
  uint64_t num_keys_ = 0;
};

TEST(RocksDBSetOptionsTest, RefusesContradictoryOptionsAndKeepsTheOldOnes) {
  const struct {
    FilterOptions before;
    const char* changes;
    const char* reason;
  } kCases[] = {
      {{Format::kBlocked, 10}, "seed=7;format=ribbon;", "whose hash takes no seed"},
      {{Format::kBlocked, 9}, "bits_per_key=130;", "bits_per_key is 130; allowed: 1 to 100"},
      {{Format::kBlocked, 10}, "bits_per_key=12;format=ribon;", "'ribon'"},
      {{Format::kBlocked, 10}, "bits_per_key=12;bits=10;", "'bits'"},
      {{Format::kBlocked, 9}, "bits_by_level=140:8;", "has 140 for level 0"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.changes);
    TempDir dir;
    RunningDatabase db(dir.Path("db"), NewRocksDBFilterPolicy(c.before));
    const double bits_per_key = db.AddTable(5000);
    EXPECT_NEAR(bits_per_key, c.before.bits_per_key, 0.2);
    const std::string before = db.policy();
    testing::internal::CaptureStderr();
    const rocksdb::Status status = db.SetFilter(c.changes);
    EXPECT_NE(TakeStderr().find(c.reason), std::string::npos);
    EXPECT_EQ(status.ok(), kSetOptionsMakesANewPolicy) << status.ToString();
    if (status.ok()) {
      EXPECT_EQ(db.policy(), "refused");
      EXPECT_NEAR(db.AddTable(5000), 10, 0.2);
      db.ExpectNoKeyLost();
      EXPECT_NE(db.Reopen().ToString().find(c.reason), std::string::npos);
    } else {
      EXPECT_NE(status.ToString().find(c.reason), std::string::npos) << status.ToString();
      EXPECT_EQ(db.policy(), before);
      EXPECT_EQ(db.AddTable(5000), bits_per_key);
    }
    if (status.ok()) continue;
    db.ExpectNoKeyLost();
    db.ReopenFromOptionsFile();
    if (HasFatalFailure()) return;
    db.ExpectNoKeyLost();
    EXPECT_NEAR(db.AddTable(5000), bits_per_key, 0.2);
  }
}

TEST(RocksDBSetOptionsTest, ChangesOptionsThatFitTogether) {
  TempDir dir;
  RunningDatabase db(dir.Path("db"), NewRocksDBFilterPolicy(FilterOptions{Format::kBlocked, 30}));
  EXPECT_NEAR(db.AddTable(5000), 30, 0.2);
  ASSERT_TRUE(db.SetFilter("bits_per_key=7.5;seed=77;").ok());
  EXPECT_EQ(db.policy(), "blocked 7.5 77");
  EXPECT_NEAR(db.AddTable(5000), 7.5, 0.2);
  ASSERT_TRUE(db.SetFilter("bits_by_level=20:8;format=ribbon;flush_format=blocked;seed=0;").ok());
  EXPECT_NEAR(db.AddTable(5000), 20, 0.2);
  ASSERT_TRUE(db.SetFilter("bits_per_key=7;").ok());
  EXPECT_NEAR(db.AddTable(5000), 20, 0.2) << "the list stays";
  db.ReopenFromOptionsFile();
  if (HasFatalFailure()) return;
  EXPECT_NEAR(db.AddTable(5000), 20, 0.2);
  ASSERT_TRUE(db.SetFilter("bits_by_level=uniform;").ok());
  EXPECT_NEAR(db.AddTable(5000), 7, 0.2);
  db.ExpectNoKeyLost();
}

// By its name, as RocksDB does with nested options.
TEST(RocksDBSetOptionsTest, OneOptionAloneIsNotChanged) {
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions{Format::kBlocked, 30});
  auto* changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  const rocksdb::Status status =
      changed->ConfigureOption(rocksdb::ConfigOptions(), "bits_per_key", "20");
  EXPECT_NE(status.ToString().find("bits_per_key is not changed alone: change the whole "
                                   "filter_policy={bits_per_key=...;}"),
            std::string::npos)
      << status.ToString();
  EXPECT_EQ(Settings(*policy), "blocked 30 0");
}

// RocksDB configures each policy that it makes from a string, mostly with an empty map.
TEST(RocksDBSetOptionsTest, NoChangeLeavesTheSettingsAlone) {
  std::string error;
  engine::MutableSettings settings(
      engine::MakeSettings(RocksDBFilterOptions(FilterOptions{Format::kRibbon, 9}), &error));
  const engine::SettingsPtr before = settings.Load();
  ASSERT_NE(before, nullptr) << error;
  EXPECT_TRUE(settings.Change(rocksdb::ConfigOptions(), {}, nullptr).ok());
  EXPECT_EQ(settings.Load(), before);
  EXPECT_TRUE(settings.Change(rocksdb::ConfigOptions(), {{"bits_per_key", "8"}}, nullptr).ok());
  EXPECT_EQ(settings.Load()->options.bits_per_key, 8);
}

TEST(RocksDBSetOptionsTest, ABuilderNeverSeesHalfAChange) {
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions{Format::kBlocked, 30});
  const std::unordered_map<std::string, std::string> kBlocked = {{"format", "blocked"},
                                                                 {"bits_per_key", "30"}};
  const std::unordered_map<std::string, std::string> kRibbon = {{"format", "ribbon"},
                                                                {"bits_per_key", "7.5"}};
  std::atomic<bool> changing{true};
  std::thread changer([&] {
    auto* changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
    rocksdb::ConfigOptions config;
    config.invoke_prepare_options = false;
    for (int i = 0; changing; ++i) {
      EXPECT_TRUE(changed->ConfigureFromMap(config, i % 2 == 0 ? kRibbon : kBlocked).ok());
    }
  });
  int blocked = 0;
  int ribbon = 0;
  int other = 0;
  int mixed_texts = 0;
  // Runs until both were seen, also on a busy machine.
  for (int i = 0; i < Repetitions(4000) || blocked < 100 || ribbon < 100; ++i) {
    const std::string text = policy->ToString(rocksdb::ConfigOptions());
    const bool says_ribbon = text.find("format=ribbon") != std::string::npos;
    mixed_texts += says_ribbon != (text.find("bits_per_key=7.5") != std::string::npos);
    const Builder builder = NewBuilder(policy);
    for (int i = 0; i < 1000; ++i) builder->AddKey(std::to_string(i));
    const std::string bytes = Finished(builder.get());
    const filter::Layout layout = filter::DecodeTableBytes(bytes).layout;
    if (layout == filter::Layout::kBlocked && bytes.size() > 3700) {
      ++blocked;
    } else if (layout == filter::Layout::kRocksDBRibbon && bytes.size() < 1000) {
      ++ribbon;
    } else {
      ++other;
    }
  }
  changing = false;
  changer.join();
  EXPECT_EQ(other, 0) << "filters of half a change, besides " << blocked << " and " << ribbon;
  EXPECT_EQ(mixed_texts, 0) << "what an OPTIONS file would say";
}

Policy StockIdPolicy(Format format, double bits_per_key) {
  RocksDBFilterOptions options(FilterOptions{format, bits_per_key});
  options.stock_id = true;
  return NewRocksDBFilterPolicy(options);
}

// RocksDB opens a database only if what it reads from the OPTIONS file prints the same.
TEST(RocksDBStockIdTest, PrintsWhatRocksDBsPolicyOfTheOptionsFilePrints) {
  const struct {
    Format format;
    double bits_per_key;
    const char* loaded;
  } kCases[] = {
      {Format::kBloom, 10, "bloomfilter:10:false"},
      {Format::kBloom, 9.58506, "bloomfilter:9.585:false"},
      {Format::kBloom, 0.7, "bloomfilter:1:false"},
      {Format::kBloom, 0.3, "bloomfilter:0:false"},
      {Format::kRibbon, 9.58506, "ribbonfilter:9.585:-1"},
  };
  for (const auto& c : kCases) {
    const TempDir dir;
    const Policy policy = StockIdPolicy(c.format, c.bits_per_key);
    RunningDatabase db(dir.Path("db"), policy);
    EXPECT_EQ(db.loaded_policy(), c.loaded);
    const rocksdb::ConfigOptions config;
    EXPECT_EQ(policy->ToString(config), PolicyOf(policy->GetId())->ToString(config));
    const Policy without = NewRocksDBFilterPolicy(FilterOptions{c.format, c.bits_per_key});
    EXPECT_NE(policy->ToString(config), without->ToString(config));
  }
}

// RocksDB before 9.8 changes the policy that is there, or refuses another one; later ones make a
// new policy of its name.
TEST(RocksDBStockIdTest, SetOptionsGivesThePolicyThatItNames) {
  const auto ours = [] { return StockIdPolicy(Format::kBloom, 10); };
  const auto stock = [] { return PolicyOf("bloomfilter:10:false"); };
  const struct {
    Policy (*before)();
    const char* change;
    const char* changed;  // before 9.8; null: refused
    const char* made;     // from 9.8 on
  } kCases[] = {
      {ours, "block_size=8192", "bloom 10 0", "bloom 10 0"},
      {ours, "filter_policy={bits_per_key=16;}", "bloom 16 0", "bloomfilter:10:false"},
      {ours, "filter_policy=bloomfilter:10:false", "bloom 10 0", "bloomfilter:10:false"},
      {ours, "filter_policy=bloomfilter:12:false", nullptr, "bloomfilter:12:false"},
      {ours, "filter_policy={id=bloomline;format=bloom;bits_per_key=16;stock_id=true;}", nullptr,
       "bloom 16 0"},
      {stock, "filter_policy={id=bloomline;format=bloom;bits_per_key=9.5;stock_id=true;}", nullptr,
       "bloom 9.5 0"},
      {stock, "filter_policy={id=bloomline;format=ribbon;bits_per_key=9.5;stock_id=true;}", nullptr,
       "ribbon 9.5 0"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.change);
    const TempDir dir;
    RunningDatabase db(dir.Path("db"), c.before());
    const std::string before = db.policy();
    const rocksdb::Status status = db.Set(c.change);
    EXPECT_EQ(status.ok(), kSetOptionsMakesANewPolicy || c.changed != nullptr) << status.ToString();
    const std::string changed = c.changed == nullptr ? before : c.changed;
    EXPECT_EQ(db.policy(), kSetOptionsMakesANewPolicy ? c.made : changed);
    // What the OPTIONS file names, RocksDB can open without bloomline.
    EXPECT_NE(db.loaded_policy().find("filter:"), std::string::npos) << db.loaded_policy();
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_set_options_test
