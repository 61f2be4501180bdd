// The RocksDB policy without a database: options, option strings, and readers of any bytes.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits/bits_builder.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/container/trailer.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/injected_entropy.h"

namespace bloomline {
namespace {

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;
using Builder = std::unique_ptr<rocksdb::FilterBitsBuilder>;
using Reader = std::unique_ptr<rocksdb::FilterBitsReader>;

Policy FromString(const std::string& text, rocksdb::Status* status) {
  RegisterBloomline();
  Policy policy;
  *status = rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  return policy;
}

Builder NewBuilder(const Policy& policy) {
  rocksdb::BlockBasedTableOptions table_options;
  table_options.optimize_filters_for_memory = false;  // rocksdb_allocation_fit_test
  table_options.partition_filters = true;             // one builder makes several filters
  return Builder(policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table_options)));
}

std::vector<std::string> Keys(int n) {
  std::vector<std::string> keys;
  for (int i = 0; i < n; ++i) keys.push_back("key" + std::to_string(i));
  return keys;
}

std::string Build(const Policy& policy, const std::vector<std::string>& keys) {
  const Builder builder = NewBuilder(policy);
  for (const std::string& key : keys) builder->AddKey(key);
  std::unique_ptr<const char[]> buffer;
  return builder->Finish(&buffer).ToString();
}

int Matches(const Policy& policy, const std::string& filter, const char* prefix, int n) {
  const Reader reader(policy->GetFilterBitsReader(filter));
  int matches = 0;
  for (int i = 0; i < n; ++i) matches += reader->MayMatch(prefix + std::to_string(i));
  return matches;
}

// RocksDB's MultiGet loses the keys of a partition without bytes (bits_builder.h).
TEST(RocksDBPolicyTest, NoKeysGiveAFilterWithBytesThatMatchesNothing) {
  const Policy stock(rocksdb::NewBloomFilterPolicy(10));
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    const Policy ours = NewRocksDBFilterPolicy(options);
    const std::string filter = Build(ours, {});
    EXPECT_EQ(filter.size(), filter::kTrailerBytes);
    EXPECT_EQ(Matches(ours, filter, "absent", 10), 0);
    EXPECT_EQ(Matches(stock, filter, "absent", 10), 10);
    EXPECT_EQ(NewBuilder(ours)->EstimateEntriesAdded(), 0u);
  }
  EXPECT_EQ(Matches(NewRocksDBFilterPolicy(FilterOptions()), "", "absent", 10), 0);
}

// An empty filter means that there are no keys. With invalid options, a filter matches every key.
TEST(RocksDBPolicyTest, AFullFilterWithoutKeysIsEmptyAndAPartitionIsNot) {
  const Policy policy = NewRocksDBFilterPolicy(FilterOptions());
  FilterOptions invalid;
  invalid.bits_per_key = 1e9;
  for (const bool is_partition : {false, true}) {
    rocksdb::BlockBasedTableOptions table;
    table.partition_filters = is_partition;
    for (const bool is_valid : {false, true}) {
      RocksDBBitsBuilder builder(is_valid ? FilterOptions() : invalid);
      builder.UseTableOptions(table);
      for (const bool has_key : {false, true, false}) {
        if (has_key) builder.AddKey(std::string("key0"));
        std::unique_ptr<const char[]> buffer;
        const std::string filter = builder.Finish(&buffer).ToString();
        EXPECT_EQ(filter.empty(), is_valid && !is_partition && !has_key);
        const int matches = Matches(policy, filter, "key", 100);
        EXPECT_GE(matches, is_valid ? has_key : 100);
        EXPECT_LE(matches, is_valid ? 20 * has_key : 100);
      }
    }
  }
}

TEST(RocksDBPolicyTest, OtherThreadsMayReadTheNumberOfEntries) {
  const Builder builder = NewBuilder(NewRocksDBFilterPolicy(FilterOptions()));
  constexpr size_t kKeys = 200000;
  std::thread adding([&] {
    for (size_t i = 0; i < kKeys; ++i) builder->AddKey(std::to_string(i));
  });
  size_t last = 0;
  bool falls = false;
  while (last < kKeys) {
    const size_t entries = builder->EstimateEntriesAdded();
    falls |= entries < last;
    last = entries;
  }
  adding.join();
  EXPECT_FALSE(falls);
  EXPECT_EQ(last, kKeys);
}

TEST(RocksDBPolicyTest, AnyBytesAreSafeAndDamageMatches) {
  const Policy ours = NewRocksDBFilterPolicy(FilterOptions());
  std::mt19937_64 random(8);
  tests::GuardedBytes guarded(4096);
  for (size_t length = 0; length <= 4096; ++length) {
    std::string bytes(length, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() & 0xFF);
    // With the magic of our own trailer, so that our reader is used.
    if (length >= 5) bytes.replace(length - 5, 4, std::string("\0bLn", 4));
    const std::string_view filter = guarded.AtEnd(bytes);
    const Reader reader(ours->GetFilterBitsReader({filter.data(), filter.size()}));
    const bool answer = reader->MayMatch("key");
    if (length > 0 && length < 20) {
      ASSERT_TRUE(answer) << length;
    }
  }
  const std::string whole = Build(ours, Keys(1000));
  for (size_t length = 1; length < whole.size(); ++length) {
    // Cut at the front, the magic stays, and the trailer's number of blocks shows the damage. Cut
    // at the end, the bytes go to RocksDB's reader, which must be safe, too.
    ASSERT_EQ(Matches(ours, whole.substr(whole.size() - length), "key", 3), 3) << length;
    Matches(ours, whole.substr(0, length), "key", 3);
  }
}

uint64_t SeedOf(const std::string& filter) { return filter::DecodeTrailer(filter).seed; }

TEST(RocksDBSeedTest, OptionStringsSayRandomAndNotANumber) {
  rocksdb::Status status;
  const Policy policy =
      FromString("{id=bloomline;format=compact;bits_per_key=7.5;seed=random}", &status);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_NE(SeedOf(Build(policy, Keys(100))), SeedOf(Build(policy, Keys(100))));
  const std::string text = policy->ToString(rocksdb::ConfigOptions());
  EXPECT_NE(text.find("seed=random"), std::string::npos) << text;
  const Policy again = FromString(text, &status);
  ASSERT_TRUE(status.ok()) << text << ": " << status.ToString();
  EXPECT_NE(SeedOf(Build(again, Keys(100))), SeedOf(Build(again, Keys(100))));
  std::string mismatch;
  EXPECT_TRUE(policy->AreEquivalent(rocksdb::ConfigOptions(), again.get(), &mismatch)) << mismatch;
  const Policy unseeded = FromString("{id=bloomline;format=compact;bits_per_key=7.5}", &status);
  EXPECT_FALSE(policy->AreEquivalent(rocksdb::ConfigOptions(), unseeded.get(), &mismatch));
  EXPECT_EQ(mismatch, "seed");
}

TEST(RocksDBSeedTest, ARandomSeedCanBeSetAndUnset) {
  rocksdb::Status status;
  const Policy policy = FromString("{id=bloomline;seed=77}", &status);
  auto* options = const_cast<rocksdb::FilterPolicy*>(policy.get());
  rocksdb::ConfigOptions config;
  EXPECT_EQ(SeedOf(Build(policy, Keys(100))), 77u);
  EXPECT_TRUE(options->ConfigureFromMap(config, {{"seed", "random"}}).ok());
  const uint64_t drawn = SeedOf(Build(policy, Keys(100)));
  EXPECT_NE(drawn, 77u);
  EXPECT_NE(drawn, SeedOf(Build(policy, Keys(100))));
  EXPECT_TRUE(options->ConfigureFromMap(config, {{"seed", "78"}}).ok());
  EXPECT_EQ(SeedOf(Build(policy, Keys(100))), 78u);
  for (const char* text : {"Random", "random ", "rand", ""}) {
    EXPECT_FALSE(options->ConfigureFromMap(config, {{"seed", text}}).ok()) << text;
  }
  EXPECT_EQ(SeedOf(Build(policy, Keys(100))), 78u);
  EXPECT_TRUE(options->ConfigureFromMap(config, {{"seed", "random"}}).ok());
  EXPECT_FALSE(options->ConfigureFromMap(config, {{"format", "classic"}}).ok())
      << "for LevelDB alone";
  EXPECT_NE(SeedOf(Build(policy, Keys(100))), 0u);
}

TEST(RocksDBSeedTest, WithoutAGeneratorNoPolicyAndNoFalseNegative) {
  FilterOptions options;
  options.random_seed = true;
  const Policy policy = NewRocksDBFilterPolicy(options);
  ASSERT_NE(policy, nullptr);
  const tests::InjectedEntropy failing;
  std::string error;
  EXPECT_EQ(NewRocksDBFilterPolicy(options, &error), nullptr);
  EXPECT_NE(error.find("generator failed"), std::string::npos) << error;
  rocksdb::Status status;
  FromString("{id=bloomline;seed=random}", &status);
  EXPECT_NE(status.ToString().find("generator failed"), std::string::npos) << status.ToString();
  const std::string filter = Build(policy, Keys(1000));
  EXPECT_EQ(Matches(policy, filter, "key", 1000), 1000);
  EXPECT_EQ(Matches(policy, filter, "absent", 1000), 1000);
}

// Death tests run first, so that no other test has printed the one line of the process.
TEST(RocksDBSeedDeathTest, FiltersWithoutASeedAreNamedOnce) {
  FilterOptions options;
  options.random_seed = true;
  const Policy policy = NewRocksDBFilterPolicy(options);
  ASSERT_NE(policy, nullptr);
  const tests::InjectedEntropy failing;
  EXPECT_EXIT(
      {
        Build(policy, Keys(1000));
        Build(policy, Keys(1000));
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^bloomline: a RocksDB filter matches everything: no random seed: the system's generator "
      "failed: Function not implemented; RocksDB's log reports further ones\n$");
}

TEST(RocksDBPolicyTest, BelowOneBitFollowsRocksDB) {
  FilterOptions options;
  options.bits_per_key = 0.3;
  const Policy none = NewRocksDBFilterPolicy(options);
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(NewBuilder(none), nullptr);
  const std::string filter = Build(NewRocksDBFilterPolicy(FilterOptions()), Keys(100));
  EXPECT_LT(Matches(none, filter, "absent", 1000), 50) << "still reads filters";
  options.bits_per_key = 0.7;
  const std::string one_bit = Build(NewRocksDBFilterPolicy(options), Keys(100000));
  EXPECT_NEAR(static_cast<double>(one_bit.size()) * 8 / 100000, 1, 0.01);
}

}  // namespace
}  // namespace bloomline
