// Payloads built of hashes, in groups or not, by any number of threads: the bytes are those of
// straight insertion, and of blocks solved one by one; and every hash is still there afterwards.
#include "src/filter/writer/payload_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/filter/bits/probe_sequence.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/hash_groups.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "tests/support/each_kernel.h"
#include "tests/support/repetitions.h"

namespace bloomline::filter::payload_builder_test {
namespace {

using tests::RandomHashes;

constexpr size_t kBlocks = kGroupedFromBytes / 64 + 5000;

FilterShape ShapeOf(Layout layout, size_t n) {
  return layout == Layout::kCompact ? kCompactRow.shape({n, 10}) : FilterShape::Blocked(kBlocks, 6);
}

void Fill(const std::vector<uint64_t>& hashes, HashList* list) {
  for (const uint64_t hash : hashes) list->Append(hash);
}

class PayloadBuilderTest : public testing::TestWithParam<Layout> {
 protected:
  static std::string Expected(std::vector<uint64_t> hashes) {
    const FilterShape shape = ShapeOf(GetParam(), hashes.size());
    const kernels::Kernel& kernel = kernels::ActiveKernel();
    std::string payload(shape.payload_bytes(), '\0');
    if (shape.layout != Layout::kCompact) {
      filter::LayoutRowFor(shape.layout)
          .insert(shape, kernel, payload.data(), hashes.size(), hashes.data());
      return payload;
    }
    std::sort(hashes.begin(), hashes.end());  // and so by block
    for (uint64_t block = 0, begin = 0, end = 0; block < shape.num_blocks; ++block, begin = end) {
      while (end < hashes.size() && kernels::BlockIndex(hashes[end], shape.num_blocks) == block) {
        ++end;
      }
      filter::LayoutRowFor(shape.layout)
          .solve_block(hashes.data() + begin, end - begin, shape, kernel,
                       payload.data() + block * shape.block_bytes);
    }
    return payload;
  }

  static void ExpectSame(const std::vector<uint64_t>& hashes) {
    const FilterShape shape = ShapeOf(GetParam(), hashes.size());
    const std::string expected = Expected(hashes);
    for (const int threads : {1, 2, 7}) {
      std::string payload(shape.payload_bytes(), '\0');
      HashList list;
      Fill(hashes, &list);
      BuildPayload(&list, shape, kernels::ActiveKernel(), threads, payload.data());
      EXPECT_TRUE(payload == expected) << threads;
    }
  }
};

// Both sizes of units, full chunks and begun ones.
TEST_P(PayloadBuilderTest, TheBytesAreThoseOfStraightInsertion) {
  for (const size_t n : {400000, 500001, 2500000}) {
    if (n < 1000000 || !tests::kIsSlow) ExpectSame(RandomHashes(n, n));
  }
}

TEST_P(PayloadBuilderTest, HashesOfOneGroupAreNotLost) {
  std::vector<uint64_t> hashes = RandomHashes(400000, 1);
  for (uint64_t& hash : hashes) hash >>= 24;
  ExpectSame(hashes);
  for (uint64_t& hash : hashes) hash = ~hash;
  ExpectSame(hashes);
}

TEST_P(PayloadBuilderTest, HashesInOrderAreNotLost) {
  std::vector<uint64_t> hashes = RandomHashes(400000, 1);
  std::sort(hashes.begin(), hashes.end());
  ExpectSame(hashes);
  std::reverse(hashes.begin(), hashes.end());
  ExpectSame(hashes);
}

// As when builders of some threads were joined: most chunks are full, and end in a begun unit.
TEST(JoinedListTest, IsGrouped) {
  HashList list;
  for (size_t builder = 0; builder < 24; ++builder) {
    HashList one;
    Fill(RandomHashes(100000 + builder, builder), &one);
    list.TakeAll(&one);
  }
  const FilterShape shape = ShapeOf(Layout::kCompact, list.size());
  HashGroups groups(BlockGroups{shape.num_blocks, 8}.size());
  EXPECT_LT(groups.ExtraBytes(list), list.size() * sizeof(uint64_t) / 8);
}

// As when builders of many threads were joined: chunks of few hashes, which leave no whole unit.
TEST_P(PayloadBuilderTest, ListsOfShortChunksAreNotGrouped) {
  const std::vector<uint64_t> hashes = RandomHashes(200000, 1);
  HashList list;
  for (size_t i = 0; i < hashes.size(); i += 100) {
    HashList few;
    for (size_t j = i; j < i + 100; ++j) few.Append(hashes[j]);
    list.TakeAll(&few);
  }
  const FilterShape shape = ShapeOf(GetParam(), hashes.size());
  std::string payload(shape.payload_bytes(), '\0');
  BuildPayload(&list, shape, kernels::ActiveKernel(), 2, payload.data());
  EXPECT_TRUE(payload == Expected(hashes));
  size_t i = 0;
  list.ForEach([&](uint64_t hash) { EXPECT_EQ(hash, hashes[i++]); });
  EXPECT_EQ(i, hashes.size());
}

INSTANTIATE_TEST_SUITE_P(Layouts, PayloadBuilderTest,
                         testing::Values(Layout::kBlocked, Layout::kCompact), [](const auto& info) {
                           return info.param == Layout::kBlocked ? "Blocked" : "Compact";
                         });

}  // namespace
}  // namespace bloomline::filter::payload_builder_test
