// The library's table of the false-positive rates of compact blocks, against blocks of random keys.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/compact_block.h"
#include "src/filter/rates/rates.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::compact_rate_test {
namespace {

// The part of all hashes that a block matches (docs/format.md, section 3.5): with r full columns
// and a threshold of T for the partial one, 2^-r (1 - T / 512); in a Bloom filter, by the bits that
// are set.
double BlockRate(const std::string& block, uint64_t num_keys) {
  const unsigned payload_bits = kernels::CompactPayloadBits(static_cast<uint32_t>(block.size()));
  const unsigned code =
      kernels::HeaderCode(kernels::LoadLittleEndian16(block.data() + block.size() - 2));
  if (code <= kernels::kMaxSlotsCode) {
    const kernels::ColumnCounts counts =
        kernels::CountColumns(payload_bits, kernels::kMinCompactSlots + code);
    return std::exp2(-static_cast<double>(counts.full)) * (1 - counts.threshold / 512.0);
  }
  double ones = 0;
  for (unsigned bit = 0; bit < payload_bits; ++bit) ones += block[bit / 8] >> bit % 8 & 1;
  return std::pow(ones / payload_bits, kernels::BloomBlockNumProbes(payload_bits, num_keys));
}

// Chance moves a mean by up to 1 % (one standard deviation).
TEST(CompactRateTest, TabledRatesAreThoseOfBlocks) {
  const int num_blocks = Repetitions(2000);
  const double tolerance = kIsSlow ? 0.08 : 0.04;
  std::mt19937_64 random(1);
  for (const uint32_t arrangement : {0u, 2u}) {
    const filter::FilterShape shape = filter::FilterShape::Compact(1, arrangement);
    std::string block(shape.block_bytes, '\0');
    for (uint64_t n = 0; n <= kernels::kMaxCompactSlots; ++n) {
      double sum = 0;
      for (int i = 0; i < num_blocks; ++i) {
        std::vector<uint64_t> hashes(n);
        for (uint64_t& hash : hashes) hash = random();
        filter::LayoutRowFor(shape.layout)
            .solve_block(hashes.data(), n, shape, kernels::ActiveKernel(), block.data());
        sum += BlockRate(block, n);
      }
      EXPECT_NEAR(sum / num_blocks / filter::CompactBlockRate(n, shape.block_bytes), 1, tolerance)
          << n << " keys in " << shape.block_bytes << " bytes";
    }
    // More keys than slots make a Bloom filter, which is worse.
    EXPECT_GT(filter::CompactBlockRate(kernels::kMaxCompactSlots + 1, shape.block_bytes),
              filter::CompactBlockRate(kernels::kMaxCompactSlots, shape.block_bytes));
  }
}

// 128 bytes were once looked up behind the end of the table.
TEST(CompactRateTest, BlocksOfOtherSizesHaveNoRate) {
  for (const uint32_t block_bytes : {0, 16, 31, 48, 63, 65, 128}) {
    EXPECT_TRUE(std::isnan(filter::CompactBlockRate(100, block_bytes))) << block_bytes;
  }
}

}  // namespace
}  // namespace bloomline::tests::compact_rate_test
