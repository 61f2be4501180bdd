// rocksdb.h: making a policy, and the builders and readers that RocksDB gets from it.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/engines/rocksdb/options/policy_options.h"
#include "src/engines/rocksdb/ranges/choice_log.h"
#include "tests/faults/fail_each_allocation.h"
#include "tests/support/case_folding.h"
#include "tests/support/metric_value.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests {
namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterPolicy;
using rocksdb::Slice;

constexpr char kLongName[] = "test.NameThatNoStringHoldsWithoutMemory";

// A filter of the keys that `add` gives to a builder, and its reader. Without a builder RocksDB
// writes no filter; without a reader it reads every key from disk.
struct Built {
  std::unique_ptr<FilterBitsBuilder> builder;
  std::unique_ptr<const char[]> memory;
  std::unique_ptr<FilterBitsReader> reader;
};

template <typename Add>
Built Build(const FilterPolicy& policy, Attempt* attempt, Add add, bool verify = false) {
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = verify;
  Built built;
  rocksdb::Status status;
  Slice filter;
  attempt->Call([&] {
    built.builder.reset(policy.GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
    if (built.builder == nullptr) return;
    add(built.builder.get());
    filter = built.builder->Finish(&built.memory, &status);
  });
  EXPECT_TRUE(built.builder != nullptr || attempt->HasFailed());
  if (built.builder == nullptr) return built;
  EXPECT_TRUE(status.ok() && !filter.empty());
  attempt->Call([&] { built.reader.reset(policy.GetFilterBitsReader(filter)); });
  EXPECT_TRUE(built.reader != nullptr || attempt->HasFailed());
  return built;
}

TEST(RocksDB, PolicyIsCreatedOrNull) {
  RocksDBFilterOptions options;
  options.auto_bits_by_level = true;
  const auto create = [&](std::string* error) { return NewRocksDBFilterPolicy(options, error); };
  ExpectMadeOrError(create, [](const auto&) {});
  options.num_levels = 65;
  ExpectRefused(create);
  options = RocksDBFilterOptions();
  options.canonicalizer = CaseFolding::Named("not a name, and too long for a string");
  ExpectRefused(create);
}

TEST(RocksDB, RegistrationSucceedsOrIsAbsent) {
  FailEachAllocation([&](Attempt* attempt) {
    rocksdb::ObjectLibrary library("a library of the test");
    int registered = -1;
    char* error = nullptr;
    uint8_t c_registered = 2;
    attempt->Call([&] {
      registered = RegisterBloomline(library, "");
      c_registered = bloomline_rocksdb_register(&error);
    });
    EXPECT_TRUE(registered == 3 || (registered == 0 && attempt->HasFailed()));
    EXPECT_TRUE(c_registered == 1 ? error == nullptr : attempt->HasFailed());
    std::free(error);
  });
}

// Without FailEachAllocation, because RocksDB's ColumnFamilyOptions() leaks where memory fails.
TEST(RocksDB, FamilyOptionsAreRightOrReturnAnError) {
  if (kIsSlow) GTEST_SKIP() << "the address sanitizer sees the leaks, too";
  bool has_failed = true;
  for (uint64_t n = 1; has_failed; ++n) {
    Attempt attempt(FailurePlan{n, false, false});
    char* error = nullptr;
    uint8_t valid = 2;
    attempt.Call([&] {
      valid = bloomline_rocksdb_validate_family_options("comparator=leveldb.BytewiseComparator",
                                                        &error);
    });
    has_failed = attempt.HasFailed();
    EXPECT_TRUE(valid == 1 ? error == nullptr : has_failed) << n;
    std::free(error);
  }
}

TEST(RocksDB, HandlesOfCAreMadeOrReturnAnError) {
  FailEachAllocation([&](Attempt* attempt) {
    char* policy_error = nullptr;
    char* extractor_error = nullptr;
    rocksdb_filterpolicy_t* policy = nullptr;
    rocksdb_slicetransform_t* extractor = nullptr;
    attempt->Call([&] {
      policy = bloomline_rocksdb_filterpolicy_create_stock_if_version_differs(
          "{id=bloomline:12;format=compact;range_prefixes=8;seed=5}", &policy_error);
      extractor = bloomline_rocksdb_slicetransform_create_ranges(&extractor_error);
    });
    EXPECT_TRUE(policy != nullptr ? policy_error == nullptr : attempt->HasFailed());
    EXPECT_TRUE(extractor != nullptr ? extractor_error == nullptr : attempt->HasFailed());
    if (policy != nullptr) rocksdb_filterpolicy_destroy(policy);
    if (extractor != nullptr) rocksdb_slicetransform_destroy(extractor);
    std::free(policy_error);
    std::free(extractor_error);
  });
}

TEST(RocksDBCanonicalizer, RegistrationSucceedsOrReturnsAnError) {
  const auto canonicalizer = CaseFolding::Named(kLongName);
  ExpectMadeOrError(
      [&](std::string* error) { return RegisterKeyCanonicalizer(canonicalizer, error); },
      [](bool) {});
}

size_t NoForm(void*, const char*, size_t, char*, size_t) { return SIZE_MAX; }
void CountCall(void* state) { ++*static_cast<int*>(state); }

TEST(RocksDBCanonicalizer, RegistrationFromCSucceedsOrDestroysTheState) {
  static int destroyed;  // a canonicalizer that was registered stays
  FailEachAllocation([](Attempt* attempt) {
    ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named(kLongName)));
    destroyed = 0;
    char* error = nullptr;
    uint8_t registered = 2;
    attempt->Call([&] {
      registered = bloomline_rocksdb_register_canonicalizer(kLongName, NoForm, &destroyed,
                                                            CountCall, &error);
    });
    EXPECT_TRUE(registered == 1 ? error == nullptr : attempt->HasFailed());
    EXPECT_EQ(destroyed, registered == 1 ? 0 : 1);
    ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named(kLongName)));
    EXPECT_EQ(destroyed, 1);
    std::free(error);
  });
}

SettingsPtr SettingsOf(const RocksDBFilterOptions& options) {
  std::string error;
  SettingsPtr settings = MakeSettings(options, &error);
  EXPECT_EQ(error, "");
  return settings;
}

// RocksDB drops the status, and uses the policy.
TEST(RocksDBCanonicalizer, IsNotForgottenOnceItIsNamed) {
  const rocksdb::ConfigOptions config;
  ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named(kLongName)));
  for (const char* name : {kLongName, "test.NobodyHasRegisteredThisOne", "not a name"}) {
    const PolicyOptions::Changes changes = {{"canonicalizer", name}, {"bits_per_key", "20"}};
    FailEachAllocation([&](Attempt* attempt) {
      PolicyOptions options(SettingsOf(RocksDBFilterOptions()), true);
      rocksdb::Status status;
      attempt->Call([&] { status = options.Change(config, changes, nullptr); });
      EXPECT_TRUE(status.ok() ? name == kLongName : name != kLongName || attempt->HasFailed());
      EXPECT_EQ(options.Id(), "bloomline.canon");
      const CanonicalizerPtr canonicalizer = options.Load()->canonicalizer;
      ASSERT_NE(canonicalizer, nullptr);
      EXPECT_EQ(options.Load()->options.canonicalizer, canonicalizer);
      EXPECT_TRUE(name == kLongName || canonicalizer->canonicalizer() == nullptr);
      std::string text;
      attempt->Call([&] { text = options.Serialize(config, ""); });
      EXPECT_EQ(text.find("bloomline.canon"), text == "bloomline.canon" ? 0u : 3u) << text;
    });
  }
}

// Keys that do not fit into the buffers of builders and readers.
TEST(RocksDBCanonicalizer, LosesNoKey) {
  RocksDBFilterOptions options;
  options.canonicalizer = CaseFolding::Named(kLongName);
  const auto policy = NewRocksDBFilterPolicy(options);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 40; ++i) keys.push_back(SpelledKey(i, 1, true));
  FailEachAllocation([&](Attempt* attempt) {
    const Built built = Build(*policy, attempt, [&](FilterBitsBuilder* builder) {
      for (const std::string& key : keys) builder->AddKey(key);
    });
    if (built.reader == nullptr) return;
    for (uint64_t i = 0; i < keys.size(); ++i) {
      const std::string key = SpelledKey(i, 7, true);
      Slice slices[] = {key, key};
      Slice* pointers[] = {&slices[0], &slices[1]};
      bool may_match[3] = {};
      attempt->Call([&] {
        may_match[2] = built.reader->MayMatch(key);
        built.reader->MayMatch(2, pointers, may_match);
      });
      for (const bool one : may_match) EXPECT_TRUE(one);
    }
  });
}

// Keys enough for builders to keep several times as much as at first.
TEST(RocksDBRanges, LoseNoKey) {
  const auto extractor = NewRangeExtractor();
  FailEachAllocation([&](Attempt* attempt) {
    std::shared_ptr<const rocksdb::SliceTransform> made;
    attempt->Call([&] { made = NewRangeExtractor(); });
    EXPECT_TRUE(made != nullptr || attempt->HasFailed());
  });
  std::vector<std::string> keys;
  for (int i = 0; i < 3000; ++i) keys.push_back("user:" + std::to_string(10000 + i) + ":post");
  for (int kind = 0; kind < 8; ++kind) {
    RocksDBFilterOptions options;
    options.range_prefixes = kind % 2 == 0 ? "auto" : "9:after0x3a";
    options.format = kind / 2 % 2 == 0 ? Format::kBlocked : Format::kCompact;
    const bool verify = kind / 4 == 1;
    const auto policy = NewRocksDBFilterPolicy(options);
    FailEachAllocation([&](Attempt* attempt) {
      const auto add = [&](FilterBitsBuilder* builder) {
        builder->AddKey(extractor->Transform(keys[0]));
        for (const std::string& key : keys) builder->AddKey(key);
      };
      const Built built = Build(*policy, attempt, add, verify);
      if (built.reader == nullptr) return;
      for (const std::string& key : keys) {
        const std::string end = key + '\0';
        bool may_match = false;
        attempt->Call([&] {
          const Slice prefix = extractor->Transform(key);
          extractor->Transform(end);
          may_match = built.reader->MayMatch(prefix) && built.reader->MayMatch(key);
        });
        ASSERT_TRUE(may_match) << key;
      }
    });
  }
}

// RocksDB's own code handles strings here, too. Only bloomline's code must let no exception escape.
TEST(RocksDB, FactoryReturnsAPolicyOrAnError) {
  rocksdb::ObjectLibrary library("a library of the test");
  RegisterBloomline(library, "");
  for (const std::string id : {"bloomline:10", "bloomline:no number at all"}) {
    FailEachAllocation([&](Attempt* attempt) {
      const auto factory = library.FindFactory<const FilterPolicy>(id);
      ASSERT_TRUE(factory);
      std::unique_ptr<const FilterPolicy> policy;
      std::string error;
      attempt->Call([&] { factory(id, &policy, &error); });
      EXPECT_EQ(policy != nullptr, error.empty()) << error;
      EXPECT_TRUE(policy != nullptr || id != "bloomline:10" || attempt->HasFailed());
    });
  }
}

// Options whose texts need memory.
RocksDBFilterOptions OldOptions() {
  RocksDBFilterOptions options;
  options.bits_per_key = 12.345678901234567;
  options.seed = 12345678901234567890u;
  options.bits_by_level = {20.123456789012345, 15.678901234567890, 0};
  options.num_levels = 12;
  options.level_size_ratio = 9.876543210987654;
  options.flush_format = Format::kCompact;
  options.filters_at_bottom = false;
  options.range_memory_percent = 12.345678901234567;
  options.max_filter_bytes = 1152921504606846975;
  options.sample_queries = 1000;
  static const auto canonicalizer =
      std::make_shared<const NamedCanonicalizer>(kLongName, CaseFolding::Named(kLongName));
  options.canonicalizer = canonicalizer;
  return options;
}

struct ChangeCase {
  PolicyOptions::Changes changes;
  bool is_allowed;
};
const std::vector<ChangeCase>& ChangeCases() {
  static const std::vector<ChangeCase> cases = {
      {{{"bits_per_key", "20"}, {"format", "compact"}, {"seed", "18446744073709551615"}}, true},
      {{{"seed", "random"}, {"bits_per_key", "9.8765432109876543"}}, true},
      {{{"bits_by_level", "auto"}, {"num_levels", "0"}, {"flush_format", "same"}}, true},
      {{{"bits_by_level", "9.8765432109876543:24:10"}, {"filters_at_bottom", "true"}}, true},
      {{{"bits_by_level", "24:23:22:21:20:19:18:17"}, {"bits_per_key", "20"}}, true},  // longer
      {{{"bits_by_level", "auto"}, {"memory", "1234.5678901234567GiB"}}, true},
      {{{"bits_by_level", "24:10"}, {"memory", "1234.5678901234567GiB"}}, false},
      {{{"max_filter_bytes", "1234567890123456789GiB"}}, false},
      {{{"sample_queries", "a number that nobody knows"}}, false},
      {{{"bits_by_level", "24:a number that nobody knows"}}, false},
      {{{"bits_by_level", "24:10"}, {"num_levels", "64"}, {"level_size_ratio", "1001"}}, false},
      {{{"bits_per_key", "20"}, {"format", "a format that nobody knows"}}, false},
      {{{"bits_per_key", "100"}, {"format", "compact"}}, false},
      {{{"bits_per_key", "20"}, {"an option that nobody knows", "5"}}, false},
  };
  return cases;
}

TEST(RocksDBOptions, ChangeTogetherOrNotAtAll) {
  const rocksdb::ConfigOptions config;
  const auto text_of = [&](const PolicyOptions& options) { return options.Serialize(config, ""); };
  const std::string old = text_of(PolicyOptions(SettingsOf(OldOptions())));
  for (const ChangeCase& change : ChangeCases()) {
    PolicyOptions changed(SettingsOf(OldOptions()));
    EXPECT_EQ(changed.Change(config, change.changes, nullptr).ok(), change.is_allowed);
    FailEachAllocation([&](Attempt* attempt) {
      PolicyOptions options(SettingsOf(OldOptions()));
      rocksdb::Status status;
      attempt->Call([&] { status = options.Change(config, change.changes, nullptr); });
      EXPECT_TRUE(status.ok() ? change.is_allowed : !change.is_allowed || attempt->HasFailed());
      EXPECT_EQ(text_of(options), status.ok() ? text_of(changed) : old);
      status = options.Change(config, change.changes, nullptr);
      EXPECT_EQ(status.ok(), change.is_allowed) << status.ToString();
      EXPECT_EQ(text_of(options), text_of(changed));
    });
  }
}

// The text has all options, or the policy's name alone.
TEST(RocksDBOptions, AreWrittenInFullOrNotAtAll) {
  const rocksdb::ConfigOptions config;
  const std::string prefix;
  const PolicyOptions options(SettingsOf(OldOptions()));
  const std::string expected = options.Serialize(config, prefix);
  for (const auto& type : PolicyOptions::OptionTypes()) {
    EXPECT_NE(expected.find(type.first + "="), std::string::npos) << expected;
  }
  FailEachAllocation([&](Attempt* attempt) {
    std::string text;
    attempt->Call([&] { text = options.Serialize(config, prefix); });
    EXPECT_TRUE(text == expected || (attempt->HasFailed() && text == "bloomline.canon")) << text;
  });
}

// RocksDB calls these directly, without a function of ours in between.
TEST(RocksDBOptions, AreComparedAndWrittenWithoutMemory) {
  const rocksdb::ConfigOptions config;
  const PolicyOptions a(SettingsOf(OldOptions())), b(SettingsOf(OldOptions()));
  const PolicyOptions c(SettingsOf(RocksDBFilterOptions()));
  for (const auto& [name, type] : PolicyOptions::OptionTypes()) {
    FailEachAllocation([&, &name = name, &type = type](Attempt* attempt) {
      std::string same, other, text;
      bool is_same = false, is_other = true;
      rocksdb::Status status;
      attempt->Call([&] {
        is_same = type.AreEqual(config, name, &a, &b, &same);
        is_other = type.AreEqual(config, name, &a, &c, &other);
        status = type.Serialize(config, name, &a, &text);
      });
      EXPECT_TRUE((is_same && status.ok()) || attempt->HasFailed());
      EXPECT_EQ(is_same, same.empty());
      // No other prefixes: there is a canonicalizer. stock_id is for other formats, memory is not
      // for bits_by_level.
      EXPECT_EQ(is_other, name == "format" || name == "range_prefixes" || name == "stock_id" ||
                              name == "memory");
      EXPECT_EQ(status.ok(), !text.empty());
    });
  }
}

// Keeps what is logged.
class LastLine : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::vsnprintf(line, sizeof(line), format, arguments);
  }
  char line[300] = {};
};

TEST(RocksDBRanges, ChoiceIsLoggedOrNot) {
  filter::EntryKinds kinds;
  for (auto& cell : kinds.cells) cell.bits = ++kinds.num_cells;
  FailEachAllocation([&](Attempt* attempt) {
    LastLine log;
    ++kinds.cells[kinds.num_cells - 1].bits;  // the same choice is not logged again
    attempt->Call([&] { LogRangeChoice(&log, kLongName, kinds, 17); });
    const std::string_view line = log.line;
    EXPECT_EQ(line.empty(), attempt->HasFailed()) << line;
    EXPECT_EQ(line.empty(), line.find("(17 ranges sampled)") == line.npos) << line;
  });
}

class RocksDBFiltersTest : public testing::TestWithParam<Format> {
 protected:
  std::shared_ptr<const FilterPolicy> Policy() const {
    FilterOptions options;
    options.format = GetParam();
    return NewRocksDBFilterPolicy(options);
  }
  const ManyKeys keys_{2000};
};

TEST_P(RocksDBFiltersTest, LoseNoKeyAndLogTheReason) {
  const auto policy = Policy();
  for (const bool verify : {false, true}) {
    rocksdb::BlockBasedTableOptions table;
    table.detect_filter_construct_corruption = verify;
    table.optimize_filters_for_memory = verify;
    table.block_cache = rocksdb::NewLRUCache(1 << 20, 0);
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 703
    table.cache_usage_options.options.charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled;
#endif
    FailEachAllocation([&](Attempt* attempt) {
      LastLine log;
      rocksdb::FilterBuildingContext context(table);
      context.info_log = &log;
      std::unique_ptr<FilterBitsBuilder> builder;
      std::unique_ptr<FilterBitsReader> reader;
      std::unique_ptr<const char[]> memory;
      Slice filter;
      rocksdb::Status status, verified;
      attempt->Call([&] { builder.reset(policy->GetBuilderWithContext(context)); });
      if (builder == nullptr) {  // RocksDB then writes no filter
        EXPECT_TRUE(attempt->HasFailed());
        EXPECT_NE(std::string(log.line).find("out of memory"), std::string::npos) << log.line;
        return;
      }
      attempt->Call([&] {
        for (const std::string_view key : keys_.views) builder->AddKey({key.data(), key.size()});
        builder->EstimateEntriesAdded();
        builder->ApproximateNumEntries(1000);
        filter = builder->Finish(&memory, &status);
        verified = builder->MaybePostVerify(filter);
      });
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_TRUE(verified.ok()) << verified.ToString();
      EXPECT_FALSE(filter.empty()) << "RocksDB takes it for no keys";
      EXPECT_TRUE(attempt->HasFailed() || log.line[0] == '\0') << log.line;
      attempt->Call([&] { reader.reset(policy->GetFilterBitsReader(filter)); });
      if (reader == nullptr) {  // RocksDB then reads every key from disk
        EXPECT_TRUE(attempt->HasFailed());
        reader.reset(policy->GetFilterBitsReader(filter));
      }
      int absent = 0;
      attempt->Call([&] {
        keys_.ExpectPresent(
            [&](std::string_view key) { return reader->MayMatch(Slice(key.data(), key.size())); });
        for (int i = 0; i < 1000; ++i) {
          absent += reader->MayMatch(Slice(reinterpret_cast<const char*>(&i), sizeof(i))) ? 1 : 0;
        }
      });
      if (absent > 100) {
        EXPECT_NE(std::string(log.line).find("out of memory"), std::string::npos)
            << "more keys match than should, and the log does not say why: " << log.line;
      }
    });
  }
}

// RocksDB 9.6 and later make no filter of a partition whose builder says that nothing was added,
// and then ask the partition before it, which answers "no". A verified filter takes the list of
// hashes with it, so the next partition's first key needs memory.
TEST_P(RocksDBFiltersTest, PartitionWhoseKeysAreAllLostIsNotTakenForEmpty) {
  const auto policy = Policy();
  for (const bool verify : {false, true}) {
    rocksdb::BlockBasedTableOptions table;
    table.detect_filter_construct_corruption = verify;
    FailEachAllocation([&](Attempt* attempt) {
      const rocksdb::FilterBuildingContext context(table);
      const std::unique_ptr<FilterBitsBuilder> builder(policy->GetBuilderWithContext(context));
      for (int partition = 0; partition < 3; ++partition) {
        EXPECT_EQ(builder->EstimateEntriesAdded(), 0u);
        attempt->Call([&] { builder->AddKey("key"); });
        EXPECT_EQ(builder->EstimateEntriesAdded(), 1u) << partition;
        std::unique_ptr<const char[]> memory;
        rocksdb::Status status;
        const Slice filter = builder->Finish(&memory, &status);
        EXPECT_TRUE(status.ok() && builder->MaybePostVerify(filter).ok());
        const std::unique_ptr<FilterBitsReader> reader(policy->GetFilterBitsReader(filter));
        EXPECT_TRUE(reader->MayMatch("key")) << partition;
      }
    });
  }
}

TEST_P(RocksDBFiltersTest, CorruptionIsReportedWithoutMemory) {
  const auto policy = Policy();
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = true;
  FailEachAllocation([&](Attempt* attempt) {
    const rocksdb::FilterBuildingContext context(table);
    const std::unique_ptr<FilterBitsBuilder> builder(policy->GetBuilderWithContext(context));
    for (const std::string_view key : keys_.views) builder->AddKey({key.data(), key.size()});
    std::unique_ptr<const char[]> memory;
    rocksdb::Status status;
    const Slice filter = builder->Finish(&memory, &status);
    std::string damaged = filter.ToString();
    // Overwrites the payload; the trailer stays.
    std::fill(damaged.begin(), damaged.end() - 20, '\0');
    attempt->Call([&] { status = builder->MaybePostVerify(damaged); });
    EXPECT_TRUE(status.IsCorruption());
  });
}

TEST_P(RocksDBFiltersTest, StockFiltersGetAReaderOrNone) {
  const auto policy = Policy();
  std::string stock(1000, '\x55');
  stock.replace(stock.size() - 5, 5, std::string("\xff\x00\x06\x00\x00", 5));
  FailEachAllocation([&](Attempt* attempt) {
    std::unique_ptr<FilterBitsReader> reader;
    constexpr char kName[] = "bloomline_filters_opened_matching_everything_total";
    constexpr char kReason[] = "reason=\"out_of_memory\"";
    const double counted = MetricValue(kName, kReason);
    attempt->Call([&] { reader.reset(policy->GetFilterBitsReader(stock)); });
    EXPECT_TRUE(reader != nullptr || attempt->HasFailed());
    EXPECT_EQ(MetricValue(kName, kReason) - counted, reader == nullptr ? 1 : 0);
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, RocksDBFiltersTest,
                         testing::Values(Format::kBlocked, Format::kCompact));

// The rewrite itself runs RocksDB's compactions, which do not survive a lack of memory.
TEST(RocksDB, ReportsOfRewritesAreWholeOrSayWhatIsMissing) {
  RewriteReport report;
  report.column_family = std::string(100, 'c');
  report.skipped.push_back({std::string(100, 'p'), 1, RewriteSkip::kBusy, ""});
  report.before[std::string(100, 'f')].files = 1;
  ExpectSentence([&] { return report.ToString(); });
  RewriteOptions options;
  options.pause_ms = RewriteOptions::kMaxPauseMs + 1;
  ExpectSentence([&] { return options.Validate(); });
  ExpectRefused([](std::string* error) {
    return RewriteFilters(nullptr, nullptr, RewriteOptions(), nullptr, error);
  });
}

}  // namespace
}  // namespace bloomline::tests
