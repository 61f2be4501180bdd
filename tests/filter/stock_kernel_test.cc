// The kernels for RocksDB's own filters against the portable one.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/ribbon.h"
#include "tests/support/each_kernel.h"

namespace bloomline::stock {
namespace {

using kernels::kBlockBytes;
using kernels::PayloadView;

using tests::HashesWithEdges;

class StockKernelTest : public tests::EachKernelTest {
 protected:
  const StockKernel& kernel() const { return EachKernelTest::kernel().stock; }
  static const StockKernel& portable() { return EachKernelTest::portable().stock; }
};

// Zeroed memory of exactly the filter's bytes, so that a sanitizer sees every byte too many.
struct Blocks {
  Blocks(uint64_t num_blocks, size_t offset)
      : bytes(num_blocks * kBlockBytes),
        memory(new char[bytes + offset]()),
        data(memory.get() + offset) {}
  size_t bytes;
  std::unique_ptr<char[]> memory;
  char* data;
};

// As RocksDB's builder does.
void Insert(const PayloadView& filter, const std::vector<uint64_t>& hashes) {
  for (const uint64_t hash : hashes) {
    char* const block = const_cast<char*>(LocalBloomBlock(filter, hash));
    for (int j = 0; j < filter.num_probes; ++j) {
      kernels::SetBit(block, LocalBloomBit(LocalBloomProbeHash(hash), j));
    }
  }
}

TEST_P(StockKernelTest, AnswersBloomQueriesAsPortable) {
  for (int k = 1; k <= kMaxLocalBloomProbes; ++k) {
    for (const uint64_t num_blocks : {1u, 3u, 50u}) {
      const Blocks blocks(num_blocks, static_cast<size_t>(k) * 11 % 64);
      const PayloadView filter{blocks.data, num_blocks, k};
      const std::vector<uint64_t> stored =
          HashesWithEdges(num_blocks * 20, 100 + static_cast<uint64_t>(k));
      Insert(filter, stored);
      std::vector<uint64_t> queries = HashesWithEdges(3001, 200 + static_cast<uint64_t>(k));
      queries.insert(queries.end(), stored.begin(), stored.end());
      const std::unique_ptr<bool[]> many(new bool[queries.size()]);
      kernel().local_bloom.may_match_many(filter, queries.size(), queries.data(), many.get());
      kernel().local_bloom.may_match_many(filter, 0, nullptr, nullptr);
      size_t matches = 0;
      for (size_t i = 0; i < queries.size(); ++i) {
        const bool expected = portable().local_bloom.may_match_for(k)(filter, queries[i]);
        ASSERT_EQ(expected, kernel().local_bloom.may_match_for(k)(filter, queries[i])) << "k " << k;
        ASSERT_EQ(expected, many[i]) << "k " << k;
        bool short_batch[3];
        kernel().local_bloom.may_match_many(filter, 1, &queries[i], short_batch);
        ASSERT_EQ(expected, short_batch[0]) << "k " << k;
        matches += expected;
      }
      ASSERT_GE(matches, stored.size());
      ASSERT_LT(matches, queries.size());
    }
  }
}

// The same by its definition: a key's row r is row r % 128 of its block or of the next.
bool ParityIsRight(const RibbonView& view, uint64_t hash, uint32_t column) {
  const RibbonKey key(view, hash);
  const uint64_t coefficients[2] = {(key.mixed ^ RibbonKey::kLowCoefficients) | 1, key.mixed};
  unsigned parity = key.fingerprint() >> column & 1;
  for (uint32_t i = 0; i < RibbonShape::kRowsPerBlock; ++i) {
    const uint32_t row = key.first_row + i;
    const char* const segment = (row < RibbonShape::kRowsPerBlock ? key.here : key.next) +
                                column * RibbonShape::kSegmentBytes;
    const unsigned bit = static_cast<unsigned char>(segment[row % 128 / 8]) >> row % 8;
    parity ^= static_cast<unsigned>(coefficients[i / 64] >> i % 64) & bit & 1;
  }
  return parity == 0;
}

// Flips the key's first row, whose coefficient is always set.
void FlipParity(const RibbonView& view, uint64_t hash, uint32_t column) {
  const RibbonKey key(view, hash);
  char* const byte =
      const_cast<char*>(key.here) + column * RibbonShape::kSegmentBytes + key.first_row / 8;
  *byte = static_cast<char>(*byte ^ 1 << key.first_row % 8);
}

TEST_P(StockKernelTest, AnswersRibbonQueriesByTheirDefinition) {
  std::mt19937_64 random(7);
  for (uint32_t columns = 1; columns <= RibbonShape::kMaxColumns; ++columns) {
    const auto may_match = kernel().ribbon.may_match_for(columns);
    for (const uint32_t num_blocks : {2u, 3u, 20u}) {
      for (const uint32_t missing : {0u, 1u, num_blocks - 1}) {
        // Exactly the bytes, so that a sanitizer sees every byte too many.
        const size_t num_bytes = (columns * num_blocks - missing) * RibbonShape::kSegmentBytes;
        const std::unique_ptr<char[]> bytes(new char[num_bytes]);
        for (size_t i = 0; i < num_bytes; ++i) bytes[i] = static_cast<char>(random());
        const RibbonView view{bytes.get(), RibbonShape(num_blocks, num_bytes),
                              RibbonView::RawSeed(static_cast<uint8_t>(random()))};
        ASSERT_EQ(view.shape.columns, columns);
        // With two blocks, one key in 129 begins with the last row, where no block follows.
        for (const uint64_t hash : HashesWithEdges(130, columns)) {
          const uint32_t present = RibbonKey(view, hash).columns;
          for (uint32_t i = 0; i < present; ++i) {
            if (!ParityIsRight(view, hash, i)) FlipParity(view, hash, i);
          }
          ASSERT_TRUE(may_match(view, hash)) << "columns " << columns << ", missing " << missing;
          if (present == 0) continue;
          const uint32_t wrong = static_cast<uint32_t>(random() % present);
          FlipParity(view, hash, wrong);
          ASSERT_FALSE(may_match(view, hash)) << "columns " << columns << ", missing " << missing;
        }
        const std::vector<uint64_t> hashes = HashesWithEdges(301, 99);
        const std::unique_ptr<bool[]> many(new bool[hashes.size()]);
        kernel().ribbon.may_match_many(view, hashes.size(), hashes.data(), many.get());
        for (size_t i = 0; i < hashes.size(); ++i) {
          ASSERT_EQ(many[i], may_match(view, hashes[i])) << "columns " << columns;
          ASSERT_EQ(many[i], portable().ribbon.may_match_for(columns)(view, hashes[i]));
        }
      }
    }
  }
}

BLOOMLINE_WITH_EACH_KERNEL(StockKernelTest);

}  // namespace
}  // namespace bloomline::stock
