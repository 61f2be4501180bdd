// optimize_filters_for_memory: filters fill the memory that RocksDB allocates for them when it
// reads them, whatever the allocator.
//
// tests/platforms/jemalloc_test runs this with jemalloc.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/table_plan.h"
#include "tests/engines/rocksdb_settings.h"
#include "tests/support/has_jemalloc.h"

namespace bloomline::tests::rocksdb_allocation_fit_test {
namespace {

// What an allocator gives that wastes more than glibc's and jemalloc; 0: the real one answers.
size_t made_up_usable_bytes = 0;

}  // namespace
}  // namespace bloomline::tests::rocksdb_allocation_fit_test

// This one comes before that of the allocator for the whole process.
extern "C" size_t malloc_usable_size(void* memory) noexcept {
  using bloomline::tests::rocksdb_allocation_fit_test::made_up_usable_bytes;
  if (made_up_usable_bytes != 0) return made_up_usable_bytes;
  static const auto real =
      reinterpret_cast<size_t (*)(void*)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return real(memory);
}

namespace bloomline::tests::rocksdb_allocation_fit_test {
namespace {

size_t UsableBytes(size_t bytes) {
  const std::unique_ptr<char[]> memory(new char[bytes]);
  return malloc_usable_size(memory.get());
}

// Sums over many filters.
struct Totals {
  double allocated = 0, written = 0, keys = 0;
  double WastePercent() const { return (allocated - written) * 100 / allocated; }
  double AllocatedBits() const { return allocated * 8 / keys; }
  double WrittenBits() const { return written * 8 / keys; }
};

class RocksDBAllocationFitTest : public testing::Test {
 protected:
  // Builds filters of num_keys to twice as many keys each, and queries every key.
  static Totals Build(bool optimized, size_t num_filters, size_t num_keys) {
    const auto policy = NewRocksDBFilterPolicy(FilterOptions());
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = policy;
    table.optimize_filters_for_memory = optimized;
    const Builder builder = NewBuilder(policy, table);
    std::mt19937_64 random(num_keys);
    Totals totals;
    for (size_t i = 0; i < num_filters; ++i) {
      std::vector<std::string> keys(num_keys + random() % num_keys);
      for (std::string& key : keys) key = std::to_string(random());
      for (const std::string& key : keys) builder->AddKey(key);
      const std::string filter = Finished(builder.get());
      const Reader reader(policy->GetFilterBitsReader(filter));
      for (const std::string& key : keys) EXPECT_TRUE(reader->MayMatch(key));
      totals.written += static_cast<double>(filter.size());
      totals.allocated +=
          static_cast<double>(UsableBytes(filter.size() + engine::kBlockTrailerBytes));
      totals.keys += static_cast<double>(keys.size());
    }
    return totals;
  }
};

// Partitions of 2 to 64 KB, and whole filters.
TEST_F(RocksDBAllocationFitTest, WastesAtMostTwoPercent) {
  for (const size_t num_keys : {1600, 3200, 6400, 12800, 25600, 100000}) {
    const size_t num_filters = num_keys > 50000 ? 4 : 30;
    const Totals on = Build(true, num_filters, num_keys);
    const Totals off = Build(false, num_filters, num_keys);
    std::printf("%6zu keys: waste %.2f %%, without the option %.2f %%\n", num_keys,
                on.WastePercent(), off.WastePercent());
    EXPECT_LE(on.WastePercent(), 2) << num_keys;
    // The larger filters lie in the same allocations; glibc may give a large one a page more.
    const double page_bits = 8.0 * 4096 * static_cast<double>(num_filters) / on.keys;
    EXPECT_GE(on.WrittenBits(), off.WrittenBits()) << num_keys;
    EXPECT_LE(on.AllocatedBits(), off.AllocatedBits() + 0.01 + page_bits) << num_keys;
    // The control: this allocator wastes memory.
    if (HasJemalloc()) {
      EXPECT_GE(off.WastePercent(), 5) << num_keys;
    }
  }
}

// An allocator of powers of two gives up to twice the memory, which the file would have to hold.
TEST_F(RocksDBAllocationFitTest, FillsAThirdMoreAtMost) {
  const auto written = [](bool optimized) { return Build(optimized, 1, 10000).written; };
  const double asked = written(false);
  for (const int percent : {100, 105, 130, 132, 135, 150, 199}) {
    made_up_usable_bytes = static_cast<size_t>(asked * percent / 100) + engine::kBlockTrailerBytes;
    const double filled = written(true);
    made_up_usable_bytes = 0;
    if (percent == 100 || percent > 133) {
      EXPECT_EQ(filled, asked) << percent;
    } else {
      EXPECT_LE(filled, asked * percent / 100);
      EXPECT_GT(filled, asked * (percent - 2) / 100);
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_allocation_fit_test
