// RocksDB policies with a canonicalizer, without a database: who uses whose filters, and what
// becomes of option strings that are refused. rocksdb_db_test.cc has databases.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/canonical/canonical_builder.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/case_folding.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;
using Builder = std::unique_ptr<rocksdb::FilterBitsBuilder>;
using Reader = std::unique_ptr<rocksdb::FilterBitsReader>;

constexpr char kName[] = "test.CaseFolding";
constexpr uint64_t kKeys = 1000;

Policy NewPolicy(std::shared_ptr<const KeyCanonicalizer> canonicalizer,
                 Format format = Format::kBlocked) {
  RocksDBFilterOptions options;
  options.format = format;
  options.canonicalizer = std::move(canonicalizer);
  return NewRocksDBFilterPolicy(options);
}

// Whatever the status: RocksDB drops most errors, and uses the object.
std::shared_ptr<rocksdb::FilterPolicy> FromString(const std::string& text,
                                                  rocksdb::Status* status) {
  RegisterBloomline();
  Policy policy;
  testing::internal::CaptureStderr();
  *status = rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  TakeStderr();
  return std::const_pointer_cast<rocksdb::FilterPolicy>(policy);
}

Builder NewBuilder(const rocksdb::FilterPolicy& policy) {
  const rocksdb::BlockBasedTableOptions table;
  return Builder(policy.GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
}

std::string Finish(const Builder& builder) {
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const rocksdb::Slice filter = builder->Finish(&buffer, &status);
  EXPECT_TRUE(status.ok() && builder->MaybePostVerify(filter).ok());
  return filter.ToString();
}

std::string Build(const rocksdb::FilterPolicy& policy, uint64_t spelling, bool is_long = false) {
  const Builder builder = NewBuilder(policy);
  for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(SpelledKey(i, spelling, is_long));
  return Finish(builder);
}

// RocksDB's own readers take up to 32.
constexpr uint64_t kStockBatch = 25;

// How many of the keys from `first` on match; single and batched queries must agree.
uint64_t Matches(rocksdb::FilterBitsReader* reader, uint64_t first, uint64_t spelling,
                 bool is_long = false, uint64_t batch = kStockBatch) {
  if (reader == nullptr) return kKeys;  // as RocksDB takes it
  uint64_t matches = 0;
  for (uint64_t start = 0; start < kKeys; start += batch) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < batch; ++i) {
      keys.push_back(SpelledKey(first + start + i, spelling, is_long));
    }
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::Slice*> pointers;
    for (rocksdb::Slice& slice : slices) pointers.push_back(&slice);
    bool may_match[kKeys] = {};
    reader->MayMatch(static_cast<int>(batch), pointers.data(), may_match);
    for (size_t i = 0; i < batch; ++i) {
      EXPECT_EQ(may_match[i], reader->MayMatch(slices[i]));
      matches += may_match[i] ? 1 : 0;
    }
  }
  return matches;
}

uint64_t Matches(const rocksdb::FilterPolicy& policy, const std::string& filter, uint64_t first,
                 uint64_t spelling, bool is_long = false) {
  const Reader reader(policy.GetFilterBitsReader(filter));
  return Matches(reader.get(), first, spelling, is_long);
}

TEST(RocksDBCanonicalizerTest, EverySpellingOfAStoredKeyMatches) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    const Policy policy = NewPolicy(CaseFolding::Named(kName), format);
    ASSERT_NE(policy, nullptr);
    for (const bool is_long : {false, true}) {
      const std::string filter = Build(*policy, 1, is_long);
      EXPECT_EQ(RecordedCanonicalizer(filter), kName);
      for (const uint64_t spelling : {0u, 1u, 2u, 3u}) {
        EXPECT_EQ(Matches(*policy, filter, 0, spelling, is_long), kKeys);
        EXPECT_LT(Matches(*policy, filter, kKeys, spelling, is_long), 50u);
      }
    }
    // The control: without a canonicalizer, other spellings are lost.
    const Policy plain = NewPolicy(nullptr, format);
    EXPECT_LT(Matches(*plain, Build(*plain, 1), 0, 2), 50u);
  }
}

TEST(RocksDBCanonicalizerTest, AReaderOutlivesItsPolicyAndKeepsTheCanonicalizer) {
  auto canonicalizer = std::make_shared<const CaseFolding>("test.Outlived");
  const std::weak_ptr<const CaseFolding> watched = canonicalizer;
  Policy policy = NewPolicy(canonicalizer);
  const std::string filter = Build(*policy, 1);
  Reader reader(policy->GetFilterBitsReader(filter));
  // Another one takes its place in the registry.
  ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named("test.Outlived")));
  canonicalizer.reset();
  policy.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(Matches(reader.get(), 0, 2), kKeys);
  EXPECT_LT(Matches(reader.get(), kKeys, 2), 50u);
  EXPECT_EQ(Matches(reader.get(), 0, 3, false, 250), kKeys);  // batches of any size
  reader.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(RocksDBCanonicalizerTest, AKeyWithoutACanonicalFormIsNeverLost) {
  const auto folding = std::make_shared<ThrowingFolding>();
  const auto canonicalizer =
      std::make_shared<const NamedCanonicalizer>(std::string(folding->Name()), folding);
  const Policy policy = NewPolicy(folding);
  const std::string filter = Build(*policy, 1);
  for (const char* key : {"no memory", "an int"}) {
    // In a query, it matches.
    const Reader reader(policy->GetFilterBitsReader(filter));
    EXPECT_TRUE(reader->MayMatch(key));
    std::string keys[] = {SpelledKey(1, 2), key, SpelledKey(kKeys + 1, 2)};
    rocksdb::Slice slices[] = {keys[0], keys[1], keys[2]};
    rocksdb::Slice* pointers[] = {&slices[0], &slices[1], &slices[2]};
    bool may_match[3] = {};
    reader->MayMatch(3, pointers, may_match);
    EXPECT_TRUE(may_match[0] && may_match[1] && !may_match[2]);
    // In a filter, everything does, even if it has no other key. The next filter is right again.
    for (const bool alone : {true, false}) {
      const Builder builder = NewBuilder(*policy);
      testing::internal::CaptureStderr();
      if (!alone) builder->AddKey("other");
      builder->AddKey(key);
      EXPECT_NE(builder->EstimateEntriesAdded(), 0u);
      // RocksDB ends a partition when this has grown, also one that matches everything.
      for (uint64_t i = 0; i < 5000; ++i) builder->AddKey(SpelledKey(i, 1));
      EXPECT_GE(builder->EstimateEntriesAdded(), 5000u);
      const std::string useless = Finish(builder);
      EXPECT_EQ(Matches(*policy, useless, 0, 1), kKeys);
      TakeStderr();
      for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(SpelledKey(i, 1));
      EXPECT_LT(Matches(*policy, Finish(builder), kKeys, 1), 50u);
    }
    // So it is for a key or a prefix of a pair.
    for (const bool is_prefix : {true, false}) {
      CanonicalBitsBuilder builder(FilterOptions(), false, nullptr, canonicalizer);
      builder.AddKeyAndAlt(is_prefix ? "other" : key, is_prefix ? key : "other");
      std::unique_ptr<const char[]> buffer;
      const std::string useless = builder.Finish(&buffer).ToString();
      EXPECT_EQ(Matches(*policy, useless, 0, 1), kKeys);
    }
  }
}

TEST(RocksDBCanonicalizerTest, KeysAndPrefixesAreDeduplicatedByTheirCanonicalForms) {
  const auto canonicalizer =
      std::make_shared<const NamedCanonicalizer>(kName, CaseFolding::Named(kName));
  CanonicalBitsBuilder builder(FilterOptions(), true, nullptr, canonicalizer);
  builder.AddKeyAndAlt("GROUP1/a", "group1");
  builder.AddKeyAndAlt("group1/A", "Group1");
  EXPECT_EQ(builder.EstimateEntriesAdded(), 2u);
  builder.AddKeyAndAlt("group1/B", "GROUP1");
  EXPECT_EQ(builder.EstimateEntriesAdded(), 3u);
  builder.AddKey("GROUP1/b");
  EXPECT_EQ(builder.EstimateEntriesAdded(), 3u);
  std::unique_ptr<const char[]> buffer;
  const std::string filter = builder.Finish(&buffer).ToString();
  const Policy policy = NewPolicy(CaseFolding::Named(kName));
  const Reader reader(policy->GetFilterBitsReader(filter));
  for (const char* key : {"group1", "GROUP1", "Group1/A", "GROUP1/b"}) {
    EXPECT_TRUE(reader->MayMatch(key)) << key;
  }
}

TEST(RocksDBCanonicalizerTest, SizesCountTheName) {
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    const std::string name(64, 'n');
    const auto canonicalizer =
        std::make_shared<const NamedCanonicalizer>(name, CaseFolding::Named(name));
    for (const size_t n : {1u, 100u, 186u, 1000u, 10000u}) {
      CanonicalBitsBuilder builder(options, false, nullptr, canonicalizer);
      for (size_t i = 0; i < n; ++i) builder.AddKey(SpelledKey(i, 0));
      std::unique_ptr<const char[]> buffer;
      const size_t bytes = builder.Finish(&buffer).size();
      EXPECT_EQ(builder.CalculateSpace(n), bytes);
      EXPECT_GE(builder.ApproximateNumEntries(bytes), n);
      if (n < 150) continue;  // the smallest filters have room for more keys
      EXPECT_LT(builder.ApproximateNumEntries(bytes - 1), n);
      RocksDBBitsBuilder plain(options, false);
      // Less of as many bytes is left for the keys.
      EXPECT_GT(builder.EstimatedFpRate(n, bytes), plain.EstimatedFpRate(n, bytes));
    }
    CanonicalBitsBuilder builder(options, false, nullptr, canonicalizer);
    EXPECT_EQ(builder.CalculateSpace(0), filter::EndBytes({name, {}}));
    EXPECT_EQ(builder.EstimatedFpRate(10, filter::EndBytes({name, {}})), 1);
  }
}

TEST(RocksDBCanonicalizerTest, DamageIsFoundUnderItsNameToo) {
  const auto canonicalizer =
      std::make_shared<const NamedCanonicalizer>(kName, CaseFolding::Named(kName));
  CanonicalBitsBuilder builder(FilterOptions(), true, nullptr, canonicalizer);
  for (uint64_t i = 0; i < kKeys; ++i) builder.AddKey(SpelledKey(i, 1));
  std::unique_ptr<const char[]> buffer;
  std::string filter = builder.Finish(&buffer).ToString();
  std::fill(filter.begin(), filter.begin() + 500, '\0');
  EXPECT_TRUE(builder.MaybePostVerify(filter).IsCorruption());
}

TEST(RocksDBCanonicalizerTest, WrongOnesAreRefused) {
  std::string error;
  EXPECT_FALSE(RegisterKeyCanonicalizer(nullptr, &error));
  EXPECT_EQ(error, "the canonicalizer is null; allowed: an object");
  EXPECT_FALSE(RegisterKeyCanonicalizer(CaseFolding::Named("a b"), &error));
  EXPECT_EQ(error,
            "the canonicalizer's name is 'a b'; allowed: 1 to 64 letters, digits, '.', '_' and '-' "
            "of ASCII");
  EXPECT_FALSE(RegisterKeyCanonicalizer(CaseFolding::Named("none"), &error));
  EXPECT_EQ(error,
            "the canonicalizer's name is 'none', which means that there is none; allowed: other "
            "names");
  RocksDBFilterOptions options;
  options.canonicalizer = CaseFolding::Named("a b");
  EXPECT_FALSE(options.Validate().empty());
  error.clear();
  EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr);
  EXPECT_EQ(error, options.Validate());
}

// What a policy does: "uses NAME", "plain", or "no filters".
std::string Deeds(const rocksdb::FilterPolicy& policy) {
  const Builder builder = NewBuilder(policy);
  const Policy plain = NewPolicy(nullptr);
  const bool reads_plain = Matches(policy, Build(*plain, 1), kKeys, 1) != kKeys;
  if (builder == nullptr) return reads_plain ? "reads only" : "no filters";
  builder->AddKey("Key");
  const std::string name(RecordedCanonicalizer(Finish(builder)));
  if (!name.empty()) return reads_plain ? "mixed" : "uses " + name;
  return reads_plain ? "plain" : "writes only";
}

std::string Canonicalizer(const rocksdb::FilterPolicy& policy) {
  return Value(policy, "canonicalizer");
}

TEST(RocksDBCanonicalizerTest, OptionStringsNameARegisteredOne) {
  ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named("test.Registered")));
  rocksdb::Status status;
  for (const char* id : {"bloomline", "bloomline.canon"}) {
    const auto policy = FromString(
        "{id=" + std::string(id) + ";canonicalizer=test.Registered;bits_per_key=12}", &status);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Deeds(*policy), "uses test.Registered");
    EXPECT_EQ(policy->GetId(), "bloomline.canon");
    EXPECT_STREQ(policy->Name(), "bloomline");
    // The text makes the same policy.
    const std::string text = policy->ToString(rocksdb::ConfigOptions());
    const auto same = FromString(text, &status);
    ASSERT_TRUE(status.ok()) << text << ": " << status.ToString();
    EXPECT_EQ(Deeds(*same), "uses test.Registered");
    EXPECT_EQ(Value(*same, "bits_per_key"), "12");
    std::string mismatch;
    EXPECT_TRUE(same->AreEquivalent(rocksdb::ConfigOptions(), policy.get(), &mismatch)) << mismatch;
  }
  // A policy without one is named and written as ever.
  const auto plain = FromString("bloomline:12", &status);
  EXPECT_EQ(plain->GetId(), "bloomline");
  EXPECT_EQ(plain->ToString(rocksdb::ConfigOptions()).find("canon"), std::string::npos);
  EXPECT_EQ(Deeds(*plain), "plain");
}

// RocksDB drops the errors of these strings. What is left of the policy must not lose keys.
TEST(RocksDBCanonicalizerTest, WhatRocksDBMakesOfARefusedStringLosesNoKey) {
  ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named("test.Registered")));
  const struct {
    const char* options;
    const char* deeds;
  } cases[] = {
      // The others are refused, and it is taken nevertheless.
      {"canonicalizer=test.Registered;bits_per_key=1000", "uses test.Registered"},
      {"canonicalizer=test.Registered;format=kompakt", "uses test.Registered"},
      {"canonicalizer=test.Registered;no_such_option=1", "uses test.Registered"},
      {"canonicalizer=test.Registered;format=compact;bits_per_key=30", "uses test.Registered"},
      {"canonicalizer=test.nobody", "no filters"},
      {"canonicalizer=test.nobody;bits_per_key=abc", "no filters"},
      {"canonicalizer=a name", "no filters"},
      {"canonicalizer=", "no filters"},
  };
  for (const auto& c : cases) {
    for (const char* id : {"bloomline", "bloomline.canon"}) {
      SCOPED_TRACE(std::string(id) + ";" + c.options);
      rocksdb::Status status;
      const auto policy = FromString(std::string("{id=") + id + ";" + c.options + "}", &status);
      EXPECT_FALSE(status.ok());
      ASSERT_NE(policy, nullptr);
      EXPECT_EQ(policy->GetId(), "bloomline.canon");
      EXPECT_EQ(Deeds(*policy), c.deeds);
    }
  }
  // Without its canonicalizer at all, as out of memory, the id is enough.
  rocksdb::Status status;
  for (const char* text : {"bloomline.canon", "{id=bloomline.canon;bits_per_key=1000}",
                           "{id=bloomline.canon;bits_per_key=12}", "bloomline.canon:12"}) {
    const auto policy = FromString(text, &status);
    ASSERT_NE(policy, nullptr) << text;
    EXPECT_EQ(Deeds(*policy), "no filters") << text;
  }
}

// RocksDB makes new policies of the text of old ones, under the id that a change names.
TEST(RocksDBCanonicalizerTest, ANameThatIsNotKnownIsNotForgotten) {
  for (const char* text : {"bloomline.canon", "{id=bloomline;canonicalizer=a name}"}) {
    rocksdb::Status status;
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = FromString(text, &status);
    rocksdb::ColumnFamilyOptions old_options;
    old_options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    for (const char* change : {"bloomline", "bloomline:12", "{id=bloomline;bits_per_key=12}",
                               "{bits_per_key=12}", "{id=bloomline;bits_per_key=1000}"}) {
      SCOPED_TRACE(std::string(text) + " then " + change);
      rocksdb::ColumnFamilyOptions options;
      testing::internal::CaptureStderr();
      EXPECT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(
                      rocksdb::ConfigOptions(), old_options,
                      std::string("block_based_table_factory={filter_policy=") + change + ";}",
                      &options)
                      .ok());
      testing::internal::GetCapturedStderr();
      const auto* changed = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
      ASSERT_NE(changed->filter_policy, nullptr);
      EXPECT_EQ(changed->filter_policy->GetId(), "bloomline.canon");
      EXPECT_EQ(Deeds(*changed->filter_policy), "no filters");
    }
  }
}

TEST(RocksDBCanonicalizerTest, AnUnknownOneKeepsTheOptionsAndCanBeNamedAgain) {
  rocksdb::Status status;
  const auto policy =
      FromString("{id=bloomline;canonicalizer=test.Late;bits_per_key=12;format=compact}", &status);
  EXPECT_NE(status.ToString().find("canonicalizer is 'test.Late'; allowed: those that "
                                   "RegisterKeyCanonicalizer was called with: "),
            std::string::npos)
      << status.ToString();
  EXPECT_EQ(Deeds(*policy), "no filters");
  EXPECT_EQ(Settings(*policy), "compact 12 0");
  EXPECT_EQ(Canonicalizer(*policy), "test.Late");
  ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named("test.Late")));
  const auto reloaded = FromString(policy->ToString(rocksdb::ConfigOptions()), &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Deeds(*reloaded), "uses test.Late");
  const auto configure = [&](const char* text) {
    testing::internal::CaptureStderr();
    status = policy->ConfigureFromString(rocksdb::ConfigOptions(), text);
    TakeStderr();
    return status.ok();
  };
  EXPECT_TRUE(configure("canonicalizer=test.Late")) << status.ToString();
  EXPECT_EQ(Deeds(*policy), "uses test.Late");
  // From then on it stays.
  for (const char* change : {"canonicalizer=test.nobody", "canonicalizer=",
                             "canonicalizer=test.CaseFolding", "bits_per_key=1000"}) {
    EXPECT_FALSE(configure(change)) << change;
    EXPECT_EQ(Deeds(*policy), "uses test.Late") << change;
  }
  EXPECT_TRUE(configure("canonicalizer=test.Late;bits_per_key=20"));
  EXPECT_EQ(Settings(*policy), "compact 20 0");
}

// A running policy takes all of a change or nothing: several families may share it.
TEST(RocksDBCanonicalizerTest, ARefusedChangeOfARunningPolicyChangesNothing) {
  ASSERT_TRUE(RegisterKeyCanonicalizer(CaseFolding::Named("test.Running")));
  rocksdb::Status status;
  for (const char* made : {"", "bloomline", "bloomline:12", "{id=bloomline;bits_per_key=12}"}) {
    const Policy policy = *made == '\0' ? NewPolicy(nullptr) : FromString(made, &status);
    auto* const changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
    const std::string options = changed->ToString(rocksdb::ConfigOptions());
    for (const char* change :
         {"canonicalizer=", "canonicalizer=a name", "canonicalizer=test.nobody", "canonicalizer=?",
          "canonicalizer=test.nobody;bits_per_key=20",
          "canonicalizer=test.Running;bits_per_key=1000"}) {
      SCOPED_TRACE(std::string(made) + " then " + change);
      testing::internal::CaptureStderr();
      EXPECT_FALSE(changed->ConfigureFromString(rocksdb::ConfigOptions(), change).ok());
      EXPECT_NE(TakeStderr().find("; the options stay "), std::string::npos);
      EXPECT_EQ(changed->ToString(rocksdb::ConfigOptions()), options);
      EXPECT_EQ(changed->GetId(), "bloomline");
      EXPECT_EQ(Deeds(*changed), "plain");
    }
    status = changed->ConfigureFromString(rocksdb::ConfigOptions(), "canonicalizer=none");
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(changed->ToString(rocksdb::ConfigOptions()), options);
    status = changed->ConfigureFromString(rocksdb::ConfigOptions(), "canonicalizer=test.Running");
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Deeds(*changed), "uses test.Running");
    testing::internal::CaptureStderr();
    EXPECT_FALSE(changed->ConfigureFromString(rocksdb::ConfigOptions(), "canonicalizer=none").ok());
    TakeStderr();
    EXPECT_EQ(Deeds(*changed), "uses test.Running");
  }
}

// RocksDB's registry makes a policy without a call that gives it options.
TEST(RocksDBCanonicalizerTest, AUsedPolicyIsNotNew) {
  ASSERT_TRUE(RegisterBloomline());
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const auto registry = rocksdb::ObjectRegistry::NewInstance();
  ASSERT_TRUE(registry->NewSharedObject("bloomline", &policy).ok());
  EXPECT_EQ(Deeds(*policy), "plain");
  auto* const changed = const_cast<rocksdb::FilterPolicy*>(policy.get());
  testing::internal::CaptureStderr();
  EXPECT_FALSE(
      changed->ConfigureFromString(rocksdb::ConfigOptions(), "canonicalizer=test.nobody").ok());
  TakeStderr();
  EXPECT_EQ(Deeds(*policy), "plain");
}

// RocksDB makes a policy of each OPTIONS file that it has written.
TEST(RocksDBCanonicalizerTest, OneLineNamesAnUnknownOne) {
  ASSERT_TRUE(RegisterBloomline());
  const auto lines = [] {
    testing::internal::CaptureStderr();
    Policy policy;
    EXPECT_FALSE(
        rocksdb::FilterPolicy::CreateFromString(
            rocksdb::ConfigOptions(), "{id=bloomline;canonicalizer=test.Repeated}", &policy)
            .ok());
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(lines().find("canonicalizer is 'test.Repeated'; allowed: "), std::string::npos);
  EXPECT_EQ(lines(), "");
}

}  // namespace
}  // namespace bloomline::tests
