// Lists of hashes in chunks, and the ranges of hashes that belong to blocks.
#include "src/filter/writer/hash_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/layouts/block_run.h"
#include "src/support/huge_pages.h"

namespace bloomline {
namespace {

using filter::HashList;
using filter::HashRange;
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

TEST(HashListTest, AReusedBuilderKeepsAKeyEqualToThePreviousOne) {
  // Short and long keys, and keys with a seed, take different paths to the list.
  for (const uint64_t seed : {0, 1}) {
    FilterOptions options;
    options.seed = seed;
    FilterBuilder builder(options);
    for (const size_t bytes : {0, 1, 8, 16, 17, 300}) {
      const std::string key(bytes, 'x');
      for (int round = 0; round < 2; ++round) {
        builder.AddKey(key);
        builder.AddKey(key);
        EXPECT_EQ(builder.num_keys(), 1u);
        const std::string filter = builder.Finish();
        EXPECT_TRUE(FilterView::Open(filter).MayMatch(key)) << bytes;
        EXPECT_FALSE(FilterView::Open(filter).AlwaysMatches());
      }
    }
  }
}

// Clear keeps the first chunk, which then holds as many hashes as before.
TEST(HashListTest, AClearedListRefillsItsFirstChunk) {
  HashList list;
  size_t first_run = 0;
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 1000; ++i) AppendIfNew(i, &list);
    std::vector<size_t> sizes;
    list.ForEachChunk([&](const uint64_t*, size_t n) { sizes.push_back(n); });
    if (round == 0) first_run = sizes[0];
    EXPECT_LT(first_run, 1000u);
    EXPECT_EQ(sizes[0], first_run);
    list.Clear();
  }
}

// Wants to be called from each 1000th hash on.
class Observer : public filter::HashListObserver {
 public:
  size_t ListHas(size_t num_hashes) override {
    EXPECT_LE(num_hashes, next_) << "it was called too late";
    calls_ += num_hashes == next_ ? 1 : 0;
    next_ = num_hashes / 1000 * 1000 + 1000;
    return next_;
  }
  void BuildingTakes(uint64_t) override {}
  size_t calls() const { return calls_; }

 private:
  size_t next_ = 0;
  size_t calls_ = 0;
};

TEST(HashListTest, AnObserverIsCalledWhereItWants) {
  constexpr size_t kHashes = 300500;  // chunks of all sizes
  HashList list;
  Observer observer;
  list.SetObserver(&observer);
  for (uint64_t i = 0; i < kHashes; ++i) {
    if (!list.AppendIfNewAndEasy(i)) list.Append(i);
  }
  EXPECT_EQ(observer.calls(), 301u);
  uint64_t next = 0;
  list.ForEach([&](uint64_t hash) { EXPECT_EQ(hash, next++); });
  EXPECT_EQ(next, kHashes);
  // Another list goes on after the place where the observer wanted to be called.
  HashList other;
  other.TakeAll(&list);
  for (uint64_t i = 0; i < kHashes; ++i) other.Append(kHashes + i);
  next = 0;
  other.ForEach([&](uint64_t hash) { EXPECT_EQ(hash, next++); });
  EXPECT_EQ(next, 2 * kHashes);
  EXPECT_EQ(observer.calls(), 301u);
}

TEST(HashRangeTest, EndsAtBlockBoundaries) {
  for (const uint64_t num_blocks : {1ull, 2ull, 3ull, 7ull, 1000ull, 0xfffffffbull, 1ull << 33}) {
    for (const uint64_t first : {uint64_t{0}, num_blocks / 3, num_blocks / 2, num_blocks - 1}) {
      for (const uint64_t count : {uint64_t{1}, (num_blocks - first + 1) / 2, num_blocks - first}) {
        if (count > SIZE_MAX) continue;  // more blocks than the memory of a 32-bit CPU holds
        SCOPED_TRACE(testing::Message() << first << " + " << count << " of " << num_blocks);
        const HashRange range = filter::HashesOf({first, static_cast<size_t>(count)}, num_blocks);
        EXPECT_EQ(BlockIndex(range.first, num_blocks), first);
        EXPECT_EQ(BlockIndex(range.last, num_blocks), first + count - 1);
        if (range.first > 0) {
          EXPECT_EQ(BlockIndex(range.first - 1, num_blocks), first - 1);
        }
        if (range.last < UINT64_MAX) {
          EXPECT_EQ(BlockIndex(range.last + 1, num_blocks), first + count);
        }
      }
    }
  }
}

TEST(HashRangeTest, CopiesBothEndsAndNothingElse) {
  for (const HashRange range :
       {HashRange{0, 0}, HashRange{5, 9}, HashRange{7, UINT64_MAX}, HashRange{0, UINT64_MAX}}) {
    const std::vector<uint64_t> hashes = {range.last,     6, range.first, range.first - 1,
                                          range.last + 1, 0, UINT64_MAX,  range.first};
    std::vector<uint64_t> expected;
    std::copy_if(hashes.begin(), hashes.end(), std::back_inserter(expected),
                 [&](uint64_t hash) { return hash >= range.first && hash <= range.last; });
    std::vector<uint64_t> copied(hashes.size());
    copied.resize(filter::CopyInRange(range, hashes.data(), hashes.size(), copied.data()));
    EXPECT_EQ(copied, expected);
  }
}

}  // namespace
}  // namespace bloomline
