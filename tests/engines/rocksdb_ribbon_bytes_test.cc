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
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/stock/ribbon_bits_builder.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/container/table_bytes.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/stock/stock_size.h"
#include "src/support/number_text.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/each_kernel.h"
#include "tests/support/has_jemalloc.h"
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
  const uint64_t num_sets = many == nullptr ? Repetitions(1000) : std::strtoull(many, nullptr, 10);
  std::mt19937_64 random(76);
  uint64_t num_bloom = 0;
  uint64_t num_later_seeds = 0;
  for (uint64_t set = 0; set < num_sets; ++set) {
    // Large sets take nearly all of the time.
    const Hashes hashes = RandomSet(set, &random, many != nullptr || set % 4 == 0 ? 1e6 : 2e4);
    const double bits = 1 + static_cast<double>(random() % 29001) / 1000;
    const std::string stock = Build(NewBuilder(Stock(bits), Table()).get(), hashes);
    const filter::Payload filter = filter::DecodeTableBytes(stock);
    const auto first_seed = static_cast<uint8_t>(hashes[0]);
    num_bloom += filter.layout == filter::Layout::kRocksDBBloom;
    num_later_seeds += filter.layout == filter::Layout::kRocksDBRibbon && filter.seed != first_seed;
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
  EXPECT_EQ(filter::DecodeTableBytes(stock).layout, filter::Layout::kRocksDBBloom);
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
      EXPECT_EQ(size.payload_bytes + stock::kMetadataBytes, stock->CalculateSpace(num_keys))
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
  if (!HasJemalloc()) GTEST_SKIP() << "no jemalloc";
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

// Bloom filters before a level and Ribbon filters of the others share a policy's balance.
TEST(RocksDBRibbonBytesTest, WithJemallocAMixedSequenceOfFittedFiltersIsAsRocksDBs) {
  if (!HasJemalloc()) GTEST_SKIP() << "no jemalloc";
  std::mt19937_64 random(4);
  const Policy ours =
      PolicyOf("{id=bloomline;format=ribbon;bits_per_key=10;bloom_before_level=3;}");
  const Policy stock = PolicyOf("ribbonfilter:10:3");
  const rocksdb::BlockBasedTableOptions table = Table(true);
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = rocksdb::kCompactionStyleLevel;
  context.reason = rocksdb::TableFileCreationReason::kCompaction;
  size_t num_fitted_bloom = 0;
  for (int i = 0; i < 120; ++i) {
    context.level_at_creation = static_cast<int>(random() % 6);
    const Hashes hashes = RandomHashes(15000 + random() % 60000, random());
    const Builder stock_builder(stock->GetBuilderWithContext(context));
    const Builder our_builder(ours->GetBuilderWithContext(context));
    const std::string expected = Build(stock_builder.get(), hashes);
    ASSERT_TRUE(Build(our_builder.get(), hashes) == expected)
        << i << ", level " << context.level_at_creation;
    const uint64_t payload = expected.size() - stock::kMetadataBytes;
    num_fitted_bloom +=
        context.level_at_creation < 3 && payload != stock::BloomPayloadBytes(hashes.size(), 10000);
  }
  EXPECT_GT(num_fitted_bloom, 20u);
}

// With optimize_filters_for_memory, a policy balances the false-positive rates that are expected of
// its filters, and not their sizes. Which filters are smaller than they should be depends on the
// order in which threads read and change the balance. So does the sum of their sizes, which is not
// promised: with jemalloc, the sums of both policies differed by more than 0.1 % in 11 of 276 runs.

constexpr double kFittedBits = 10;

// What the filters of a policy add to its balance (MemoryBalance).
struct Balance {
  int64_t sum = 0;
  // The most that any of them could add, and take.
  int64_t most_added = 0;
  int64_t most_taken = 0;

  // Adds a filter of the hashes.
  void Add(const Hashes& hashes, const std::string& filter) {
    const auto chance = static_cast<uint32_t>(hashes[0] >> 32);
    const stock::RibbonSize size = stock::RibbonSizeOf(hashes.size(), kFittedBits, chance);
    const uint32_t num_blocks = size.num_rows / stock::RibbonShape::kRowsPerBlock;
    const auto added = [&](uint64_t bytes) {
      const auto rate = [&](uint64_t payload_bytes) {
        return stock::ExpectedRibbonRateOf(stock::RibbonShape(num_blocks, payload_bytes));
      };
      const double excess = rate(bytes) - rate(size.payload_bytes);
      return static_cast<int64_t>(excess * double{0x100000000});
    };
    const auto allowed = [](uint64_t bytes) {
      return bytes & ~uint64_t{stock::RibbonShape::kSegmentBytes - 1};
    };
    // A filter has three quarters of its size at least, and at most a third more.
    const uint64_t least = allowed(size.payload_bytes * 3 / 4);
    const uint64_t most = allowed(size.payload_bytes * 4 / 3 + stock::kMetadataBytes);
    const uint64_t bytes = filter.size() - stock::kMetadataBytes;
    EXPECT_GE(bytes, least) << hashes.size() << " keys";
    EXPECT_LE(bytes, most) << hashes.size() << " keys";
    sum += added(bytes);
    most_added = std::max(most_added, added(least));
    most_taken = std::max(most_taken, -added(most));
  }

  void Add(const Balance& other) {
    sum += other.sum;
    most_added = std::max(most_added, other.most_added);
    most_taken = std::max(most_taken, other.most_taken);
  }
};

constexpr int kFittingThreads = 4;

// Threads build filters of the same keys in each call, each with a new builder.
template <typename NewFittingBuilder>  // Builder()
Balance FitOnThreads(NewFittingBuilder new_builder) {
  const auto fit = [&](uint64_t thread) {
    std::mt19937_64 random(thread);
    Balance balance;
    for (int i = 0; i < Repetitions(200); ++i) {
      const size_t num_keys = 4000 + random() % 2000;
      const Hashes hashes = RandomHashes(num_keys, random());
      balance.Add(hashes, Build(new_builder().get(), hashes));
    }
    return balance;
  };
  std::vector<std::future<Balance>> parts;
  for (uint64_t thread = 0; thread < kFittingThreads; ++thread) {
    parts.push_back(std::async(std::launch::async, fit, thread));
  }
  Balance balance;
  for (std::future<Balance>& part : parts) balance.Add(part.get());
  return balance;
}

// Only a thread that read a negative balance adds to it. After the balance was negative for the
// last time, this is at most one filter of each thread. Likewise, only a thread that read more than
// -most_added takes from it: with less, a filter of three quarters is allowed, and a third more
// than that is no more than it should have.
TEST(RocksDBRibbonBytesTest, ThreadsKeepTheBalanceOfFittedFilters) {
  for (const bool is_ours : {false, true}) {
    SCOPED_TRACE(is_ours ? "the library's" : "RocksDB's");
    const Policy policy = is_ours ? Ours(kFittedBits) : Stock(kFittedBits);
    const Balance balance = FitOnThreads([&] { return NewBuilder(policy, Table(true)); });
    EXPECT_LE(balance.sum, kFittingThreads * balance.most_added);
    EXPECT_GE(balance.sum, -balance.most_added - kFittingThreads * balance.most_taken);
  }
  if (!HasJemalloc()) return;
  // The control: where each filter has a balance of its own, the allocator enlarges all of them.
  const Balance apart = FitOnThreads([] { return NewBuilder(Ours(kFittedBits), Table(true)); });
  EXPECT_LT(apart.sum, -apart.most_added - kFittingThreads * apart.most_taken);
}

TEST(RocksDBRibbonBytesTest, ThreadsLoseNothingOfTheBalance) {
  const auto shared = std::make_shared<engine::MemoryBalance>(0);
  const Policy stock = Stock(kFittedBits);
  const Balance balance = FitOnThreads([&]() -> Builder {
    return std::make_unique<engine::RibbonBitsBuilder>(stock, NewBuilder(stock, Table(true)),
                                                       Format::kRibbon, kFittedBits, Table(true),
                                                       shared, nullptr);
  });
  EXPECT_EQ(*shared, balance.sum);
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
