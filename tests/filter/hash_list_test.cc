// Lists of hashes in chunks, and the ranges of hashes that belong to blocks.
#include "src/filter/writer/hash_list.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "src/filter/bits/probe_sequence.h"
#include "src/support/memory.h"

namespace bloomline::tests::hash_list_test {
namespace {

using filter::HashList;
using kernels::BlockIndex;

std::vector<uint64_t> Content(const HashList& list) {
  std::vector<uint64_t> hashes;
  list.ForEach([&](uint64_t hash) { hashes.push_back(hash); });
  return hashes;
}

void AppendIfNew(uint64_t hash, HashList* list) {
  if (list->AppendIfNewAndEasy(hash)) return;
  if (list->size() != 0 && list->back() == hash) return;
  list->Append(hash);
}

TEST(HashListTest, KeepsAllHashesInOrderThroughChunksOfAllSizes) {
  constexpr uint64_t kHashes = 6 * support::kHugePageBytes / sizeof(uint64_t) + 12345;
  HashList list;
  for (uint64_t i = 0; i < kHashes; ++i) {
    AppendIfNew(i * i, &list);
    AppendIfNew(i * i, &list);
    ASSERT_EQ(list.size(), i + 1);
    ASSERT_EQ(list.back(), i * i);
  }
  const std::vector<uint64_t> content = Content(list);
  ASSERT_EQ(content.size(), kHashes);
  for (uint64_t i = 0; i < kHashes; ++i) ASSERT_EQ(content[i], i * i);
}

TEST(HashListTest, AListContinuesAfterTheHashesItTook) {
  for (const uint64_t size : {1, 125, 126, 20000}) {
    HashList list, other, empty;
    for (uint64_t i = 0; i < size; ++i) AppendIfNew(i, &other);
    list.TakeAll(&other);
    AppendIfNew(size - 1, &list);
    AppendIfNew(size, &list);
    list.TakeAll(&empty);
    AppendIfNew(size, &other);  // used again
    list.TakeAll(&other);
    EXPECT_EQ(list.size(), size + 2);
    EXPECT_EQ(other.size(), 0u);
    EXPECT_EQ(list.back(), size);
    std::vector<uint64_t> expected(size + 1);
    std::iota(expected.begin(), expected.end(), 0);
    expected.push_back(size);
    EXPECT_EQ(Content(list), expected);
    other.Clear();
    list.Clear();
    AppendIfNew(size, &list);
    EXPECT_EQ(Content(list), std::vector<uint64_t>({size}));
  }
}

}  // namespace
}  // namespace bloomline::tests::hash_list_test
