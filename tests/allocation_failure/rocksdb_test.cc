// rocksdb.h: making a policy, and the builders and readers that RocksDB gets from it.
#include "bloomline/rocksdb.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/c_rocksdb.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/engines/rocksdb/policy_options.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/support/case_folding.h"

namespace bloomline::tests {
namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterPolicy;
using rocksdb::Slice;

TEST(RocksDB, PolicyIsCreatedOrNull) {
  FailEachAllocation({"NewRocksDBFilterPolicy"}, [&](Attempt* attempt) {
    std::shared_ptr<const FilterPolicy> policy;
    std::string error;
    attempt->Call([&] { policy = NewRocksDBFilterPolicy(FilterOptions(), &error); });
    EXPECT_EQ(policy != nullptr, error.empty()) << error;
    EXPECT_TRUE(policy != nullptr || attempt->HasFailed());
  });
  FilterOptions invalid;
  invalid.bits_per_key = -1;
  FailEachAllocation({"NewRocksDBFilterPolicy"}, [&](Attempt* attempt) {
    std::shared_ptr<const FilterPolicy> policy;
    std::string error;
    attempt->Call([&] { policy = NewRocksDBFilterPolicy(invalid, &error); });
    attempt->CheckRefusal(policy != nullptr, error);
  });
}

TEST(RocksDB, OptionsByLevelAreRefusedWithAReason) {
  RocksDBFilterOptions valid;
  valid.auto_bits_by_level = true;
  RocksDBFilterOptions wrong[4];
  wrong[0].bits_by_level = {10, 1000};
  wrong[1].num_levels = 65;
  wrong[2].level_size_ratio = 0;
  wrong[3].flush_format = Format::kClassic;
  FailEachAllocation({"RocksDBFilterOptions::RocksDBFilterOptions",
                      "RocksDBFilterOptions::Validate", "NewRocksDBFilterPolicy"},
                     [&](Attempt* attempt) {
                       std::shared_ptr<const FilterPolicy> policy;
                       std::string error;
                       std::string sentence;
                       attempt->Call([&] {
                         sentence = RocksDBFilterOptions(FilterOptions()).Validate();
                         sentence += valid.Validate();
                         policy = NewRocksDBFilterPolicy(valid, &error);
                       });
                       EXPECT_EQ(sentence, "");
                       EXPECT_EQ(policy != nullptr, error.empty()) << error;
                       EXPECT_TRUE(policy != nullptr || attempt->HasFailed());
                     });
  for (const RocksDBFilterOptions& options : wrong) {
    FailEachAllocation({"RocksDBFilterOptions::Validate", "NewRocksDBFilterPolicy"},
                       [&](Attempt* attempt) {
                         std::shared_ptr<const FilterPolicy> policy;
                         std::string error;
                         std::string sentence;
                         attempt->Call([&] {
                           sentence = options.Validate();
                           policy = NewRocksDBFilterPolicy(options, &error);
                         });
                         EXPECT_NE(sentence, "");
                         attempt->CheckRefusal(policy != nullptr, error);
                       });
  }
}

TEST(RocksDB, RegistrationSucceedsOrIsAbsent) {
  for (const auto add :
       {static_cast<int (*)(rocksdb::ObjectLibrary&, const std::string&)>(RegisterBloomline),
        bloomline_rocksdb_plugin}) {
    FailEachAllocation({"RegisterBloomline", "bloomline_rocksdb_plugin"}, [&](Attempt* attempt) {
      rocksdb::ObjectLibrary library("a library of the test");
      int registered = -1;
      attempt->Call([&] {
        registered = add(library, "");
        RegisterBloomline();
      });
      EXPECT_TRUE(registered == 1 || (registered == 0 && attempt->HasFailed()));
    });
  }
}

TEST(RocksDB, RegistrationFromCSucceedsOrReturnsAnError) {
  FailEachAllocation({"bloomline_rocksdb_register"}, [](Attempt* attempt) {
    char* error = nullptr;
    uint8_t registered = 2;
    attempt->Call([&] { registered = bloomline_rocksdb_register(&error); });
    EXPECT_TRUE(registered == 1 || (registered == 0 && attempt->HasFailed()));
    EXPECT_TRUE(registered == 0 || error == nullptr) << error;
    std::free(error);
  });
}

constexpr char kLongName[] = "test.NameThatNoStringHoldsWithoutMemory";

TEST(RocksDBCanonicalizer, RegistrationSucceedsOrReturnsAnError) {
  const auto canonicalizer = CaseFolding::Named(kLongName);
  FailEachAllocation({"RegisterKeyCanonicalizer"}, [&](Attempt* attempt) {
    std::string error = Attempt::kUntouched;
    bool registered = false;
    attempt->Call([&] { registered = RegisterKeyCanonicalizer(canonicalizer, &error); });
    attempt->CheckOutcome(registered, error);
  });
  FailEachAllocation({"RegisterKeyCanonicalizer"}, [&](Attempt* attempt) {
    std::string error;
    bool registered = true;
    attempt->Call([&] { registered = RegisterKeyCanonicalizer(nullptr, &error); });
    attempt->CheckRefusal(registered, error);
  });
}

size_t NoForm(void*, const char*, size_t, char*, size_t) { return SIZE_MAX; }
void CountCall(void* state) { ++*static_cast<int*>(state); }

TEST(RocksDBCanonicalizer, RegistrationFromCSucceedsOrDestroysTheState) {
  static int destroyed;  // a canonicalizer that was registered stays
  FailEachAllocation({"bloomline_rocksdb_register_canonicalizer"}, [](Attempt* attempt) {
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

// RocksDB drops the status, and uses the policy.
TEST(RocksDBCanonicalizer, IsNotForgottenOnceItIsNamed) {
  const rocksdb::ConfigOptions config;
  ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named(kLongName)));
  for (const char* name : {kLongName, "test.NobodyHasRegisteredThisOne", "not a name"}) {
    const PolicyOptions::Changes changes = {{"canonicalizer", name}, {"bits_per_key", "20"}};
    FailEachAllocation({}, [&](Attempt* attempt) {
      PolicyOptions options{RocksDBFilterOptions()};
      rocksdb::Status status;
      attempt->Call([&] { status = options.Change(config, changes, nullptr); });
      EXPECT_TRUE(status.ok() ? name == kLongName : name != kLongName || attempt->HasFailed());
      EXPECT_EQ(options.Id(), "bloomline.canon");
      ASSERT_NE(options.LoadCanonicalizer(), nullptr);
      EXPECT_EQ(options.LoadPlan().canonicalizer, options.LoadCanonicalizer());
      EXPECT_TRUE(name == kLongName || options.LoadCanonicalizer()->canonicalizer() == nullptr);
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
  const rocksdb::BlockBasedTableOptions table;
  FailEachAllocation({"KeyCanonicalizer::Canonicalize"}, [&](Attempt* attempt) {
    std::unique_ptr<FilterBitsBuilder> builder;
    std::unique_ptr<const char[]> memory;
    rocksdb::Status status;
    Slice filter;
    attempt->Call([&] {
      builder.reset(policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
      if (builder == nullptr) return;
      for (const std::string& key : keys) builder->AddKey(key);
      filter = builder->Finish(&memory, &status);
    });
    EXPECT_TRUE(builder != nullptr || attempt->HasFailed());
    if (builder == nullptr) return;  // RocksDB then writes no filter
    EXPECT_TRUE(status.ok() && !filter.empty());
    std::unique_ptr<FilterBitsReader> reader;
    attempt->Call([&] { reader.reset(policy->GetFilterBitsReader(filter)); });
    EXPECT_TRUE(reader != nullptr || attempt->HasFailed());
    if (reader == nullptr) return;  // RocksDB then reads every key from disk
    for (uint64_t i = 0; i < keys.size(); ++i) {
      const std::string key = SpelledKey(i, 7, true);
      Slice slices[] = {key, key};
      Slice* pointers[] = {&slices[0], &slices[1]};
      bool may_match[3] = {};
      attempt->Call([&] {
        may_match[2] = reader->MayMatch(key);
        reader->MayMatch(2, pointers, may_match);
      });
      for (const bool one : may_match) attempt->CheckPresent(one);
    }
  });
}

TEST(RocksDBCanonicalizer, ShortKeysNeedNoMemory) {
  const CaseFolding folding(kLongName);
  ExpectNoAllocation({"CanonicalKeyBuffer::CanonicalKeyBuffer", "CanonicalKeyBuffer::Bytes",
                      "KeyCanonicalizer::Canonicalize", "KeyCanonicalizer::Name"},
                     [&] {
                       CanonicalKeyBuffer buffer;
                       buffer.Bytes(100);
                       folding.Canonicalize(folding.Name(), &buffer);
                     });
}

TEST(RocksDBCanonicalizer, NamesAreReadAndCheckedWithoutMemory) {
  RocksDBFilterOptions options;
  options.canonicalizer = CaseFolding::Named("not a name, and too long for a string");
  FailEachAllocation({"RocksDBFilterOptions::Validate", "RecordedCanonicalizer"},
                     [&](Attempt* attempt) {
                       std::string error;
                       attempt->Call([&] {
                         RecordedCanonicalizer("no filter");
                         error = options.Validate();
                       });
                       EXPECT_FALSE(error.empty());
                     });
}

// RocksDB's own code handles strings here, too. Only bloomline's code must let no exception escape.
TEST(RocksDB, FactoryReturnsAPolicyOrAnError) {
  rocksdb::ObjectLibrary library("a library of the test");
  RegisterBloomline(library, "");
  for (const std::string id : {"bloomline:10", "bloomline:no number at all"}) {
    FailEachAllocation({"RegisterBloomline"}, [&](Attempt* attempt) {
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

bool AreEqual(const RocksDBFilterOptions& a, const RocksDBFilterOptions& b) {
  return a.format == b.format && a.bits_per_key == b.bits_per_key && a.seed == b.seed &&
         a.random_seed == b.random_seed && a.auto_bits_by_level == b.auto_bits_by_level &&
         a.bits_by_level == b.bits_by_level && a.num_levels == b.num_levels &&
         a.level_size_ratio == b.level_size_ratio && a.flush_format == b.flush_format &&
         a.filters_at_bottom == b.filters_at_bottom;
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
  for (const ChangeCase& change : ChangeCases()) {
    PolicyOptions changed(OldOptions());
    EXPECT_EQ(changed.Change(config, change.changes, nullptr).ok(), change.is_allowed);
    FailEachAllocation({}, [&](Attempt* attempt) {
      PolicyOptions options(OldOptions());
      rocksdb::Status status;
      attempt->Call([&] { status = options.Change(config, change.changes, nullptr); });
      EXPECT_TRUE(status.ok() ? change.is_allowed : !change.is_allowed || attempt->HasFailed());
      EXPECT_TRUE(
          AreEqual(options.LoadOptions(), status.ok() ? changed.LoadOptions() : OldOptions()));
      status = options.Change(config, change.changes, nullptr);
      EXPECT_EQ(status.ok(), change.is_allowed) << status.ToString();
      EXPECT_TRUE(AreEqual(options.LoadOptions(), changed.LoadOptions()));
    });
  }
}

// The text has all options, or the policy's name alone.
TEST(RocksDBOptions, AreWrittenInFullOrNotAtAll) {
  const rocksdb::ConfigOptions config;
  const std::string prefix;
  const PolicyOptions options(OldOptions());
  const std::string expected = options.Serialize(config, prefix);
  for (const auto& type : PolicyOptions::OptionTypes()) {
    EXPECT_NE(expected.find(type.first + "="), std::string::npos) << expected;
  }
  FailEachAllocation({}, [&](Attempt* attempt) {
    std::string text;
    attempt->Call([&] { text = options.Serialize(config, prefix); });
    EXPECT_TRUE(text == expected || (attempt->HasFailed() && text == "bloomline.canon")) << text;
  });
}

// RocksDB calls these directly, without a function of ours in between.
TEST(RocksDBOptions, AreComparedWithoutMemory) {
  const rocksdb::ConfigOptions config;
  const PolicyOptions a(OldOptions()), b(OldOptions()), c{RocksDBFilterOptions()};
  for (const auto& [name, type] : PolicyOptions::OptionTypes()) {
    FailEachAllocation({}, [&, &name = name, &type = type](Attempt* attempt) {
      std::string same, other;
      bool is_same = false, is_other = true;
      attempt->Call([&] {
        is_same = type.AreEqual(config, name, &a, &b, &same);
        is_other = type.AreEqual(config, name, &a, &c, &other);
      });
      EXPECT_TRUE(is_same || attempt->HasFailed());
      EXPECT_EQ(is_same, same.empty());
      EXPECT_EQ(is_other, name == "format");
    });
  }
}

TEST(RocksDBOptions, SingleOptionIsWrittenOrNot) {
  const rocksdb::ConfigOptions config;
  const PolicyOptions options(OldOptions());
  for (const auto& [name, type] : PolicyOptions::OptionTypes()) {
    FailEachAllocation({}, [&, &name = name, &type = type](Attempt* attempt) {
      rocksdb::Status status;
      std::string text;
      attempt->Call([&] { status = type.Serialize(config, name, &options, &text); });
      EXPECT_TRUE(status.ok() || attempt->HasFailed());
      EXPECT_EQ(status.ok(), !text.empty());
    });
  }
}

// RocksDB's own code may throw here. The options are then all old or all new.
TEST(RocksDBOptions, AreAllOldOrAllNewWhenRocksDBThrows) {
  const rocksdb::ConfigOptions config;
  const auto policy_of = [](const RocksDBFilterOptions& options) {
    return std::const_pointer_cast<FilterPolicy>(NewRocksDBFilterPolicy(options));
  };
  const std::string change = "bits_per_key=20;format=compact;seed=18446744073709551615";
  const std::string old_text = policy_of(OldOptions())->ToString(config);
  const auto changed = policy_of(OldOptions());
  ASSERT_TRUE(changed->ConfigureFromString(config, change).ok());
  const std::string new_text = changed->ToString(config);
  ASSERT_NE(old_text, new_text);
  FailEachAllocation({}, [&](Attempt* attempt) {
    const auto policy = policy_of(OldOptions());
    rocksdb::Status status = rocksdb::Status::Aborted();
    attempt->Call([&] {
      try {
        status = policy->ConfigureFromString(config, change);
      } catch (const std::bad_alloc&) {
      }
    });
    const std::string text = policy->ToString(config);
    EXPECT_TRUE(status.ok() ? text == new_text : text == old_text || text == new_text) << text;
    EXPECT_TRUE(policy->ConfigureFromString(config, change).ok());
    EXPECT_EQ(policy->ToString(config), new_text);
  });
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

class RocksDBFiltersTest : public testing::TestWithParam<Format> {
 protected:
  std::shared_ptr<const FilterPolicy> Policy() const {
    FilterOptions options;
    options.format = GetParam();
    return NewRocksDBFilterPolicy(options);
  }
  const std::vector<std::string> stored_ = MakeKeys(2000);
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
    FailEachAllocation({}, [&](Attempt* attempt) {
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
        for (const std::string& key : stored_) builder->AddKey(key);
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
        for (const std::string& key : stored_) attempt->CheckPresent(reader->MayMatch(key));
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
    FailEachAllocation({}, [&](Attempt* attempt) {
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
  FailEachAllocation({}, [&](Attempt* attempt) {
    const rocksdb::FilterBuildingContext context(table);
    const std::unique_ptr<FilterBitsBuilder> builder(policy->GetBuilderWithContext(context));
    for (const std::string& key : stored_) builder->AddKey(key);
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
  FailEachAllocation({}, [&](Attempt* attempt) {
    std::unique_ptr<FilterBitsReader> reader;
    attempt->Call([&] { reader.reset(policy->GetFilterBitsReader(stock)); });
    EXPECT_TRUE(reader != nullptr || attempt->HasFailed());
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, RocksDBFiltersTest,
                         testing::Values(Format::kBlocked, Format::kCompact));

}  // namespace
}  // namespace bloomline::tests
