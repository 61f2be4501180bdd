// optimize_filters_for_memory: filters fill the memory that RocksDB allocates for them when it
// reads them, whatever the allocator, and on average take what the bits per key pay for.
//
// tests/platforms/jemalloc_test runs this with jemalloc.
#include <gtest/gtest.h>
#include <malloc.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/allocation_fit.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "tests/engines/rocksdb_settings.h"

namespace bloomline {
namespace {

using rocksdb::Slice;

bool HasJemalloc() {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "jemalloc") != nullptr;
}

Slice KeySlice(const uint64_t& key) {
  return Slice(reinterpret_cast<const char*>(&key), sizeof(key));
}

// Sums over many filters.
struct Totals {
  double allocated = 0, written = 0, keys = 0;
  size_t filters = 0, lost = 0;
  double WastePercent() const { return (allocated - written) * 100 / allocated; }
  double AllocatedBits() const { return allocated * 8 / keys; }
  double WrittenBits() const { return written * 8 / keys; }
};

size_t UsableBytes(size_t bytes) {
  char* const memory = new char[bytes];
  const size_t usable = malloc_usable_size(memory);
  delete[] memory;
  return usable;
}

// Builds filters of num_keys to twice as many keys each, and queries every key.
void Build(const std::shared_ptr<const rocksdb::FilterPolicy>& policy, bool optimized,
           size_t num_filters, size_t num_keys, Totals* totals) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  table.optimize_filters_for_memory = optimized;
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(policy->GetBuilderWithContext(context));
  std::mt19937_64 random(num_keys);
  for (size_t i = 0; i < num_filters; ++i) {
    const size_t n = num_keys + random() % num_keys;
    const uint64_t first = random();
    for (uint64_t key = first; key != first + n; ++key) builder->AddKey(KeySlice(key));
    std::unique_ptr<const char[]> buffer;
    const Slice filter = builder->Finish(&buffer);
    const std::unique_ptr<rocksdb::FilterBitsReader> reader(policy->GetFilterBitsReader(filter));
    for (uint64_t key = first; key != first + n; ++key) {
      totals->lost += reader->MayMatch(KeySlice(key)) ? 0 : 1;
    }
    totals->written += static_cast<double>(filter.size());
    totals->allocated += static_cast<double>(UsableBytes(filter.size() + kBlockTrailerBytes));
    totals->keys += static_cast<double>(n);
    ++totals->filters;
  }
}

class RocksDBAllocationFitTest : public testing::TestWithParam<Format> {
 protected:
  static std::shared_ptr<const rocksdb::FilterPolicy> Policy() {
    return NewRocksDBFilterPolicy(tests::Options(GetParam(), 10));
  }
  static Totals Run(bool optimized, size_t num_filters, size_t num_keys) {
    Totals totals;
    Build(Policy(), optimized, num_filters, num_keys, &totals);
    EXPECT_EQ(totals.lost, 0u);
    return totals;
  }
};

// Partitions of 2 to 64 KB, and whole filters.
TEST_P(RocksDBAllocationFitTest, WastesAtMostTwoPercent) {
  for (const size_t num_keys : {1600, 3200, 6400, 12800, 25600, 100000}) {
    const size_t num_filters = num_keys > 50000 ? 4 : 30;
    const Totals on = Run(true, num_filters, num_keys);
    const Totals off = Run(false, num_filters, num_keys);
    std::printf(
        "%6zu keys: waste %.2f %%, %.2f bits per key allocated, %.2f written; "
        "without the option %.2f %%, %.2f\n",
        num_keys, on.WastePercent(), on.AllocatedBits(), on.WrittenBits(), off.WastePercent(),
        off.AllocatedBits());
    EXPECT_LE(on.WastePercent(), 2) << num_keys;
    // As asked for, and at most one filter in addition.
    EXPECT_GE(on.WrittenBits(), 10) << num_keys;
    EXPECT_LE(on.WrittenBits(), 10.02 + 10.0 / 3 / static_cast<double>(num_filters)) << num_keys;
    // The last filter may have grown by a page that no other has made up for yet.
    EXPECT_LE(on.AllocatedBits(), off.AllocatedBits() + 0.01 + 8 * 4096 / on.keys) << num_keys;
    // The control: this allocator wastes memory.
    if (HasJemalloc()) {
      EXPECT_GE(off.WastePercent(), 5) << num_keys;
    }
  }
}

TEST_P(RocksDBAllocationFitTest, BuildersOfManyThreadsShareABalance) {
  const auto policy = Policy();
  std::vector<Totals> totals(4);
  std::vector<std::thread> threads;
  for (Totals& of_thread : totals) {
    threads.emplace_back([&] { Build(policy, true, 50, 2000, &of_thread); });
  }
  for (std::thread& thread : threads) thread.join();
  Totals all;
  for (const Totals& of_thread : totals) {
    EXPECT_EQ(of_thread.lost, 0u);
    all.written += of_thread.written;
    all.keys += of_thread.keys;
  }
  EXPECT_GE(all.WrittenBits(), 9.9);
  EXPECT_LE(all.WrittenBits(), 10.1);
}

// With glibc, little can go wrong here; jemalloc has few sizes.
TEST_P(RocksDBAllocationFitTest, MaxFilterBytesHoldsToo) {
  rocksdb::BlockBasedTableOptions table;
  table.optimize_filters_for_memory = true;
  RocksDBFilterOptions filter;
  filter.format = GetParam();
  for (const uint64_t limit : {1000, 1300, 20000, 27000, 200000, 240000}) {
    filter.max_filter_bytes = limit;
    const auto policy = NewRocksDBFilterPolicy(filter);
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
    for (const double part : {0.8, 0.95, 1.0, 1.5, 3.4, 4.0}) {  // of the keys with 10 bits each
      const auto num_keys = static_cast<uint64_t>(part * static_cast<double>(limit) * 8 / 10);
      for (uint64_t key = 0; key < num_keys; ++key) builder->AddKey(KeySlice(key));
      std::unique_ptr<const char[]> memory;
      const auto bytes = static_cast<double>(builder->Finish(&memory).size());
      if (part < 3) {  // else each key has less than 3 bits, which is too little
        EXPECT_LE(bytes, limit) << num_keys;
      } else {
        EXPECT_GE(8 * bytes / static_cast<double>(num_keys), 2.95) << num_keys;
      }
      EXPECT_GT(bytes, 0.7 * std::min(part, 1.0) * static_cast<double>(limit)) << num_keys;
    }
  }
}

// Shapes of any size in bytes.
class AnyShape : public ShapesBySize {
 public:
  filter::FilterShape Within(uint64_t bytes) const override {
    return bytes < 100 ? filter::FilterShape() : filter::FilterShape::Flat(bytes - 20, 6);
  }
};

TEST(AllocationFitTest, TheBalanceIsNeverNegative) {
  RoundingBalance balance;
  const AnyShape shapes;
  std::map<std::atomic<int64_t>*, int64_t> surplus;
  for (uint64_t bytes = 200; bytes < 100000; bytes += 97) {
    const filter::FilterShape shape = FitAllocation(shapes, bytes, bytes, &balance);
    ASSERT_NE(shape.num_blocks, 0u);
    const uint64_t size = shape.payload_bytes() + 20;
    EXPECT_GE(size, bytes * 3 / 5);
    EXPECT_LE(size, bytes * 4 / 3 + 1);
    std::atomic<int64_t>& of_size = balance.OfSize(bytes);
    surplus[&of_size] += static_cast<int64_t>(size) - static_cast<int64_t>(bytes);
    EXPECT_EQ(of_size, surplus[&of_size]) << bytes;
    EXPECT_GE(of_size, 0) << bytes;
    EXPECT_LE(of_size, static_cast<int64_t>(bytes)) << bytes;
  }
  EXPECT_GE(surplus.size(), 10u);
}

TEST(AllocationFitTest, SmallFiltersDoNotMakeUpForALargeOne) {
  RoundingBalance balance;
  balance.OfSize(100 << 20) = 10 << 20;
  for (uint64_t bytes = 200; bytes < 100000; bytes += 97) {
    RoundingBalance fresh;
    EXPECT_GE(FitAllocation(AnyShape(), bytes, bytes, &fresh).payload_bytes() + 20, bytes);
    balance.OfSize(bytes) = 0;
    EXPECT_GE(FitAllocation(AnyShape(), bytes, bytes, &balance).payload_bytes() + 20, bytes);
  }
}

TEST(AllocationFitTest, WithoutAShapeTheOneAskedForIsUsed) {
  RoundingBalance balance;
  balance.OfSize(50) = 1000;
  EXPECT_EQ(FitAllocation(AnyShape(), 60, 50, &balance).num_blocks, 0u);
  EXPECT_EQ(balance.OfSize(50), 1010);
}

INSTANTIATE_TEST_SUITE_P(Formats, RocksDBAllocationFitTest,
                         testing::Values(Format::kBlocked, Format::kCompact), [](const auto& info) {
                           return info.param == Format::kBlocked ? "Blocked" : "Compact";
                         });

}  // namespace
}  // namespace bloomline
