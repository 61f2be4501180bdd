// The RocksDB policy's options: what a running database may change them to, and what is said when
// RocksDB itself drops the message.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <locale>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/core/payload.h"
#include "src/rocksdb/filter_bits_abi.h"
#include "tests/comma_locale.h"
#include "tests/temp_dir.h"

namespace bloomline {
namespace {

using tests::TempDir;

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

FilterOptions Options(Format format, double bits_per_key) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  return options;
}

std::string Value(const rocksdb::FilterPolicy& policy, const char* name) {
  std::string value;
  const rocksdb::Status status = policy.GetOption(rocksdb::ConfigOptions(), name, &value);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return value;
}

std::string Settings(const rocksdb::FilterPolicy& policy) {
  return Value(policy, "format") + " " + Value(policy, "bits_per_key") + " " +
         Value(policy, "seed");
}

const rocksdb::FilterPolicy* PolicyOf(const rocksdb::ColumnFamilyOptions& options) {
  const auto* table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table == nullptr ? nullptr : table->filter_policy.get();
}

std::string TakeStderr() {
  std::fflush(stderr);
  return testing::internal::GetCapturedStderr();
}

// A database whose filter options change while it runs.
class RunningDatabase {
 public:
  RunningDatabase(const std::string& path, const FilterOptions& filter_options)
      : path_(path), policy_(NewRocksDBFilterPolicy(filter_options)) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy_;
    rocksdb::Options options;
    options.create_if_missing = true;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    Open(options);
  }

  rocksdb::Status SetFilter(const std::string& changes) {
    return db_->SetOptions({{"block_based_table_factory", "{filter_policy={" + changes + "};}"}});
  }

  // A new table of `n` new keys. Returns its filter's bits per key.
  double AddTable(int n) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    for (int i = 0; i < n; ++i, ++num_keys_) {
      EXPECT_TRUE(db_->Put(write, "key" + std::to_string(num_keys_), "value").ok());
    }
    EXPECT_TRUE(db_->Flush({}).ok());
    rocksdb::TablePropertiesCollection tables;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
    uint64_t bits = 0;
    for (const auto& table : tables) bits += 8 * table.second->filter_size;
    const uint64_t before = std::exchange(filter_bits_, bits);
    return static_cast<double>(bits - before) / n;
  }

  void ExpectNoKeyLost() {
    std::string value;
    for (int i = 0; i < num_keys_; ++i) {
      ASSERT_TRUE(db_->Get({}, "key" + std::to_string(i), &value).ok()) << "lost key " << i;
    }
  }

  // Opens it again with what its OPTIONS file says.
  void ReopenFromOptionsFile() {
    db_.reset();
    rocksdb::DBOptions db_options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    const rocksdb::Status status =
        rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), path_, &db_options, &families);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(families.size(), 1u);
    ASSERT_NE(PolicyOf(families[0].options), nullptr);
    EXPECT_EQ(Settings(*PolicyOf(families[0].options)), Settings(*policy_));
    Open(rocksdb::Options(db_options, families[0].options));
  }

  std::string settings() const { return Settings(*policy_); }

 private:
  void Open(const rocksdb::Options& options) {
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(options, path_, &db);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }

  const std::string path_;
  const Policy policy_;
  std::unique_ptr<rocksdb::DB> db_;
  int num_keys_ = 0;
  uint64_t filter_bits_ = 0;
};

TEST(RocksDBSetOptionsTest, RefusesWhatDoesNotGoTogetherAndKeepsTheOldOptions) {
  const struct {
    FilterOptions before;
    const char* changes;
    const char* reason;
  } kCases[] = {
      {Options(Format::kBlocked, 10), "bits_per_key=30;format=compact;", "bits_per_key is 30"},
      {Options(Format::kBlocked, 10), "format=compact;bits_per_key=30;", "allowed: 3 to 24"},
      {Options(Format::kBlocked, 30), "format=compact;", "bits_per_key is 30; allowed: 3 to 24"},
      {Options(Format::kBlocked, 2), "format=compact;seed=5;", "bits_per_key is 2; allowed: 3"},
      {Options(Format::kCompact, 9), "bits_per_key=30;", "bits_per_key is 30; allowed: 3 to 24"},
      {Options(Format::kCompact, 9), "bits_per_key=1;seed=5;", "bits_per_key is 1; allowed: 3"},
      {Options(Format::kBlocked, 10), "bits_per_key=1000;", "bits_per_key is 1000"},
      {Options(Format::kBlocked, 10), "bits_per_key=12;format=compakt;", "'compakt'"},
      {Options(Format::kBlocked, 10), "format=classic;bits_per_key=abc;", "'abc'"},
      {Options(Format::kBlocked, 10), "bits_per_key=12;seed=-1;", "'-1'"},
      {Options(Format::kBlocked, 10), "bits_per_key=12;bits=10;", "'bits'"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.changes);
    TempDir dir;
    RunningDatabase db(dir.Path("db"), c.before);
    const double bits_per_key = db.AddTable(5000);
    EXPECT_NEAR(bits_per_key, c.before.bits_per_key, 0.2);
    const std::string before = db.settings();
    testing::internal::CaptureStderr();
    const rocksdb::Status status = db.SetFilter(c.changes);
    EXPECT_NE(TakeStderr().find(c.reason), std::string::npos);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.ToString().find(c.reason), std::string::npos) << status.ToString();
    EXPECT_EQ(db.settings(), before);
    EXPECT_EQ(db.AddTable(5000), bits_per_key);
    db.ExpectNoKeyLost();
    db.ReopenFromOptionsFile();
    if (HasFatalFailure()) return;
    db.ExpectNoKeyLost();
    EXPECT_EQ(db.AddTable(5000), bits_per_key);
  }
}

TEST(RocksDBSetOptionsTest, ChangesWhatGoesTogether) {
  TempDir dir;
  RunningDatabase db(dir.Path("db"), Options(Format::kBlocked, 30));
  EXPECT_NEAR(db.AddTable(5000), 30, 0.2);
  ASSERT_TRUE(db.SetFilter("format=compact;bits_per_key=7.5;seed=77;").ok());
  EXPECT_EQ(db.settings(), "compact 7.5 77");
  EXPECT_NEAR(db.AddTable(5000), 7.5, 0.2);
  ASSERT_TRUE(db.SetFilter("bits_per_key=9.25;").ok());
  EXPECT_NEAR(db.AddTable(5000), 9.25, 0.2);
  db.ReopenFromOptionsFile();
  if (HasFatalFailure()) return;
  db.ExpectNoKeyLost();
  EXPECT_NEAR(db.AddTable(5000), 9.25, 0.2);
}

// One option by its name, as RocksDB changes nested options.
TEST(RocksDBSetOptionsTest, OneOptionAloneIsCheckedAgainstTheOthers) {
  const Policy policy = NewRocksDBFilterPolicy(Options(Format::kBlocked, 30));
  auto* changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  const rocksdb::ConfigOptions config;
  const rocksdb::Status status = changed->ConfigureOption(config, "format", "compact");
  EXPECT_NE(status.ToString().find("bits_per_key is 30; allowed: 3 to 24"), std::string::npos)
      << status.ToString();
  EXPECT_EQ(Settings(*policy), "blocked 30 0");
  EXPECT_TRUE(changed->ConfigureOption(config, "bloomline.bits_per_key", "20").ok());
  EXPECT_TRUE(changed->ConfigureOption(config, "format", "compact").ok());
  EXPECT_EQ(Settings(*policy), "compact 20 0");
}

TEST(RocksDBSetOptionsTest, ABuilderNeverSeesHalfAChange) {
  const Policy policy = NewRocksDBFilterPolicy(Options(Format::kBlocked, 30));
  const std::unordered_map<std::string, std::string> kBlocked = {{"format", "blocked"},
                                                                 {"bits_per_key", "30"}};
  const std::unordered_map<std::string, std::string> kCompact = {{"format", "compact"},
                                                                 {"bits_per_key", "7.5"}};
  std::atomic<bool> changing{true};
  std::thread changer([&] {
    auto* changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
    rocksdb::ConfigOptions config;
    config.invoke_prepare_options = false;
    for (int i = 0; changing; ++i) {
      EXPECT_TRUE(changed->ConfigureFromMap(config, i % 2 == 0 ? kCompact : kBlocked).ok());
    }
  });
  int blocked = 0;
  int compact = 0;
  int other = 0;
  int mixed_texts = 0;
  const rocksdb::BlockBasedTableOptions table_options;
  // Until both were seen, on a busy machine, too.
  for (int i = 0; i < 4000 || blocked < 100 || compact < 100; ++i) {
    const std::string text = policy->ToString(rocksdb::ConfigOptions());
    const bool says_compact = text.find("format=compact") != std::string::npos;
    mixed_texts += says_compact != (text.find("bits_per_key=7.5") != std::string::npos);
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table_options)));
    const size_t space = builder->CalculateSpace(10000);
    for (int i = 0; i < 100; ++i) builder->AddKey(std::to_string(i));
    std::unique_ptr<const char[]> buffer;
    const rocksdb::Slice filter = builder->Finish(&buffer);
    const core::Layout layout = core::DecodeStandalone({filter.data(), filter.size()}).layout;
    if (layout == core::Layout::kBlocked && space > 37000) {
      ++blocked;
    } else if (layout != core::Layout::kBlocked && layout != core::Layout::kAlwaysMatch &&
               space > 9000 && space < 10000) {
      ++compact;
    } else {
      ++other;
    }
  }
  changing = false;
  changer.join();
  EXPECT_EQ(other, 0) << "filters of half a change, beside " << blocked << " and " << compact;
  EXPECT_EQ(mixed_texts, 0) << "what an OPTIONS file would say";
}

// What RocksDB's calls give for an option string.
struct Outcome {
  rocksdb::Status status;
  Policy policy;
  std::string said;  // on stderr
};

Outcome ByTableOptions(const std::string& text) {
  RegisterBloomline();
  rocksdb::BlockBasedTableOptions table_options;
  testing::internal::CaptureStderr();
  const rocksdb::Status status = rocksdb::GetBlockBasedTableOptionsFromString(
      rocksdb::ConfigOptions(), {}, "filter_policy=" + text, &table_options);
  return {status, table_options.filter_policy, TakeStderr()};
}

Outcome ByColumnFamilyOptions(const std::string& text) {
  RegisterBloomline();
  rocksdb::ColumnFamilyOptions options;
  testing::internal::CaptureStderr();
  const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromString(
      rocksdb::ConfigOptions(), {}, "block_based_table_factory={filter_policy=" + text + ";}",
      &options);
  const std::string said = TakeStderr();
  return {status,
          options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy,
          said};
}

// Where RocksDB is to say what is wrong.
Outcome ByUnescapedOptions(const std::string& text) {
  RegisterBloomline();
  rocksdb::ConfigOptions config;
  config.input_strings_escaped = false;
  rocksdb::BlockBasedTableOptions table_options;
  testing::internal::CaptureStderr();
  const rocksdb::Status status = rocksdb::GetBlockBasedTableOptionsFromString(
      config, {}, "filter_policy=" + text, &table_options);
  return {status, table_options.filter_policy, TakeStderr()};
}

Outcome ByPolicy(const std::string& text) {
  RegisterBloomline();
  Policy policy;
  testing::internal::CaptureStderr();
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  return {status, policy, TakeStderr()};
}

Outcome ByOptionsFile(const std::string& text) {
  RegisterBloomline();
  TempDir dir;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  EXPECT_TRUE(rocksdb::DB::Open(options, dir.Path("db"), &db).ok());
  delete db;
  std::string file;
  EXPECT_TRUE(
      rocksdb::GetLatestOptionsFileName(dir.Path("db"), rocksdb::Env::Default(), &file).ok());
  std::ifstream in(dir.Path("db") + "/" + file);
  std::ostringstream edited;
  for (std::string line; std::getline(in, line);) {
    const bool names_policy = line.find("filter_policy=") != std::string::npos;
    edited << (names_policy ? "  filter_policy=" + text : line) << "\n";
  }
  std::ofstream(dir.Path("options.ini")) << edited.str();
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  testing::internal::CaptureStderr();
  const rocksdb::Status status = rocksdb::LoadOptionsFromFile(
      rocksdb::ConfigOptions(), dir.Path("options.ini"), &db_options, &families);
  const std::string said = TakeStderr();
  if (families.empty()) return {status, nullptr, said};
  return {status,
          families[0]
              .options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
              ->filter_policy,
          said};
}

const struct {
  const char* text;
  std::vector<const char*> reason;  // all of these in one line
} kBadStrings[] = {
    {"{id=bloomline;format=compakt}",
     {"format is 'compakt'", "allowed: blocked, compact, classic"}},
    {"{id=bloomline;bits_per_key=abc}", {"bits_per_key is 'abc'", "1 to 100"}},
    {"{id=bloomline;bits_per_key=9,5}", {"bits_per_key is '9,5'", "1 to 100"}},
    {"{id=bloomline;bits=10}", {"'bits'", "allowed: bits_per_key, format, seed"}},
    {"bloomline:1000", {"bits_per_key is 1000", "allowed: 1 to 100"}},
    {"bloomline:ten", {"bits_per_key is 'ten'", "1 to 100"}},
    {"bloomline:", {"bits_per_key is ''", "1 to 100"}},
    {"{id=bloomline;seed=18446744073709551616}", {"18446744073709551616", "0 to 2^64 - 1"}},
    {"{id=bloomline:30;format=compact}", {"bits_per_key is 30", "allowed: 3 to 24"}},
};

void ExpectReason(const std::string& text, const std::vector<const char*>& reason) {
  for (const char* part : reason) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(RocksDBOptionStringsTest, BadStringsAreNamedOnStderrInOneLine) {
  const struct {
    const char* name;
    Outcome (*parse)(const std::string& text);
  } kPaths[] = {{"table options", ByTableOptions},
                {"column family options", ByColumnFamilyOptions},
                {"OPTIONS file", ByOptionsFile},
                {"unescaped strings", ByUnescapedOptions},
                {"CreateFromString", ByPolicy}};
  for (const auto& bad : kBadStrings) {
    for (const auto& path : kPaths) {
      SCOPED_TRACE(std::string(bad.text) + " by " + path.name);
      const Outcome outcome = path.parse(bad.text);
      EXPECT_EQ(std::count(outcome.said.begin(), outcome.said.end(), '\n'), 1) << outcome.said;
      ExpectReason(outcome.said, bad.reason);
    }
  }
}

// The two calls that docs/compatibility.md names.
TEST(RocksDBOptionStringsTest, TwoCallsReturnTheReason) {
  for (const auto& bad : kBadStrings) {
    for (const auto parse : {ByPolicy, ByUnescapedOptions}) {
      const Outcome outcome = parse(bad.text);
      EXPECT_FALSE(outcome.status.ok()) << bad.text;
      ExpectReason(outcome.status.ToString(), bad.reason);
    }
  }
}

// The check that docs/compatibility.md names, for what no policy of ours can notice.
TEST(RocksDBOptionStringsTest, AnotherNameIsSeenByTheMissingPolicy) {
  EXPECT_TRUE(ByTableOptions("blomline:10").status.ok());
  EXPECT_EQ(ByTableOptions("blomline:10").policy, nullptr);
  EXPECT_TRUE(ByPolicy("blomline:10").status.ok());
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  Policy policy;
  EXPECT_FALSE(rocksdb::FilterPolicy::CreateFromString(config, "blomline:10", &policy).ok());
  config.input_strings_escaped = false;
  rocksdb::BlockBasedTableOptions table_options;
  EXPECT_FALSE(rocksdb::GetBlockBasedTableOptionsFromString(config, {}, "filter_policy=blomline:10",
                                                            &table_options)
                   .ok());
  EXPECT_EQ(ByTableOptions("bloomline:1000").policy, nullptr);
  const Outcome refused = ByTableOptions("{id=bloomline;format=compakt}");
  ASSERT_NE(refused.policy, nullptr);
  EXPECT_EQ(Settings(*refused.policy), "blocked 10 0");
}

TEST(RocksDBOptionStringsTest, GoodStringsAreNotCommentedOn) {
  for (const char* text : {"bloomline", "bloomline:9.5", "{id=bloomline;format=compact}",
                           "{id=bloomline;bits_per_key=0.25;seed=18446744073709551615}"}) {
    for (const auto parse : {ByTableOptions, ByColumnFamilyOptions, ByOptionsFile, ByPolicy}) {
      const Outcome outcome = parse(text);
      EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
      ASSERT_NE(outcome.policy, nullptr) << text;
      EXPECT_EQ(outcome.policy->GetId(), "bloomline");
      EXPECT_EQ(outcome.said, "") << text;
    }
  }
}

// Text of `policy` in an OPTIONS file, read again.
Policy ReadBack(const rocksdb::FilterPolicy& policy) {
  const std::string text = policy.ToString(rocksdb::ConfigOptions());
  EXPECT_EQ(text.find(','), std::string::npos) << text;
  const Outcome outcome = ByPolicy(text);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  return outcome.policy;
}

double BitsPerKey(const rocksdb::FilterPolicy& policy) {
  std::istringstream text(Value(policy, "bits_per_key"));
  text.imbue(std::locale::classic());
  double bits_per_key = -1;
  text >> bits_per_key;
  return bits_per_key;
}

TEST(RocksDBOptionStringsTest, EveryNumberRoundTripsExactly) {
  std::vector<double> numbers = {0, 5e-324, 0.1, 0.5, 1, 9.5, 10, 1 / 3.0, 100 / 7.0, 100};
  std::mt19937_64 random(10);
  std::uniform_real_distribution<double> uniform(0, kMaxBitsPerKey);
  for (int i = 0; i < 2000; ++i) numbers.push_back(uniform(random));
  for (const double number : numbers) {
    const Policy policy = NewRocksDBFilterPolicy(Options(Format::kBlocked, number));
    const Policy again = ReadBack(*policy);
    ASSERT_NE(again, nullptr);
    ASSERT_EQ(BitsPerKey(*again), number);
    std::string mismatch;
    EXPECT_TRUE(policy->AreEquivalent(rocksdb::ConfigOptions(), again.get(), &mismatch));
  }
}

void ExpectNumbersWithAPoint() {
  const Policy policy = NewRocksDBFilterPolicy(Options(Format::kBlocked, 9.5));
  EXPECT_EQ(Settings(*policy), "blocked 9.5 0");
  EXPECT_EQ(Settings(*ReadBack(*policy)), "blocked 9.5 0");
  for (const char* text : {"bloomline:9.5", "{id=bloomline;bits_per_key=9.5}"}) {
    for (const auto parse : {ByTableOptions, ByColumnFamilyOptions, ByOptionsFile, ByPolicy}) {
      const Outcome outcome = parse(text);
      ASSERT_NE(outcome.policy, nullptr) << outcome.status.ToString();
      EXPECT_EQ(Settings(*outcome.policy), "blocked 9.5 0");
    }
  }
  for (const char* text :
       {"bloomline:9,5", "{id=bloomline;bits_per_key=9,5}", "{id=bloomline;seed=1.000}"}) {
    EXPECT_FALSE(ByPolicy(text).status.ok()) << text;
  }
  EXPECT_NE(ByPolicy("bloomline:1234.5").said.find("is 1234.5; allowed: 1 to 100"),
            std::string::npos);
}

TEST(RocksDBOptionStringsTest, StreamsOfAnotherLocaleChangeNoNumber) {
  const tests::CommaStreams comma;
  ExpectNumbersWithAPoint();
}

TEST(RocksDBOptionStringsTest, GermanLocaleChangesNoNumber) {
  const tests::GermanLocale german;
  if (!german.missing().empty()) GTEST_SKIP() << german.missing();
  ExpectNumbersWithAPoint();
}

// Numbers in every spelling that a C library reads and RocksDB's files never have.
TEST(RocksDBOptionStringsTest, OnlyDecimalNumbersAreRead) {
  for (const char* number : {"inf", "-inf", "nan", "NAN(1)", "infinity", "0x10", "0x1p3", "+10",
                             " 10", "10 ", "1e", "1e400", "1e-400", "10.0.0", "1_0", "--1"}) {
    EXPECT_FALSE(ByPolicy(std::string("bloomline:") + number).status.ok()) << number;
    const Policy policy = NewRocksDBFilterPolicy(FilterOptions());
    auto* changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
    const rocksdb::ConfigOptions config;
    EXPECT_FALSE(changed->ConfigureOption(config, "bits_per_key", number).ok()) << number;
    EXPECT_FALSE(changed->ConfigureOption(config, "seed", number).ok()) << number;
    EXPECT_EQ(Settings(*policy), "blocked 10 0");
  }
}

// ConfigOptions::ignore_unknown_options is for names, and for those that RocksDB hands on.
TEST(RocksDBOptionStringsTest, UnknownNamesCanBeIgnoredButBadValuesCannot) {
  RegisterBloomline();
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = true;
  Policy policy;
  EXPECT_TRUE(rocksdb::FilterPolicy::CreateFromString(
                  config, "{id=bloomline;bits=10;bits_per_key=12}", &policy)
                  .ok());
  EXPECT_EQ(Settings(*policy), "blocked 12 0");
  const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
      config, "{id=bloomline;format=compakt;bits_per_key=12}", &policy);
  EXPECT_NE(status.ToString().find("'compakt'"), std::string::npos) << status.ToString();
  std::unordered_map<std::string, std::string> unused;
  auto* changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  EXPECT_TRUE(changed
                  ->ConfigureFromMap(rocksdb::ConfigOptions(),
                                     {{"bits", "10"}, {"bits_per_key", "13"}}, &unused)
                  .ok());
  EXPECT_EQ(unused.size(), 1u);
  EXPECT_EQ(unused["bits"], "10");
  EXPECT_EQ(Settings(*policy), "blocked 13 0");
}

}  // namespace
}  // namespace bloomline
