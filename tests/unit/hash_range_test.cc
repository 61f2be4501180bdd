#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "src/filter/kernels/probe_sequence.h"
#include "src/filter/writer/partition.h"

namespace bloomline::filter {
namespace {

using kernels::BlockIndex;

TEST(HashRangeTest, EndsAtBlockBoundaries) {
  for (const uint64_t num_blocks : {1ull, 2ull, 3ull, 7ull, 1000ull, 0xfffffffbull, 1ull << 33}) {
    for (const uint64_t first : {uint64_t{0}, num_blocks / 3, num_blocks / 2, num_blocks - 1}) {
      for (const uint64_t count : {uint64_t{1}, (num_blocks - first + 1) / 2, num_blocks - first}) {
        SCOPED_TRACE(testing::Message() << first << " + " << count << " of " << num_blocks);
        const HashRange range = HashesOf({first, count}, num_blocks);
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
    copied.resize(CopyInRange(range, hashes.data(), hashes.size(), copied.data()));
    EXPECT_EQ(copied, expected);
  }
}

}  // namespace
}  // namespace bloomline::filter
