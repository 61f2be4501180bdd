// Filters of every small size, whose shape depends on the number of keys
// (src/filter/table/layout_table.h), through RocksDB's interfaces and with each kernel.
#include <gtest/gtest.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/sizing.h"
#include "src/engines/rocksdb/builder/bits_builder.h"
#include "src/engines/rocksdb/reader/bits_reader.h"
#include "src/filter/container/trailer.h"
#include "tests/support/each_kernel.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::rocksdb_small_filters_test {
namespace {

constexpr size_t kMaxKeys = 3000;

// Most of one length, which are hashed together, and some long ones.
class RocksDBSmallFiltersTest : public testing::Test {
 protected:
  RocksDBSmallFiltersTest() {
    for (size_t i = 0; i < kMaxKeys; ++i) {
      keys_.push_back("key" + std::to_string(10000 + i));
      if (i % 5 == 0) keys_.back().append(i % 300, 'x');
    }
    for (const std::string& key : keys_) slices_.emplace_back(key);
    for (rocksdb::Slice& slice : slices_) pointers_.push_back(&slice);
  }

  void ExpectAllKeys(const FilterOptions& options, size_t num_keys, bool fills_allocations) {
    engine::RocksDBBitsBuilder builder(options);
    rocksdb::BlockBasedTableOptions table;
    table.optimize_filters_for_memory = fills_allocations;
    builder.UseTableOptions(table);
    for (size_t i = 0; i < num_keys; ++i) builder.AddKey(slices_[i]);
    std::unique_ptr<const char[]> buffer;
    const rocksdb::Slice filter = builder.Finish(&buffer);
    if (!fills_allocations) {
      ASSERT_EQ(filter.size(), builder.CalculateSpace(num_keys));
      // What sizing.h says of small filters.
      ASSERT_NEAR(static_cast<double>(filter.size()),
                  static_cast<double>(FilterBytes(options.format, num_keys, options.bits_per_key)),
                  64);
    }
    // A reader must not read past the end.
    const std::string_view bytes = guarded_.AtEnd(filter.ToStringView());
    ASSERT_NE(filter::DecodeTrailer(bytes).layout, filter::Layout::kAlwaysMatch);
    const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader(
        engine::NewRocksDBBitsReader(bytes));
    for (size_t i = 0; i < num_keys; ++i) ASSERT_TRUE(reader->MayMatch(slices_[i])) << i;
    const size_t batch = 1 + num_keys % 40;
    for (size_t i = 0; i < num_keys; i += batch) {
      const size_t count = std::min(batch, num_keys - i);
      bool may_match[40] = {};
      reader->MayMatch(static_cast<int>(count), pointers_.data() + i, may_match);
      ASSERT_TRUE(std::all_of(may_match, may_match + count, [](bool match) { return match; })) << i;
    }
  }

  std::vector<std::string> keys_;
  std::vector<rocksdb::Slice> slices_;
  std::vector<rocksdb::Slice*> pointers_;
  GuardedBytes guarded_{64 << 10};
};

TEST_F(RocksDBSmallFiltersTest, EveryKeyMatchesAtEverySizeWithEachKernel) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(Format::kBlocked);
  WithEachKernel([&] {
    for (const double bits_per_key : {allowed.min, 3.6, 5.5, 7.1, 10.0, 11.0, 16.0, allowed.max}) {
      FilterOptions options{Format::kBlocked, bits_per_key};
      // Each size up to some past the last flat one.
      for (size_t n = 1; n <= kMaxKeys; n += n >= 520 ? 99 : kIsSlow && n > 40 ? 7 : 1) {
        ExpectAllKeys(options, n, false);
        ExpectAllKeys(options, n, true);
        ASSERT_FALSE(HasFatalFailure()) << n << " keys, " << bits_per_key;
      }
    }
  });
}

// RocksDB decides by it when a partition is full.
TEST_F(RocksDBSmallFiltersTest, EntriesOfANumberOfBytesAreTheMostThatFit) {
  for (const double bits_per_key : {3.0, 3.456, 6.4, 7.1, 9.5, 10.0, 10.499, 16.0, 23.999}) {
    engine::RocksDBBitsBuilder builder({Format::kBlocked, bits_per_key});
    for (size_t n = 1; n < kMaxKeys; ++n) {
      SCOPED_TRACE(testing::Message() << n << ' ' << bits_per_key);
      const size_t bytes = builder.CalculateSpace(n);
      ASSERT_LE(bytes, builder.CalculateSpace(n + 1));
      const size_t most = builder.ApproximateNumEntries(bytes);
      ASSERT_GE(most, n);
      ASSERT_EQ(builder.CalculateSpace(most), bytes);
      ASSERT_GT(builder.CalculateSpace(most + 2), bytes);
    }
    size_t before = builder.ApproximateNumEntries(0);
    EXPECT_GE(before, 1u);
    EXPECT_EQ(builder.CalculateSpace(before), builder.CalculateSpace(1));
    for (int shift = std::numeric_limits<size_t>::digits - 1; shift >= 0; --shift) {
      const size_t bytes = SIZE_MAX >> shift;
      const size_t entries = builder.ApproximateNumEntries(bytes);
      EXPECT_GE(entries, before) << bytes;
      if (bytes >= 4096 && shift >= 4) {
        EXPECT_NEAR(static_cast<double>(entries) * bits_per_key / 8, static_cast<double>(bytes),
                    100 + 1e-9 * static_cast<double>(bytes));
      }
      before = entries;
    }
  }
}

TEST_F(RocksDBSmallFiltersTest, TheEstimatedRateIsThatOfTheKeysAndTheBytes) {
  engine::RocksDBBitsBuilder builder({Format::kBlocked, 10});
  const size_t bytes = builder.CalculateSpace(1000000);
  const double rate = FalsePositiveRate(Format::kBlocked, 10);
  EXPECT_NEAR(builder.EstimatedFpRate(1000000, bytes), rate, 0.02 * rate);
  EXPECT_GT(builder.EstimatedFpRate(1100000, bytes), 1.2 * rate);
  EXPECT_LT(builder.EstimatedFpRate(1000000, bytes * 11 / 10), 0.8 * rate);
  EXPECT_EQ(builder.EstimatedFpRate(0, bytes), 0);
  EXPECT_EQ(builder.EstimatedFpRate(1, 16), 1) << "no more than a trailer";
}

}  // namespace
}  // namespace bloomline::tests::rocksdb_small_filters_test
