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
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/support/number_text.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/each_kernel.h"

namespace bloomline::tests::rocksdb_ribbon_bytes_test {
namespace {

using Keys = std::vector<uint64_t>;

std::string_view Bytes(const uint64_t& key) {
  return {reinterpret_cast<const char*>(&key), sizeof(key)};
}

std::string Build(rocksdb::FilterBitsBuilder* builder, const Keys& keys) {
  for (const uint64_t& key : keys) builder->AddKey(rocksdb::Slice(Bytes(key)));
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

// Keys that start in 128 rows with the first seed, so many that it cannot have a solution, among
// others.
Keys CrowdedKeys(size_t n, size_t crowded, std::mt19937_64* random) {
  Keys keys = {(*random)()};
  const auto seed = static_cast<uint8_t>(stock::RocksDBHash64(Bytes(keys[0])));
  const uint32_t num_starts = stock::RibbonRowsFor(static_cast<uint32_t>(n)) - 127;
  while (keys.size() < n) {
    const uint64_t key = (*random)();
    const uint64_t seeded = stock::RibbonKey::Seeded(stock::RocksDBHash64(Bytes(key)),
                                                     stock::RibbonView::RawSeed(seed));
    const uint32_t start = stock::RibbonKey::Start(seeded, num_starts);
    if (keys.size() > crowded || start / 128 == num_starts / 200) keys.push_back(key);
  }
  return keys;
}

Keys RandomKeys(uint64_t set, std::mt19937_64* random, double most) {
  const double share = static_cast<double>((*random)() % 10001) / 10000;
  const auto n = static_cast<size_t>(std::pow(most, share));
  if (set % 23 == 5 && n > 1000) return CrowdedKeys(n, set % 2 == 0 ? 150 : 500, random);
  Keys keys(n);
  const uint64_t distinct = set % 31 == 7 ? 2 : set % 7 == 3 ? n / 2 + 1 : 0;
  for (size_t i = 0; i < n; ++i) {
    keys[i] = distinct != 0 && i >= distinct ? keys[(*random)() % distinct] : (*random)();
  }
  return keys;
}

TEST(RocksDBRibbonBytesTest, RandomSetsAreAsRocksDBs) {
  const char* const many = std::getenv("BLOOMLINE_RIBBON_SETS");
  const uint64_t num_sets = many == nullptr ? 1000 : std::strtoull(many, nullptr, 10);
  std::mt19937_64 random(76);
  uint64_t num_bloom = 0;
  uint64_t num_later_seeds = 0;
  for (uint64_t set = 0; set < num_sets; ++set) {
    // Short, one set in 50 may be large: large sets take nearly all of the time.
    const Keys keys = RandomKeys(set, &random, many != nullptr || set % 50 == 0 ? 1e6 : 2e4);
    const double bits = 1 + static_cast<double>(random() % 29001) / 1000;
    const std::string stock = Build(NewBuilder(Stock(bits), Table()).get(), keys);
    const stock::StockFilter filter = stock::DecodeStockFilter(stock);
    const auto first_seed = static_cast<uint8_t>(stock::RocksDBHash64(Bytes(keys[0])));
    num_bloom += filter.kind == stock::StockKind::kBloom;
    num_later_seeds += filter.kind == stock::StockKind::kRibbon && filter.ribbon_seed != first_seed;
    WithEachKernel([&] {
      ASSERT_TRUE(Build(NewBuilder(Ours(bits), Table()).get(), keys) == stock)
          << "set " << set << ", " << keys.size() << " keys, " << bits << " bits";
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(num_bloom, num_sets / 20);
  EXPECT_GT(num_later_seeds, num_sets / 100);
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_ribbon_bytes_test
