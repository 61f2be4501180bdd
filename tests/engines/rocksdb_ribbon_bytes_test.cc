// The library's Ribbon builder writes the bytes of RocksDB's, whatever the keys are, with each
// kernel.
//
// BLOOMLINE_RIBBON_SETS=100000 rocksdb_tests --gtest_filter='*RibbonBytes*Random*' compares as many
// sets of up to 1e6 keys, in some hours.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <future>
#include <random>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/stock/ribbon_bits_builder.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/support/number_text.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/each_kernel.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::rocksdb_ribbon_bytes_test {
namespace {

using Hashes = std::vector<uint64_t>;

uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

// The key of 8 bytes with this hash: there is one for each. ShortRocksDBHash64 backwards.
std::string KeyWithHash(uint64_t hash) {
  uint64_t x = (hash ^ hash >> 32) * Inverse(stock::kPrime64[2]);
  x = (x ^ x >> 37) * Inverse(stock::kPrime64[1]);
  x = ((x ^ x >> 47) - sizeof(x)) * Inverse(stock::kPrime32[0]);
  std::string key(sizeof(x), '\0');
  kernels::StoreLittleEndian64(x ^ x >> 51 ^ stock::kSecret0, key.data());
  return key;
}

std::string Build(rocksdb::FilterBitsBuilder* builder, const Hashes& hashes) {
  for (const uint64_t hash : hashes) builder->AddKey(KeyWithHash(hash));
  return Finished(builder);
}

rocksdb::BlockBasedTableOptions Table(bool fits_memory = false) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.optimize_filters_for_memory = fits_memory;
  return table;
}

Policy Ours(double bits) { return NewRocksDBFilterPolicy(FilterOptions{Format::kRibbon, bits}); }
Policy Stock(double bits) { return PolicyOf("ribbonfilter:" + support::DoubleText(bits) + ":-1"); }

// Adds hashes that start in a few rows of a filter of n keys if the seed is this one: from some 140
// on, these have no solution.
void AddCrowd(uint8_t seed, size_t n, size_t crowd, std::mt19937_64* random, Hashes* hashes) {
  const uint64_t num_starts = stock::RibbonSizeOf(n, 10, 0).num_rows - 127;
  for (size_t i = 0; i < crowd; ++i) {
    // Of this many seeded hashes, one starts in each row.
    const uint64_t seeded = UINT64_MAX / num_starts * (5 + (*random)() % 8) + (*random)() % 1000000;
    hashes->push_back((seeded * Inverse(stock::RibbonKey::kSeedFactor)) ^
                      stock::RibbonView::RawSeed(seed));
  }
}

Hashes RandomSet(uint64_t set, std::mt19937_64* random, double most) {
  const double share = static_cast<double>((*random)() % 10001) / 10000;
  const auto n = static_cast<size_t>(std::pow(most, share));
  Hashes hashes = {(*random)()};
  if (set % 23 == 5 && n > 1000) {
    AddCrowd(static_cast<uint8_t>(hashes[0]), n, set % 2 == 0 ? 150 : 500, random, &hashes);
  }
  const uint64_t distinct = set % 31 == 7 ? 2 : set % 7 == 3 ? n / 2 + 1 : n;
  while (hashes.size() < n) {
    const bool repeats = hashes.size() >= distinct;
    hashes.push_back(repeats ? hashes[(*random)() % distinct] : (*random)());
  }
  return hashes;
}

TEST(RocksDBRibbonBytesTest, RandomSetsAreAsRocksDBs) {
  const char* const many = std::getenv("BLOOMLINE_RIBBON_SETS");
  const uint64_t num_sets = many == nullptr ? 1000 : std::strtoull(many, nullptr, 10);
  std::mt19937_64 random(76);
  uint64_t num_bloom = 0;
  uint64_t num_later_seeds = 0;
  for (uint64_t set = 0; set < num_sets; ++set) {
    // Large sets take nearly all of the time.
    const Hashes hashes = RandomSet(set, &random, many != nullptr || set % 4 == 0 ? 1e6 : 2e4);
    const double bits = 1 + static_cast<double>(random() % 29001) / 1000;
    const std::string stock = Build(NewBuilder(Stock(bits), Table()).get(), hashes);
    const stock::StockFilter filter = stock::DecodeStockFilter(stock);
    const auto first_seed = static_cast<uint8_t>(hashes[0]);
    num_bloom += filter.kind == stock::StockKind::kBloom;
    num_later_seeds += filter.kind == stock::StockKind::kRibbon && filter.ribbon_seed != first_seed;
    WithEachKernel([&] {
      ASSERT_TRUE(Build(NewBuilder(Ours(bits), Table()).get(), hashes) == stock)
          << "set " << set << ", " << hashes.size() << " keys, " << bits << " bits";
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(num_bloom, num_sets / 20);
  EXPECT_GT(num_later_seeds, num_sets / 100);
}

TEST(RocksDBRibbonBytesTest, WithoutASolutionTheFilterIsRocksDBsBloomFilter) {
  std::mt19937_64 random(1);
  constexpr size_t kCrowd = 200;
  constexpr size_t kNumKeys = 256 * kCrowd;
  Hashes hashes;
  for (int seed = 0; seed < 256; ++seed) {
    AddCrowd(static_cast<uint8_t>(seed), kNumKeys, kCrowd, &random, &hashes);
  }
  const std::string stock = Build(NewBuilder(Stock(10), Table()).get(), hashes);
  EXPECT_EQ(stock::DecodeStockFilter(stock).kind, stock::StockKind::kBloom);
  WithEachKernel([&] { ASSERT_TRUE(Build(NewBuilder(Ours(10), Table()).get(), hashes) == stock); });
}

// Also those of gigabytes, which no test builds: RocksDB computes them for a first hash of 0.
TEST(RocksDBRibbonBytesTest, SizesAreRocksDBsUpToItsLimitOfKeysAndBeyond) {
  constexpr uint64_t kMostRibbonKeys = 950000000;
  std::mt19937_64 random(3);
  for (const double bits : {1.0, 6.5, 10.0, 16.0, 29.3}) {
    const Builder stock = NewBuilder(Stock(bits), Table());
    const auto expect_size = [&](uint64_t num_keys) {
      const stock::RibbonSize size = stock::RibbonSizeOf(num_keys, bits, 0);
      EXPECT_EQ(size.payload_bytes + stock::kTrailerBytes, stock->CalculateSpace(num_keys))
          << num_keys << " keys, " << bits << " bits";
      return size;
    };
    for (int i = 0; i < 2000; ++i) {
      const double share = static_cast<double>(random() % 10001) / 10000;
      expect_size(static_cast<uint64_t>(std::pow(4e9, share)));
    }
    EXPECT_NE(expect_size(kMostRibbonKeys).num_rows, 0u);
    EXPECT_EQ(expect_size(kMostRibbonKeys + 1).num_rows, 0u);
  }
}

// What malloc sets aside depends on the heap's history, except with jemalloc, where the same test
// runs as rocksdb_allocation_fit_jemalloc.
TEST(RocksDBRibbonBytesTest, WithJemallocASequenceOfFittedFiltersIsAsRocksDBs) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (preloaded == nullptr || std::string_view(preloaded).find("jemalloc") == std::string::npos) {
    GTEST_SKIP() << "no jemalloc";
  }
  std::mt19937_64 random(2);
  for (const double bits : {4.0, 10.0, 20.5}) {
    const Policy ours = Ours(bits);
    const Policy stock = Stock(bits);
    const Builder our_builder = NewBuilder(ours, Table(true));
    size_t num_fitted = 0;
    for (uint64_t i = 0; i < 60; ++i) {
      Hashes hashes = {random()};
      const size_t n = i % 9 == 8 ? 300 : 15000 + random() % 60000;
      if (i % 20 == 19) AddCrowd(static_cast<uint8_t>(hashes[0]), n, 500, &random, &hashes);
      while (hashes.size() < n) hashes.push_back(random());
      const std::string expected = Build(NewBuilder(stock, Table(true)).get(), hashes);
      ASSERT_TRUE(Build(our_builder.get(), hashes) == expected) << i << ", " << bits << " bits";
      num_fitted += Build(NewBuilder(stock, Table()).get(), hashes).size() != expected.size();
    }
    EXPECT_GT(num_fitted, 30u);
  }
}

TEST(RocksDBRibbonBytesTest, FittedSizesOfThreadsHaveRocksDBsSum) {
  constexpr size_t kFilters = 400;
  constexpr size_t kThreads = 4;
  const Policy ours = Ours(10);
  const Policy stock = Stock(10);
  const auto sum = [](const Policy& policy, uint64_t seed) {
    std::mt19937_64 random(seed);
    double bytes = 0;
    for (size_t i = 0; i < Repetitions(kFilters); ++i) {
      const Hashes hashes = RandomHashes(4000 + random() % 2000, random());
      bytes += static_cast<double>(Build(NewBuilder(policy, Table(true)).get(), hashes).size());
    }
    return bytes;
  };
  double sums[2] = {};
  for (const bool is_ours : {false, true}) {
    std::vector<std::future<double>> parts;
    for (uint64_t thread = 0; thread < kThreads; ++thread) {
      parts.push_back(std::async(std::launch::async, sum, is_ours ? ours : stock, thread));
    }
    for (std::future<double>& part : parts) sums[is_ours ? 1 : 0] += part.get();
  }
  EXPECT_NEAR(sums[1] / sums[0], 1, 0.001);
}

#ifdef __cpp_rtti  // not with a RocksDB that has no type information
TEST(RocksDBRibbonBytesTest, RocksDBBuildsWhatItAloneChecksOrCharges) {
  const auto is_ours = [](const rocksdb::BlockBasedTableOptions& table) {
    const Builder builder = NewBuilder(Ours(10), table);
    return dynamic_cast<engine::RibbonBitsBuilder*>(builder.get()) != nullptr;
  };
  rocksdb::BlockBasedTableOptions table = Table();
  EXPECT_EQ(is_ours(table), stock::kHashesAsRocksDB);
  table.detect_filter_construct_corruption = true;
  EXPECT_FALSE(is_ours(table));
  table.detect_filter_construct_corruption = false;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  EXPECT_EQ(is_ours(table), stock::kHashesAsRocksDB);
#if BLOOMLINE_ROCKSDB_VERSION >= 703
  rocksdb::CacheEntryRoleOptions& role =
      table.cache_usage_options.options_overrides[rocksdb::CacheEntryRole::kFilterConstruction];
  role.charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled;
#else
  table.reserve_table_builder_memory = true;
#endif
  EXPECT_FALSE(is_ours(table));
}
#endif

}  // namespace
}  // namespace bloomline::tests::rocksdb_ribbon_bytes_test
