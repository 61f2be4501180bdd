// Payloads built of hashes, in groups or not, by any number of threads: the bytes are those of
// straight insertion; and every hash is still there afterwards.
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

const FilterShape kShape = FilterShape::Blocked(kBlocks, 6);

void Fill(const std::vector<uint64_t>& hashes, HashList* list) {
  for (const uint64_t hash : hashes) list->Append(hash);
}

std::string Expected(const std::vector<uint64_t>& hashes) {
  std::string payload(kShape.payload_bytes(), '\0');
  LayoutRowFor(kShape.layout)
      .insert(kShape, kernels::ActiveKernel(), payload.data(), hashes.size(), hashes.data());
  return payload;
}

void ExpectSame(const std::vector<uint64_t>& hashes) {
  const std::string expected = Expected(hashes);
  for (const int threads : {1, 2, 7}) {
    std::string payload(kShape.payload_bytes(), '\0');
    HashList list;
    Fill(hashes, &list);
    BuildPayload(&list, kShape, kernels::ActiveKernel(), threads, payload.data());
    EXPECT_TRUE(payload == expected) << threads;
  }
}

// Both sizes of units, full chunks and begun ones.
TEST(PayloadBuilderTest, TheBytesAreThoseOfStraightInsertion) {
  for (const size_t n : {400000, 500001, 2500000}) {
    if (n < 1000000 || !tests::kIsSlow) ExpectSame(RandomHashes(n, n));
  }
}

TEST(PayloadBuilderTest, HashesOfOneGroupAreNotLost) {
  std::vector<uint64_t> hashes = RandomHashes(400000, 1);
  for (uint64_t& hash : hashes) hash >>= 24;
  ExpectSame(hashes);
  for (uint64_t& hash : hashes) hash = ~hash;
  ExpectSame(hashes);
}

TEST(PayloadBuilderTest, HashesInOrderAreNotLost) {
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
  HashGroups groups(BlockGroups{list.size() * 10 / kernels::kBlockBits, 8}.size());
  EXPECT_LT(groups.ExtraBytes(list), list.size() * sizeof(uint64_t) / 8);
}

// As when builders of many threads were joined: chunks of few hashes, which leave no whole unit.
TEST(PayloadBuilderTest, ListsOfShortChunksAreNotGrouped) {
  const std::vector<uint64_t> hashes = RandomHashes(200000, 1);
  HashList list;
  for (size_t i = 0; i < hashes.size(); i += 100) {
    HashList few;
    for (size_t j = i; j < i + 100; ++j) few.Append(hashes[j]);
    list.TakeAll(&few);
  }
  std::string payload(kShape.payload_bytes(), '\0');
  BuildPayload(&list, kShape, kernels::ActiveKernel(), 2, payload.data());
  EXPECT_TRUE(payload == Expected(hashes));
  size_t i = 0;
  list.ForEach([&](uint64_t hash) { EXPECT_EQ(hash, hashes[i++]); });
  EXPECT_EQ(i, hashes.size());
}

}  // namespace
}  // namespace bloomline::filter::payload_builder_test
