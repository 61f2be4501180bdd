// Chosen keys against the engines' own filters and ours behind the engines' interfaces. Prints the
// last table of docs/chosen_keys.md.
#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/leveldb.h"
#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/filter/format/hash.h"
#include "tests/support/chosen_keys.h"

namespace ROCKSDB_NAMESPACE {
// The hash of RocksDB's filters (util/hash.h in RocksDB, which is not installed).
extern uint64_t Hash64(const char* data, size_t n);
}  // namespace ROCKSDB_NAMESPACE

namespace bloomline {
namespace {

using tests::RandomKeys;

constexpr double kMaxRatio = 1.1;
// The attacker does not know it. It is fixed, so that the test passes always or never.
constexpr uint64_t kSecretSeed = 0x5eed5ec7e7c0ffee;

FilterOptions Options(Format format, double bits_per_key, uint64_t seed) {
  FilterOptions options;
  options.format = format;
  options.bits_per_key = bits_per_key;
  options.seed = seed;
  return options;
}

void PrintRow(const char* name, double normal, double attacked) {
  std::printf("%-34s %10.3f %10.3f\n", name, 100 * normal, 100 * attacked);
}

// One filter of so many keys, built through RocksDB's interface.
using RocksDBPolicy = std::shared_ptr<const rocksdb::FilterPolicy>;
using Predicate = bool (*)(std::string_view key);

double RocksDBFpr(const RocksDBPolicy& policy, Predicate is_chosen) {
  constexpr int kKeys = 200000;
  constexpr int kQueries = 2000000;
  rocksdb::BlockBasedTableOptions table_options;
  table_options.optimize_filters_for_memory = false;
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table_options)));
  RandomKeys present(1), missing(2);
  for (int i = 0; i < kKeys; ++i) {
    const std::string_view key = present.Next(is_chosen);
    builder->AddKey({key.data(), key.size()});
  }
  std::unique_ptr<const char[]> buffer;
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(
      policy->GetFilterBitsReader(builder->Finish(&buffer)));
  int matches = 0;
  for (int i = 0; i < kQueries; ++i) {
    const std::string_view key = missing.Next();
    matches += reader->MayMatch({key.data(), key.size()});
  }
  return static_cast<double>(matches) / kQueries;
}

bool Any(std::string_view) { return true; }
bool OurHashBeginsWithZero(std::string_view key) { return filter::Hash64(key, 0) >> 63 == 0; }
// RocksDB's Bloom filter chooses the block by the lower half of the hash.
bool RocksDBHashBeginsWithZero(std::string_view key) {
  return (rocksdb::Hash64(key.data(), key.size()) >> 31 & 1) == 0;
}

TEST(ChosenKeysInRocksDBTest, HalfOfTheHashes) {
  std::printf(
      "RocksDB's interface, keys chosen by one bit of the filter's hash without a seed\n"
      "%-34s %10s %10s\n",
      "FPR %", "other keys", "chosen");
  const RocksDBPolicy stock(rocksdb::NewBloomFilterPolicy(10));
  double normal = RocksDBFpr(stock, Any);
  double attacked = RocksDBFpr(stock, RocksDBHashBeginsWithZero);
  PrintRow("RocksDB's Bloom, 10 bits", normal, attacked);
  EXPECT_GT(attacked, 4 * normal) << "the same attack on its own hash";
  for (const bool compact : {false, true}) {
    const Format format = compact ? Format::kCompact : Format::kBlocked;
    const double bits_per_key = compact ? 7.1 : 10;
    FilterOptions drawn = Options(format, bits_per_key, 0);
    const RocksDBPolicy unseeded = NewRocksDBFilterPolicy(drawn);
    drawn.random_seed = true;
    const RocksDBPolicy seeded = NewRocksDBFilterPolicy(drawn);
    normal = RocksDBFpr(unseeded, Any);
    attacked = RocksDBFpr(unseeded, OurHashBeginsWithZero);
    PrintRow(compact ? "compact, 7.1 bits" : "blocked, 10 bits", normal, attacked);
    EXPECT_GT(attacked, 4 * normal);
    attacked = RocksDBFpr(seeded, OurHashBeginsWithZero);
    PrintRow("  the same, seed=random", normal, attacked);
    EXPECT_LE(attacked, kMaxRatio * normal);
  }
}

// Filters of 36 keys through LevelDB's interface. Returns the fraction of `attack(stored key)` that
// match.
using LevelDBPolicy = std::unique_ptr<const leveldb::FilterPolicy>;
using Attack = std::string (*)(std::string_view present);

double LevelDBFpr(const LevelDBPolicy& policy, Attack attack) {
  constexpr int kKeysPerFilter = 36;
  constexpr int kFilters = 30000;
  RandomKeys present(1);
  uint64_t matches = 0;
  for (int f = 0; f < kFilters; ++f) {
    std::vector<std::string> keys;
    for (int i = 0; i < kKeysPerFilter; ++i) keys.emplace_back(present.Next());
    const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    std::string filter;
    policy->CreateFilter(slices.data(), kKeysPerFilter, &filter);
    for (const std::string& key : keys) matches += policy->KeyMayMatch(attack(key), filter);
  }
  return static_cast<double>(matches) / (kKeysPerFilter * kFilters);
}

std::string OtherKey(std::string_view present) {
  std::string key(present);
  key.back() = static_cast<char>(key.back() + 1);
  return key;
}
std::string OurPreimage(std::string_view present) {
  return tests::KeyWithHash(filter::Hash64(present, 0));
}
std::string LevelDBPreimage(std::string_view present) {
  return tests::KeyWithLevelDBHash(filter::LevelDBHash32(present));
}

TEST(ChosenKeysInLevelDBTest, KeysWithTheHashOfAPresentKey) {
  std::printf(
      "LevelDB's interface, 36 keys to a filter, missing keys with the hash (seed 0) of a "
      "present one\n%-34s %10s %10s\n",
      "FPR %", "other keys", "chosen");
  const LevelDBPolicy stock(leveldb::NewBloomFilterPolicy(10));
  double attacked = LevelDBFpr(stock, LevelDBPreimage);
  PrintRow("LevelDB's Bloom, 10 bits", LevelDBFpr(stock, OurPreimage), attacked);
  EXPECT_EQ(attacked, 1) << "its hash is no secret, either";
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    const LevelDBPolicy unseeded(NewLevelDBFilterPolicy(Options(format, 10, 0)));
    const LevelDBPolicy seeded(
        NewLevelDBFilterPolicy(Options(format, 10, kSecretSeed), "app.Filter"));
    const double normal = LevelDBFpr(unseeded, OtherKey);
    attacked = LevelDBFpr(unseeded, OurPreimage);
    PrintRow(format == Format::kBlocked ? "blocked, 10 bits" : "compact, 10 bits", normal,
             attacked);
    EXPECT_EQ(attacked, 1);
    attacked = LevelDBFpr(seeded, OurPreimage);
    PrintRow("  the same, with a seed", normal, attacked);
    EXPECT_LE(attacked, kMaxRatio * normal);
  }
}

}  // namespace
}  // namespace bloomline
